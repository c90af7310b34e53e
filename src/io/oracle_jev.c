/*
 * Questions to the Jev service.
 *
 * The happy path: oracle_jev_ask() starts a transfer; on_body() gathers the answer; on_transfer()
 * judges it and reads the response; the question's timer is closed and the callback is called.
 *
 * Failures: an exchange that may be repeated is, after a wait on the timer (on_timer() starts the
 * next transfer); any other fails the question. What fails before anything was sent (no key) waits
 * on the timer for no time at all, so that nobody is called back too early.
 */

#include <assert.h>
#include <errno.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/curlio.h"
#include "io/oracle_cache.h"
#include "io/oracle_jev_config.h"

struct oracle_jev {
    uv_loop_t *loop;
    struct oracle_jev_config config;
    struct curl_slist *headers; /* NULL until the first exchange, as the next */
    struct curlio *curlio;
    LIST_HEAD(, oracle_jev_ask) asks;
    uv_timer_t end;   /* closed in the end, so that on_closed comes later */
    size_t n_handles; /* that one and the questions' timers */
    bool is_closing;
    oracle_jev_closed_cb on_closed;
    void *owner;
};

struct oracle_jev_ask {
    struct oracle_jev *jev;
    LIST_ENTRY(oracle_jev_ask) link;
    struct curlio_transfer transfer; /* its handle is NULL before the first exchange */
    bool is_under_way;               /* the transfer */
    uv_timer_t timer;
    struct sp_buf request;
    struct sp_buf answer; /* of this exchange, as what follows */
    bool is_too_large;
    bool has_reply; /* a line of it has come */
    char reason[CURL_ERROR_SIZE];
    unsigned n_retries;
    oracle_jev_cb cb;
    void *owner;
};

static void on_timer(uv_timer_t *timer);

struct oracle_jev *oracle_jev_new(uv_loop_t *loop, const struct oracle_jev_settings *settings,
                                  struct sp_err *ret_err)
{
    struct oracle_jev *j = sp_calloc(1, sizeof *j);

    if (oracle_jev_config_init(&j->config, settings, ret_err) < 0) {
        free(j);
        return NULL;
    }
    j->loop = loop;
    (void)uv_timer_init(loop, &j->end); /* has nothing to fail by */
    j->n_handles = 1;
    return j;
}

const char *oracle_jev_key_error(const struct oracle_jev *j)
{
    return j->config.key_error;
}

struct oracle_jev_ask *oracle_jev_ask(struct oracle_jev *j, struct sp_str body, oracle_jev_cb cb,
                                      void *owner)
{
    struct oracle_jev_ask *ask = sp_calloc(1, sizeof *ask);

    assert(!j->is_closing);
    ask->jev = j;
    ask->cb = cb;
    ask->owner = owner;
    sp_buf_add(&ask->request, body);
    LIST_INSERT_HEAD(&j->asks, ask, link);
    (void)uv_timer_init(j->loop, &ask->timer);
    j->n_handles++;
    (void)uv_timer_start(&ask->timer, on_timer, 0, 0);
    return ask;
}

/* The end of a question. */

static void free_headers(struct curl_slist *headers)
{
    for (struct curl_slist *header = headers; header != NULL; header = header->next)
        explicit_bzero(header->data, strlen(header->data));
    curl_slist_free_all(headers);
}

static void maybe_closed(struct oracle_jev *j)
{
    oracle_jev_closed_cb on_closed = j->on_closed;
    void *owner = j->owner;

    if (!j->is_closing || j->n_handles > 0 || j->curlio != NULL)
        return;
    free_headers(j->headers);
    oracle_jev_config_deinit(&j->config);
    free(j);
    on_closed(owner);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct oracle_jev_ask *ask =
        sp_container_of((uv_timer_t *)handle, struct oracle_jev_ask, timer);
    struct oracle_jev *j = ask->jev;

    free(ask);
    j->n_handles--;
    maybe_closed(j);
}

void oracle_jev_cancel(struct oracle_jev_ask *ask)
{
    if (ask->is_under_way)
        curlio_cancel(ask->jev->curlio, &ask->transfer);
    curl_easy_cleanup(ask->transfer.easy);
    sp_buf_deinit(&ask->request);
    if (ask->answer.p != NULL)
        explicit_bzero(ask->answer.p, ask->answer.cap); /* it may hold the key */
    sp_buf_deinit(&ask->answer);
    LIST_REMOVE(ask, link);
    uv_close((uv_handle_t *)&ask->timer, on_timer_closed);
}

static void on_end_closed(uv_handle_t *handle)
{
    struct oracle_jev *j = sp_container_of((uv_timer_t *)handle, struct oracle_jev, end);

    j->n_handles--;
    maybe_closed(j);
}

static void on_curlio_closed(void *owner)
{
    struct oracle_jev *j = owner;

    j->curlio = NULL;
    maybe_closed(j);
}

void oracle_jev_close(struct oracle_jev *j, oracle_jev_closed_cb on_closed, void *owner)
{
    assert(!j->is_closing);
    j->is_closing = true;
    j->on_closed = on_closed;
    j->owner = owner;
    while (!LIST_EMPTY(&j->asks))
        oracle_jev_cancel(LIST_FIRST(&j->asks));
    if (j->curlio != NULL)
        curlio_close(j->curlio, on_curlio_closed, j);
    uv_close((uv_handle_t *)&j->end, on_end_closed);
}

static void finish(struct oracle_jev_ask *ask, struct oracle_response *response, const char *error)
{
    oracle_jev_cb cb = ask->cb;
    void *owner = ask->owner;

    oracle_jev_cancel(ask);
    cb(owner, response, error);
}

static void fail(struct oracle_jev_ask *ask, const char *what, struct sp_str why)
{
    struct sp_buf text = {0};

    sp_buf_add(&text, sp_str_of(what));
    oracle_jev_config_put_line(&ask->jev->config, &text, why);
    finish(ask, NULL, sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

/* One exchange. */

static size_t on_body(char *bytes, size_t size, size_t n, void *owner)
{
    struct oracle_jev_ask *ask = owner;

    if (ask->answer.len + size * n > ORACLE_CACHE_MAX) {
        ask->is_too_large = true;
        return 0; /* ends the transfer */
    }
    sp_buf_add(&ask->answer, (struct sp_str){bytes, size * n});
    return size * n;
}

static size_t on_header(char *bytes, size_t size, size_t n, void *owner)
{
    struct oracle_jev_ask *ask = owner;

    (void)bytes;
    ask->has_reply = true;
    return size * n;
}

/* Appends a header; libcurl copies it. */
static bool add_header(struct curl_slist **headers, const char *header)
{
    struct curl_slist *longer = curl_slist_append(*headers, header);

    if (longer == NULL)
        return false;
    *headers = longer;
    return true;
}

/* An empty "Expect" has libcurl send long bodies at once. */
static bool make_headers(struct oracle_jev *j)
{
    size_t size = sizeof "Authorization: Bearer " + strlen(j->config.key);
    struct curl_slist *headers = NULL;
    char *authorization;
    bool is_made;

    if (j->headers != NULL)
        return true;
    authorization = sp_malloc(size);
    snprintf(authorization, size, "Authorization: Bearer %s", j->config.key);
    is_made = add_header(&headers, authorization) &&
              add_header(&headers, "Content-Type: application/json") &&
              add_header(&headers, "Expect:");
    explicit_bzero(authorization, size);
    free(authorization);
    if (is_made)
        j->headers = headers;
    else
        free_headers(headers);
    return is_made;
}

/* The trust store as OpenSSL's own variables name it; a default that one leaves stays. */
static bool set_trust(CURL *easy, const struct oracle_jev_config *config)
{
    const char *file = config->ssl_cert_file;

    if (file == NULL && config->ssl_cert_dir == NULL)
        return true;
    if (file == NULL && access(X509_get_default_cert_file(), R_OK) == 0)
        file = X509_get_default_cert_file();
    if (curl_easy_setopt(easy, CURLOPT_CAINFO, file) != CURLE_OK)
        return false;
    return config->ssl_cert_dir == NULL ||
           curl_easy_setopt(easy, CURLOPT_CAPATH, config->ssl_cert_dir) == CURLE_OK;
}

#define SET(option, value) (curl_easy_setopt(easy, (option), (value)) == CURLE_OK)

/* Sets what libcurl is to do; peer and host are verified without saying so. */
static bool set_options(CURL *easy, struct oracle_jev_ask *ask)
{
    const struct oracle_jev_config *config = &ask->jev->config;
    bool is_set =
        SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_PROTOCOLS_STR, "http,https") &&
        SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) &&
        SET(CURLOPT_SSL_VERIFYPEER, 1L) && SET(CURLOPT_SSL_VERIFYHOST, 2L) &&
        SET(CURLOPT_URL, config->url) && SET(CURLOPT_HTTPHEADER, ask->jev->headers) &&
        SET(CURLOPT_POST, 1L) && SET(CURLOPT_POSTFIELDS, ask->request.p) &&
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)ask->request.len) &&
        SET(CURLOPT_TIMEOUT_MS, (long)config->timeout_ms) && SET(CURLOPT_WRITEFUNCTION, on_body) &&
        SET(CURLOPT_WRITEDATA, ask) && SET(CURLOPT_HEADERFUNCTION, on_header) &&
        SET(CURLOPT_HEADERDATA, ask) && SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
        SET(CURLOPT_ERRORBUFFER, ask->reason);

#if LIBCURL_VERSION_NUM >= 0x075700
    /* A name look-up that hangs would otherwise be waited for, on the loop. */
    is_set = is_set && SET(CURLOPT_QUICK_EXIT, 1L);
#endif
    return is_set && set_trust(easy, config);
}

static void on_transfer(struct curlio_transfer *t, CURLcode result);

/* Makes the handle, whose options serve all exchanges. */
static bool prepare(struct oracle_jev_ask *ask)
{
    struct oracle_jev *j = ask->jev;

    if (ask->transfer.easy != NULL) /* a retry is not to meet the same server's connection */
        return curl_easy_setopt(ask->transfer.easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK;
    if (j->curlio == NULL)
        j->curlio = curlio_new(j->loop);
    if (j->curlio == NULL)
        return false;
    ask->transfer.on_done = on_transfer;
    ask->transfer.easy = curl_easy_init();
    return ask->transfer.easy != NULL && make_headers(j) && set_options(ask->transfer.easy, ask);
}

/* The timer starts each exchange, the first one too: nothing is to end before it is asked. */
static void on_timer(uv_timer_t *timer)
{
    struct oracle_jev_ask *ask = sp_container_of(timer, struct oracle_jev_ask, timer);
    const char *no_key = ask->jev->config.key_error;

    if (no_key != NULL) {
        finish(ask, NULL, no_key);
        return;
    }
    sp_buf_clear(&ask->answer);
    ask->is_too_large = false;
    ask->has_reply = false;
    ask->reason[0] = '\0';
    if (!prepare(ask) || curlio_start(ask->jev->curlio, &ask->transfer) < 0) {
        fail(ask, "could not reach Jev: ", SP_STR("libcurl refuses the request"));
        return;
    }
    ask->is_under_way = true;
}

static bool is_status_retried(long status)
{
    static const long retried[] = {429, 500, 502, 503, 504, 529};

    for (size_t i = 0; i < sizeof retried / sizeof *retried; i++) {
        if (status == retried[i])
            return true;
    }
    return false;
}

/* The status that a proxy refused a tunnel by; 0 when none did. */
static long proxy_refusal(const struct oracle_jev_ask *ask)
{
    long status = 0;

    (void)curl_easy_getinfo(ask->transfer.easy, CURLINFO_HTTP_CONNECTCODE, &status);
    return status >= 300 ? status : 0;
}

/*
 * Whether the connection went away in the TLS handshake, without a refusal: libcurl has one code
 * for both, and only its texts tell them apart (7.88 to 8.14; a text of another version means that
 * the question fails at once).
 */
static bool is_handshake_cut(const struct oracle_jev_ask *ask)
{
    static const char *const texts[] = {"SSL_ERROR_SYSCALL", "unexpected eof", "Recv failure",
                                        "Send failure"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strstr(ask->reason, texts[i]) != NULL)
            return true;
    }
    return false;
}

/* Whether an exchange without an answer may be repeated. */
static bool is_failure_retried(const struct oracle_jev_ask *ask, CURLcode result)
{
    long refusal = proxy_refusal(ask);

    if (refusal != 0)
        return is_status_retried(refusal);
    switch (result) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
        return true;
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        return !ask->has_reply; /* closed before it said anything */
    case CURLE_SSL_CONNECT_ERROR:
        return is_handshake_cut(ask);
    default:
        return false;
    }
}

/* Arms the timer for one more exchange; false when there were enough. */
static bool retry(struct oracle_jev_ask *ask)
{
    uint64_t wait_ms = ask->jev->config.wait_ms << ask->n_retries;

    if (ask->n_retries == ORACLE_JEV_RETRIES)
        return false;
    ask->n_retries++;
    uv_update_time(ask->jev->loop); /* the wait begins now */
    (void)uv_timer_start(&ask->timer, on_timer, wait_ms, 0);
    return true;
}

/*
 * What libcurl says of a failure. Its own text of this one is more exact than the general one, but
 * for settings of proxies, which it would quote with their passwords.
 */
static struct sp_str failure_reason(const struct oracle_jev_ask *ask, CURLcode result)
{
    bool may_quote = result == CURLE_COULDNT_RESOLVE_PROXY || result == CURLE_URL_MALFORMAT;

    if (ask->is_too_large)
        return SP_STR("it is too large");
    if (ask->reason[0] != '\0' && !may_quote)
        return sp_str_of(ask->reason);
    return sp_str_of(curl_easy_strerror(result));
}

/* Whether there was an answer, but a broken one; the last code is that for no HTTP at all. */
static bool is_answer_broken(const struct oracle_jev_ask *ask, CURLcode result)
{
    return (ask->has_reply && result != CURLE_OPERATION_TIMEDOUT) ||
           result == CURLE_WEIRD_SERVER_REPLY || result == CURLE_UNSUPPORTED_PROTOCOL;
}

static void judge_failure(struct oracle_jev_ask *ask, CURLcode result)
{
    if (is_failure_retried(ask, result) && retry(ask))
        return;
    if (is_answer_broken(ask, result))
        fail(ask, "Jev's answer could not be read: ", failure_reason(ask, result));
    else
        fail(ask, "could not reach Jev: ", failure_reason(ask, result));
}

static void judge_answer(struct oracle_jev_ask *ask)
{
    struct sp_str text = sp_buf_str(&ask->answer);
    struct oracle_response response;
    struct sp_err err;

    if (oracle_jev_config_is_told(&ask->jev->config, text)) {
        fail(ask, "Jev's answer could not be read: ", SP_STR("it holds the key"));
    } else if (oracle_parse_response(text, &response, &err) < 0) {
        fail(ask, "Jev's answer could not be read: ", sp_str_of(err.text));
    } else {
        finish(ask, &response, NULL);
        oracle_response_deinit(&response);
    }
}

static void on_transfer(struct curlio_transfer *t, CURLcode result)
{
    struct oracle_jev_ask *ask = sp_container_of(t, struct oracle_jev_ask, transfer);
    long status = 0;

    ask->is_under_way = false;
    (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result != CURLE_OK) {
        judge_failure(ask, result);
    } else if (status >= 200 && status < 300) {
        judge_answer(ask);
    } else if (!is_status_retried(status) || !retry(ask)) {
        char what[48];

        snprintf(what, sizeof what, "Jev answered %ld: ", status);
        fail(ask, what, sp_buf_str(&ask->answer));
    }
}
