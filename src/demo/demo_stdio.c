/*
 * The demo server over stdio.
 *
 *  1. Each line read is answered at once, or held by a timer until its delay is over.
 *  2. Answers due in the same millisecond go out in the order of their requests: libuv runs timers
 *     of one due time in the order in which they were started.
 *  3. When the input has ended, no timer is left and everything is written, all is closed.
 */

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_err.h"
#include "base/sp_log.h"
#include "demo/demo_stdio.h"
#include "io/outq.h"
#include "io/source.h"
#include "mcp/framer.h"

struct server {
    const struct demo_world *world;
    uv_loop_t loop;
    struct source in;
    struct outq out;
    struct framer framer;
    size_t n_delayed;
};

/* An answer whose delay is not over. */
struct delayed {
    uv_timer_t timer;
    struct server *server;
    struct line *answer;
};

static void step(struct server *s)
{
    if (s->out.is_closing)
        return;
    if (outq_flush(&s->out) < 0)
        sp_log("writing an answer: %s", sp_err_cause(s->out.error));
    if (outq_is_full(&s->out))
        source_stop(&s->in);
    else
        source_start(&s->in);
    if (s->in.is_ended && s->n_delayed == 0 && outq_is_empty(&s->out)) {
        source_close(&s->in);
        outq_close(&s->out);
    }
}

static struct line *answer_line(struct sp_str text)
{
    struct line *line = line_new(text.len + 1);

    memcpy(line->bytes, text.p, text.len);
    line->bytes[text.len] = '\n';
    line->len = text.len + 1;
    return line;
}

static void on_timer_closed(uv_handle_t *handle)
{
    free(sp_container_of(handle, struct delayed, timer));
}

static void on_due(uv_timer_t *timer)
{
    struct delayed *d = sp_container_of(timer, struct delayed, timer);
    struct server *s = d->server;

    outq_send(&s->out, d->answer);
    s->n_delayed--;
    uv_close((uv_handle_t *)timer, on_timer_closed);
    step(s);
}

static void delay(struct server *s, struct line *answer, uint64_t delay_ms)
{
    struct delayed *d = sp_calloc(1, sizeof *d);

    d->server = s;
    d->answer = answer;
    s->n_delayed++;
    (void)uv_timer_init(&s->loop, &d->timer);             /* never fails */
    (void)uv_timer_start(&d->timer, on_due, delay_ms, 0); /* fails only without a callback */
}

static void take_line(struct server *s, struct line *line)
{
    struct demo_world_answer answer;

    demo_world_answer(s->world, line_str(line), &answer);
    if (answer.text.len > 0) {
        struct line *reply = answer_line(sp_buf_str(&answer.text));

        if (answer.delay_ms > 0)
            delay(s, reply, answer.delay_ms);
        else
            outq_send(&s->out, reply);
    }
    demo_world_answer_deinit(&answer);
    line_unref(line);
}

static void on_chunk(struct source *src, struct line *chunk)
{
    struct server *s = src->owner;
    struct sp_str bytes = line_str(chunk);
    struct line *line;

    uv_update_time(&s->loop); /* a delay counts from when its line was read */
    while ((line = framer_next(&s->framer, &bytes, 0)) != NULL)
        take_line(s, line);
    step(s);
}

static void on_end(struct source *src, int err)
{
    struct server *s = src->owner;
    struct line *line = framer_finish(&s->framer, 0);

    if (err < 0)
        sp_log("reading a request: %s", sp_err_cause(err));
    if (line != NULL)
        take_line(s, line);
    step(s);
}

static void on_in_closed(struct source *src)
{
    (void)src; /* the loop ends by itself when nothing is left */
}

static const struct source_callbacks in_callbacks = {on_chunk, on_end, on_in_closed};

static void on_out_change(struct outq *q)
{
    step(q->owner);
}

int demo_stdio_serve(const struct demo_world *world)
{
    struct server s = {.world = world};
    int err;

    if (uv_loop_init(&s.loop) < 0) {
        sp_log("starting: the event loop could not be made");
        return 1;
    }
    framer_init(&s.framer, LINE_CLIENT);
    source_init(&s.in, &s.loop, fdesc_inherited(STDIN_FILENO, O_RDONLY), &in_callbacks, &s);
    outq_init(&s.out, &s.loop, fdesc_inherited(STDOUT_FILENO, O_WRONLY), OUTQ_HIGH, on_out_change,
              &s);
    step(&s);
    (void)uv_run(&s.loop, UV_RUN_DEFAULT); /* until everything is closed */
    framer_deinit(&s.framer);
    err = uv_loop_close(&s.loop);
    assert(err == 0);
    (void)err;
    return 0;
}
