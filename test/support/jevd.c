/* A stand-in for the Jev service, in a thread. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "jevd.h"

/* A look at the questions that wait; when that many looks see the same number, no more come. */
#define LOOK_MS 2
#define N_LOOKS 10

struct jevd {
    uv_loop_t loop; /* the thread's, while there is one */
    uv_thread_t thread;
    uv_async_t stop;
    uv_timer_t look;
    struct httpd *h;
    size_t n_held;
    size_t n_gone; /* questions that were let go */
    size_t n_out;  /* that wait, at the last look */
    size_t n_same; /* looks that saw this number */
    size_t max_out;
};

static void on_stop(uv_async_t *async)
{
    struct jevd *j = sp_container_of(async, struct jevd, stop);

    uv_stop(&j->loop);
}

static void on_look(uv_timer_t *timer)
{
    struct jevd *j = sp_container_of(timer, struct jevd, look);
    size_t n_out = httpd_n_requests(j->h) - j->n_gone;

    j->n_same = n_out == j->n_out ? j->n_same + 1 : 0;
    j->n_out = n_out;
    if (n_out > j->max_out)
        j->max_out = n_out;
    if (n_out >= j->n_held && j->n_same >= N_LOOKS) {
        j->n_gone = httpd_n_requests(j->h);
        httpd_go_on(j->h);
    }
}

static void serve(void *data)
{
    struct jevd *j = data;

    (void)uv_run(&j->loop, UV_RUN_DEFAULT);
}

struct jevd *jevd_start(const struct httpd_step *const *scripts, size_t n, size_t n_held)
{
    struct jevd *j = sp_calloc(1, sizeof *j);
    char base[64];

    assert_int_equal(uv_loop_init(&j->loop), 0);
    j->h = httpd_new(&j->loop, NULL);
    for (size_t i = 0; i < n; i++)
        httpd_add(j->h, scripts[i]);
    j->n_held = n_held;
    assert_int_equal(uv_async_init(&j->loop, &j->stop, on_stop), 0);
    assert_int_equal(uv_timer_init(&j->loop, &j->look), 0);
    if (n_held > 0)
        assert_int_equal(uv_timer_start(&j->look, on_look, LOOK_MS, LOOK_MS), 0);
    (void)snprintf(base, sizeof base, "http://127.0.0.1:%u", httpd_port(j->h));
    assert_int_equal(setenv("TYPESAFE_BASE_URL", base, 1), 0);
    assert_int_equal(setenv("TYPESAFE_API_KEY", "k", 1), 0);
    assert_int_equal(uv_thread_create(&j->thread, serve, j), 0);
    return j;
}

void jevd_stop(struct jevd *j)
{
    assert_int_equal(uv_async_send(&j->stop), 0);
    assert_int_equal(uv_thread_join(&j->thread), 0);
    assert_int_equal(unsetenv("TYPESAFE_BASE_URL"), 0);
    assert_int_equal(unsetenv("TYPESAFE_API_KEY"), 0);
}

size_t jevd_n_requests(const struct jevd *j)
{
    return httpd_n_requests(j->h);
}

size_t jevd_max_out(const struct jevd *j)
{
    return j->max_out;
}

struct sp_str jevd_body(const struct jevd *j, size_t i)
{
    const char *end = strstr(httpd_request(j->h, i).p, "\r\n\r\n");

    assert_non_null(end);
    return sp_str_of(end + 4);
}

void jevd_free(struct jevd *j)
{
    uv_close((uv_handle_t *)&j->stop, NULL);
    uv_close((uv_handle_t *)&j->look, NULL);
    httpd_free(j->h);
    while (uv_run(&j->loop, UV_RUN_NOWAIT) != 0)
        continue;
    assert_int_equal(uv_loop_close(&j->loop), 0);
    free(j);
}
