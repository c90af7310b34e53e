/*
 * The server that a procedure runs against.
 *
 *     INITIALIZING ──► CALLING ──► CALLING ... ──► ENDING ──► CLOSING
 *
 *  1. The server is started and sent `initialize`.
 *  2. Each answer makes the run go on, which sends the next call or is over.
 *  3. ENDING: the server's input is closed, and it has END_MS to exit; then it is killed.
 *  4. CLOSING: when the server is over, everything is closed and the loop runs out of work.
 *
 * An error in place of an answer, and the end of the server's output, lead to ENDING with a
 * failure. So does a request that cannot be written, but what the server has said before may still
 * answer it, or end: it has LAST_WORD_MS for that. A signal leads to ENDING too; it is passed on,
 * and a second one kills the server.
 */

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/procedure_server.h"
#include "io/endsignals.h"
#include "json/jcanon.h"
#include "procedure/procedure_rpc.h"
#include "transport/transport_child.h"

#define END_MS       5000
#define LAST_WORD_MS 5000

enum server_state { SERVER_INITIALIZING, SERVER_CALLING, SERVER_ENDING, SERVER_CLOSING };

struct server {
    uv_loop_t loop;
    enum server_state state;
    struct transport *transport;
    uv_timer_t timer;
    struct endsignals signals;
    int signum; /* that came; 0 for none */
    struct procedure_run *run;
    uint64_t id; /* of the last request */
    int result;  /* 0 as long as nothing has failed */
    struct sp_err *ret_err;
};

static void server_step(struct server *s);

static bool is_waiting(const struct server *s)
{
    return s->state == SERVER_INITIALIZING || s->state == SERVER_CALLING;
}

static const char *method_of(const struct server *s)
{
    return s->state == SERVER_INITIALIZING ? "initialize" : "tools/call";
}

/* ---- the end ---- */

static void on_time_up(uv_timer_t *timer);

static void arm(struct server *s, uint64_t ms)
{
    uv_update_time(&s->loop);
    (void)uv_timer_start(&s->timer, on_time_up, ms, 0); /* fails only without a callback */
}

static void start_ending(struct server *s)
{
    s->state = SERVER_ENDING;
    s->transport->ops->end(s->transport);
    arm(s, END_MS);
}

/* Ends the run with a failure, whose text is there. */
static void fail(struct server *s, int err)
{
    s->result = err;
    start_ending(s);
}

static void on_time_up(uv_timer_t *timer)
{
    struct server *s = timer->data;

    if (is_waiting(s)) {
        sp_err_set(s->ret_err, "%s: the server takes no more requests", method_of(s));
        fail(s, -EPIPE);
    } else {
        s->transport->ops->kill(s->transport);
    }
    server_step(s);
}

static void server_close(struct server *s)
{
    s->state = SERVER_CLOSING;
    if (!s->transport->ops->close(s->transport) || uv_is_closing((uv_handle_t *)&s->timer))
        return;
    uv_close((uv_handle_t *)&s->timer, NULL);
    endsignals_close(&s->signals);
}

/* Finds out whether the server can still answer, and whether it is over. Called after events. */
static void server_step(struct server *s)
{
    struct transport *t = s->transport;

    if (is_waiting(s) && t->ops->has_ended(t)) {
        sp_err_set(s->ret_err, "%s: the server ended its output without answering", method_of(s));
        fail(s, -EPIPE);
    } else if (is_waiting(s) && !t->ops->is_open(t) && !uv_is_active((uv_handle_t *)&s->timer)) {
        arm(s, LAST_WORD_MS);
    }
    if (s->state == SERVER_CLOSING || (s->state == SERVER_ENDING && t->ops->is_over(t)))
        server_close(s);
}

/* ---- requests and answers ---- */

static void send_text(struct server *s, struct sp_str text)
{
    struct line *line = line_new(text.len);

    memcpy(line->bytes, text.p, text.len);
    line->len = text.len;
    s->transport->ops->send(s->transport, line);
    s->transport->ops->flush(s->transport);
}

static void send_initialize(struct server *s)
{
    struct sp_buf text = {0};

    procedure_rpc_put_initialize(&text, ++s->id);
    send_text(s, sp_buf_str(&text));
    sp_buf_deinit(&text);
}

/* Lets the run go on: a call, or the end. */
static void go_on(struct server *s)
{
    struct procedure_run_call call;
    struct sp_buf text = {0};
    int outcome = procedure_run_next(s->run, &call, s->ret_err);

    if (outcome < 0) {
        fail(s, outcome);
    } else if (outcome == PROCEDURE_RUN_CALL) {
        procedure_rpc_put_call(&text, ++s->id, call.tool, call.arguments);
        send_text(s, sp_buf_str(&text));
    } else {
        start_ending(s);
    }
    sp_buf_deinit(&text);
}

static void take_result(struct server *s, struct sp_str result)
{
    struct sp_buf text = {0};

    if (s->state == SERVER_INITIALIZING) {
        s->state = SERVER_CALLING;
        procedure_rpc_put_initialized(&text);
        send_text(s, sp_buf_str(&text));
    } else if (procedure_rpc_result(result, &text)) {
        procedure_run_fail(s->run, sp_buf_str(&text));
    } else {
        procedure_run_answer(s->run, sp_buf_str(&text));
    }
    sp_buf_deinit(&text);
    go_on(s);
}

static void take_error(struct server *s, struct sp_str error)
{
    struct sp_buf text = {0};

    jcanon(&text, error);
    sp_err_set(s->ret_err, "%s: %s", method_of(s), sp_buf_cstr(&text));
    sp_buf_deinit(&text);
    fail(s, -EPROTO);
}

static void on_line(void *owner, struct line *line)
{
    struct server *s = owner;
    enum procedure_rpc_kind kind;
    struct sp_str found;

    if (!is_waiting(s))
        return;
    kind = procedure_rpc_read(line_str(line), s->id, &found);
    if (kind == PROCEDURE_RPC_OTHER)
        return;
    if (kind == PROCEDURE_RPC_RESULT)
        take_result(s, found);
    else
        take_error(s, found);
}

static void on_pause(void *owner)
{
    server_step(owner);
}

static void on_change(void *owner)
{
    server_step(owner);
}

static const struct transport_events events = {
    .on_line = on_line, .on_pause = on_pause, .on_change = on_change};

/* ---- signals ---- */

static void on_signal(uv_signal_t *handle, int signum)
{
    struct server *s = handle->data;
    struct transport *t = s->transport;
    bool is_from_terminal = signum == SIGINT && isatty(STDIN_FILENO);

    if (s->state == SERVER_CLOSING)
        return; /* the server is gone */
    if (s->signum != 0) {
        t->ops->kill(t);
    } else {
        s->signum = signum;
        if (is_waiting(s))
            s->result = -EINTR;
        s->state = SERVER_ENDING;
        /* A terminal has sent its Ctrl-C to the whole process group, the server included. */
        t->ops->interrupt(t, is_from_terminal ? 0 : signum);
        arm(s, END_MS);
    }
    server_step(s);
}

int procedure_server_run(char *const *argv, struct procedure_run *run, int *ret_signum,
                         struct sp_err *ret_err)
{
    struct server s = {.run = run, .ret_err = ret_err};
    int err = uv_loop_init(&s.loop);

    if (err < 0) {
        sp_err_set(ret_err, "starting: the event loop could not be made: %s", sp_err_cause(err));
        return err;
    }
    (void)uv_timer_init(&s.loop, &s.timer); /* never fails */
    s.timer.data = &s;
    endsignals_watch(&s.signals, &s.loop, on_signal, &s);
    s.transport = transport_child_new(&s.loop, argv, TRANSPORT_LINES, uv_hrtime(), &events, &s);
    s.result = s.transport->ops->start(s.transport, ret_err);
    if (s.result < 0) {
        server_close(&s);
    } else {
        send_initialize(&s);
        server_step(&s);
    }
    (void)uv_run(&s.loop, UV_RUN_DEFAULT); /* until everything is closed */
    s.transport->ops->free(s.transport);
    err = uv_loop_close(&s.loop);
    assert(err == 0);
    (void)err;
    *ret_signum = s.signum;
    return s.result;
}
