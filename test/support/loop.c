/* A loop for tests that cannot hang. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "loop.h"

struct fixture {
    uv_loop_t loop;
    uv_timer_t tick; /* not counted as something left to do */
    uint64_t end_ms; /* on the loop's clock */
    size_t n_left;   /* handles that the test has not closed */
};

int loop_setup(void **state)
{
    struct fixture *f = sp_calloc(1, sizeof *f);

    if (uv_loop_init(&f->loop) < 0 || uv_timer_init(&f->loop, &f->tick) < 0)
        return -1;
    uv_unref((uv_handle_t *)&f->tick);
    *state = &f->loop;
    return 0;
}

static void count_left(uv_handle_t *handle, void *arg)
{
    struct fixture *f = arg;

    if (handle == (uv_handle_t *)&f->tick)
        return;
    f->n_left++;
    print_error("left on the loop: a handle of type %s\n", uv_handle_type_name(handle->type));
}

/* What a failed test has left may lie on its stack, so the loop is not run to clear that up. */
int loop_teardown(void **state)
{
    struct fixture *f = sp_container_of(*state, struct fixture, loop);

    uv_walk(&f->loop, count_left, f);
    if (f->n_left > 0 || uv_loop_alive(&f->loop)) {
        print_error("the loop cannot be closed\n");
        return -1;
    }
    uv_close((uv_handle_t *)&f->tick, NULL);
    (void)uv_run(&f->loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&f->loop) < 0)
        return -1;
    free(f);
    return 0;
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer; /* that the turn ends is all */
}

static void start(struct fixture *f, uint64_t ms)
{
    uv_update_time(&f->loop);
    f->end_ms = uv_now(&f->loop) + ms;
    (void)uv_timer_start(&f->tick, on_tick, LOOP_TICK_MS, LOOP_TICK_MS);
}

void loop_limit_start(uv_loop_t *loop)
{
    start(sp_container_of(loop, struct fixture, loop), LOOP_LIMIT_MS);
}

void loop_limit_stop(uv_loop_t *loop)
{
    (void)uv_timer_stop(&sp_container_of(loop, struct fixture, loop)->tick);
}

void loop_turn(uv_loop_t *loop, const char *condition, const char *file, int line)
{
    struct fixture *f = sp_container_of(loop, struct fixture, loop);
    bool is_over = uv_now(loop) >= f->end_ms;

    if (is_over || !uv_loop_alive(loop)) {
        print_error("%s: this did not come true\n",
                    is_over ? "the time is up" : "the loop has nothing left to do");
        print_error("  %s\n", condition);
        _fail(file, line);
    }
    (void)uv_run(loop, UV_RUN_ONCE);
}

void loop_run_for(uv_loop_t *loop, uint64_t ms)
{
    struct fixture *f = sp_container_of(loop, struct fixture, loop);

    start(f, ms);
    uv_ref((uv_handle_t *)&f->tick);
    while (uv_now(loop) < f->end_ms)
        (void)uv_run(loop, UV_RUN_ONCE);
    uv_unref((uv_handle_t *)&f->tick);
    loop_limit_stop(loop);
}
