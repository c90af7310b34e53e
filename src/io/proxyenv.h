#pragma once

/*
 * The proxies that the environment names, and which of them a URL goes through.
 *
 * http_proxy is for http URLs, https_proxy for https URLs, all_proxy for both where the first is
 * not set. Each is also read in upper case, after the lower case, but HTTP_PROXY, which a CGI
 * program would let its client set. A variable that is empty counts as not set.
 *
 * A proxy is "[http://][user[:password]@]host[:port]", with port 80 when there is none.
 *
 * no_proxy is a list, separated by commas, of hosts that are reached directly: "*" for all; a name,
 * for itself and all that ends with "." and it (a dot before it makes no difference); an IP
 * literal, with or without brackets; or a block ADDRESS/BITS. Names are not resolved. An entry that
 * is none of these matches nothing.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "io/url.h"

struct proxyenv;

struct proxyenv_proxy {
    const char *host; /* an IPv6 address without its brackets */
    unsigned short port;
    const char *authorization; /* the value of Proxy-Authorization; NULL when it has no user */
};

/* Reads a variable, as getenv() does. */
typedef char *(*proxyenv_get_fn)(const char *name);

/*
 * Reads the variables, once.
 *
 * Returns: the caller's, proxyenv_free().
 */
struct proxyenv *proxyenv_new(proxyenv_get_fn get);
void proxyenv_free(struct proxyenv *e);

/*
 * The proxy that a URL goes through.
 *
 * ret_proxy: NULL for none; good until proxyenv_free().
 * Returns:   0; negative when the variable that counts is not a usable proxy, with the cause in
 *            ret_err, which names the variable and shows nothing of its value.
 */
int proxyenv_find(const struct proxyenv *e, const struct url *url,
                  const struct proxyenv_proxy **ret_proxy, struct sp_err *ret_err) SP_MUST_CHECK;
