#pragma once

/*
 * The client's side of TLS over bytes: what comes from the socket is fed, what goes to it is taken.
 *
 * TLS is 1.2 or newer. The chain is verified against OpenSSL's default trust store, and the host's
 * name or address against the certificate; nothing turns that off. A session is resumed when the
 * last one was with the same host and port.
 *
 * Error texts are short and for people: "TLS: certificate has expired".
 *
 * Thread: loop.
 */

#include "base/sp_alloc.h"
#include "base/sp_err.h"
#include "base/sp_str.h"

/* What the connections of one client share. */
struct tls_context;

/* One connection. */
struct tls;

/* Outcomes. */
#define TLS_E_WAIT   1 /* goes on after more is fed */
#define TLS_E_CLOSED 2 /* the peer has ended the stream in order */

/*
 * Reads the trust store, which takes some 30 ms.
 *
 * Returns: the caller's, tls_context_free(); NULL with the cause in ret_err.
 */
struct tls_context *tls_context_new(struct sp_err *ret_err);
void tls_context_free(struct tls_context *ctx);

/*
 * Makes a connection; nothing is to be sent yet.
 *
 * ctx:     kept until tls_free().
 * host:    a name, with or without a dot at its end, or an IP literal without brackets; copied.
 * Returns: the caller's; NULL with the cause in ret_err.
 */
struct tls *tls_new(struct tls_context *ctx, const char *host, unsigned short port,
                    struct sp_err *ret_err);
void tls_free(struct tls *t);

/* Takes bytes that came from the socket; they are copied. */
void tls_feed(struct tls *t, struct sp_str bytes);

/* Goes on with the handshake. Returns: 0 when it is done; TLS_E_WAIT; negative on failure. */
int tls_handshake(struct tls *t, struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * Decrypts what was fed.
 *
 * ret_len: how many bytes were put into `buf`, at least 1.
 * Returns: 0; TLS_E_WAIT; TLS_E_CLOSED; negative on failure.
 */
int tls_read(struct tls *t, char *buf, size_t cap, size_t *ret_len,
             struct sp_err *ret_err) SP_MUST_CHECK;

/* Encrypts all of `bytes`, or nothing. Returns: 0; TLS_E_WAIT; negative on failure. */
int tls_write(struct tls *t, struct sp_str bytes, struct sp_err *ret_err) SP_MUST_CHECK;

/* Tells the peer, once the handshake is done, that nothing more comes. */
void tls_shutdown(struct tls *t);

/*
 * The bytes that are to go to the socket, after any of the above, failures too: how many there are,
 * and the taking of up to `cap` of them.
 */
size_t tls_pending(const struct tls *t);
size_t tls_take(struct tls *t, char *buf, size_t cap);
