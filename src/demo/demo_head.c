/* The head of an HTTP request. */

#include <strings.h>

#include "demo/demo_head.h"

static struct sp_str without_cr(struct sp_str line)
{
    return sp_str_ends(line, SP_STR("\r")) ? sp_str_sub(line, 0, line.len - 1) : line;
}

static size_t count_blank(struct sp_str s)
{
    size_t n = 0;

    while (n < s.len && (s.p[n] == '\r' || s.p[n] == '\n'))
        n++;
    return n;
}

size_t demo_head_end(struct sp_str bytes, size_t *io_from)
{
    size_t from = *io_from > 0 ? *io_from : count_blank(bytes);
    size_t end = 0;

    while (end == 0 && from < bytes.len) {
        struct sp_str rest = sp_str_sub(bytes, from, bytes.len);
        size_t lf = sp_str_find(rest, '\n');

        if (lf == rest.len)
            break;
        from += lf + 1;
        if (without_cr(sp_str_sub(rest, 0, lf)).len == 0)
            end = from;
    }
    /* While there are only blank lines, the search begins anew. */
    *io_from = count_blank(bytes) < from ? from : 0;
    return end;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static struct sp_str trim(struct sp_str s)
{
    while (s.len > 0 && is_space(s.p[0]))
        s = sp_str_sub(s, 1, s.len);
    while (s.len > 0 && is_space(s.p[s.len - 1]))
        s.len--;
    return s;
}

/* Takes what comes before the next `c`, and that, from the front of `s`. */
static struct sp_str cut(struct sp_str *s, char c)
{
    size_t end = sp_str_find(*s, c);
    struct sp_str front = sp_str_sub(*s, 0, end);

    *s = sp_str_sub(*s, end < s->len ? end + 1 : end, s->len);
    return front;
}

static bool is_name(struct sp_str name, const char *wanted)
{
    return name.len == strlen(wanted) && strncasecmp(name.p, wanted, name.len) == 0;
}

/* The path of a target; one that is a whole URL, as clients send it to proxies, has one too. */
static struct sp_str path_of(struct sp_str target)
{
    struct sp_str path = cut(&target, '?');

    if (path.len >= 7 && strncasecmp(path.p, "http://", 7) == 0) {
        path = sp_str_sub(path, 7, path.len);
        path = sp_str_sub(path, sp_str_find(path, '/'), path.len);
    }
    return path;
}

static void parse_field(struct sp_str line, struct demo_head *ret)
{
    const struct {
        const char *name;
        struct sp_str *ret_value;
    } fields[] = {
        {"Authorization", &ret->authorization},
        {"Content-Length", &ret->content_length},
        {"MCP-Protocol-Version", &ret->protocol_version},
        {"Mcp-Session-Id", &ret->session_id},
    };
    size_t colon = sp_str_find(line, ':');
    struct sp_str name = trim(sp_str_sub(line, 0, colon));

    if (colon == line.len)
        return;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (is_name(name, fields[i].name) && fields[i].ret_value->p == NULL)
            *fields[i].ret_value = trim(sp_str_sub(line, colon + 1, line.len));
}

void demo_head_parse(struct sp_str head, struct demo_head *ret)
{
    struct sp_str rest = sp_str_sub(head, count_blank(head), head.len);
    struct sp_str line = trim(without_cr(cut(&rest, '\n')));

    *ret = (struct demo_head){.method = cut(&line, ' ')};
    line = trim(line);
    ret->path = path_of(cut(&line, ' '));
    while (rest.len > 0)
        parse_field(without_cr(cut(&rest, '\n')), ret);
}
