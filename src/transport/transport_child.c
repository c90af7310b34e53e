/*
 * The server as a child process.
 *
 *  1. start() spawns it between two pipes.
 *  2. Lines go to `in`; chunks come from `out` and are cut into lines.
 *  3. end() closes `in` once it is empty.
 *  4. The end of `out` and the exit, in either order, make it over.
 *
 * Writing fails (the server has closed its stdin): one message, and later lines are dropped.
 * Reading fails: one message, and `out` has ended, without its unfinished line.
 */

#include <signal.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_log.h"
#include "io/outq.h"
#include "io/source.h"
#include "io/spawn.h"
#include "mcp/framer.h"
#include "transport/transport_child.h"

struct child {
    struct transport base;
    uv_loop_t *loop;
    char *const *argv;
    enum transport_pieces pieces;
    uint64_t zero_ns;
    uv_process_t process;
    struct outq in;
    struct source out;
    struct framer framer;
    bool has_pipes; /* `in` and `out` are there */
    bool is_ending; /* `in` is to be closed when empty */
    bool has_exited;
    bool was_killed; /* by us: its output is not waited for */
    int exit_status;
    bool is_process_closed;
};

static struct child *child_of(struct transport *t)
{
    return sp_container_of(t, struct child, base);
}

static const struct child *const_child_of(const struct transport *t)
{
    return sp_container_of(t, const struct child, base);
}

static void changed(struct child *c)
{
    c->base.events->on_change(c->base.owner);
}

/* Ends the server's input if nothing is to go there any more. */
static void close_in_when_done(struct child *c)
{
    if ((c->is_ending && outq_is_empty(&c->in)) || c->in.error < 0)
        outq_close(&c->in);
}

static void note_write_error(struct child *c, int err)
{
    sp_log("forwarding to the server: %s", sp_err_cause(err));
    close_in_when_done(c);
}

static void on_in_change(struct outq *q)
{
    struct child *c = q->owner;

    if (q->error < 0 && !q->is_closing)
        note_write_error(c, q->error);
    close_in_when_done(c);
    changed(c);
}

static uint64_t now_ms(const struct child *c)
{
    return (uv_hrtime() - c->zero_ns) / 1000000;
}

static void give(struct child *c, struct line *line)
{
    c->base.events->on_line(c->base.owner, line);
    line_unref(line);
}

static void on_out_chunk(struct source *src, struct line *chunk)
{
    struct child *c = src->owner;

    if (c->pieces == TRANSPORT_RAW) {
        c->base.events->on_line(c->base.owner, chunk);
    } else {
        struct sp_str bytes = line_str(chunk);
        uint64_t t_ms = now_ms(c);
        struct line *line;

        while ((line = framer_next(&c->framer, &bytes, t_ms)) != NULL)
            give(c, line);
    }
    c->base.events->on_pause(c->base.owner);
}

static void on_out_end(struct source *src, int err)
{
    struct child *c = src->owner;
    struct line *line = NULL;

    if (err < 0)
        sp_log("reading from the server: %s", sp_err_cause(err));
    else
        line = framer_finish(&c->framer, now_ms(c));
    if (line != NULL) {
        give(c, line);
        c->base.events->on_pause(c->base.owner);
    }
    source_close(src); /* a server that still writes gets an error instead of blocking */
    changed(c);
}

static void on_out_closed(struct source *src)
{
    changed(src->owner);
}

static const struct source_callbacks out_callbacks = {on_out_chunk, on_out_end, on_out_closed};

static void on_process_closed(uv_handle_t *handle)
{
    struct child *c = sp_container_of(handle, struct child, process);

    c->is_process_closed = true;
    changed(c);
}

static void on_process_exit(uv_process_t *process, int64_t status, int signum)
{
    struct child *c = sp_container_of(process, struct child, process);

    c->has_exited = true;
    c->exit_status = signum != 0 ? 128 + signum : (int)status;
    uv_close((uv_handle_t *)&c->process, on_process_closed);
    changed(c);
}

static int child_start(struct transport *t, struct sp_err *ret_err)
{
    struct child *c = child_of(t);
    struct spawn_pipes pipes;
    int err = spawn_make_pipes(&pipes);

    if (err == 0) {
        outq_init(&c->in, c->loop, fdesc_pipe_end(pipes.to[1]),
                  c->pieces == TRANSPORT_RAW ? OUTQ_RAW : OUTQ_HIGH, on_in_change, c);
        source_init(&c->out, c->loop, fdesc_pipe_end(pipes.from[0]), &out_callbacks, c);
        c->has_pipes = true;
        err = spawn_program(c->loop, c->argv, &c->process, on_process_exit, &pipes);
    }
    if (err < 0) {
        sp_err_set(ret_err, "starting %s: %s", c->argv[0], sp_err_cause(err));
        if (c->process.type == UV_PROCESS)
            uv_close((uv_handle_t *)&c->process, on_process_closed);
        else
            c->is_process_closed = true;
        c->has_exited = true;
        return err;
    }
    source_start(&c->out);
    return 0;
}

static void child_send(struct transport *t, struct line *line)
{
    outq_send(&child_of(t)->in, line);
}

static void child_flush(struct transport *t)
{
    struct child *c = child_of(t);
    int err = outq_flush(&c->in);

    if (err < 0 && !c->in.is_closing)
        note_write_error(c, err);
}

static bool child_is_full(const struct transport *t)
{
    return outq_is_full(&const_child_of(t)->in);
}

static void child_end(struct transport *t)
{
    struct child *c = child_of(t);

    c->is_ending = true;
    close_in_when_done(c);
}

static void child_hold(struct transport *t)
{
    source_stop(&child_of(t)->out);
}

static void child_release(struct transport *t)
{
    source_start(&child_of(t)->out);
}

static void child_interrupt(struct transport *t, int signum)
{
    struct child *c = child_of(t);

    child_flush(t);
    outq_close(&c->in);
    if (signum != 0 && !c->has_exited)
        (void)uv_process_kill(&c->process, signum); /* it may just have exited */
}

static void child_kill(struct transport *t)
{
    struct child *c = child_of(t);

    c->was_killed = true;
    if (!c->has_exited)
        (void)uv_process_kill(&c->process, SIGKILL); /* it may just have exited */
    source_close(&c->out);
}

static bool child_is_open(const struct transport *t)
{
    const struct child *c = const_child_of(t);

    return !c->is_ending && !c->in.is_closing && c->in.error == 0;
}

static bool child_has_ended(const struct transport *t)
{
    const struct child *c = const_child_of(t);

    return c->out.is_ended || c->was_killed;
}

static bool child_is_over(const struct transport *t)
{
    const struct child *c = const_child_of(t);

    return c->has_exited && child_has_ended(t);
}

static int child_exit_status(const struct transport *t)
{
    return const_child_of(t)->exit_status;
}

static bool child_close(struct transport *t)
{
    struct child *c = child_of(t);

    if (c->has_pipes) {
        outq_close(&c->in);
        source_close(&c->out);
        if (!c->in.is_closed || !c->out.is_closed)
            return false;
    }
    return c->is_process_closed;
}

static void child_free(struct transport *t)
{
    struct child *c = child_of(t);

    framer_deinit(&c->framer);
    free(c);
}

static const struct transport_ops child_ops = {
    .start = child_start,
    .send = child_send,
    .flush = child_flush,
    .is_full = child_is_full,
    .end = child_end,
    .hold = child_hold,
    .release = child_release,
    .interrupt = child_interrupt,
    .kill = child_kill,
    .is_open = child_is_open,
    .has_ended = child_has_ended,
    .is_over = child_is_over,
    .exit_status = child_exit_status,
    .close = child_close,
    .free = child_free,
};

struct transport *transport_child_new(uv_loop_t *loop, char *const *argv,
                                      enum transport_pieces pieces, uint64_t zero_ns,
                                      const struct transport_events *events, void *owner)
{
    struct child *c = sp_calloc(1, sizeof *c);

    c->base = (struct transport){.ops = &child_ops, .events = events, .owner = owner};
    c->loop = loop;
    c->argv = argv;
    c->pieces = pieces;
    c->zero_ns = zero_ns;
    framer_init(&c->framer, LINE_SERVER);
    return &c->base;
}
