/* Tests of io/httpc.h over TLS. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "answer.h"
#include "base/sp_alloc.h"
#include "certs.h"
#include "httpd.h"
#include "loop.h"
#include "tmpdir.h"

#define DO(kind)      \
    {                 \
        kind, NULL, 0 \
    }
#define WANT    DO(HTTPD_WANT)
#define SEND(t) HTTPD_TEXT(HTTPD_SEND, t)
#define FILL(n)             \
    {                       \
        HTTPD_FILL, NULL, n \
    }
#define SECURE    DO(HTTPD_SECURE)
#define END       DO(HTTPD_END)
#define ANSWER(t) SEND("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" t)
#define MIB       ((size_t)1024 * 1024)

struct world {
    uv_loop_t *loop;
    struct certs *certs;
    char *dir;
    SSL_CTX *server;
    struct httpd *h;
    struct httpc *client;
    bool is_closed; /* the client */
};

static void on_closed(void *owner)
{
    struct world *w = owner;

    w->is_closed = true;
}

static int setup(void **state)
{
    struct world *w = sp_calloc(1, sizeof *w);
    char path[256];

    if (loop_setup(state) != 0)
        return -1;
    (void)unsetenv("https_proxy");
    w->loop = *state;
    w->certs = certs_new();
    w->dir = tmpdir_new();
    snprintf(path, sizeof path, "%s/ca.pem", w->dir);
    certs_write(w->certs, path);
    if (setenv("SSL_CERT_FILE", path, 1) != 0)
        return -1;
    w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
    *state = w;
    return 0;
}

/* Starts the server. */
static void serve(struct world *w, const char *names, enum certs_flaw flaw)
{
    w->server = certs_server(w->certs, names, flaw);
    w->h = httpd_new(w->loop, w->server);
}

static void end_server(struct world *w)
{
    if (w->h != NULL)
        httpd_free(w->h);
    SSL_CTX_free(w->server);
    w->h = NULL;
    w->server = NULL;
}

static void close_client(struct world *w)
{
    w->is_closed = false;
    httpc_close(w->client, on_closed, w);
    loop_run_until(w->loop, w->is_closed);
    httpc_free(w->client);
    w->client = NULL;
}

static int teardown(void **state)
{
    struct world *w = *state;

    if (w->client != NULL)
        close_client(w);
    end_server(w);
    certs_free(w->certs);
    tmpdir_remove(w->dir);
    *state = w->loop;
    free(w);
    return loop_teardown(state);
}

static void start(struct world *w, struct answer *a, const char *host, const char *body)
{
    char url[128];

    snprintf(url, sizeof url, "https://%s:%u/mcp", host, httpd_port(w->h));
    answer_send(a, w->client, body != NULL ? "POST" : "GET", url, body);
}

static void ask(struct world *w, struct answer *a, const char *host, const char *body)
{
    start(w, a, host, body);
    loop_run_until(w->loop, a->is_over);
}

static void assert_answer(struct answer *a, const char *body)
{
    if (a->error != HTTPC_OK)
        fail_msg("error %d: %s", a->error, a->cause);
    assert_int_equal(a->status, 200);
    assert_string_equal(sp_buf_cstr(&a->body), body);
}

static void httpc_speaks_tls_and_keeps_the_connection(void **state)
{
    static const struct httpd_step script[] = {SECURE, WANT, ANSWER("a"), WANT, ANSWER("b"), END};
    static const char *const hosts[] = {"localhost", "127.0.0.1", "LOCALHOST"};
    struct world *w = *state;

    for (size_t i = 0; i < 3; i++) {
        struct answer a = {0}, b = {0};

        serve(w, "DNS:other.test,DNS:localhost,IP:127.0.0.1", CERTS_GOOD);
        httpd_add(w->h, script);
        ask(w, &a, hosts[i], "one");
        assert_answer(&a, "a");
        ask(w, &b, hosts[i], NULL);
        assert_answer(&b, "b");
        assert_int_equal(httpd_n_accepted(w->h), 1);
        assert_true(sp_str_ends(httpd_request(w->h, 0), SP_STR("\r\n\r\none")));
        answer_deinit(&a);
        answer_deinit(&b);
        end_server(w);
    }
}

struct refusal_case {
    const char *names;
    enum certs_flaw flaw;
    const char *host;
    const char *cause;
};

static void httpc_verifies_whom_it_speaks_to(void **state)
{
    static const struct refusal_case cases[] = {
        {"DNS:other.test", CERTS_GOOD, "localhost", "TLS: hostname mismatch"},
        {"IP:127.0.0.1", CERTS_GOOD, "localhost", "TLS: hostname mismatch"},
        {"DNS:127.0.0.1,IP:127.0.0.2", CERTS_GOOD, "127.0.0.1", "TLS: IP address mismatch"},
        {"DNS:localhost", CERTS_EXPIRED, "localhost", "TLS: certificate has expired"},
        {"DNS:localhost", CERTS_SELF_SIGNED, "localhost", "TLS: self-signed certificate"},
    };
    static const struct httpd_step script[] = {SECURE, WANT, ANSWER("a"), END};
    struct world *w = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer a = {0};

        serve(w, cases[i].names, cases[i].flaw);
        httpd_add(w->h, script);
        ask(w, &a, cases[i].host, "secret");
        assert_int_equal(a.error, HTTPC_E_UNREACHED);
        assert_string_equal(a.cause, cases[i].cause);
        loop_run_until(w->loop, httpd_n_open(w->h) == 0);
        assert_int_equal(httpd_n_requests(w->h), 0);
        answer_deinit(&a);
        end_server(w);
    }
}

static void httpc_trusts_only_the_trust_store(void **state)
{
    static const struct httpd_step script[] = {SECURE, WANT, ANSWER("a"), END};
    struct world *w = *state;
    struct certs *other = certs_new();
    struct answer a = {0};

    w->server = certs_server(other, "DNS:localhost", CERTS_GOOD);
    w->h = httpd_new(w->loop, w->server);
    httpd_add(w->h, script);
    ask(w, &a, "localhost", NULL);
    assert_int_equal(a.error, HTTPC_E_UNREACHED);
    assert_true(sp_str_starts(sp_str_of(a.cause), SP_STR("TLS: ")));
    assert_int_equal(httpd_n_requests(w->h), 0);
    answer_deinit(&a);
    certs_free(other);
}

static void httpc_refuses_tls_1_1(void **state)
{
    static const struct httpd_step script[] = {SECURE, WANT, ANSWER("a"), END};
    struct world *w = *state;
    struct answer a = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    SSL_CTX_set_security_level(w->server, 0);
    SSL_CTX_set_min_proto_version(w->server, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(w->server, TLS1_1_VERSION);
    httpd_add(w->h, script);
    ask(w, &a, "localhost", NULL);
    assert_int_equal(a.error, HTTPC_E_UNREACHED);
    assert_int_equal(httpd_n_requests(w->h), 0);
    answer_deinit(&a);
}

static void httpc_tells_what_is_no_tls(void **state)
{
    static const struct httpd_step plain[] = {SEND("HTTP/1.1 400 Bad Request\r\n\r\n"), END};
    static const struct httpd_step closes[] = {DO(HTTPD_CLOSE), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, plain);
    httpd_add(w->h, closes);
    ask(w, &a, "localhost", NULL);
    assert_int_equal(a.error, HTTPC_E_UNREACHED);
    assert_true(sp_str_starts(sp_str_of(a.cause), SP_STR("TLS: ")));
    ask(w, &b, "localhost", NULL);
    assert_int_equal(b.error, HTTPC_E_UNREACHED);
    answer_deinit(&a);
    answer_deinit(&b);
}

static void httpc_carries_large_bodies_over_tls(void **state)
{
    static const struct httpd_step script[] = {
        SECURE, WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 8388608\r\n\r\n"), FILL(8 * MIB),
        END};
    struct world *w = *state;
    struct answer a = {0};
    char *body = memset(sp_calloc(1, 8 * MIB + 1), 'b', 8 * MIB);

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, script);
    ask(w, &a, "localhost", body);
    assert_int_equal(a.error, HTTPC_OK);
    assert_int_equal(a.body.len, 8 * MIB);
    assert_int_equal(httpc_unsent(w->client), 0);
    assert_true(sp_str_ends(httpd_request(w->h, 0), (struct sp_str){body, 8 * MIB}));
    answer_deinit(&a);
    free(body);
}

static void httpc_does_not_encrypt_a_body_all_at_once(void **state)
{
    static const struct httpd_step script[] = {SECURE, DO(HTTPD_HEAD), END};
    struct world *w = *state;
    struct answer a = {0};
    char *body = memset(sp_calloc(1, 32 * MIB + 1), 'b', 32 * MIB);
    size_t before;

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, script);
    before = mallinfo2().uordblks + mallinfo2().hblkhd;
    start(w, &a, "localhost", body);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    loop_run_for(w->loop, 30);
    assert_int_equal(httpc_unsent(w->client), 32 * MIB);
    /* The copy of the body, and less than one MiB beside. */
    assert_true(mallinfo2().uordblks + mallinfo2().hblkhd <= before + 33 * MIB);
    answer_cancel(&a);
    free(body);
}

static void pause_at_body(struct answer *a, enum answer_event event)
{
    if (event == ANSWER_BODY)
        httpc_pause(a->request);
}

static void httpc_reads_nothing_over_tls_while_paused(void **state)
{
    static const struct httpd_step script[] = {
        SECURE, WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 16777216\r\n\r\n"), FILL(16 * MIB),
        END};
    struct world *w = *state;
    struct answer a = {.hook = pause_at_body};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, script);
    start(w, &a, "localhost", NULL);
    for (size_t i = 1; i <= 20; i++) {
        loop_run_until(w->loop, a.n_bodies == i);
        loop_run_for(w->loop, 2);
        assert_int_equal(a.n_bodies, i);
        assert_true(httpd_unsent(w->h) > 2 * MIB);
        httpc_resume(a.request);
    }
    a.hook = NULL;
    loop_run_until(w->loop, a.is_over);
    assert_int_equal(a.error, HTTPC_OK);
    assert_int_equal(a.body.len, 16 * MIB);
    answer_deinit(&a);
}

static void httpc_needs_the_closing_notice_to_end_a_body(void **state)
{
    static const struct httpd_step closes[] = {SECURE, WANT, SEND("HTTP/1.1 200 OK\r\n\r\nx"),
                                               DO(HTTPD_CLOSE), END};
    static const struct httpd_step drops[] = {SECURE, WANT, SEND("HTTP/1.1 200 OK\r\n\r\nx"),
                                              DO(HTTPD_DROP), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, closes);
    httpd_add(w->h, drops);
    ask(w, &a, "localhost", NULL);
    assert_answer(&a, "x");
    ask(w, &b, "localhost", NULL);
    assert_int_equal(b.error, HTTPC_E_CUT);
    assert_string_equal(b.cause, "TLS: closed without notice");
    answer_deinit(&a);
    answer_deinit(&b);
}

static void httpc_sends_a_closing_notice(void **state)
{
    static const struct httpd_step script[] = {SECURE, WANT, ANSWER("a"), END};
    struct world *w = *state;
    struct answer a = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, script);
    ask(w, &a, "localhost", NULL);
    close_client(w);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    assert_int_equal(httpd_n_notices(w->h), 1);
    answer_deinit(&a);
}

static void httpc_resumes_sessions(void **state)
{
    static const struct httpd_step script[] = {
        SECURE, WANT, SEND("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"),
        END};
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    struct world *w = *state;

    for (size_t i = 0; i < 2; i++) {
        serve(w, "DNS:localhost", CERTS_GOOD);
        SSL_CTX_set_max_proto_version(w->server, versions[i]);
        httpd_add(w->h, script);
        for (size_t k = 0; k < 3; k++) {
            struct answer a = {0};

            ask(w, &a, "localhost", NULL);
            assert_answer(&a, "x");
            assert_int_equal(httpd_n_resumed(w->h), k);
            answer_deinit(&a);
        }
        end_server(w);
    }
}

static void httpc_sends_again_over_tls_what_was_lost(void **state)
{
    static const struct httpd_step lost[] = {SECURE, WANT, ANSWER("a"), WANT, DO(HTTPD_CLOSE), END};
    static const struct httpd_step fresh[] = {SECURE, WANT, ANSWER("b"), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, lost);
    httpd_add(w->h, fresh);
    ask(w, &a, "localhost", "1");
    ask(w, &b, "localhost", "2");
    assert_answer(&b, "b");
    assert_int_equal(httpd_n_requests(w->h), 3);
    answer_deinit(&a);
    answer_deinit(&b);
}

static void httpc_goes_from_http_to_https_on_the_same_host(void **state)
{
    static const struct httpd_step secure[] = {SECURE, WANT, ANSWER("s"), END};
    struct world *w = *state;
    struct httpd *plain = httpd_new(w->loop, NULL);
    char text[256], url[64];
    struct httpd_step redirects[] = {WANT, {HTTPD_SEND, text, 0}, END};
    struct answer a = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, secure);
    snprintf(text, sizeof text,
             "HTTP/1.1 307 Go\r\nLocation: https://localhost:%u/s\r\nContent-Length: 0\r\n\r\n",
             httpd_port(w->h));
    redirects[1].n = strlen(text);
    httpd_add(plain, redirects);
    snprintf(url, sizeof url, "http://localhost:%u/p", httpd_port(plain));
    answer_send(&a, w->client, "POST", url, "body");
    loop_run_until(w->loop, a.is_over);
    assert_answer(&a, "s");
    assert_true(sp_str_starts(httpd_request(w->h, 0), SP_STR("POST /s ")));
    assert_true(sp_str_ends(httpd_request(w->h, 0), SP_STR("\r\n\r\nbody")));
    answer_deinit(&a);
    httpd_free(plain);
}

static void httpc_speaks_tls_through_a_proxy(void **state)
{
    static const struct httpd_step script[] = {
        WANT,        SEND("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Established\r\n\r\n"),
        SECURE,      WANT,
        ANSWER("a"), WANT,
        ANSWER("b"), END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};
    char proxy[64];

    serve(w, "DNS:example.test", CERTS_GOOD);
    httpd_add(w->h, script);
    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", httpd_port(w->h));
    assert_int_equal(setenv("https_proxy", proxy, 1), 0);
    close_client(w);
    w->client = httpc_new(w->loop, SIZE_MAX, NULL, NULL);
    ask(w, &a, "example.test", "one");
    assert_answer(&a, "a");
    ask(w, &b, "example.test", "two");
    assert_answer(&b, "b");
    assert_true(sp_str_starts(httpd_request(w->h, 0), SP_STR("CONNECT example.test:")));
    assert_true(sp_str_starts(httpd_request(w->h, 1), SP_STR("POST /mcp HTTP/1.1\r\n")));
    answer_deinit(&a);
    answer_deinit(&b);
}

static void httpc_cancels_during_the_handshake(void **state)
{
    static const struct httpd_step silent[] = {END};
    struct world *w = *state;
    struct answer a = {0}, b = {0};

    serve(w, "DNS:localhost", CERTS_GOOD);
    httpd_add(w->h, silent);
    start(w, &a, "localhost", NULL);
    start(w, &b, "localhost", NULL);
    loop_run_until(w->loop, httpd_n_accepted(w->h) == 2);
    loop_run_for(w->loop, 5);
    answer_cancel(&a);
    loop_run_until(w->loop, httpd_n_open(w->h) == 1);
    close_client(w);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);
    assert_false(a.is_over || b.is_over);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(httpc_speaks_tls_and_keeps_the_connection),
        TEST(httpc_verifies_whom_it_speaks_to),
        TEST(httpc_trusts_only_the_trust_store),
        TEST(httpc_refuses_tls_1_1),
        TEST(httpc_tells_what_is_no_tls),
        TEST(httpc_carries_large_bodies_over_tls),
        TEST(httpc_does_not_encrypt_a_body_all_at_once),
        TEST(httpc_reads_nothing_over_tls_while_paused),
        TEST(httpc_needs_the_closing_notice_to_end_a_body),
        TEST(httpc_sends_a_closing_notice),
        TEST(httpc_resumes_sessions),
        TEST(httpc_sends_again_over_tls_what_was_lost),
        TEST(httpc_goes_from_http_to_https_on_the_same_host),
        TEST(httpc_speaks_tls_through_a_proxy),
        TEST(httpc_cancels_during_the_handshake),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
