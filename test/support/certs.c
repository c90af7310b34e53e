/* Certificates for tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/sp_alloc.h"
#include "certs.h"

#define DAY_S (24L * 60 * 60)

struct certs {
    EVP_PKEY *key;
    X509 *cert;
    long serial;
};

static void add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *extension;

    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(cert, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

/* A certificate for a key, from a day ago until `days` from now, not yet signed. */
static X509 *make_cert(struct certs *c, EVP_PKEY *key, const char *name, long days)
{
    X509 *cert = X509_new();

    assert_non_null(cert);
    assert_int_equal(X509_set_version(cert, 2), 1);
    assert_int_equal(ASN1_INTEGER_set(X509_get_serialNumber(cert), ++c->serial), 1);
    assert_non_null(X509_gmtime_adj(X509_getm_notBefore(cert), -2 * DAY_S));
    assert_non_null(X509_gmtime_adj(X509_getm_notAfter(cert), days * DAY_S));
    assert_int_equal(X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                                                (const unsigned char *)name, -1, -1, 0),
                     1);
    assert_int_equal(X509_set_pubkey(cert, key), 1);
    return cert;
}

static void sign(X509 *cert, X509 *issuer, EVP_PKEY *key)
{
    assert_int_equal(X509_set_issuer_name(cert, X509_get_subject_name(issuer)), 1);
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
}

struct certs *certs_new(void)
{
    struct certs *c = sp_calloc(1, sizeof *c);

    c->key = EVP_EC_gen("P-256");
    assert_non_null(c->key);
    c->cert = make_cert(c, c->key, "Test Authority", 1);
    add_extension(c->cert, c->cert, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(c->cert, c->cert, NID_key_usage, "critical,keyCertSign");
    sign(c->cert, c->cert, c->key);
    return c;
}

void certs_free(struct certs *c)
{
    X509_free(c->cert);
    EVP_PKEY_free(c->key);
    free(c);
}

void certs_write(const struct certs *c, const char *path)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(PEM_write_X509(f, c->cert), 1);
    assert_int_equal(fclose(f), 0);
}

SSL_CTX *certs_server(struct certs *c, const char *names, enum certs_flaw flaw)
{
    static const unsigned char session_context[] = "test";
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = make_cert(c, key, "A Server", flaw == CERTS_EXPIRED ? -1 : 1);
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    assert_non_null(ctx);
    add_extension(cert, c->cert, NID_subject_alt_name, names);
    if (flaw == CERTS_SELF_SIGNED)
        sign(cert, cert, key);
    else
        sign(cert, c->cert, c->key);
    assert_int_equal(SSL_CTX_use_certificate(ctx, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, key), 1);
    assert_int_equal(SSL_CTX_set_session_id_context(ctx, session_context, 4), 1);
    X509_free(cert);
    EVP_PKEY_free(key);
    return ctx;
}
