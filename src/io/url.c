/*
 * URLs. A text is first split into the parts of RFC 3986, appendix B, by where its delimiters are;
 * then each part is read by its own rules.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "io/url.h"

/* A URL reference, split; the fragment is left out. */
struct parts {
    struct sp_str scheme; /* when has_scheme */
    struct sp_str authority;
    struct sp_str path;
    struct sp_str query; /* without its "?" */
    bool has_scheme;
    bool has_authority;
    bool has_query;
};

static bool is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int fail(struct sp_err *ret_err, const char *cause)
{
    sp_err_set(ret_err, "%s", cause);
    return -EINVAL;
}

static char *copy(struct sp_str s)
{
    char *p = sp_malloc(s.len + 1);

    if (s.len > 0)
        memcpy(p, s.p, s.len);
    p[s.len] = '\0';
    return p;
}

/* The index of the first of the characters in `set`, or the length. */
static size_t find_any(struct sp_str s, const char *set)
{
    size_t i = 0;

    while (i < s.len && strchr(set, s.p[i]) == NULL)
        i++;
    return i;
}

static struct sp_str after(struct sp_str s, size_t n)
{
    return sp_str_sub(s, n, s.len);
}

/* Whether all characters are those of a name by RFC 3986, or of `extra`. */
static bool is_name(struct sp_str s, const char *extra)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && strchr("-._~!$&'()*+,;=", s.p[i]) == NULL &&
            strchr(extra, s.p[i]) == NULL)
            return false;
    return true;
}

static bool is_scheme(struct sp_str s)
{
    if (s.len == 0 || !is_alpha(s.p[0]))
        return false;
    for (size_t i = 1; i < s.len; i++)
        if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && memchr("+-.", s.p[i], 3) == NULL)
            return false;
    return true;
}

/* Checks every character, so that the rest of this file need not think of NUL and the like. */
static int split(struct sp_str s, struct parts *ret, struct sp_err *ret_err)
{
    size_t end;

    *ret = (struct parts){.authority = SP_STR(""), .query = SP_STR("")};
    if (s.len == 0)
        s = SP_STR(""); /* so that there is something to point at */
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~')
            return fail(ret_err, "the URL has a space, a control or a non-ASCII character in it");

    s = sp_str_sub(s, 0, sp_str_find(s, '#'));
    end = sp_str_find(s, ':');
    if (end < s.len && is_scheme(sp_str_sub(s, 0, end))) {
        ret->has_scheme = true;
        ret->scheme = sp_str_sub(s, 0, end);
        s = after(s, end + 1);
    }
    if (sp_str_starts(s, SP_STR("//"))) {
        s = after(s, 2);
        end = find_any(s, "/?");
        ret->has_authority = true;
        ret->authority = sp_str_sub(s, 0, end);
        s = after(s, end);
    }
    end = sp_str_find(s, '?');
    ret->path = sp_str_sub(s, 0, end);
    if (end < s.len) {
        ret->has_query = true;
        ret->query = after(s, end + 1);
    }
    return 0;
}

static int read_scheme(struct sp_str s, enum url_scheme *ret, struct sp_err *ret_err)
{
    char name[6];

    if (s.len < sizeof name) {
        for (size_t i = 0; i < s.len; i++)
            name[i] = lower(s.p[i]);
        if (sp_str_eq((struct sp_str){name, s.len}, SP_STR("http"))) {
            *ret = URL_HTTP;
            return 0;
        }
        if (sp_str_eq((struct sp_str){name, s.len}, SP_STR("https"))) {
            *ret = URL_HTTPS;
            return 0;
        }
    }
    return fail(ret_err, "the URL is neither an http nor an https one");
}

static int hex_value(char c)
{
    if (is_digit(c))
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes percent-encoding; the result is a C string, so it may not hold NUL. */
static int decode(struct sp_str s, char **ret, struct sp_err *ret_err)
{
    char *text = sp_malloc(s.len + 1);
    size_t len = 0;

    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];

        if (c == '%') {
            int high = i + 2 < s.len ? hex_value(s.p[i + 1]) : -1;
            int low = i + 2 < s.len ? hex_value(s.p[i + 2]) : -1;

            if (high < 0 || low < 0 || high + low == 0) {
                free(text);
                return fail(ret_err, "the URL's user information has a wrong percent-encoding");
            }
            c = (char)(16 * high + low);
            i += 2;
        }
        text[len++] = c;
    }
    text[len] = '\0';
    *ret = text;
    return 0;
}

static int read_user(struct sp_str s, struct url *u, struct sp_err *ret_err)
{
    size_t colon = sp_str_find(s, ':');
    int err;

    /* An "@" or a backslash here is where readers of URLs disagree on what the host is. */
    if (!is_name(s, "%:"))
        return fail(ret_err, "the URL's user information has a character that must be encoded");
    err = decode(sp_str_sub(s, 0, colon), &u->user, ret_err);
    if (err == 0 && colon < s.len)
        err = decode(after(s, colon + 1), &u->password, ret_err);
    return err;
}

static int read_port(struct sp_str s, struct url *u, struct sp_err *ret_err)
{
    unsigned port = 0;

    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.p[i]))
            return fail(ret_err, "the URL's port is not a number");
        port = 10 * port + (unsigned)(s.p[i] - '0');
        if (port > 65535)
            break;
    }
    if (s.len == 0)
        port = u->scheme == URL_HTTP ? 80 : 443;
    if (port < 1 || port > 65535)
        return fail(ret_err, "the URL's port is not from 1 to 65535");
    u->port = (unsigned short)port;
    return 0;
}

/* Reads a host without brackets, which `is_bracketed` says it had. */
static int read_host(struct sp_str s, bool is_bracketed, struct url *u, struct sp_err *ret_err)
{
    unsigned char address[16];

    if (s.len == 0)
        return fail(ret_err, "the URL has no host");
    u->host = copy(s);
    for (char *p = u->host; *p != '\0'; p++)
        *p = lower(*p);
    if (is_bracketed) {
        u->host_kind = URL_HOST_IPV6;
        if (inet_pton(AF_INET6, u->host, address) != 1)
            return fail(ret_err, "the URL's host in brackets is no IPv6 address");
        return 0;
    }
    u->host_kind = inet_pton(AF_INET, u->host, address) == 1 ? URL_HOST_IPV4 : URL_HOST_NAME;
    /* No host's name has a use for percent-encoding, which RFC 3986 allows. */
    if (!is_name(s, ""))
        return fail(ret_err, "the URL's host has a character in it that no host has");
    return 0;
}

static int read_authority(struct sp_str s, struct url *u, struct sp_err *ret_err)
{
    size_t end = s.len;
    int err;

    while (end > 0 && s.p[end - 1] != '@')
        end--;
    if (end > 0) {
        err = read_user(sp_str_sub(s, 0, end - 1), u, ret_err);
        if (err != 0)
            return err;
        s = after(s, end);
    }
    if (sp_str_starts(s, SP_STR("["))) {
        end = sp_str_find(s, ']');
        if (end == s.len)
            return fail(ret_err, "the URL's host has no closing bracket");
        err = read_host(sp_str_sub(s, 1, end), true, u, ret_err);
        end++;
    } else {
        end = sp_str_find(s, ':');
        err = read_host(sp_str_sub(s, 0, end), false, u, ret_err);
    }
    if (err != 0)
        return err;
    s = after(s, end);
    if (s.len > 0 && s.p[0] != ':')
        return fail(ret_err, "the URL has something else than a port behind its host");
    return read_port(s.len > 0 ? after(s, 1) : s, u, ret_err);
}

/* Puts path and query together. */
static char *make_target(struct sp_str path, bool has_query, struct sp_str query)
{
    struct sp_buf b = {0};

    sp_buf_add(&b, path.len > 0 ? path : SP_STR("/"));
    if (has_query) {
        sp_buf_add_char(&b, '?');
        sp_buf_add(&b, query);
    }
    (void)sp_buf_cstr(&b); /* for the NUL at the end */
    return b.p;
}

int url_parse(struct sp_str text, struct url *ret, struct sp_err *ret_err)
{
    struct parts parts;
    struct url u = {0};
    int err = split(text, &parts, ret_err);

    if (err == 0 && !parts.has_scheme)
        err = fail(ret_err, "the URL does not begin with http:// or https://");
    if (err == 0)
        err = read_scheme(parts.scheme, &u.scheme, ret_err);
    if (err == 0)
        err = read_authority(parts.authority, &u, ret_err);
    if (err != 0) {
        url_deinit(&u);
        return err;
    }
    u.target = make_target(parts.path, parts.has_query, parts.query);
    *ret = u;
    return 0;
}

/* Drops the last segment and its "/" from a path. */
static void drop_segment(struct sp_buf *path)
{
    while (path->len > 0 && path->p[path->len - 1] != '/')
        path->len--;
    if (path->len > 0)
        path->len--;
}

/* Appends a path that begins with "/", without its dot segments: section 5.2.4. */
static void put_without_dots(struct sp_str path, struct sp_buf *ret)
{
    while (path.len > 0) {
        size_t end = 1 + sp_str_find(after(path, 1), '/');
        struct sp_str segment = sp_str_sub(path, 1, end);
        bool is_dot = sp_str_eq(segment, SP_STR("."));
        bool is_dots = sp_str_eq(segment, SP_STR(".."));

        if (is_dots)
            drop_segment(ret);
        if (!is_dot && !is_dots)
            sp_buf_add(ret, sp_str_sub(path, 0, end));
        else if (end == path.len)
            sp_buf_add_char(ret, '/'); /* what ends with a dot segment is a folder */
        path = after(path, end);
    }
}

/* The target of a reference without an authority: section 5.2.2. */
static char *resolve_target(const struct url *base, const struct parts *ref)
{
    struct sp_str target = sp_str_of(base->target);
    struct sp_str path = sp_str_sub(target, 0, sp_str_find(target, '?'));
    struct sp_buf merged = {0}, clean = {0};
    char *ret;

    if (ref->path.len == 0)
        return ref->has_query ? make_target(path, true, ref->query) : copy(target);
    if (ref->path.p[0] != '/') {
        sp_buf_add(&merged, path);
        drop_segment(&merged);
        sp_buf_add_char(&merged, '/');
    }
    sp_buf_add(&merged, ref->path);
    put_without_dots(sp_buf_str(&merged), &clean);
    ret = make_target(sp_buf_str(&clean), ref->has_query, ref->query);
    sp_buf_deinit(&merged);
    sp_buf_deinit(&clean);
    return ret;
}

int url_resolve(const struct url *base, struct sp_str reference, struct url *ret,
                struct sp_err *ret_err)
{
    struct parts parts;
    struct url u = {.scheme = base->scheme};
    struct sp_buf path = {0};
    int err = split(reference, &parts, ret_err);

    if (err == 0 && parts.has_scheme)
        err = read_scheme(parts.scheme, &u.scheme, ret_err);
    if (err == 0 && (parts.has_scheme || parts.has_authority))
        err = read_authority(parts.authority, &u, ret_err);
    if (err != 0) {
        url_deinit(&u);
        return err;
    }
    if (parts.has_scheme || parts.has_authority) {
        put_without_dots(parts.path, &path);
        u.target = make_target(sp_buf_str(&path), parts.has_query, parts.query);
        sp_buf_deinit(&path);
        free(u.user);
        free(u.password);
        u.user = NULL;
        u.password = NULL;
    } else {
        u.host = sp_strdup(base->host);
        u.host_kind = base->host_kind;
        u.port = base->port;
        u.target = resolve_target(base, &parts);
    }
    *ret = u;
    return 0;
}

void url_deinit(struct url *u)
{
    free(u->user);
    free(u->password);
    free(u->host);
    free(u->target);
    *u = (struct url){0};
}

bool url_same_origin(const struct url *a, const struct url *b)
{
    return a->scheme == b->scheme && a->port == b->port && strcmp(a->host, b->host) == 0;
}

void url_put_host(const struct url *u, struct sp_buf *ret)
{
    sp_buf_addf(ret, u->host_kind == URL_HOST_IPV6 ? "[%s]" : "%s", u->host);
    if (u->port != (u->scheme == URL_HTTP ? 80 : 443))
        sp_buf_addf(ret, ":%u", (unsigned)u->port);
}

void url_put(const struct url *u, struct sp_buf *ret)
{
    sp_buf_add(ret, u->scheme == URL_HTTP ? SP_STR("http://") : SP_STR("https://"));
    url_put_host(u, ret);
    sp_buf_add(ret, sp_str_of(u->target));
}
