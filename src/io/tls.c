/* TLS by OpenSSL over memory BIOs. */

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/sp_buf.h"
#include "io/tls.h"

struct tls_context {
    SSL_CTX *ssl_ctx;
    char *session_key;    /* the host and port that the session is with; NULL without one */
    SSL_SESSION *session; /* the newest */
};

struct tls {
    struct tls_context *ctx;
    SSL *ssl;
    BIO *in;  /* from the socket; the SSL's */
    BIO *out; /* to the socket; the SSL's */
    char *key;
};

static int on_session(SSL *ssl, SSL_SESSION *session);

static void set_last_error(struct sp_err *ret_err)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(code);

    sp_err_set(ret_err, "TLS: %s", reason != NULL ? reason : "failed");
    ERR_clear_error();
}

struct tls_context *tls_context_new(struct sp_err *ret_err)
{
    static const unsigned char protocols[] = "\x08http/1.1";
    SSL_CTX *ssl_ctx;
    struct tls_context *ctx;

    ERR_clear_error();
    ssl_ctx = SSL_CTX_new(TLS_client_method());
    if (ssl_ctx == NULL || SSL_CTX_set_min_proto_version(ssl_ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_default_verify_paths(ssl_ctx) != 1 ||
        SSL_CTX_set_alpn_protos(ssl_ctx, protocols, sizeof protocols - 1) != 0) {
        set_last_error(ret_err);
        SSL_CTX_free(ssl_ctx);
        return NULL;
    }
    ERR_clear_error(); /* a trust store that is not there leaves errors behind */

    ctx = sp_calloc(1, sizeof *ctx);
    ctx->ssl_ctx = ssl_ctx;
    SSL_CTX_set_verify(ssl_ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_options(ssl_ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ssl_ctx, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ssl_ctx,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(ssl_ctx, on_session);
    return ctx;
}

void tls_context_free(struct tls_context *ctx)
{
    if (ctx == NULL)
        return;
    SSL_SESSION_free(ctx->session);
    SSL_CTX_free(ctx->ssl_ctx);
    free(ctx->session_key);
    free(ctx);
}

/* A session comes after the peer was verified. Returning 1 keeps the reference. */
static int on_session(SSL *ssl, SSL_SESSION *session)
{
    struct tls *t = SSL_get_app_data(ssl);
    struct tls_context *ctx = t->ctx;

    SSL_SESSION_free(ctx->session);
    ctx->session = session;
    if (ctx->session_key == NULL || strcmp(ctx->session_key, t->key) != 0) {
        free(ctx->session_key);
        ctx->session_key = sp_strdup(t->key);
    }
    return 1;
}

/* Says whom the certificate must name, and to the server who is asked for. */
static bool set_host(SSL *ssl, const char *host)
{
    size_t len = strlen(host);
    char *name;
    bool is_set;

    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1)
        return true;
    name = sp_strdup(host);
    if (len > 1 && name[len - 1] == '.')
        name[len - 1] = '\0';
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    is_set = SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
    free(name);
    return is_set;
}

static char *make_key(const char *host, unsigned short port)
{
    struct sp_buf key = {0};

    sp_buf_addf(&key, "%s %u", host, port);
    (void)sp_buf_cstr(&key);
    return key.p;
}

struct tls *tls_new(struct tls_context *ctx, const char *host, unsigned short port,
                    struct sp_err *ret_err)
{
    struct tls *t = sp_calloc(1, sizeof *t);

    ERR_clear_error();
    t->ctx = ctx;
    t->ssl = SSL_new(ctx->ssl_ctx);
    t->in = BIO_new(BIO_s_mem());
    t->out = BIO_new(BIO_s_mem());
    if (t->ssl == NULL || t->in == NULL || t->out == NULL || !set_host(t->ssl, host)) {
        set_last_error(ret_err);
        BIO_free(t->in);
        BIO_free(t->out);
        SSL_free(t->ssl);
        free(t);
        return NULL;
    }
    /* An empty BIO means that more may come, not that the stream has ended. */
    BIO_set_mem_eof_return(t->in, -1);
    BIO_set_mem_eof_return(t->out, -1);
    SSL_set_bio(t->ssl, t->in, t->out);
    SSL_set_app_data(t->ssl, t);
    SSL_set_connect_state(t->ssl);

    t->key = make_key(host, port);
    if (ctx->session_key != NULL && strcmp(ctx->session_key, t->key) == 0)
        (void)SSL_set_session(t->ssl, ctx->session); /* without it the handshake is a full one */
    return t;
}

void tls_free(struct tls *t)
{
    if (t == NULL)
        return;
    SSL_free(t->ssl);
    free(t->key);
    free(t);
}

void tls_feed(struct tls *t, struct sp_str bytes)
{
    int n;

    assert(bytes.len > 0 && bytes.len <= INT_MAX);
    n = BIO_write(t->in, bytes.p, (int)bytes.len);
    assert(n == (int)bytes.len); /* a memory BIO takes all */
}

/* Tells an outcome of an SSL function that gave `ret`, not more than 0. */
static int judge(struct tls *t, int ret, struct sp_err *ret_err)
{
    long verdict;

    switch (SSL_get_error(t->ssl, ret)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return TLS_E_WAIT;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_E_CLOSED;
    default:
        verdict = SSL_get_verify_result(t->ssl);
        if (verdict != X509_V_OK) {
            sp_err_set(ret_err, "TLS: %s", X509_verify_cert_error_string(verdict));
            ERR_clear_error();
        } else {
            set_last_error(ret_err);
        }
        return -EPROTO;
    }
}

int tls_handshake(struct tls *t, struct sp_err *ret_err)
{
    int ret, outcome;

    ERR_clear_error();
    ret = SSL_do_handshake(t->ssl);
    if (ret == 1)
        return 0;
    outcome = judge(t, ret, ret_err);
    if (outcome == TLS_E_CLOSED) {
        sp_err_set(ret_err, "TLS: closed during the handshake");
        return -EPROTO;
    }
    return outcome;
}

int tls_read(struct tls *t, char *buf, size_t cap, size_t *ret_len, struct sp_err *ret_err)
{
    int ret;

    ERR_clear_error();
    ret = SSL_read_ex(t->ssl, buf, cap, ret_len);
    return ret == 1 ? 0 : judge(t, ret, ret_err);
}

int tls_write(struct tls *t, struct sp_str bytes, struct sp_err *ret_err)
{
    size_t n;
    int ret, outcome;

    ERR_clear_error();
    ret = SSL_write_ex(t->ssl, bytes.p, bytes.len, &n);
    if (ret == 1)
        return 0;
    outcome = judge(t, ret, ret_err);
    if (outcome == TLS_E_CLOSED) {
        sp_err_set(ret_err, "TLS: closed by the server");
        return -EPIPE;
    }
    return outcome;
}

void tls_shutdown(struct tls *t)
{
    ERR_clear_error();
    if (SSL_is_init_finished(t->ssl))
        (void)SSL_shutdown(t->ssl); /* whether the peer answers does not matter */
    ERR_clear_error();
}

size_t tls_pending(const struct tls *t)
{
    return BIO_ctrl_pending(t->out);
}

size_t tls_take(struct tls *t, char *buf, size_t cap)
{
    int n = BIO_read(t->out, buf, cap <= INT_MAX ? (int)cap : INT_MAX);

    return n > 0 ? (size_t)n : 0;
}
