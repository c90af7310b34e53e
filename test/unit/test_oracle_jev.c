/* Tests of io/oracle_client.h, and with it of io/oracle_jev.h and io/curlio.h, on loopback. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "certs.h"
#include "httpd.h"
#include "io/oracle_cache.h"
#include "io/oracle_client.h"
#include "loop.h"
#include "tmpdir.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The wait before the first retry; all four are 15 times as long. */
#define WAIT_MS 10

#define DO(kind)      \
    {                 \
        kind, NULL, 0 \
    }
#define WANT    DO(HTTPD_WANT)
#define SEND(t) HTTPD_TEXT(HTTPD_SEND, t)
#define CLOSE   DO(HTTPD_CLOSE)
#define END     DO(HTTPD_END)

/* An answer whose body ends with the connection. */
#define STATUS(line, body) WANT, SEND("HTTP/1.1 " line "\r\n\r\n" body), CLOSE

#define BODY \
    "{\"model\":\"jev-1\",\"answers\":{},\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}"

static const struct httpd_step good[] = {STATUS("200 OK", BODY), END};

struct world {
    uv_loop_t *loop;
    struct httpd *h;
    SSL_CTX *tls;
    char *dir;
    char *cache;
    struct oracle_client *client;
    struct oracle_client_settings settings;
    char base[64];
    bool is_closed; /* the client */
};

/* The outcome of a question. */
struct outcome {
    struct world *w;
    struct oracle_client_ask *ask;
    size_t n_calls;
    struct oracle_response response;
    char *error;
    struct outcome *next; /* asked from within the callback */
    bool closes;          /* the client, from within the callback */
};

static const struct oracle_request request = {.model = SP_STR("m"), .state = SP_STR("null")};

#define KEY   "d2d80e9752a6f71cc5c8416846f94f6d28eab9fb168b97b6bc3f268a4caf3305"
#define BYTES "{\"model\":\"m\",\"state\":null,\"questions\":{}}"

static int setup(void **state)
{
    static const char *const variables[] = {"http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY",
                                            "ALL_PROXY"};
    struct world *w = sp_calloc(1, sizeof *w);

    if (loop_setup(state) != 0)
        return -1;
    for (size_t i = 0; i < N_OF(variables); i++)
        (void)unsetenv(variables[i]);
    w->loop = *state;
    w->h = httpd_new(w->loop, NULL);
    w->dir = tmpdir_new();
    w->cache = tmpdir_path(w->dir, "cache");
    snprintf(w->base, sizeof w->base, "http://127.0.0.1:%u", httpd_port(w->h));
    w->settings = (struct oracle_client_settings){
        .kind = ORACLE_CLIENT_JEV,
        .cache = w->cache,
        .jev = {.key = "k", .base_url = w->base, .wait_ms = WAIT_MS},
    };
    *state = w;
    return 0;
}

static void on_closed(void *owner)
{
    struct world *w = owner;

    w->is_closed = true;
}

static void close_client(struct world *w)
{
    if (w->client == NULL)
        return;
    w->is_closed = false;
    oracle_client_close(w->client, on_closed, w);
    assert_false(w->is_closed);
    w->client = NULL;
    loop_run_until(w->loop, w->is_closed);
}

static int teardown(void **state)
{
    struct world *w = *state;

    close_client(w);
    httpd_free(w->h);
    SSL_CTX_free(w->tls);
    tmpdir_remove(w->dir);
    free(w->cache);
    *state = w->loop;
    free(w);
    return loop_teardown(state);
}

/* Makes a client of the world's settings, which a test may have changed. */
static void open_client(struct world *w)
{
    struct sp_err err;

    close_client(w);
    w->client = oracle_client_new(w->loop, &w->settings, &err);
    if (w->client == NULL)
        fail_msg("%s", err.text);
}

static void start(struct world *w, struct outcome *o, const struct oracle_request *r);

static void on_answer(void *owner, struct oracle_response *response, const char *error)
{
    struct outcome *o = owner;

    o->n_calls++;
    assert_true((response == NULL) != (error == NULL));
    if (response != NULL) {
        o->response = *response;
        *response = (struct oracle_response){0};
    } else {
        o->error = sp_strdup(error);
    }
    if (o->next != NULL)
        start(o->w, o->next, &request);
    if (o->closes) {
        oracle_client_close(o->w->client, on_closed, o->w);
        o->w->client = NULL;
    }
}

static void start(struct world *w, struct outcome *o, const struct oracle_request *r)
{
    o->w = w;
    o->ask = oracle_client_ask(w->client, r, on_answer, o);
    assert_int_equal(o->n_calls, 0);
}

static void end_outcome(struct outcome *o)
{
    oracle_response_deinit(&o->response);
    free(o->error);
    *o = (struct outcome){0};
}

/* Asks and waits. */
static struct outcome ask_of(struct world *w, const struct oracle_request *r)
{
    struct outcome o = {0};

    start(w, &o, r);
    loop_run_until(w->loop, o.n_calls > 0);
    return o;
}

static void assert_answered(struct outcome *o)
{
    if (o->error != NULL)
        fail_msg("%s", o->error);
    assert_int_equal(o->n_calls, 1);
    assert_true(sp_str_eq(o->response.model, SP_STR("jev-1")));
    assert_int_equal(o->response.input_tokens, 3);
    assert_int_equal(o->response.output_tokens, 1);
    end_outcome(o);
}

static void assert_failed(struct outcome *o, const char *error)
{
    assert_int_equal(o->n_calls, 1);
    assert_non_null(o->error);
    if (strncmp(o->error, error, strlen(error)) != 0)
        fail_msg("'%s' does not begin: %s", error, o->error);
    end_outcome(o);
}

static void ask_well(struct world *w)
{
    struct outcome o = ask_of(w, &request);

    assert_answered(&o);
}

static void ask_badly(struct world *w, const char *error)
{
    struct outcome o = ask_of(w, &request);

    assert_failed(&o, error);
}

static char *cached_path(const struct world *w)
{
    return tmpdir_path(w->cache, "d2/" KEY ".json");
}

static bool is_cached(const struct world *w)
{
    char *path = cached_path(w);
    bool is = access(path, F_OK) == 0;

    free(path);
    return is;
}

static const char *sent(const struct world *w, size_t i)
{
    return httpd_request(w->h, i).p;
}

static void jev_posts_the_canonical_bytes(void **state)
{
    struct world *w = *state;
    const char *text;

    httpd_add(w->h, good);
    open_client(w);
    assert_null(oracle_client_key_error(w->client));
    ask_well(w);
    text = sent(w, 0);
    assert_memory_equal(text, "POST /v1/systemone HTTP/1.1\r\n", 29);
    assert_non_null(strstr(text, "\r\nAuthorization: Bearer k\r\n"));
    assert_non_null(strstr(text, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(text, "\r\nContent-Length: 41\r\n"));
    assert_null(strstr(text, "Expect:"));
    assert_null(strstr(text, "Accept-Encoding:"));
    assert_string_equal(strstr(text, "\r\n\r\n") + 4, BYTES);
}

static void jev_asks_again_after_a_wait(void **state)
{
    static const struct httpd_step busy[] = {STATUS("503 Busy", "later"), END};
    struct world *w = *state;
    uint64_t begin = uv_hrtime();

    httpd_add(w->h, busy);
    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 2);
    assert_true(uv_hrtime() - begin >= WAIT_MS * UINT64_C(1000000));
    assert_string_equal(sent(w, 0), sent(w, 1));
}

/* A server that would go on with the same connection is not asked again on it. */
static void jev_asks_again_on_a_connection_of_its_own(void **state)
{
    static const struct httpd_step busy[] = {
        WANT, SEND("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), WANT, END};
    struct world *w = *state;

    httpd_add(w->h, busy);
    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 2);
}

/* A row: how the server behaves on each connection, and what the question fails with. */
#define FAILS(name, error, n_connections, ...) \
    {                                          \
        name, error, n_connections,            \
        {                                      \
            __VA_ARGS__, END                   \
        }                                      \
    }
#define UNREAD    "Jev's answer could not be read: "
#define UNREACHED "could not reach Jev: "

static void jev_fails_at_once_or_after_four_retries(void **state)
{
    static const struct {
        const char *name;
        const char *error;
        size_t n_connections;
        struct httpd_step script[8];
    } rows[] = {
        FAILS("400", "Jev answered 400: no such model", 1, STATUS("400 Bad", "no such model")),
        FAILS("401", "Jev answered 401: ", 1, STATUS("401 No", "")),
        FAILS("404", "Jev answered 404: a b", 1, STATUS("404 No", " a\nb\x01\r\n")),
        FAILS("408", "Jev answered 408: x", 1, STATUS("408 Late", "x")),
        FAILS("501", "Jev answered 501: x", 1, STATUS("501 No", "x")),
        FAILS("redirect", "Jev answered 307: ", 1, STATUS("307 Go\r\nLocation: /elsewhere", "")),
        FAILS("304", "Jev answered 304: ", 1, STATUS("304 Same", "")),
        FAILS("429", "Jev answered 429: slow", 5, STATUS("429 Slow", "slow")),
        FAILS("500", "Jev answered 500: x", 5, STATUS("500 Bad", "x")),
        FAILS("502", "Jev answered 502: x", 5, STATUS("502 Bad", "x")),
        FAILS("503", "Jev answered 503: x", 5, STATUS("503 Bad\r\nRetry-After: 3600", "x")),
        FAILS("504", "Jev answered 504: x", 5, STATUS("504 Bad", "x")),
        FAILS("529", "Jev answered 529: x", 5, STATUS("529 Full", "x")),
        FAILS("not json", UNREAD "it is not JSON", 1, STATUS("200 OK", "not json")),
        FAILS("no body", UNREAD "it is not JSON", 1, STATUS("204 None", "")),
        FAILS("half", UNREAD "it is not JSON", 1, STATUS("200 OK", "{\"model\":\"m\",\"answ")),
        FAILS("wrong shape", UNREAD "answers: must be", 1, STATUS("201 OK", "{\"model\":\"m\"}")),
        FAILS("closed", UNREACHED, 5, WANT, CLOSE),
        FAILS("closed at once", UNREACHED, 5, CLOSE),
        FAILS("reset", UNREACHED, 5, WANT, DO(HTTPD_RESET)),
        FAILS("short body", UNREAD, 1, WANT,
              SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" BODY), CLOSE),
        FAILS("bad chunk", UNREAD, 1, WANT,
              SEND("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), CLOSE),
        FAILS("no http", UNREAD, 1, WANT, SEND("hello, I am no server of the web\r\n"), CLOSE),
        FAILS("too large", UNREAD "it is too large", 1, WANT, SEND("HTTP/1.1 200 OK\r\n\r\n"),
              {HTTPD_FILL, NULL, ORACLE_CACHE_MAX + 1}, CLOSE),
    };

    for (size_t i = 0; i < N_OF(rows); i++) {
        struct world *w = *state;
        struct outcome o;

        httpd_add(w->h, rows[i].script);
        open_client(w);
        o = ask_of(w, &request);
        if (httpd_n_accepted(w->h) != rows[i].n_connections)
            fail_msg("%s: %zu connections, %s", rows[i].name, httpd_n_accepted(w->h), o.error);
        assert_failed(&o, rows[i].error);
        assert_false(is_cached(w));
        if (i + 1 < N_OF(rows)) {
            assert_int_equal(teardown(state), 0);
            assert_int_equal(setup(state), 0);
        }
    }
}

static void jev_doubles_its_waits(void **state)
{
    struct world *w = *state;
    uint64_t begin = uv_hrtime();

    w->settings.jev.base_url = "http://127.0.0.1:1";
    open_client(w);
    ask_badly(w, UNREACHED);
    assert_true(uv_hrtime() - begin >= 15 * WAIT_MS * UINT64_C(1000000));
}

static void jev_asks_again_when_the_time_is_up(void **state)
{
    static const struct httpd_step silent[] = {WANT, END};
    static const struct httpd_step slow[] = {
        WANT, SEND("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), END};
    struct world *w = *state;

    w->settings.jev.timeout_ms = 200;
    w->settings.jev.wait_ms = 1;
    httpd_add(w->h, silent);
    httpd_add(w->h, slow);
    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    assert_true(httpd_n_accepted(w->h) >= 3);
}

static void jev_fails_when_the_time_is_always_up(void **state)
{
    static const struct httpd_step silent[] = {WANT, END};
    struct world *w = *state;

    w->settings.jev.timeout_ms = 20;
    w->settings.jev.wait_ms = 1;
    httpd_add(w->h, silent);
    open_client(w);
    ask_badly(w, UNREACHED);
}

static void jev_reads_an_answer_that_comes_in_pieces(void **state)
{
    static const struct httpd_step drip[] = {
        WANT, HTTPD_TEXT(HTTPD_DRIP, "HTTP/1.1 200 OK\r\n\r\n" BODY), CLOSE, END};
    struct world *w = *state;

    httpd_add(w->h, drip);
    open_client(w);
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 1);
}

static void jev_sends_a_long_request_at_once(void **state)
{
    struct world *w = *state;
    struct sp_buf long_state = {0};
    struct oracle_request r = {.model = SP_STR("m")};
    struct outcome o;

    sp_buf_add_char(&long_state, '"');
    for (size_t i = 0; i < 3 * 1024 * 1024; i++)
        sp_buf_add_char(&long_state, 'x');
    sp_buf_add_char(&long_state, '"');
    r.state = sp_buf_str(&long_state);
    httpd_add(w->h, good);
    open_client(w);
    o = ask_of(w, &r);
    assert_answered(&o);
    assert_null(strstr(sent(w, 0), "100-continue"));
    sp_buf_deinit(&long_state);
}

static void client_asks_the_service_once_for_one_request(void **state)
{
    static const struct oracle_request other = {.model = SP_STR("m"), .state = SP_STR("1")};
    struct world *w = *state;
    struct outcome o;

    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 1);

    w->settings.kind = ORACLE_CLIENT_REPLAY;
    w->settings.jev = (struct oracle_jev_settings){0};
    open_client(w);
    assert_null(oracle_client_key_error(w->client));
    ask_well(w);
    o = ask_of(w, &other);
    assert_failed(&o, "no cached answer for request "
                      "62a8f3d53bd22879cae744adb95fd06b5f176a6c7210a5edddf2a418ecc6b648");
    assert_int_equal(httpd_n_accepted(w->h), 1);
}

static void client_fails_by_a_bad_cached_answer(void **state)
{
    static const enum oracle_client_kind kinds[] = {ORACLE_CLIENT_JEV, ORACLE_CLIENT_REPLAY};
    struct world *w = *state;
    char *path = cached_path(w);
    struct sp_buf error = {0}, whole, left;

    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    whole = tmpdir_read(path);
    assert_int_equal(truncate(path, (off_t)whole.len / 2), 0);
    sp_buf_addf(&error, "reading the cached answer %s: it is not JSON", path);
    for (size_t i = 0; i < N_OF(kinds); i++) {
        w->settings.kind = kinds[i];
        open_client(w);
        ask_badly(w, sp_buf_cstr(&error));
        left = tmpdir_read(path);
        assert_int_equal(left.len, whole.len / 2);
        sp_buf_deinit(&left);
    }
    assert_int_equal(httpd_n_accepted(w->h), 1);
    sp_buf_deinit(&whole);
    sp_buf_deinit(&error);
    free(path);
}

static void client_fails_when_it_cannot_store(void **state)
{
    struct world *w = *state;
    struct sp_buf error = {0};

    tmpdir_touch(w->cache);
    sp_buf_addf(&error, "writing the cached answer %s/d2/" KEY ".json: ", w->cache);
    httpd_add(w->h, good);
    open_client(w);
    ask_badly(w, sp_buf_cstr(&error));
    sp_buf_deinit(&error);
}

/* The key. */

static char *write_key(const struct world *w, const char *name, struct sp_str text)
{
    char *path = tmpdir_path(w->dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.len), text.len);
    (void)close(fd);
    return path;
}

static void jev_takes_the_key_before_the_file(void **state)
{
    struct world *w = *state;
    char *file = write_key(w, "key", SP_STR(" b\n"));

    httpd_add(w->h, good);
    w->settings.jev.key_file = file;
    w->settings.jev.key = "a";
    open_client(w);
    ask_well(w);
    assert_non_null(strstr(sent(w, 0), "\r\nAuthorization: Bearer a\r\n"));

    w->settings.jev.key = "";
    w->settings.cache = w->dir;
    open_client(w);
    ask_well(w);
    assert_non_null(strstr(sent(w, 1), "\r\nAuthorization: Bearer b\r\n"));
    free(file);
}

static void assert_no_key(struct world *w, const char *key, const char *file, const char *want)
{
    const char *error;

    w->settings.jev.key = key;
    w->settings.jev.key_file = file;
    open_client(w);
    error = oracle_client_key_error(w->client);
    assert_non_null(error);
    assert_string_equal(error, want);
    ask_badly(w, want);
    assert_int_equal(httpd_n_accepted(w->h), 0);
}

static void jev_asks_nobody_without_a_key(void **state)
{
    struct world *w = *state;
    char *blank = write_key(w, "blank", SP_STR(" \n\t\u2003"));
    char *lines = write_key(w, "lines", SP_STR("a\nb"));
    char *bytes = write_key(w, "bytes", SP_STR("\xff"));
    char *missing = tmpdir_path(w->dir, "missing");
    struct sp_buf want = {0};

    assert_no_key(w, NULL, NULL, "no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE");
    assert_no_key(w, "", "", "no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE");
    assert_no_key(w, "a\r\nX: y", lines, "TYPESAFE_API_KEY holds a control character");
    assert_no_key(w, "a\x7f", lines, "TYPESAFE_API_KEY holds a control character");
    sp_buf_addf(&want, "reading TYPESAFE_API_KEY_FILE %s: No such file or directory", missing);
    assert_no_key(w, NULL, missing, sp_buf_cstr(&want));
    sp_buf_clear(&want);
    sp_buf_addf(&want, "TYPESAFE_API_KEY_FILE %s is empty", blank);
    assert_no_key(w, NULL, blank, sp_buf_cstr(&want));
    sp_buf_clear(&want);
    sp_buf_addf(&want, "TYPESAFE_API_KEY_FILE %s holds a control character", lines);
    assert_no_key(w, NULL, lines, sp_buf_cstr(&want));
    sp_buf_clear(&want);
    sp_buf_addf(&want, "reading TYPESAFE_API_KEY_FILE %s: it holds no key", bytes);
    assert_no_key(w, NULL, bytes, sp_buf_cstr(&want));
    sp_buf_deinit(&want);
    free(blank);
    free(lines);
    free(bytes);
    free(missing);
}

static void jev_answers_from_the_cache_without_a_key(void **state)
{
    struct world *w = *state;

    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    w->settings.jev.key = NULL;
    open_client(w);
    assert_non_null(oracle_client_key_error(w->client));
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 1);
}

#define SECRET "sk-0123456789"

/* How many of the pieces of memory that were wiped held SECRET. */
static size_t n_wiped;

/*
 * Stands in for the library's, for the code under test as well. That one only writes, and compilers
 * know: so they are not to see what is read here.
 */
void explicit_bzero(void *p, size_t size)
{
    char *volatile bytes = p;

    n_wiped += memmem(bytes, size, SECRET, strlen(SECRET)) != NULL;
    memset(bytes, 0, size);
}

/* The file's text, the line of the header, the header of each request, and the settings. */
static void jev_wipes_every_copy_of_the_key(void **state)
{
    static const struct httpd_step echo[] = {STATUS("401 No", SECRET), END};
    struct world *w = *state;
    char *file = write_key(w, "key", SP_STR(SECRET "\n"));

    n_wiped = 0;
    w->settings.jev.key = NULL;
    w->settings.jev.key_file = file;
    httpd_add(w->h, good);
    httpd_add(w->h, echo);
    open_client(w);
    assert_int_equal(n_wiped, 1);
    ask_well(w);
    assert_int_equal(n_wiped, 2);
    w->settings.cache = w->dir;
    close_client(w);
    assert_int_equal(n_wiped, 4);

    /* An answer that says the key is one more. */
    open_client(w);
    ask_badly(w, "Jev answered 401: [key]");
    close_client(w);
    assert_int_equal(n_wiped, 9);
    free(file);
}

static void jev_shows_the_key_to_nobody(void **state)
{
    static const struct httpd_step refused[] = {
        STATUS("401 No", "bad key " SECRET ", I say " SECRET), END};
    static const struct httpd_step echo[] = {
        STATUS("200 OK", "{\"model\":\"" SECRET "\",\"answers\":{}}"), END};
    struct world *w = *state;

    w->settings.jev.key = SECRET;
    httpd_add(w->h, refused);
    httpd_add(w->h, echo);
    open_client(w);
    ask_badly(w, "Jev answered 401: bad key [key], I say [key]");
    ask_badly(w, UNREAD "it holds the key");
    assert_false(is_cached(w));
}

static void jev_cuts_what_the_service_says(void **state)
{
    static const struct httpd_step chatty[] = {
        WANT, SEND("HTTP/1.1 400 Bad\r\n\r\n"), {HTTPD_FILL, NULL, 5000}, CLOSE, END};
    struct world *w = *state;
    struct outcome o;

    httpd_add(w->h, chatty);
    open_client(w);
    o = ask_of(w, &request);
    assert_non_null(o.error);
    assert_int_equal(strlen(o.error), strlen("Jev answered 400: ") + 1000 + strlen("..."));
    assert_failed(&o, "Jev answered 400: xxx");
}

/* Settings. */

static void jev_drops_slashes_at_the_end_of_the_base(void **state)
{
    struct world *w = *state;

    strncat(w->base, "//", sizeof w->base - strlen(w->base) - 1);
    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    assert_memory_equal(sent(w, 0), "POST /v1/systemone HTTP/1.1\r\n", 29);
}

static void assert_refused(struct world *w, const char *why)
{
    struct sp_err err = {0};

    assert_null(oracle_client_new(w->loop, &w->settings, &err));
    if (strstr(err.text, why) == NULL)
        fail_msg("%s", err.text);
}

static void jev_refuses_settings_of_no_use(void **state)
{
    static const char *const bases[] = {"api.typesafe.ai", "ftp://h", "http:/h", "/"};
    struct world *w = *state;
    char *missing = tmpdir_path(w->dir, "missing.pem");

    for (size_t i = 0; i < N_OF(bases); i++) {
        w->settings.jev.base_url = bases[i];
        assert_refused(w, "TYPESAFE_BASE_URL");
    }
    w->settings.jev.base_url = w->base;
    w->settings.jev.ssl_cert_file = missing;
    assert_refused(w, missing);
    assert_refused(w, "reading SSL_CERT_FILE ");
    free(missing);
}

static void jev_goes_through_the_proxy_of_the_environment(void **state)
{
    struct world *w = *state;

    assert_int_equal(setenv("http_proxy", w->base, 1), 0);
    w->settings.jev.base_url = "http://jev.invalid";
    httpd_add(w->h, good);
    open_client(w);
    ask_well(w);
    assert_int_equal(unsetenv("http_proxy"), 0);
    assert_memory_equal(sent(w, 0), "POST http://jev.invalid/v1/systemone HTTP/1.1\r\n", 47);
}

static void jev_asks_again_by_what_a_proxy_refuses_a_tunnel(void **state)
{
    static const struct httpd_step scripts[][4] = {
        {STATUS("403 No", ""), END},
        {STATUS("502 Bad", ""), END},
    };
    static const size_t n_connections[] = {1, 5};

    for (size_t i = 0; i < 2; i++) {
        struct world *w = *state;

        assert_int_equal(setenv("https_proxy", w->base, 1), 0);
        w->settings.jev.base_url = "https://jev.invalid";
        httpd_add(w->h, scripts[i]);
        open_client(w);
        ask_badly(w, UNREACHED);
        assert_int_equal(unsetenv("https_proxy"), 0);
        assert_memory_equal(sent(w, 0), "CONNECT jev.invalid:443 HTTP/1.1\r\n", 34);
        assert_null(strstr(sent(w, 0), "Bearer"));
        assert_int_equal(httpd_n_accepted(w->h), n_connections[i]);
        if (i == 0) {
            assert_int_equal(teardown(state), 0);
            assert_int_equal(setup(state), 0);
        }
    }
}

/* Starts a server with a certificate; returns the path of its authority's. */
static char *serve_tls(struct world *w, const char *names, enum certs_flaw flaw)
{
    struct certs *certs = certs_new();
    char *path = tmpdir_path(w->dir, "ca.pem");

    certs_write(certs, path);
    w->tls = certs_server(certs, names, flaw);
    certs_free(certs);
    httpd_free(w->h);
    w->h = httpd_new(w->loop, w->tls);
    snprintf(w->base, sizeof w->base, "https://127.0.0.1:%u", httpd_port(w->h));
    return path;
}

static const struct httpd_step secure[] = {DO(HTTPD_SECURE), STATUS("200 OK", BODY), END};

static void jev_speaks_tls_with_whom_the_trust_store_vouches_for(void **state)
{
    struct world *w = *state;
    char *path = serve_tls(w, "IP:127.0.0.1", CERTS_GOOD);

    w->settings.jev.ssl_cert_file = path;
    httpd_add(w->h, secure);
    open_client(w);
    ask_well(w);
    free(path);
}

static void jev_refuses_certificates_at_once(void **state)
{
    static const struct {
        const char *names;
        enum certs_flaw flaw;
        bool has_file;
        bool has_dir;
    } rows[] = {
        {"IP:127.0.0.1", CERTS_GOOD, false, false},
        {"IP:127.0.0.1", CERTS_GOOD, false, true},
        {"DNS:localhost", CERTS_GOOD, true, false},
        {"IP:127.0.0.1", CERTS_EXPIRED, true, false},
        {"IP:127.0.0.1", CERTS_SELF_SIGNED, true, false},
    };

    for (size_t i = 0; i < N_OF(rows); i++) {
        struct world *w = *state;
        char *path = serve_tls(w, rows[i].names, rows[i].flaw);

        w->settings.jev.ssl_cert_file = rows[i].has_file ? path : NULL;
        w->settings.jev.ssl_cert_dir = rows[i].has_dir ? w->dir : NULL;
        httpd_add(w->h, secure);
        open_client(w);
        ask_badly(w, UNREACHED);
        assert_int_equal(httpd_n_accepted(w->h), 1);
        assert_int_equal(httpd_n_requests(w->h), 0);
        free(path);
        if (i + 1 < N_OF(rows)) {
            assert_int_equal(teardown(state), 0);
            assert_int_equal(setup(state), 0);
        }
    }
}

static void jev_asks_again_when_a_handshake_is_cut(void **state)
{
    static const struct httpd_step cut[] = {CLOSE, END};
    struct world *w = *state;
    char *path = serve_tls(w, "IP:127.0.0.1", CERTS_GOOD);

    w->settings.jev.ssl_cert_file = path;
    httpd_add(w->h, cut);
    httpd_add(w->h, secure);
    open_client(w);
    ask_well(w);
    assert_int_equal(httpd_n_accepted(w->h), 2);
    free(path);
}

static void jev_fails_at_once_where_there_is_no_tls(void **state)
{
    static const struct httpd_step plain[] = {SEND("HTTP/1.1 200 OK\r\n\r\n"), CLOSE, END};
    struct world *w = *state;
    char *path = serve_tls(w, "IP:127.0.0.1", CERTS_GOOD);

    httpd_add(w->h, plain);
    open_client(w);
    ask_badly(w, UNREACHED);
    assert_int_equal(httpd_n_accepted(w->h), 1);
    free(path);
}

/* Several questions, and their end. */

static const struct oracle_request others[] = {
    {.model = SP_STR("m"), .state = SP_STR("1")}, {.model = SP_STR("m"), .state = SP_STR("2")},
    {.model = SP_STR("m"), .state = SP_STR("3")}, {.model = SP_STR("m"), .state = SP_STR("4")},
    {.model = SP_STR("m"), .state = SP_STR("5")}, {.model = SP_STR("m"), .state = SP_STR("6")},
};

static void client_asks_several_at_a_time(void **state)
{
    static const struct httpd_step held[] = {WANT, DO(HTTPD_WAIT),
                                             SEND("HTTP/1.1 200 OK\r\n\r\n" BODY), CLOSE, END};
    struct world *w = *state;
    struct outcome o[N_OF(others)] = {0};

    httpd_add(w->h, held);
    open_client(w);
    for (size_t i = 0; i < N_OF(others); i++)
        start(w, &o[i], &others[i]);
    loop_run_until(w->loop, httpd_n_requests(w->h) == N_OF(others));
    for (size_t i = 0; i < N_OF(others); i++)
        assert_int_equal(o[i].n_calls, 0);
    httpd_go_on(w->h);
    for (size_t i = 0; i < N_OF(others); i++) {
        loop_run_until(w->loop, o[i].n_calls > 0);
        assert_answered(&o[i]);
    }
}

static void client_keeps_a_connection_for_the_next_question(void **state)
{
#define KEPT SEND("HTTP/1.1 200 OK\r\nContent-Length: 75\r\n\r\n" BODY)
    static const struct httpd_step kept[] = {WANT, KEPT, WANT, KEPT, WANT, KEPT, END};
    struct world *w = *state;

    assert_int_equal(strlen(BODY), 75);
    httpd_add(w->h, kept);
    open_client(w);
    for (size_t i = 0; i < 3; i++) {
        struct outcome o = ask_of(w, &others[i]);

        assert_answered(&o);
    }
    assert_int_equal(httpd_n_accepted(w->h), 1);
}

static void client_cancels_at_any_stage(void **state)
{
    static const struct httpd_step silent[] = {WANT, END};
    static const struct httpd_step busy[] = {STATUS("503 Busy", ""), END};
    struct world *w = *state;
    struct outcome at_once = {0}, waiting = {0}, between = {0}, cached = {0};

    httpd_add(w->h, silent);
    httpd_add(w->h, busy);
    w->settings.jev.wait_ms = 100000;
    open_client(w);
    start(w, &at_once, &others[0]);
    oracle_client_cancel(at_once.ask);

    start(w, &waiting, &others[1]);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    oracle_client_cancel(waiting.ask);
    loop_run_until(w->loop, httpd_n_open(w->h) == 0);

    start(w, &between, &others[2]);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 2 && httpd_n_open(w->h) == 0);
    loop_run_for(w->loop, 20);
    oracle_client_cancel(between.ask);

    w->settings.kind = ORACLE_CLIENT_REPLAY;
    open_client(w);
    start(w, &cached, &others[3]);
    oracle_client_cancel(cached.ask);
    loop_run_for(w->loop, 5);
    assert_int_equal(at_once.n_calls + waiting.n_calls + between.n_calls + cached.n_calls, 0);
}

static void client_closes_with_questions_at_any_stage(void **state)
{
    static const struct httpd_step silent[] = {WANT, END};
    struct world *w = *state;
    struct outcome o[3] = {0};

    httpd_add(w->h, silent);
    open_client(w);
    start(w, &o[0], &others[0]);
    loop_run_until(w->loop, httpd_n_requests(w->h) == 1);
    start(w, &o[1], &others[1]);
    w->settings.kind = ORACLE_CLIENT_MOCK;
    open_client(w); /* closes the one before */
    start(w, &o[2], &others[2]);
    close_client(w);
    loop_run_for(w->loop, 5);
    assert_int_equal(o[0].n_calls + o[1].n_calls + o[2].n_calls, 0);
}

static void client_may_be_used_from_within_a_callback(void **state)
{
    struct world *w = *state;
    struct outcome first = {0}, second = {0}, third = {0};

    httpd_add(w->h, good);
    open_client(w);
    first.next = &second; /* the same request: now from the cache */
    second.next = &third;
    third.closes = true;
    start(w, &first, &request);
    loop_run_until(w->loop, w->is_closed);
    assert_answered(&first);
    assert_answered(&second);
    assert_answered(&third);
    assert_int_equal(httpd_n_accepted(w->h), 1);

    first = (struct outcome){.closes = true};
    w->is_closed = false;
    w->settings.cache = w->dir;
    open_client(w);
    start(w, &first, &request);
    start(w, &second, &others[1]);
    loop_run_until(w->loop, w->is_closed);
    assert_true(first.n_calls + second.n_calls >= 1);
    end_outcome(&first);
    end_outcome(&second);
}

static void mock_needs_nothing(void **state)
{
    struct world *w = *state;
    struct outcome o;

    w->settings = (struct oracle_client_settings){.kind = ORACLE_CLIENT_MOCK};
    open_client(w);
    assert_null(oracle_client_key_error(w->client));
    o = ask_of(w, &request);
    assert_null(o.error);
    assert_true(sp_str_eq(o.response.model, SP_STR("mock")));
    end_outcome(&o);
    assert_int_equal(access(w->cache, F_OK), -1);
}

static char *fake_env(const char *name)
{
    return strcmp(name, "TYPESAFE_API_KEY_FILE") == 0 ? (char *)"f" : NULL;
}

static void jev_settings_come_from_the_environment(void **state)
{
    struct oracle_jev_settings s = oracle_jev_from_env(fake_env);

    (void)state;
    assert_string_equal(s.key_file, "f");
    assert_null(s.key);
    assert_null(s.base_url);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(jev_posts_the_canonical_bytes),
        TEST(jev_asks_again_after_a_wait),
        TEST(jev_asks_again_on_a_connection_of_its_own),
        TEST(jev_fails_at_once_or_after_four_retries),
        TEST(jev_doubles_its_waits),
        TEST(jev_asks_again_when_the_time_is_up),
        TEST(jev_fails_when_the_time_is_always_up),
        TEST(jev_reads_an_answer_that_comes_in_pieces),
        TEST(jev_sends_a_long_request_at_once),
        TEST(client_asks_the_service_once_for_one_request),
        TEST(client_fails_by_a_bad_cached_answer),
        TEST(client_fails_when_it_cannot_store),
        TEST(jev_takes_the_key_before_the_file),
        TEST(jev_asks_nobody_without_a_key),
        TEST(jev_answers_from_the_cache_without_a_key),
        TEST(jev_wipes_every_copy_of_the_key),
        TEST(jev_shows_the_key_to_nobody),
        TEST(jev_cuts_what_the_service_says),
        TEST(jev_drops_slashes_at_the_end_of_the_base),
        TEST(jev_refuses_settings_of_no_use),
        TEST(jev_goes_through_the_proxy_of_the_environment),
        TEST(jev_asks_again_by_what_a_proxy_refuses_a_tunnel),
        TEST(jev_speaks_tls_with_whom_the_trust_store_vouches_for),
        TEST(jev_refuses_certificates_at_once),
        TEST(jev_asks_again_when_a_handshake_is_cut),
        TEST(jev_fails_at_once_where_there_is_no_tls),
        TEST(client_asks_several_at_a_time),
        TEST(client_keeps_a_connection_for_the_next_question),
        TEST(client_cancels_at_any_stage),
        TEST(client_closes_with_questions_at_any_stage),
        TEST(client_may_be_used_from_within_a_callback),
        TEST(mock_needs_nothing),
        cmocka_unit_test(jev_settings_come_from_the_environment),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
