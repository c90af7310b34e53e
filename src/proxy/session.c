/*
 * One run of the proxy.
 *
 *     host stdin  --> host_in  --> framer --> recorder --> transport --> server
 *     host stdout <-- host_out <------------- recorder <-- transport <-- server
 *
 *  1. session_run() prunes, opens the log, starts the server, and runs the loop.
 *  2. Every event does its part (records, queues, notes) and ends in session_step(), which alone
 *     decides what is read, and when the session is over.
 *  3. The host's end closes the server's input; the server's end ends the session.
 *  4. A signal stops the host, is passed on, and bounds everything that follows by END_MS.
 *  5. When the server is over and the host has got everything, all is closed, and when the log is
 *     drained the loop runs out of work.
 *
 * In a session that neither records nor acts, lines are not cut: pieces go on as they come. In
 * active mode every line goes through active.c on its way, which records it.
 */

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sp_log.h"
#include "proxy/session.h"
#include "proxy/startup.h"

#define START_FAILED 125

/* What a server has after a signal, in ms. */
#define END_MS 3000

/* What a transport has to close when everything else is, in ms. */
#define CLOSE_MS 200

/* Not 0: a timer that is due at once may fire before the loop has polled again. */
#define LAST_TURN_MS 1

static void close_handle(uv_handle_t *handle)
{
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void session_close(struct session *s);

static void on_abandon(uv_timer_t *timer)
{
    struct session *s = timer->data;

    s->is_abandoned = true;
    uv_stop(&s->loop);
}

static void on_last_turn(uv_timer_t *timer)
{
    struct session *s = timer->data;

    s->is_last_turn = true;
    session_close(s);
}

static void on_client_closed(void *owner)
{
    (void)owner; /* the loop has waited for it */
}

/*
 * Idempotent: each event on the way down comes through here again. What a transport cannot take
 * back, a look-up of a name, is not waited for but CLOSE_MS. Signals are seen until the log is
 * drained, and for one more turn of the loop: one that came before the event that led here may
 * still be in libuv's pipe.
 */
static void session_close(struct session *s)
{
    bool is_transport_closed = s->transport == NULL || s->transport->ops->close(s->transport);

    s->is_closing = true;
    source_close(&s->host_in);
    outq_close(&s->host_out);
    if (s->active == NULL && s->client != NULL) { /* the start failed before anybody had it */
        s->oracle->client_close(s->client, on_client_closed, s);
        s->client = NULL;
    }
    if ((s->active != NULL && !active_close(s->active)) ||
        (s->recorder != NULL && !recorder_close(s->recorder)))
        return;
    uv_update_time(&s->loop); /* the start alone may have taken longer than CLOSE_MS */
    if (!is_transport_closed) {
        (void)uv_timer_start(&s->timer, on_abandon, CLOSE_MS, 0); /* has a callback: cannot fail */
    } else if (!s->is_last_turn) {
        (void)uv_timer_start(&s->timer, on_last_turn, LAST_TURN_MS, 0); /* likewise */
    } else {
        close_handle((uv_handle_t *)&s->timer);
        endsignals_close(&s->signals);
    }
}

static void note_host_error(int err)
{
    sp_log("forwarding to the client: %s", sp_err_cause(err));
}

static void flush_to_host(struct session *s)
{
    int err = outq_flush(&s->host_out);

    if (err < 0)
        note_host_error(err);
}

/* In active mode the end of the server's output ends what waits for it, and its input. */
static void step_active(struct session *s)
{
    struct transport *t = s->transport;

    if (t->ops->has_ended(t)) {
        active_server_end(s->active);
        flush_to_host(s);
        if (s->recorder != NULL)
            recorder_flush(s->recorder);
        t->ops->end(t);
    }
    active_arm(s->active);
}

/* Sets the valves and finds out whether the session is over. Called after every event. */
static void session_step(struct session *s)
{
    struct transport *t = s->transport;

    if (s->is_closing) {
        session_close(s);
        return;
    }
    if (s->active != NULL)
        step_active(s);
    if (t->ops->is_full(t) || s->signum != 0 || (s->active != NULL && active_holds_host(s->active)))
        source_stop(&s->host_in);
    else
        source_start(&s->host_in);
    if (outq_is_full(&s->host_out))
        t->ops->hold(t);
    else
        t->ops->release(t);

    if (s->host_ended && !(s->active != NULL && active_is_judging(s->active)))
        t->ops->end(t);
    if (t->ops->is_over(t)) {
        source_close(&s->host_in);
        if (outq_is_empty(&s->host_out) || s->is_late)
            session_close(s);
    }
}

/* Takes a reference to a line of the host. */
static void to_server(struct session *s, struct line *line)
{
    if (s->active != NULL) {
        active_host_line(s->active, line);
        line_unref(line);
        return;
    }
    if (s->recorder != NULL)
        recorder_add(s->recorder, line);
    s->transport->ops->send(s->transport, line);
}

static void flush_to_server(struct session *s)
{
    s->transport->ops->flush(s->transport);
    if (s->recorder != NULL)
        recorder_flush(s->recorder);
}

/* In active mode a line of either side may have made lines for both. */
static void flush_all(struct session *s)
{
    flush_to_host(s);
    flush_to_server(s);
}

static uint64_t now_ms(const struct session *s)
{
    return (uv_hrtime() - s->zero_ns) / 1000000;
}

static void on_host_chunk(struct source *src, struct line *chunk)
{
    struct session *s = src->owner;

    if (s->signum != 0)
        return;
    if (session_is_raw(s)) {
        to_server(s, line_ref(chunk));
    } else {
        struct sp_str bytes = line_str(chunk);
        uint64_t t_ms = now_ms(s);
        struct line *line;

        while ((line = framer_next(&s->framer, &bytes, t_ms)) != NULL)
            to_server(s, line);
    }
    if (s->active != NULL)
        flush_to_host(s);
    flush_to_server(s);
    session_step(s);
}

static void on_host_end(struct source *src, int err)
{
    struct session *s = src->owner;
    struct line *line = NULL;

    if (err < 0)
        sp_log("reading from the client: %s", sp_err_cause(err));
    else if (s->signum == 0)
        line = framer_finish(&s->framer, now_ms(s));
    if (line != NULL)
        to_server(s, line);
    s->host_ended = true;
    if (s->active != NULL) {
        active_host_end(s->active);
        flush_to_host(s);
    }
    flush_to_server(s);
    session_step(s);
}

static void on_host_in_closed(struct source *src)
{
    session_step(src->owner);
}

static const struct source_callbacks host_in_callbacks = {on_host_chunk, on_host_end,
                                                          on_host_in_closed};

static void on_host_out_change(struct outq *q)
{
    struct session *s = q->owner;

    if (q->error < 0 && !q->is_closing)
        note_host_error(q->error);
    session_step(s);
}

static void on_server_line(void *owner, struct line *line)
{
    struct session *s = owner;

    if (s->active != NULL) {
        active_server_line(s->active, line);
        return;
    }
    if (s->recorder != NULL)
        recorder_add(s->recorder, line);
    outq_send(&s->host_out, line_ref(line));
}

static void on_server_kept(void *owner, struct line *line)
{
    struct session *s = owner;

    if (s->active != NULL)
        active_kept_line(s->active, line);
    else if (s->recorder != NULL)
        recorder_add(s->recorder, line);
}

static void on_server_pause(void *owner)
{
    struct session *s = owner;

    flush_to_host(s);
    if (s->active != NULL)
        s->transport->ops->flush(s->transport);
    if (s->recorder != NULL)
        recorder_flush(s->recorder);
    session_step(s);
}

static void on_transport_change(void *owner)
{
    session_step(owner);
}

static const struct transport_events transport_events = {
    .on_line = on_server_line,
    .on_kept = on_server_kept,
    .on_pause = on_server_pause,
    .on_change = on_transport_change,
};

static void on_active_event(void *owner)
{
    struct session *s = owner;

    if (!s->is_closing)
        flush_all(s);
    session_step(s);
}

static void on_recorder_closed(struct recorder *r)
{
    session_step(recorder_owner(r));
}

static void on_late(uv_timer_t *timer)
{
    struct session *s = timer->data;

    s->is_late = true;
    s->transport->ops->kill(s->transport);
    session_step(s);
}

static void on_signal(uv_signal_t *handle, int signum)
{
    struct session *s = handle->data;
    bool is_from_terminal = signum == SIGINT && isatty(STDIN_FILENO);

    if (s->signum != 0)
        endsignals_end_by(signum);
    s->signum = signum;
    if (s->is_closing)
        return; /* only the log is still to be drained */
    source_stop(&s->host_in);
    if (s->active != NULL) {
        active_interrupt(s->active);
        flush_all(s);
    }
    /* A terminal has sent its Ctrl-C to the whole process group, the server included. */
    s->transport->ops->interrupt(s->transport, is_from_terminal ? 0 : signum);
    (void)uv_timer_start(&s->timer, on_late, END_MS, 0); /* fails only without a callback */
    session_step(s);
}

/* Steps 3 to 6 of a start. On failure no log is left; session_close() and _free() do the rest. */
static int session_start(struct session *s, struct sp_buf *ret_notices, struct sp_err *ret_err)
{
    int err = startup_load_flow(s, ret_notices, ret_err);

    if (err < 0)
        return err;
    err = startup_find_guards(s, ret_err);
    if (err < 0)
        return err;
    err = startup_ready_judge(s, ret_notices, ret_err);
    if (err < 0)
        return err;
    err = startup_prepare_upstream(s, ret_err);
    if (err < 0)
        return err;
    s->zero_ns = uv_hrtime();
    err = startup_open_recorder(s, on_recorder_closed, ret_err);
    if (err < 0)
        return err;
    s->transport = startup_make_transport(s, &transport_events);
    s->active = startup_make_active(s, on_active_event, ret_notices);
    endsignals_watch(&s->signals, &s->loop, on_signal, s);
    err = s->transport->ops->start(s->transport, ret_err);
    if (err < 0 && s->active != NULL)
        active_discard(s->active);
    if (err < 0 && s->recorder != NULL)
        recorder_discard(s->recorder);
    return err;
}

static void session_free(struct session *s)
{
    int err;

    framer_deinit(&s->framer);
    active_free(s->active);
    recorder_free(s->recorder);
    if (s->transport != NULL)
        s->transport->ops->free(s->transport);
    free(s->headers);
    err = uv_loop_close(&s->loop);
    assert(err == 0);
    (void)err;
    flow_free(s->flow);
    free(s->flow_tools);
    if (s->upstream != NULL)
        uv_dlclose(&s->upstream_lib);
    if (s->oracle != NULL)
        uv_dlclose(&s->oracle_lib);
}

static struct fdesc standard(int fd, int access, const bool is_open[3])
{
    if (!is_open[fd])
        return (struct fdesc){.fd = -1, .kind = FDESC_FILE};
    return fdesc_inherited(fd, access);
}

struct session_end session_run(const struct options *options, const bool is_open[3])
{
    struct session s = {.options = options};
    struct session_end end;
    struct sp_buf notices = {0};
    struct sp_err err;
    bool has_started;

    if (uv_loop_init(&s.loop) < 0) {
        sp_log("starting: the event loop could not be made");
        return (struct session_end){.exit_status = START_FAILED};
    }
    (void)uv_timer_init(&s.loop, &s.timer); /* never fails */
    s.timer.data = &s;
    framer_init(&s.framer, LINE_CLIENT);
    source_init(&s.host_in, &s.loop, standard(STDIN_FILENO, O_RDONLY, is_open), &host_in_callbacks,
                &s);
    outq_init(&s.host_out, &s.loop, standard(STDOUT_FILENO, O_WRONLY, is_open),
              session_is_raw(&s) ? OUTQ_RAW : OUTQ_HIGH, on_host_out_change, &s);

    startup_prune(options, &notices);
    has_started = session_start(&s, &notices, &err) == 0;
    if (has_started && s.recorder != NULL)
        sp_log("recording to %s", recorder_path(s.recorder));
    startup_print_notices(&notices);
    if (has_started) {
        session_step(&s);
    } else {
        sp_log("%s", err.text);
        session_close(&s);
    }
    (void)uv_run(&s.loop, UV_RUN_DEFAULT); /* until everything is closed */

    end = (struct session_end){
        .exit_status = has_started ? s.transport->ops->exit_status(s.transport) : START_FAILED,
        .signum = s.signum,
    };
    end.is_abandoned = s.is_abandoned;
    if (!s.is_abandoned)
        session_free(&s);
    return end;
}
