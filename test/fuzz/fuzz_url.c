/*
 * Parses a URL and resolves a reference against it, and holds what comes of that against the
 * contract: a result can be written and read again, and holds nothing that could end a header.
 *
 * Input: the URL up to the first LF, then the reference. Where the URL is none, that of RFC 3986,
 * section 5.4, is the base.
 */

#include <stdint.h>
#include <stdlib.h>

#include "io/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void require_visible(struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++)
        require(s.p[i] > ' ' && s.p[i] <= '~');
}

/* Whether the one URL is the other, but for user information. */
static bool is_same(const struct url *a, const struct url *b)
{
    return url_same_origin(a, b) && a->host_kind == b->host_kind &&
           strcmp(a->target, b->target) == 0;
}

static void check_url(const struct url *u)
{
    struct sp_buf text = {0};
    struct sp_err err;
    struct url again;

    require(u->host[0] != '\0' && u->port >= 1 && u->target[0] == '/');
    require(strchr(u->target, '#') == NULL);
    require(u->user != NULL || u->password == NULL);
    url_put_host(u, &text);
    require_visible(sp_buf_str(&text));
    sp_buf_clear(&text);
    url_put(u, &text);
    require_visible(sp_buf_str(&text));
    require(url_parse(sp_buf_str(&text), &again, &err) == 0);
    require(is_same(u, &again) && again.user == NULL && again.password == NULL);
    url_deinit(&again);
    sp_buf_deinit(&text);
}

/* Resolving what was resolved changes nothing, and no dot segment is left in a new path. */
static void check_resolved(const struct url *base, const struct url *u)
{
    struct sp_buf text = {0};
    struct sp_err err;
    struct url again;

    require(u->user == NULL && u->password == NULL);
    check_url(u);
    url_put(u, &text);
    require(url_resolve(base, sp_buf_str(&text), &again, &err) == 0);
    check_url(&again);
    require(url_same_origin(u, &again));
    sp_buf_clear(&text);
    url_put(&again, &text);
    url_deinit(&again);

    require(url_resolve(u, sp_buf_str(&text), &again, &err) == 0);
    sp_buf_clear(&text);
    sp_buf_add(&text, sp_str_of(again.target));
    text.len = sp_str_find(sp_buf_str(&text), '?');
    sp_buf_add_char(&text, '/');
    require(strstr(sp_buf_cstr(&text), "/./") == NULL);
    require(strstr(sp_buf_cstr(&text), "/../") == NULL);
    url_deinit(&again);
    sp_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t end = sp_str_find(input, '\n');
    struct sp_str reference = sp_str_sub(input, end < size ? end + 1 : size, size);
    struct sp_err err;
    struct url base, u;

    if (url_parse(sp_str_sub(input, 0, end), &base, &err) == 0)
        check_url(&base);
    else
        require(url_parse(SP_STR("http://a/b/c/d;p?q"), &base, &err) == 0);

    require(url_resolve(&base, SP_STR(""), &u, &err) == 0);
    require(is_same(&base, &u));
    check_resolved(&base, &u);
    url_deinit(&u);
    if (url_resolve(&base, reference, &u, &err) == 0) {
        check_resolved(&base, &u);
        url_deinit(&u);
    }
    url_deinit(&base);
    return 0;
}
