#pragma once

/*
 * http and https URLs, split strictly by RFC 3986 (generic syntax, reference resolution).
 *
 * Thread: any.
 */

#include "base/sp_buf.h"
#include "base/sp_err.h"

enum url_scheme { URL_HTTP, URL_HTTPS };

enum url_host_kind { URL_HOST_NAME, URL_HOST_IPV4, URL_HOST_IPV6 };

/* The parts of a URL; strings are owned, NUL-terminated. */
struct url {
    enum url_scheme scheme;
    char *user;     /* percent-decoded; NULL when there is no user information */
    char *password; /* percent-decoded; NULL when there is none */
    char *host;     /* lower case; an IPv6 address without its brackets */
    enum url_host_kind host_kind;
    unsigned short port; /* as given, else 80 or 443 */
    char *target;        /* path and query as in a request line, "/" at least; no fragment */
};

/*
 * Splits an absolute URL. Its scheme is http or https in any case, its host is not empty, its port
 * is 1 to 65535, and nothing in it is a space, a control or a non-ASCII character.
 *
 * ret:     filled on success, freed by url_deinit().
 * Returns: 0; negative with the cause in ret_err, which quotes no part of the URL.
 */
int url_parse(struct sp_str text, struct url *ret, struct sp_err *ret_err);

/*
 * Resolves a reference (a Location header) against a base, RFC 3986 section 5, dot segments
 * removed. User information in the reference is ignored: the result has none.
 *
 * Returns: as url_parse(); a reference to another scheme than http and https is an error.
 */
int url_resolve(const struct url *base, struct sp_str reference, struct url *ret,
                struct sp_err *ret_err);

void url_deinit(struct url *u);

/* Whether scheme, host and port are the same. */
bool url_same_origin(const struct url *a, const struct url *b);

/* Appends the value of a Host header: host, brackets for IPv6, port unless it is the scheme's. */
void url_put_host(const struct url *u, struct sp_buf *ret);

/* Appends "scheme://host[:port]target", without user information. */
void url_put(const struct url *u, struct sp_buf *ret);
