/* Runs another program once. */

#include <assert.h>
#include <errno.h>
#include <signal.h>

#include "cmd/oneshot.h"
#include "transport/transport_child.h"

struct oneshot {
    uv_loop_t loop;
    uv_timer_t timer;
    struct transport *transport;
    struct sp_buf *ret;
    bool is_killed;
    bool is_over;
};

/* Ends the wait when the program is gone. Called after events. */
static void look(struct oneshot *o)
{
    if (!o->is_over && !o->transport->ops->is_over(o->transport))
        return;
    o->is_over = true;
    if (o->transport->ops->close(o->transport) && !uv_is_closing((uv_handle_t *)&o->timer))
        uv_close((uv_handle_t *)&o->timer, NULL);
}

static void on_line(void *owner, struct line *line)
{
    struct oneshot *o = owner;
    size_t room = ONESHOT_MAX - o->ret->len;

    sp_buf_add(o->ret, sp_str_sub(line_str(line), 0, line->len < room ? line->len : room));
}

static void on_event(void *owner)
{
    look(owner);
}

static const struct transport_events events = {
    .on_line = on_line, .on_pause = on_event, .on_change = on_event};

static void on_time_up(uv_timer_t *timer)
{
    struct oneshot *o = timer->data;

    o->is_killed = true;
    o->transport->ops->kill(o->transport);
    look(o);
}

static void send_input(struct transport *t, struct sp_str input)
{
    struct line *line = line_new(input.len);

    memcpy(line->bytes, input.p, input.len);
    line->len = input.len;
    t->ops->send(t, line);
    t->ops->flush(t);
}

/* Says how it ended. */
static int judge(const struct oneshot *o, struct sp_err *ret_err)
{
    int status = o->transport->ops->exit_status(o->transport);

    if (o->is_killed) {
        sp_err_set(ret_err, "it, or what it has started, does not end");
        return -ETIMEDOUT;
    }
    if (status != 0) {
        sp_err_set(ret_err, "it ended with status %d", status);
        return -ECHILD;
    }
    return 0;
}

static int run(struct oneshot *o, struct sp_str input, uint64_t max_ms, struct sp_err *ret_err)
{
    struct transport *t = o->transport;
    int err = t->ops->start(t, ret_err);

    if (err < 0) {
        o->is_over = true;
    } else {
        if (input.len > 0)
            send_input(t, input);
        t->ops->end(t);
        (void)uv_timer_start(&o->timer, on_time_up, max_ms, 0); /* fails only without a callback */
    }
    look(o);
    (void)uv_run(&o->loop, UV_RUN_DEFAULT); /* until everything is closed */
    return err < 0 ? err : judge(o, ret_err);
}

int oneshot_run(char *const *argv, struct sp_str input, uint64_t max_ms, struct sp_buf *ret,
                struct sp_err *ret_err)
{
    struct oneshot o = {.ret = ret};
    void (*on_pipe)(int) = signal(SIGPIPE, SIG_IGN); /* a program need not read its input */
    int err = uv_loop_init(&o.loop);
    int closed;

    if (err < 0) {
        sp_err_set(ret_err, "the event loop could not be made");
    } else {
        (void)uv_timer_init(&o.loop, &o.timer); /* never fails */
        o.timer.data = &o;
        o.transport = transport_child_new(&o.loop, argv, TRANSPORT_RAW, uv_hrtime(), &events, &o);
        err = run(&o, input, max_ms, ret_err);
        o.transport->ops->free(o.transport);
        closed = uv_loop_close(&o.loop);
        assert(closed == 0); /* all is closed */
        (void)closed;
    }
    (void)signal(SIGPIPE, on_pipe);
    return err;
}
