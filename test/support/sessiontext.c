/* Sessions written in short. */

#include <stdlib.h>

#include "json/jput.h"
#include "sessiontext.h"

/* Takes the next word of a message; an empty one at its end. */
static struct sp_str word(struct sp_str *rest)
{
    size_t n = sp_str_find(*rest, ' ');
    struct sp_str s = sp_str_sub(*rest, 0, n);

    *rest = sp_str_sub(*rest, n < rest->len ? n + 1 : n, rest->len);
    return s;
}

static void put_call(struct sp_buf *b, struct sp_str id, struct sp_str rest)
{
    struct sp_str tool = word(&rest);

    if (tool.len == 0)
        tool = SP_STR("a");
    if (rest.len == 0)
        rest = SP_STR("{\"n\":1}");
    sp_buf_addf(b,
                "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"%.*s\",\"arguments\":%.*s}}",
                SP_STR_ARG(id), SP_STR_ARG(tool), SP_STR_ARG(rest));
}

static void put_result(struct sp_buf *b, struct sp_str id, struct sp_str text)
{
    sp_buf_addf(
        b, "{\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":", SP_STR_ARG(id));
    jput_string(b, text);
    sp_buf_add(b, SP_STR("}]}}"));
}

static void put_context(struct sp_buf *b, const char *role, struct sp_str text)
{
    sp_buf_addf(b, "{\"role\":\"%s\",\"content\":", role);
    jput_string(b, text);
    sp_buf_add_char(b, '}');
}

static enum line_from from_of(struct sp_str kind)
{
    switch (kind.p[kind.len - 1]) {
    case 'C':
    case 'X':
    case 'c':
        return LINE_CLIENT;
    case 'R':
    case 's':
        return LINE_SERVER;
    case 'P':
    case 'p':
        return LINE_PROXY;
    default:
        return LINE_CONTEXT;
    }
}

void sessiontext_feed_json(struct turns *t, enum line_from from, uint64_t t_ms, struct sp_str text)
{
    struct jscan found;
    struct sp_buf copy = {0};

    sp_buf_add(&copy, text);
    if (!jscan(sp_buf_str(&copy), 127, &found))
        abort(); /* the test's own text is no JSON */
    turns_feed(t, from, t_ms, found.value);
    sp_buf_deinit(&copy);
}

static void feed_one(struct turns *t, struct sp_str s)
{
    uint64_t t_ms = strtoull(word(&s).p, NULL, 10);
    struct sp_str kind = word(&s);
    struct sp_buf b = {0};

    if (sp_str_eq(kind, SP_STR("C")) || sp_str_eq(kind, SP_STR("P"))) {
        struct sp_str id = word(&s);

        put_call(&b, id, s);
    } else if (kind.p[0] == 'R') {
        struct sp_str id = word(&s);

        put_result(&b, id, s);
    } else if (kind.p[0] == 'X') {
        sp_buf_addf(&b, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%.*s}}",
                    SP_STR_ARG(s));
    } else if (kind.p[0] == 'J') {
        sp_buf_add(&b, s);
    } else {
        put_context(&b, kind.p[0] == 'U' ? "user" : kind.p[0] == 'A' ? "assistant" : "system", s);
    }
    sessiontext_feed_json(t, from_of(kind), t_ms, sp_buf_str(&b));
    sp_buf_deinit(&b);
}

void sessiontext_feed(struct turns *t, const char *log)
{
    while (*log != '\0') {
        const char *end = strstr(log, "; ");

        feed_one(t, end != NULL ? (struct sp_str){log, (size_t)(end - log)} : sp_str_of(log));
        log = end != NULL ? end + 2 : "";
    }
}

struct turns *sessiontext_new(const char *log)
{
    struct turns *t = turns_new(SP_STR("s1"), (struct sp_str){0}, (struct sp_str){0});

    sessiontext_feed(t, log);
    return t;
}

void sessiontext_tell(const struct episode *e, struct sp_buf *b)
{
    for (size_t i = 0; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];

        if (i > 0)
            sp_buf_add_char(b, ' ');
        switch (event->kind) {
        case EPISODE_USER:
            sp_buf_add(b, SP_STR("user"));
            break;
        case EPISODE_ASSISTANT:
            sp_buf_add(b, event->text.p != NULL ? SP_STR("says") : SP_STR("turn("));
            for (size_t k = 0; k < event->n_calls; k++) {
                sp_buf_add(b, k > 0 ? SP_STR(",") : SP_STR(""));
                sp_buf_add(b, event->calls[k].id);
            }
            sp_buf_add(b, event->text.p != NULL ? SP_STR("") : SP_STR(")"));
            break;
        case EPISODE_RESULT:
            sp_buf_add(b, SP_STR("result:"));
            sp_buf_add(b, event->call_id);
            break;
        }
    }
}
