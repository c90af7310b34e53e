/* Tests of io/httpc.h over plain TCP; test_httpc_tls.c has those with TLS. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "answer.h"
#include "httpd.h"
#include "loop.h"

#define WANT                \
    {                       \
        HTTPD_WANT, NULL, 0 \
    }
#define SEND(t) HTTPD_TEXT(HTTPD_SEND, t)
#define DRIP(t) HTTPD_TEXT(HTTPD_DRIP, t)
#define FILL(n)             \
    {                       \
        HTTPD_FILL, NULL, n \
    }
#define DO(kind)      \
    {                 \
        kind, NULL, 0 \
    }
#define END                \
    {                      \
        HTTPD_END, NULL, 0 \
    }
#define MIB       ((size_t)1024 * 1024)
#define ANSWER(t) SEND("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" t)

struct world {
    uv_loop_t *loop;
    struct httpd *h;
    struct httpc *client;
    bool is_closed; /* the client */
    char url[64];   /* http://127.0.0.1:PORT/mcp */
};

static void on_closed(void *owner)
{
    struct world *w = owner;

    w->is_closed = true;
}

static void unset_proxies(void)
{
    static const char *const names[] = {"http_proxy",  "https_proxy", "all_proxy", "no_proxy",
                                        "HTTPS_PROXY", "ALL_PROXY",   "NO_PROXY"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unsetenv(names[i]);
}

static int setup(void **state)
{
    struct world *w = sp_calloc(1, sizeof *w);

    unset_proxies();
    if (loop_setup(state) != 0)
        return -1;
    w->loop = *state;
    w->h = httpd_new(w->loop, NULL);
    w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
    snprintf(w->url, sizeof w->url, "http://127.0.0.1:%u/mcp", httpd_port(w->h));
    *state = w;
    return 0;
}

static void close_client(struct world *w)
{
    httpc_close(w->client, on_closed, w);
    assert_false(w->is_closed);
    loop_run_until(w->loop, w->is_closed);
    httpc_free(w->client);
    w->client = NULL;
}

static int teardown(void **state)
{
    struct world *w = *state;

    if (w->client != NULL)
        close_client(w);
    httpd_free(w->h);
    *state = w->loop;
    free(w);
    return loop_teardown(state);
}

/* Sends a request and waits for its end. */
static void ask(struct world *w, struct answer *a, const char *method, const char *url,
                const char *body)
{
    answer_send(a, w->client, method, url, body);
    loop_run_until(w->loop, a->is_over);
}

static void assert_answer(struct answer *a, unsigned status, const char *body)
{
    if (a->error != HTTPC_OK)
        fail_msg("error %d: %s", a->error, a->cause);
    assert_int_equal(a->n_heads, 1);
    assert_int_equal(a->status, status);
    assert_string_equal(sp_buf_cstr(&a->body), body);
}

static void assert_request(struct world *w, size_t i, const char *text)
{
    char expected[1024];
    struct sp_str got = httpd_request(w->h, i);

    /* Each '@' stands for the server's address. */
    expected[0] = '\0';
    for (const char *p = text; *p != '\0'; p++) {
        size_t len = strlen(expected);

        if (*p == '@')
            snprintf(expected + len, sizeof expected - len, "127.0.0.1:%u", httpd_port(w->h));
        else
            snprintf(expected + len, sizeof expected - len, "%c", *p);
    }
    if (!sp_str_eq(got, sp_str_of(expected)))
        fail_msg("request %zu:\n%.*s\nexpected:\n%s", i, SP_STR_ARG(got), expected);
}

static void httpc_sends_what_it_is_given(void **state)
{
    static const struct httpd_step script[] = {
        WANT, ANSWER("a"), WANT, ANSWER("b"), WANT, ANSWER("c"), WANT, ANSWER("d"), END};
    struct world *w = *state;
    struct answer a[4] = {{0}};
    char url[128];

    httpd_add(w->h, script);
    ask(w, &a[0], "POST", w->url, "{\"a\":1}");
    ask(w, &a[1], "GET", w->url, NULL);
    ask(w, &a[2], "POST", w->url, "");
    snprintf(url, sizeof url, "HTTP://al%%69ce:pa:ss@127.0.0.1:%u?q=1#f", httpd_port(w->h));
    ask(w, &a[3], "DELETE", url, NULL);

    assert_request(w, 0,
                   "POST /mcp HTTP/1.1\r\nHost: @\r\nX-Test: yes\r\nContent-Type: text/plain\r\n"
                   "X-Empty: \r\nContent-Length: 7\r\n\r\n{\"a\":1}");
    assert_request(w, 1,
                   "GET /mcp HTTP/1.1\r\nHost: @\r\nX-Test: yes\r\nContent-Type: text/plain\r\n"
                   "X-Empty: \r\n\r\n");
    assert_request(w, 2,
                   "POST /mcp HTTP/1.1\r\nHost: @\r\nX-Test: yes\r\nContent-Type: text/plain\r\n"
                   "X-Empty: \r\nContent-Length: 0\r\n\r\n");
    assert_request(w, 3,
                   "DELETE /?q=1 HTTP/1.1\r\nHost: @\r\nX-Test: yes\r\n"
                   "Content-Type: text/plain\r\nX-Empty: \r\n"
                   "Authorization: Basic YWxpY2U6cGE6c3M=\r\n\r\n");
    assert_int_equal(httpd_n_accepted(w->h), 1);
    for (size_t i = 0; i < 4; i++) {
        const char body[] = {(char)('a' + i), '\0'};

        assert_answer(&a[i], 200, body);
        answer_deinit(&a[i]);
    }
}

static void httpc_keeps_a_given_authorization(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("a"), END};
    static const struct httpc_header header = {{"AUTHORIZATION", 13}, {"Bearer t", 8}};
    static const struct httpc_callbacks none = {NULL, NULL, NULL};
    struct world *w = *state;
    struct httpc_request *r;
    struct sp_err err;
    struct url url;
    char text[64];

    httpd_add(w->h, script);
    snprintf(text, sizeof text, "http://alice:x@127.0.0.1:%u/", httpd_port(w->h));
    assert_int_equal(url_parse(sp_str_of(text), &url, &err), 0);
    r = httpc_send(w->client, "GET", &url, &header, 1, false, SP_STR(""), &none, NULL);
    url_deinit(&url);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    httpc_cancel(r);
    assert_request(w, 0, "GET / HTTP/1.1\r\nHost: @\r\nAUTHORIZATION: Bearer t\r\n\r\n");
}

static void httpc_finds_headers_without_regard_to_case(void **state)
{
    static const struct httpc_header headers[] = {{{"A", 1}, {"1", 1}}, {{"a", 1}, {"2", 1}}};
    struct httpc_head head = {200, headers, 2};
    struct sp_str value;

    (void)state;
    assert_true(httpc_find(&head, SP_STR("a"), &value));
    assert_true(sp_str_eq(value, SP_STR("1")));
    assert_false(httpc_find(&head, SP_STR("b"), &value));
}

static void httpc_gives_head_and_body_as_they_come(void **state)
{
    static const struct httpd_step script[] = {
        WANT,
        DRIP("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Nope\r\nA: b\r\n"
             "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
        DO(HTTPD_WAIT), DRIP("3\r\ncde\r\n0\r\n\r\n"), END};
    struct world *w = *state;
    struct answer a = {0};

    httpd_add(w->h, script);
    answer_send(&a, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, a.body.len == 2);
    assert_string_equal(sp_buf_cstr(&a.headers), "A: b\nTransfer-Encoding: chunked\n");
    httpd_go_on(w->h);
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, 404, "abcde");
    answer_deinit(&a);
}

static void httpc_ends_a_body_with_the_connection(void **state)
{
    static const struct httpd_step script[] = {WANT, SEND("HTTP/1.1 200 OK\r\n\r\nall of it"),
                                               DO(HTTPD_CLOSE), END};
    struct world *w = *state;
    struct answer a = {0};

    httpd_add(w->h, script);
    ask(w, &a, "GET", w->url, NULL);
    assert_answer(&a, 200, "all of it");
    answer_deinit(&a);
}

struct failure_case {
    const char *name;
    struct httpd_step script[5];
    enum httpc_error error;
    const char *cause;
};

static void httpc_tells_how_answers_fail(void **state)
{
    static const struct failure_case cases[] = {
        {"closed",
         {WANT, DO(HTTPD_CLOSE)},
         HTTPC_E_UNREACHED,
         "the connection was closed before an answer"},
        {"closed in the head",
         {WANT, SEND("HTTP/1.1 200 OK\r\nA:"), DO(HTTPD_CLOSE)},
         HTTPC_E_UNREACHED,
         "the connection was closed before an answer"},
        {"reset", {WANT, DO(HTTPD_RESET)}, HTTPC_E_UNREACHED, "connection reset by peer"},
        {"not HTTP", {WANT, SEND("220 smtp ready\r\n")}, HTTPC_E_UNREACHED, "not an HTTP answer"},
        {"switches",
         {WANT, SEND("HTTP/1.1 101 S\r\n\r\n")},
         HTTPC_E_UNREACHED,
         "not an HTTP answer"},
        {"short of its length",
         {WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), DO(HTTPD_CLOSE)},
         HTTPC_E_CUT,
         "the connection was closed"},
        {"reset in the body",
         {WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), DO(HTTPD_RESET)},
         HTTPC_E_CUT,
         "connection reset by peer"},
        {"unfinished chunks",
         {WANT, SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"),
          DO(HTTPD_CLOSE)},
         HTTPC_E_CUT,
         "the connection was closed"},
        {"bad chunks",
         {WANT, SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")},
         HTTPC_E_CUT,
         "the answer's body is malformed"},
        {"large head",
         {WANT, SEND("HTTP/1.1 200 OK\r\nA: "), FILL(HTTPC_MAX_HEAD)},
         HTTPC_E_TOO_LARGE,
         "the answer's head is too large"},
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        httpd_add(w->h, cases[i].script);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer a = {0};

        ask(w, &a, "POST", w->url, "x");
        if (a.error != cases[i].error || strcmp(a.cause, cases[i].cause) != 0)
            fail_msg("%s: error %d, \"%s\"", cases[i].name, a.error, a.cause);
        assert_int_equal(a.n_heads, a.error == HTTPC_E_CUT ? 1 : 0);
        assert_int_equal(httpd_n_accepted(w->h), i + 1);
        answer_deinit(&a);
        loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    }
}

static void httpc_refuses_more_than_100_interim_answers(void **state)
{
    static struct httpd_step script[HTTPC_MAX_INTERIM + 3] = {WANT};
    struct world *w = *state;
    struct answer a = {0};

    for (size_t i = 1; i <= HTTPC_MAX_INTERIM + 1; i++)
        script[i] = (struct httpd_step)SEND("HTTP/1.1 102 Processing\r\n\r\n");
    httpd_add(w->h, script);
    ask(w, &a, "GET", w->url, NULL);
    assert_int_equal(a.error, HTTPC_E_TOO_LARGE);
    answer_deinit(&a);
}

static void httpc_tells_why_no_connection_is_made(void **state)
{
    struct world *w = *state;
    struct httpd *gone = httpd_new(w->loop, NULL);
    struct answer a = {0}, b = {0};
    char url[64];

    snprintf(url, sizeof url, "http://127.0.0.1:%u/secret", httpd_port(gone));
    httpd_free(gone);
    ask(w, &a, "GET", url, NULL);
    assert_int_equal(a.error, HTTPC_E_UNREACHED);
    assert_string_equal(a.cause, "connection refused");
    answer_deinit(&a);

    /* The text depends on whether there is a name server. */
    ask(w, &b, "GET", "http://user:pass@no-such-host.invalid/secret", NULL);
    assert_int_equal(b.error, HTTPC_E_UNREACHED);
    assert_non_null(strstr(b.cause, "the host name "));
    answer_deinit(&b);
}

static void httpc_tries_all_addresses_of_a_name(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("a"), END};
    struct world *w = *state;
    struct answer a = {0};
    char url[64], host[64];

    httpd_add(w->h, script);
    snprintf(url, sizeof url, "http://localhost:%u/", httpd_port(w->h));
    ask(w, &a, "GET", url, NULL); /* ::1 may be first, where nothing listens */
    assert_answer(&a, 200, "a");
    snprintf(host, sizeof host, "\r\nHost: localhost:%u\r\n", httpd_port(w->h));
    assert_non_null(strstr(httpd_request(w->h, 0).p, host));
    answer_deinit(&a);
}

static void httpc_drops_a_connection_that_ends_while_idle(void **state)
{
    static const struct httpd_step first[] = {WANT, ANSWER("a"), DO(HTTPD_WAIT), DO(HTTPD_CLOSE),
                                              END};
    static const struct httpd_step second[] = {WANT, ANSWER("b"), DO(HTTPD_WAIT), SEND("HTTP"),
                                               END};
    static const struct httpd_step third[] = {WANT, ANSWER("c"), END};
    struct world *w = *state;
    struct answer a[3] = {{0}};

    httpd_add(w->h, first);
    httpd_add(w->h, second);
    httpd_add(w->h, third);
    for (size_t i = 0; i < 3; i++) {
        const char body[] = {(char)('a' + i), '\0'};

        ask(w, &a[i], "GET", w->url, NULL);
        assert_answer(&a[i], 200, body);
        assert_int_equal(httpd_n_accepted(w->h), i + 1);
        answer_deinit(&a[i]);
        if (i == 2)
            break;
        loop_run_for(w->loop, 5);
        httpd_go_on(w->h);
        loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    }
    assert_int_equal(httpd_n_requests(w->h), 3);
}

static void httpc_does_not_reuse_what_cannot_be(void **state)
{
    static const struct httpd_step scripts[][4] = {
        {WANT, SEND("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"), END},
        {WANT, SEND("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"), END},
        {WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy"), END},
        {WANT, ANSWER("x"), END},
    };
    struct world *w = *state;

    for (size_t i = 0; i < 4; i++)
        httpd_add(w->h, scripts[i]);
    for (size_t i = 0; i < 4; i++) {
        struct answer a = {0};

        ask(w, &a, "GET", w->url, NULL);
        assert_answer(&a, 200, "x");
        assert_int_equal(httpd_n_accepted(w->h), i + 1);
        answer_deinit(&a);
    }
}

static void httpc_sends_again_what_a_stale_connection_lost(void **state)
{
    static const struct httpd_step ends[][6] = {
        {WANT, ANSWER("a"), WANT, DO(HTTPD_CLOSE), END},
        {WANT, ANSWER("a"), WANT, DO(HTTPD_RESET), END},
    };
    static const struct httpd_step fresh[] = {WANT, ANSWER("b"), DO(HTTPD_WAIT), DO(HTTPD_CLOSE),
                                              END};
    struct world *w = *state;

    for (size_t i = 0; i < 2; i++) {
        httpd_add(w->h, ends[i]);
        httpd_add(w->h, fresh);
    }
    for (size_t i = 0; i < 2; i++) {
        struct answer a = {0}, b = {0};

        ask(w, &a, "POST", w->url, "first");
        ask(w, &b, "POST", w->url, "second");
        assert_answer(&b, 200, "b");
        assert_int_equal(httpd_n_accepted(w->h), 2 * i + 2);
        assert_int_equal(httpd_n_requests(w->h), 3 * i + 3);
        assert_true(sp_str_eq(httpd_request(w->h, 3 * i + 1), httpd_request(w->h, 3 * i + 2)));
        assert_true(sp_str_ends(httpd_request(w->h, 3 * i + 2), SP_STR("\r\n\r\nsecond")));
        answer_deinit(&a);
        answer_deinit(&b);
        httpd_go_on(w->h);
        loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    }
}

static void httpc_sends_again_once_only_and_before_an_answer_only(void **state)
{
    static const struct httpd_step lost[] = {WANT, ANSWER("a"), WANT, DO(HTTPD_CLOSE), END};
    static const struct httpd_step fresh[] = {WANT, DO(HTTPD_CLOSE), END};
    static const struct httpd_step begun[] = {WANT,      ANSWER("a"),     WANT,
                                              SEND("H"), DO(HTTPD_CLOSE), END};
    struct world *w = *state;
    struct answer a[4] = {{0}};

    httpd_add(w->h, lost);
    httpd_add(w->h, fresh);
    httpd_add(w->h, begun);
    ask(w, &a[0], "POST", w->url, "1");
    ask(w, &a[1], "POST", w->url, "2");
    assert_int_equal(a[1].error, HTTPC_E_UNREACHED);
    assert_int_equal(httpd_n_accepted(w->h), 2);
    ask(w, &a[2], "POST", w->url, "3");
    ask(w, &a[3], "POST", w->url, "4");
    assert_int_equal(a[3].error, HTTPC_E_UNREACHED);
    assert_int_equal(httpd_n_accepted(w->h), 3);
    for (size_t i = 0; i < 4; i++)
        answer_deinit(&a[i]);
}

static void httpc_runs_64_requests_at_once(void **state)
{
    static const struct httpd_step slow[] = {WANT, DO(HTTPD_WAIT), ANSWER("s"), END};
    static const struct httpd_step fast[] = {WANT, ANSWER("f"), WANT, ANSWER("g"), END};
    struct world *w = *state;
    struct answer a[64] = {{0}}, again[63] = {{0}};

    httpd_add(w->h, slow);
    httpd_add(w->h, fast);
    answer_send(&a[0], w->client, "POST", w->url, "slow");
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    for (size_t i = 1; i < 64; i++)
        answer_send(&a[i], w->client, "POST", w->url, "fast");
    for (size_t i = 1; i < 64; i++) {
        loop_run_until(w->loop, a[i].is_over);
        assert_answer(&a[i], 200, "f");
    }
    assert_false(a[0].is_over);
    assert_int_equal(httpd_n_accepted(w->h), 64);

    for (size_t i = 0; i < 63; i++)
        answer_send(&again[i], w->client, "POST", w->url, "fast");
    for (size_t i = 0; i < 63; i++) {
        loop_run_until(w->loop, again[i].is_over);
        assert_answer(&again[i], 200, "g");
        answer_deinit(&again[i]);
    }
    httpd_go_on(w->h);
    loop_run_until(w->loop, a[0].is_over);
    assert_answer(&a[0], 200, "s");
    assert_int_equal(httpd_n_accepted(w->h), 64);
    for (size_t i = 0; i < 64; i++)
        answer_deinit(&a[i]);
}

static void httpc_takes_the_connection_used_last(void **state)
{
    static const struct httpd_step early[] = {WANT, DO(HTTPD_WAIT), ANSWER("1"),
                                              WANT, ANSWER("3"),    END};
    static const struct httpd_step late[] = {WANT, ANSWER("2"), END};
    struct world *w = *state;
    struct answer a[3] = {{0}};

    httpd_add(w->h, early);
    httpd_add(w->h, late);
    answer_send(&a[0], w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    ask(w, &a[1], "GET", w->url, NULL);
    httpd_go_on(w->h);
    loop_run_until(w->loop, a[0].is_over);
    ask(w, &a[2], "GET", w->url, NULL);
    assert_answer(&a[2], 200, "3");
    for (size_t i = 0; i < 3; i++)
        answer_deinit(&a[i]);
}

static void send_next(struct answer *a, enum answer_event event)
{
    struct answer *next = a->arg;
    struct world *w = next->arg;

    if (event == ANSWER_END)
        answer_send(next, w->client, "GET", w->url, NULL);
}

static void httpc_can_send_from_on_end(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("a"), WANT, ANSWER("b"), END};
    struct world *w = *state;
    struct answer b = {.arg = w}, a = {.hook = send_next, .arg = &b};

    httpd_add(w->h, script);
    answer_send(&a, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, b.is_over);
    assert_answer(&b, 200, "b");
    assert_int_equal(httpd_n_accepted(w->h), 1);
    answer_deinit(&a);
    answer_deinit(&b);
}

static void cancel_at(struct answer *a, enum answer_event event)
{
    if (event == *(enum answer_event *)a->arg) {
        struct httpc_request *r = a->request;

        a->request = NULL;
        httpc_cancel(r);
    }
}

static void httpc_cancels_in_any_callback(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("x"), END};
    static const struct httpd_step bodiless[] = {WANT, SEND("HTTP/1.1 204 No\r\n\r\n"), END};
    struct world *w = *state;

    httpd_add(w->h, script);
    httpd_add(w->h, script);
    httpd_add(w->h, script);
    httpd_add(w->h, bodiless);
    for (size_t i = 0; i < 4; i++) {
        enum answer_event event = i == 3 ? ANSWER_HEAD : (enum answer_event)i;
        struct answer a = {.hook = cancel_at, .arg = &event};

        answer_send(&a, w->client, "GET", w->url, NULL);
        loop_run_until(w->loop, a.request == NULL);
        assert_int_equal(a.is_over, event == ANSWER_END);
        assert_int_equal(a.n_bodies, event == ANSWER_HEAD ? 0 : 1);
        /* When it had ended already, the connection lives on. */
        if (event != ANSWER_END)
            loop_run_until(w->loop, httpd_n_open(w->h) == 0);
        else
            assert_int_equal(httpd_n_open(w->h), 1);
        loop_run_for(w->loop, 2);
        assert_int_equal(a.is_over, event == ANSWER_END);
        if (event == ANSWER_END) {
            close_client(w);
            w->is_closed = false;
            w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
        }
        answer_deinit(&a);
    }
}

static void httpc_cancels_before_any_callback(void **state)
{
    static const struct httpd_step script[] = {WANT, END};
    struct world *w = *state;
    struct answer at_once = {0}, by_name = {0}, connected = {0}, idle = {0};
    char *body = memset(sp_calloc(1, 8 * MIB + 1), 'b', 8 * MIB), url[64];

    httpd_add(w->h, script);
    answer_send(&at_once, w->client, "GET", w->url, NULL);
    answer_cancel(&at_once);

    snprintf(url, sizeof url, "http://localhost:%u/", httpd_port(w->h));
    answer_send(&by_name, w->client, "GET", url, NULL);
    answer_cancel(&by_name);

    answer_send(&connected, w->client, "POST", w->url, "x");
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    answer_cancel(&connected);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);

    answer_send(&idle, w->client, "POST", w->url, body);
    loop_run_for(w->loop, 1);
    answer_cancel(&idle);
    assert_int_equal(httpc_unsent(w->client), 0);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    assert_false(at_once.is_over || by_name.is_over || connected.is_over || idle.is_over);
    free(body);
}

static void httpc_closes_with_requests_at_all_stages(void **state)
{
    static const struct httpd_step ends[] = {WANT, ANSWER("a"), END};
    static const struct httpd_step stays[] = {
        WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), END};
    static const struct httpd_step silent[] = {WANT, END};
    struct world *w = *state;
    struct answer idle = {0}, stalled = {0}, waiting = {0}, connecting = {0}, by_name = {0};
    struct answer cancelled = {0};
    char url[64];

    snprintf(url, sizeof url, "http://localhost:%u/", httpd_port(w->h));
    httpd_add(w->h, ends);
    httpd_add(w->h, stays);
    httpd_add(w->h, silent);
    answer_send(&idle, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, httpd_n_accepted(w->h) == 1);
    answer_send(&stalled, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, idle.is_over && stalled.body.len == 3);
    answer_send(&waiting, w->client, "GET", url, NULL);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 3);
    answer_send(&connecting, w->client, "GET", w->url, NULL);
    answer_send(&by_name, w->client, "GET", url, NULL);
    answer_send(&cancelled, w->client, "GET", url, NULL);
    answer_cancel(&cancelled);
    close_client(w);
    assert_false(stalled.is_over || waiting.is_over || connecting.is_over || by_name.is_over);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    answer_deinit(&idle);
    answer_deinit(&stalled);
}

static void pause_at(struct answer *a, enum answer_event event)
{
    if (event == *(enum answer_event *)a->arg)
        httpc_pause(a->request);
}

static void httpc_reads_nothing_while_paused(void **state)
{
    static const struct httpd_step script[] = {
        WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 33554432\r\n\r\n"), FILL(32 * MIB), END};
    struct world *w = *state;

    httpd_add(w->h, script);
    for (size_t i = 0; i < 2; i++) {
        enum answer_event event = i == 0 ? ANSWER_HEAD : ANSWER_BODY;
        struct answer a = {.hook = pause_at, .arg = &event};

        answer_send(&a, w->client, "GET", w->url, NULL);
        loop_run_until(w->loop, a.n_heads == 1 && a.n_bodies == i);
        loop_run_for(w->loop, 30);
        assert_int_equal(a.n_bodies, i);
        assert_true(a.body.len <= 65536);
        assert_true(httpd_unsent(w->h) > 8 * MIB); /* the system's buffers hold the rest */

        if (i == 1) { /* one piece at a time */
            httpc_resume(a.request);
            assert_int_equal(a.n_bodies, 1);
            loop_run_until(w->loop, a.n_bodies == 2);
            loop_run_for(w->loop, 5);
            assert_int_equal(a.n_bodies, 2);
        }
        a.hook = NULL;
        httpc_resume(a.request);
        loop_run_until(w->loop, a.is_over);
        assert_int_equal(a.error, HTTPC_OK);
        assert_int_equal(a.body.len, 32 * MIB);
        answer_deinit(&a);
        close_client(w);
        w->is_closed = false;
        w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
    }
}

static void httpc_holds_everything_back_while_paused(void **state)
{
    /* All of the answer is there at once, and comes one callback after the other. */
    static const struct httpd_step script[] = {
        WANT,
        SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"),
        WANT,
        SEND("HTTP/1.1 204 No\r\n\r\n"),
        WANT,
        ANSWER("x"),
        END};
    struct world *w = *state;
    enum answer_event head = ANSWER_HEAD, body = ANSWER_BODY;
    struct answer a = {.hook = pause_at, .arg = &head}, b = {.hook = pause_at, .arg = &head};
    struct answer c = {.hook = pause_at, .arg = &body};

    httpd_add(w->h, script);
    answer_send(&a, w->client, "GET", w->url, NULL);
    httpc_pause(a.request); /* before the connection is there */
    loop_run_for(w->loop, 10);
    assert_int_equal(a.n_heads, 0);
    httpc_resume(a.request);
    loop_run_until(w->loop, a.n_heads == 1);
    loop_run_for(w->loop, 5);
    assert_int_equal(a.body.len, 0);
    a.arg = &body;
    for (size_t i = 1; i <= 2; i++) {
        httpc_resume(a.request);
        httpc_pause(a.request);
        httpc_resume(a.request);
        loop_run_until(w->loop, a.body.len == i);
        loop_run_for(w->loop, 5);
        assert_int_equal(a.body.len, i);
        assert_false(a.is_over);
    }
    httpc_resume(a.request);
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, 200, "ab");

    answer_send(&b, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, b.n_heads == 1);
    loop_run_for(w->loop, 5);
    assert_false(b.is_over);
    httpc_resume(b.request);
    loop_run_until(w->loop, b.is_over);
    assert_answer(&b, 204, "");

    answer_send(&c, w->client, "GET", w->url, NULL);
    loop_run_until(w->loop, c.n_bodies == 1);
    loop_run_for(w->loop, 5);
    assert_false(c.is_over);
    httpc_resume(c.request);
    loop_run_until(w->loop, c.is_over);
    assert_int_equal(httpd_n_accepted(w->h), 1);
    answer_deinit(&a);
    answer_deinit(&b);
    answer_deinit(&c);
}

static void cancel_while_paused(struct answer *a, enum answer_event event)
{
    if (event == ANSWER_BODY) {
        httpc_pause(a->request);
        httpc_resume(a->request);
        httpc_pause(a->request);
        answer_cancel(a);
    }
}

static void httpc_cancels_while_paused(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("x"), END};
    struct world *w = *state;
    struct answer a = {.hook = cancel_while_paused}, b = {0};

    httpd_add(w->h, script);
    answer_send(&a, w->client, "GET", w->url, NULL);
    answer_send(&b, w->client, "GET", w->url, NULL);
    httpc_pause(b.request);
    loop_run_until(w->loop, a.request == NULL && httpd_n_requests(w->h) == 2);
    answer_cancel(&b);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    answer_deinit(&a);
}

static void httpc_takes_an_answer_before_its_request_is_sent(void **state)
{
    static const struct httpd_step refuses[] = {
        DO(HTTPD_HEAD), SEND("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"), END};
    static const struct httpd_step takes[] = {WANT, ANSWER("y"), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};
    char *body = memset(sp_calloc(1, 32 * MIB + 1), 'b', 32 * MIB);

    httpd_add(w->h, refuses);
    httpd_add(w->h, takes);
    answer_send(&a, w->client, "POST", w->url, body);
    assert_int_equal(httpc_unsent(w->client), 32 * MIB);
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, 413, "no");
    assert_int_equal(httpc_unsent(w->client), 0);

    answer_send(&b, w->client, "POST", w->url, body);
    assert_int_equal(httpc_unsent(w->client), 32 * MIB);
    loop_run_until(w->loop, b.is_over);
    assert_answer(&b, 200, "y");
    assert_int_equal(httpc_unsent(w->client), 0);
    assert_int_equal(httpd_n_accepted(w->h), 2);
    assert_true(httpd_request(w->h, 1).len > 32 * MIB);
    answer_deinit(&a);
    answer_deinit(&b);
    free(body);
}

static void httpc_counts_a_body_until_it_is_sent(void **state)
{
    static const struct httpd_step script[] = {WANT, DO(HTTPD_WAIT), ANSWER("y"), END};
    struct world *w = *state;
    struct answer a = {0};
    char *body = memset(sp_calloc(1, 32 * MIB + 1), 'b', 32 * MIB);

    httpd_add(w->h, script);
    answer_send(&a, w->client, "POST", w->url, body);
    assert_int_equal(httpc_unsent(w->client), 32 * MIB);
    loop_run_until(w->loop, httpc_unsent(w->client) == 0);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    assert_false(a.is_over);
    httpd_go_on(w->h);
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, 200, "y");
    answer_deinit(&a);
    free(body);
}

static void httpc_reads_the_answer_of_a_server_that_closes_early(void **state)
{
    static const struct httpd_step script[] = {
        DO(HTTPD_HEAD),
        SEND("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno"),
        DO(HTTPD_CLOSE), END};
    struct world *w = *state;
    struct answer a = {0};
    char *body = memset(sp_calloc(1, 32 * MIB + 1), 'b', 32 * MIB);

    httpd_add(w->h, script);
    answer_send(&a, w->client, "POST", w->url, body);
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, 413, "no");
    answer_deinit(&a);
    free(body);
}

struct redirect_case {
    const char *status;
    const char *method;
    const char *then; /* the method of the second request */
    bool has_body;    /* so has the second request */
};

static void httpc_follows_redirects_within_the_site(void **state)
{
    static const struct redirect_case cases[] = {
        {"301", "POST", "GET", false},      {"302", "POST", "GET", false},
        {"303", "POST", "GET", false},      {"307", "POST", "POST", true},
        {"308", "POST", "POST", true},      {"301", "GET", "GET", false},
        {"303", "GET", "GET", false},       {"307", "GET", "GET", false},
        {"301", "DELETE", "DELETE", false}, {"302", "DELETE", "DELETE", false},
        {"303", "DELETE", "GET", false},    {"308", "DELETE", "DELETE", false},
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct redirect_case *c = &cases[i];
        bool may_have_body = strcmp(c->method, "POST") == 0;
        struct answer a = {0};
        char first[128], start[64];
        struct httpd *h = httpd_new(w->loop, NULL);
        struct httpd_step script[] = {WANT, {HTTPD_SEND, first, 0}, WANT, ANSWER("z"), END};
        char url[64];
        struct sp_str second;

        snprintf(first, sizeof first,
                 "HTTP/1.1 %s Go\r\nLocation: ../next?x#f\r\nContent-Length: 4\r\n\r\nbody",
                 c->status);
        script[1].n = strlen(first);
        httpd_add(h, script);
        snprintf(url, sizeof url, "http://u:p@127.0.0.1:%u/a/b", httpd_port(h));
        ask(w, &a, c->method, url, may_have_body ? "payload" : NULL);
        assert_answer(&a, 200, "z");
        second = httpd_request(h, 1);
        snprintf(start, sizeof start, "%s /next?x HTTP/1.1\r\nHost: ", c->then);
        assert_true(sp_str_starts(second, sp_str_of(start)));
        assert_int_equal(sp_str_ends(second, SP_STR("\r\n\r\npayload")), c->has_body);
        assert_non_null(strstr(second.p, "X-Test: yes\r\n"));
        assert_non_null(strstr(second.p, "X-Empty: \r\n"));
        assert_non_null(strstr(second.p, "Authorization: Basic dTpw\r\n"));
        if (may_have_body && !c->has_body)
            assert_null(strstr(second.p, "Content-"));
        assert_int_equal(httpd_n_accepted(h), 1);
        answer_deinit(&a);
        httpd_free(h);
    }
}

static void httpc_leaves_other_redirects_to_the_caller(void **state)
{
    static const struct httpd_step scripts[][4] = {
        {WANT,
         SEND("HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:1/mcp\r\n"
              "Content-Length: 1\r\n\r\nx"),
         END},
        {WANT,
         SEND("HTTP/1.1 302 Go\r\nLocation: //localhost/mcp\r\n"
              "Content-Length: 1\r\n\r\nx"),
         END},
        {WANT,
         SEND("HTTP/1.1 308 Go\r\nLocation: https://localhost/mcp\r\n"
              "Content-Length: 1\r\n\r\nx"),
         END},
        {WANT,
         SEND("HTTP/1.1 302 Go\r\nLocation: ftp://127.0.0.1/mcp\r\n"
              "Content-Length: 1\r\n\r\nx"),
         END},
        {WANT, SEND("HTTP/1.1 302 Go\r\nContent-Length: 1\r\n\r\nx"), END},
        {WANT, SEND("HTTP/1.1 302 Go\r\nLocation: http://[/\r\nContent-Length: 1\r\n\r\nx"), END},
        {WANT, SEND("HTTP/1.1 304 Go\r\nLocation: /x\r\nContent-Length: 1\r\n\r\n"), END},
        {WANT, SEND("HTTP/1.1 305 Go\r\nLocation: /x\r\nContent-Length: 1\r\n\r\nx"), END},
        {WANT, SEND("HTTP/1.1 300 Go\r\nLocation: /x\r\nContent-Length: 1\r\n\r\nx"), END},
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct httpd *h = httpd_new(w->loop, NULL);
        struct answer a = {0};
        char url[64];

        httpd_add(h, scripts[i]);
        snprintf(url, sizeof url, "http://127.0.0.1:%u/mcp", httpd_port(h));
        ask(w, &a, "POST", url, "b");
        assert_int_equal(a.error, HTTPC_OK);
        assert_int_equal(a.status / 100, 3);
        assert_int_equal(httpd_n_requests(h), 1);
        answer_deinit(&a);
        httpd_free(h);
    }
}

static void httpc_follows_ten_redirects_at_most(void **state)
{
    static struct httpd_step script[25];
    struct world *w = *state;
    struct answer a = {0};

    for (size_t i = 0; i < 22; i += 2) {
        script[i] = (struct httpd_step)WANT;
        script[i + 1] = (struct httpd_step)SEND(
            "HTTP/1.1 307 Go\r\nLocation: /again\r\nContent-Length: 1\r\n\r\nx");
    }
    httpd_add(w->h, script);
    ask(w, &a, "POST", w->url, "b");
    assert_answer(&a, 307, "x");
    assert_int_equal(httpd_n_requests(w->h), 11);
    answer_deinit(&a);
}

static void httpc_does_not_wait_for_the_body_of_a_redirect(void **state)
{
    static const struct httpd_step stalls[] = {
        WANT, SEND("HTTP/1.1 307 Go\r\nLocation: /x\r\nContent-Length: 99\r\n\r\nx"), END};
    static const struct httpd_step early[] = {
        DO(HTTPD_HEAD), SEND("HTTP/1.1 303 Go\r\nLocation: /y\r\nContent-Length: 1\r\n\r\nx"), END};
    static const struct httpd_step then[] = {WANT, ANSWER("y"), END};
    struct world *w = *state;
    struct answer a = {0};
    char *body = memset(sp_calloc(1, 8 * MIB + 1), 'b', 8 * MIB);

    httpd_add(w->h, stalls);
    httpd_add(w->h, early);
    httpd_add(w->h, then);
    ask(w, &a, "POST", w->url, body);
    assert_answer(&a, 200, "y");
    assert_int_equal(httpd_n_accepted(w->h), 3);
    assert_true(sp_str_starts(httpd_request(w->h, 1), SP_STR("POST /x ")));
    assert_true(sp_str_starts(httpd_request(w->h, 2), SP_STR("GET /y ")));
    answer_deinit(&a);
    free(body);
}

/* Makes the client anew with a proxy variable set to the server's address. */
static void set_proxy(struct world *w, const char *variable, const char *user)
{
    char value[64];

    close_client(w);
    w->is_closed = false;
    snprintf(value, sizeof value, "%s127.0.0.1:%u", user, httpd_port(w->h));
    assert_int_equal(setenv(variable, value, 1), 0);
    w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
}

static void httpc_sends_http_through_a_proxy(void **state)
{
    static const struct httpd_step script[] = {WANT, ANSWER("a"), WANT, ANSWER("b"), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};

    httpd_add(w->h, script);
    set_proxy(w, "http_proxy", "http://al:s3@");
    ask(w, &a, "POST", "http://u:p@example.invalid:81/mcp?x", "1");
    ask(w, &b, "GET", "http://example.invalid:81/mcp", NULL);
    assert_answer(&b, 200, "b");
    assert_int_equal(httpd_n_accepted(w->h), 1);
    assert_request(w, 0,
                   "POST http://example.invalid:81/mcp?x HTTP/1.1\r\nHost: example.invalid:81\r\n"
                   "X-Test: yes\r\nContent-Type: text/plain\r\nX-Empty: \r\n"
                   "Authorization: Basic dTpw\r\nContent-Length: 1\r\n"
                   "Proxy-Authorization: Basic YWw6czM=\r\n\r\n1");
    answer_deinit(&a);
    answer_deinit(&b);
}

static void httpc_asks_a_proxy_for_https_and_tells_its_refusal(void **state)
{
    static const struct httpd_step refuses[] = {
        WANT, SEND("HTTP/1.1 407 Who\r\nContent-Length: 999\r\n\r\n"), END};
    static const struct httpd_step babbles[] = {WANT, SEND("HTTP/1.1 200 OK\r\n\r\nhello"), END};
    static const struct httpd_step lies[] = {WANT, SEND("SSH-2.0\r\n"), END};
    static const struct httpd_step ends[] = {WANT, DO(HTTPD_CLOSE), END};
    static const char *const causes[] = {"refused with HTTP 407", "not an answer to CONNECT",
                                         "not an HTTP answer", "the connection was closed"};
    struct world *w = *state;

    httpd_add(w->h, refuses);
    httpd_add(w->h, babbles);
    httpd_add(w->h, lies);
    httpd_add(w->h, ends);
    set_proxy(w, "all_proxy", "al:s3@");
    for (size_t i = 0; i < 4; i++) {
        struct answer a = {0};
        char cause[128];

        ask(w, &a, "POST", "https://u:p@[::5]/mcp", "1");
        assert_int_equal(a.error, HTTPC_E_UNREACHED);
        snprintf(cause, sizeof cause, "proxy 127.0.0.1:%u: %s", httpd_port(w->h), causes[i]);
        assert_string_equal(a.cause, cause);
        answer_deinit(&a);
    }
    assert_request(w, 0,
                   "CONNECT [::5]:443 HTTP/1.1\r\nHost: [::5]:443\r\n"
                   "Proxy-Authorization: Basic YWw6czM=\r\n\r\n");
}

static void httpc_fails_with_a_proxy_it_cannot_use(void **state)
{
    struct world *w = *state;
    struct answer a = {0};

    close_client(w);
    w->is_closed = false;
    assert_int_equal(setenv("http_proxy", "socks5://u:s3cret@127.0.0.1:1", 1), 0);
    w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
    ask(w, &a, "GET", w->url, NULL);
    assert_int_equal(a.error, HTTPC_E_UNREACHED);
    assert_string_equal(a.cause, "the value of http_proxy is not an http proxy");
    answer_deinit(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(httpc_sends_what_it_is_given),
        TEST(httpc_keeps_a_given_authorization),
        TEST(httpc_finds_headers_without_regard_to_case),
        TEST(httpc_gives_head_and_body_as_they_come),
        TEST(httpc_ends_a_body_with_the_connection),
        TEST(httpc_tells_how_answers_fail),
        TEST(httpc_refuses_more_than_100_interim_answers),
        TEST(httpc_tells_why_no_connection_is_made),
        TEST(httpc_tries_all_addresses_of_a_name),
        TEST(httpc_drops_a_connection_that_ends_while_idle),
        TEST(httpc_does_not_reuse_what_cannot_be),
        TEST(httpc_sends_again_what_a_stale_connection_lost),
        TEST(httpc_sends_again_once_only_and_before_an_answer_only),
        TEST(httpc_runs_64_requests_at_once),
        TEST(httpc_takes_the_connection_used_last),
        TEST(httpc_can_send_from_on_end),
        TEST(httpc_cancels_in_any_callback),
        TEST(httpc_cancels_before_any_callback),
        TEST(httpc_closes_with_requests_at_all_stages),
        TEST(httpc_reads_nothing_while_paused),
        TEST(httpc_holds_everything_back_while_paused),
        TEST(httpc_cancels_while_paused),
        TEST(httpc_takes_an_answer_before_its_request_is_sent),
        TEST(httpc_counts_a_body_until_it_is_sent),
        TEST(httpc_reads_the_answer_of_a_server_that_closes_early),
        TEST(httpc_follows_redirects_within_the_site),
        TEST(httpc_leaves_other_redirects_to_the_caller),
        TEST(httpc_follows_ten_redirects_at_most),
        TEST(httpc_does_not_wait_for_the_body_of_a_redirect),
        TEST(httpc_sends_http_through_a_proxy),
        TEST(httpc_asks_a_proxy_for_https_and_tells_its_refusal),
        TEST(httpc_fails_with_a_proxy_it_cannot_use),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
