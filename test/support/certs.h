#pragma once

/* Certificates for tests of TLS: an authority made on the spot, and servers' contexts. */

#include <openssl/ssl.h>

struct certs;

struct certs *certs_new(void);
void certs_free(struct certs *c);

/* Writes the authority's certificate to a file, for SSL_CERT_FILE. */
void certs_write(const struct certs *c, const char *path);

enum certs_flaw {
    CERTS_GOOD,
    CERTS_EXPIRED,
    CERTS_SELF_SIGNED, /* not by the authority */
};

/*
 * A server's context with a new certificate.
 *
 * names:   for its subjectAltName: "DNS:localhost,IP:127.0.0.1".
 * Returns: the caller's, SSL_CTX_free().
 */
SSL_CTX *certs_server(struct certs *c, const char *names, enum certs_flaw flaw);
