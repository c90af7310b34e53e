/* The proxy variables of the environment. */

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <strings.h>

#include "base/sp_base64.h"
#include "io/proxyenv.h"

/* One of the three variables. */
struct setting {
    const char *name; /* the variable that was set; NULL when none was */
    bool is_usable;
    struct url url; /* when is_usable */
    char *authorization;
    struct proxyenv_proxy proxy; /* views of the above */
};

struct proxyenv {
    struct setting http;
    struct setting https;
    struct setting all;
    char *no_proxy; /* "" when not set */
};

/* An IP address, or the first bits of one. */
struct block {
    int family;
    unsigned char bytes[16];
    unsigned n_bits;
};

static char *make_authorization(const struct url *url)
{
    const char *password = url->password != NULL ? url->password : "";
    struct sp_buf plain = {0}, value = {0};

    sp_buf_addf(&plain, "%s:%s", url->user, password);
    sp_buf_add(&value, SP_STR("Basic "));
    sp_base64_put(&value, sp_buf_str(&plain));
    sp_buf_deinit(&plain);
    return (char *)sp_buf_cstr(&value);
}

static void read_setting(struct setting *s, const char *value)
{
    struct sp_buf text = {0};
    struct sp_err err;

    if (strstr(value, "://") == NULL)
        sp_buf_add(&text, SP_STR("http://"));
    sp_buf_add(&text, sp_str_of(value));
    if (url_parse(sp_buf_str(&text), &s->url, &err) == 0) {
        s->is_usable = s->url.scheme == URL_HTTP;
        if (!s->is_usable)
            url_deinit(&s->url);
    }
    sp_buf_deinit(&text);
    if (!s->is_usable)
        return;

    if (s->url.user != NULL)
        s->authorization = make_authorization(&s->url);
    s->proxy = (struct proxyenv_proxy){s->url.host, s->url.port, s->authorization};
}

/* Reads the first of two variables that is set and not empty; `second` may be NULL. */
static void find_setting(struct setting *s, proxyenv_get_fn get, const char *first,
                         const char *second)
{
    const char *names[] = {first, second};

    for (size_t i = 0; i < 2 && s->name == NULL; i++) {
        const char *value = names[i] != NULL ? get(names[i]) : NULL;

        if (value != NULL && value[0] != '\0') {
            s->name = names[i];
            read_setting(s, value);
        }
    }
}

struct proxyenv *proxyenv_new(proxyenv_get_fn get)
{
    struct proxyenv *e = sp_calloc(1, sizeof *e);
    const char *none = get("no_proxy");

    if (none == NULL || none[0] == '\0')
        none = get("NO_PROXY");
    e->no_proxy = sp_strdup(none != NULL ? none : "");
    find_setting(&e->http, get, "http_proxy", NULL);
    find_setting(&e->https, get, "https_proxy", "HTTPS_PROXY");
    find_setting(&e->all, get, "all_proxy", "ALL_PROXY");
    return e;
}

static void setting_deinit(struct setting *s)
{
    if (!s->is_usable)
        return;
    url_deinit(&s->url);
    free(s->authorization);
}

void proxyenv_free(struct proxyenv *e)
{
    if (e == NULL)
        return;
    setting_deinit(&e->http);
    setting_deinit(&e->https);
    setting_deinit(&e->all);
    free(e->no_proxy);
    free(e);
}

static struct sp_str trim(struct sp_str s)
{
    while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = sp_str_sub(s, 1, s.len);
    while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* Reads the digits after the "/" of a block. */
static bool read_bits(struct sp_str text, unsigned max, unsigned *ret)
{
    unsigned n = 0;

    if (text.len == 0 || text.len > 3)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        n = n * 10 + (unsigned)(text.p[i] - '0');
    }
    if (n > max)
        return false;
    *ret = n;
    return true;
}

/* Reads "ADDRESS", "[ADDRESS]" or "ADDRESS/BITS". */
static bool read_block(struct sp_str text, struct block *ret)
{
    size_t slash = sp_str_find(text, '/');
    struct sp_str address = sp_str_sub(text, 0, slash);
    struct block b = {.family = AF_INET, .n_bits = 32};
    char copy[INET6_ADDRSTRLEN];

    if (sp_str_starts(address, SP_STR("[")) && sp_str_ends(address, SP_STR("]")))
        address = sp_str_sub(address, 1, address.len - 1);
    if (address.len >= sizeof copy || memchr(address.p, '\0', address.len) != NULL)
        return false;
    memcpy(copy, address.p, address.len);
    copy[address.len] = '\0';
    if (inet_pton(AF_INET, copy, b.bytes) != 1) {
        b.family = AF_INET6;
        b.n_bits = 128;
        if (inet_pton(AF_INET6, copy, b.bytes) != 1)
            return false;
    }
    if (slash < text.len && !read_bits(sp_str_sub(text, slash + 1, text.len), b.n_bits, &b.n_bits))
        return false;
    *ret = b;
    return true;
}

static bool block_holds(const struct block *b, const struct block *address)
{
    unsigned n_whole = b->n_bits / 8, n_rest = b->n_bits % 8;

    if (b->family != address->family || memcmp(b->bytes, address->bytes, n_whole) != 0)
        return false;
    return n_rest == 0 || (b->bytes[n_whole] ^ address->bytes[n_whole]) >> (8 - n_rest) == 0;
}

/* Whether `host` is `name` or ends with "." and it; both without a dot at their end. */
static bool is_within(struct sp_str host, struct sp_str name)
{
    if (name.len == 0 || host.len < name.len ||
        strncasecmp(host.p + (host.len - name.len), name.p, name.len) != 0)
        return false;
    return host.len == name.len || host.p[host.len - name.len - 1] == '.';
}

static struct sp_str without_last_dot(struct sp_str name)
{
    return sp_str_ends(name, SP_STR(".")) ? sp_str_sub(name, 0, name.len - 1) : name;
}

static bool entry_matches(struct sp_str entry, struct sp_str host, const struct block *address)
{
    struct block b;

    if (sp_str_eq(entry, SP_STR("*")))
        return true;
    if (address != NULL)
        return read_block(entry, &b) && block_holds(&b, address);
    if (sp_str_starts(entry, SP_STR(".")))
        entry = sp_str_sub(entry, 1, entry.len);
    return is_within(without_last_dot(host), without_last_dot(entry));
}

static bool is_direct(const struct proxyenv *e, const struct url *url)
{
    struct sp_str host = sp_str_of(url->host), rest = sp_str_of(e->no_proxy);
    struct block address;
    bool is_address = url->host_kind != URL_HOST_NAME && read_block(host, &address);

    while (rest.len > 0) {
        size_t comma = sp_str_find(rest, ',');

        if (entry_matches(trim(sp_str_sub(rest, 0, comma)), host, is_address ? &address : NULL))
            return true;
        rest = sp_str_sub(rest, comma < rest.len ? comma + 1 : rest.len, rest.len);
    }
    return false;
}

int proxyenv_find(const struct proxyenv *e, const struct url *url,
                  const struct proxyenv_proxy **ret_proxy, struct sp_err *ret_err)
{
    const struct setting *s = url->scheme == URL_HTTP ? &e->http : &e->https;

    if (s->name == NULL)
        s = &e->all;
    if (s->name == NULL || is_direct(e, url)) {
        *ret_proxy = NULL;
        return 0;
    }
    if (!s->is_usable) {
        sp_err_set(ret_err, "the value of %s is not an http proxy", s->name);
        return -EINVAL;
    }
    *ret_proxy = &s->proxy;
    return 0;
}
