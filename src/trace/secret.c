/* Redacting the server's command line and URL. */

#include <strings.h>

#include "trace/secret.h"

#define REDACTED SP_STR("<redacted>")

/* Whether `s` begins with `part`, compared without regard to the case of ASCII letters. */
static bool starts_ignoring_case(struct sp_str s, struct sp_str part)
{
    return s.len >= part.len && strncasecmp(s.p, part.p, part.len) == 0;
}

/* The index of the first `part` in `s`, compared in the same way; s.len when there is none. */
static size_t find_ignoring_case(struct sp_str s, struct sp_str part)
{
    for (size_t i = 0; i < s.len; i++)
        if (starts_ignoring_case(sp_str_sub(s, i, s.len), part))
            return i;
    return s.len;
}

static bool is_secret(struct sp_str name)
{
    static const char *const parts[] = {"key",    "token",      "secret", "password",
                                        "passwd", "credential", "auth"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (find_ignoring_case(name, sp_str_of(parts[i])) < name.len)
            return true;
    return false;
}

void secret_show_arg(struct secret_args *args, struct sp_str arg, struct sp_buf *ret)
{
    bool is_option = sp_str_starts(arg, SP_STR("-"));
    bool is_value = args->is_after && !is_option;
    size_t equals = sp_str_find(arg, '=');

    args->is_after = false;
    if (is_value || starts_ignoring_case(arg, SP_STR("authorization:")) ||
        find_ignoring_case(arg, SP_STR("bearer ")) < arg.len) {
        sp_buf_add(ret, REDACTED);
    } else if (equals < arg.len && is_secret(sp_str_sub(arg, 0, equals))) {
        sp_buf_add(ret, sp_str_sub(arg, 0, equals + 1));
        sp_buf_add(ret, REDACTED);
    } else {
        sp_buf_add(ret, arg);
        args->is_after = is_option && equals == arg.len && is_secret(arg);
    }
}

static void show_query(struct sp_str query, struct sp_buf *ret)
{
    for (;;) {
        size_t end = sp_str_find(query, '&');
        struct sp_str parameter = sp_str_sub(query, 0, end);
        size_t equals = sp_str_find(parameter, '=');

        if (equals < parameter.len && is_secret(sp_str_sub(parameter, 0, equals))) {
            sp_buf_add(ret, sp_str_sub(parameter, 0, equals + 1));
            sp_buf_add(ret, REDACTED);
        } else {
            sp_buf_add(ret, parameter);
        }
        if (end == query.len)
            return;
        sp_buf_add_char(ret, '&');
        query = sp_str_sub(query, end + 1, query.len);
    }
}

void secret_show_url(struct sp_str url, struct sp_buf *ret)
{
    size_t scheme = find_ignoring_case(url, SP_STR("://"));
    size_t authority, path, host = 0, query;
    struct sp_str tail, fragment = SP_STR("");

    if (scheme < url.len) {
        sp_buf_add(ret, sp_str_sub(url, 0, scheme + 3));
        url = sp_str_sub(url, scheme + 3, url.len);
    }
    authority = sp_str_find(url, '/');
    path = sp_str_find(url, '?');
    authority = path < authority ? path : authority;
    path = sp_str_find(url, '#');
    authority = path < authority ? path : authority;
    for (size_t i = 0; i < authority; i++)
        if (url.p[i] == '@')
            host = i + 1;
    sp_buf_add(ret, sp_str_sub(url, host, authority));

    tail = sp_str_sub(url, authority, url.len);
    query = sp_str_find(tail, '?');
    sp_buf_add(ret, sp_str_sub(tail, 0, query));
    if (query == tail.len)
        return;
    tail = sp_str_sub(tail, query + 1, tail.len);
    query = sp_str_find(tail, '#');
    if (query < tail.len)
        fragment = sp_str_sub(tail, query + 1, tail.len);
    tail = sp_str_sub(tail, 0, query);
    if (tail.len > 0) {
        sp_buf_add_char(ret, '?');
        show_query(tail, ret);
    }
    if (fragment.len > 0) {
        sp_buf_add_char(ret, '#');
        sp_buf_add(ret, fragment);
    }
}
