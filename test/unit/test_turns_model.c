/*
 * Random sessions in trace/turns.h against a model of it: chapter 40, sections 4.1 to 4.3, word by
 * word, with lists that are searched from end to end. Answers come late, twice, out of order, from
 * the wrong side or never; ids are used again; time runs backwards; messages come in batches.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/jput.h"
#include "json_gen.h"
#include "sessiontext.h"

#define N_OF(array)  (sizeof(array) / sizeof *(array))
#define N_SESSIONS   1500
#define MAX_MESSAGES 60
#define MAX_VALUES   3

struct id {
    const char *json;
    const char *call_id;
};

static const struct id ids[] = {
    {"1", "1"},
    {"\"1\"", "1"},
    {"2", "2"},
    {"\"b\"", "b"},
    {"2.50", "2.5"},
    {"[3]", "[3]"},
    {"\"stretto-1\"", "stretto-1"},
};

struct value {
    const char *json; /* canonical */
    const char *text; /* NULL for what is neither string nor number */
    int n_chars;
};

static const struct value values[] = {
    {"\"K7\"", "K7", 2}, {"\"K\"", "K", 1},     {"\"7K\"", "7K", 2}, {"12", "12", 2},
    {"1", "1", 1},       {"\"é\"", "é", 1},     {"\"éa\"", "éa", 2}, {"true", NULL, 0},
    {"null", NULL, 0},   {"\"c 1\"", "c 1", 3}, {"1.5", "1.5", 3},
};

static const char *const pieces[] = {"K", "7",  "K7", "12", "1.5", "é",
                                     "a", "éa", " ",  "c ", "true"};

static const char *const tools[] = {"look", "find"};

enum what {
    CALL,
    ANSWER,
    CANCEL,
    SAID,
    NOISE, /* means nothing to an episode */
};

struct message {
    enum what what;
    enum line_from from;
    uint64_t t_ms;
    size_t id;
    size_t tool;
    const struct value *values[MAX_VALUES]; /* of a call's arguments */
    bool is_user;                           /* who said it, else the assistant */
    bool is_error;
    struct sp_buf text; /* what was said or answered; a call's arguments */
};

/* The session that is fed and what the chapter says of it. */
struct event {
    enum episode_kind kind;
    struct sp_buf text; /* all of it, as put_event() writes the same of an episode */
};

struct pending {
    bool is_pending;
    bool holds;
    size_t tool;
};

struct model {
    struct event events[MAX_MESSAGES];
    size_t n_events;
    struct pending pending[N_OF(ids)]; /* by id key */
    size_t turn;
    size_t open;
    bool has_last;
    uint64_t last;
    struct sp_buf returned;
    struct sp_buf known;
    uint64_t answered;
    bool is_sent[N_OF(ids)]; /* as the next of the id that has the call id first */
    uint64_t sent_after[N_OF(ids)];
};

static struct event *model_add(struct model *m, enum episode_kind kind)
{
    assert_true(m->n_events < MAX_MESSAGES);
    m->events[m->n_events].kind = kind;
    return &m->events[m->n_events++];
}

static bool is_part(const char *part, const struct sp_buf *of)
{
    size_t n = strlen(part);

    for (size_t i = 0; i + n <= of->len; i++) {
        if (memcmp(of->p + i, part, n) == 0)
            return true;
    }
    return false;
}

static bool model_passes_new(const struct model *m, const struct message *msg)
{
    for (size_t i = 0; i < MAX_VALUES; i++) {
        const struct value *v = msg->values[i];

        if (v != NULL && v->text != NULL && v->n_chars >= 2 && is_part(v->text, &m->returned) &&
            !is_part(v->text, &m->known))
            return true;
    }
    return false;
}

static bool model_continues(const struct model *m, const struct message *msg)
{
    uint64_t since;

    if (msg->from != LINE_CLIENT || !m->has_last)
        return false;
    since = msg->t_ms > m->last ? msg->t_ms - m->last : 0;
    for (size_t i = m->turn + 1; i < m->n_events; i++) {
        if (m->events[i].kind != EPISODE_RESULT)
            return false;
    }
    return since <= 500 && !model_passes_new(m, msg);
}

static size_t first_with_call_id(size_t id)
{
    size_t i = 0;

    while (strcmp(ids[i].call_id, ids[id].call_id) != 0)
        i++;
    return i;
}

static void model_call(struct model *m, const struct message *msg)
{
    struct pending *p = &m->pending[msg->id];

    if (p->is_pending && p->holds)
        m->open--;
    p->is_pending = false;
    if (m->open == 0 && !model_continues(m, msg)) {
        sp_buf_add(&m->known, sp_buf_str(&m->returned));
        sp_buf_clear(&m->returned);
        m->has_last = false;
        m->answered = 0;
        m->turn = m->n_events;
        sp_buf_add(&model_add(m, EPISODE_ASSISTANT)->text, SP_STR("turn"));
    }
    sp_buf_add(&m->known, sp_buf_str(&msg->text));
    m->is_sent[first_with_call_id(msg->id)] = true;
    m->sent_after[first_with_call_id(msg->id)] = m->answered;
    sp_buf_addf(&m->events[m->turn].text, " %s %s %.*s", ids[msg->id].call_id, tools[msg->tool],
                SP_STR_ARG(sp_buf_str(&msg->text)));
    m->open++;
    *p = (struct pending){.is_pending = true, .holds = true, .tool = msg->tool};
}

static void model_answer(struct model *m, const struct message *msg)
{
    struct pending *p = &m->pending[msg->id];

    if (!p->is_pending)
        return;
    p->is_pending = false;
    if (p->holds) {
        m->open--;
        m->answered++;
        if (m->open == 0) {
            m->has_last = true;
            m->last = msg->t_ms;
        }
    }
    sp_buf_add(&m->returned, sp_buf_str(&msg->text));
    sp_buf_addf(&model_add(m, EPISODE_RESULT)->text, "result %s %s %d %.*s", ids[msg->id].call_id,
                tools[p->tool], msg->is_error, SP_STR_ARG(sp_buf_str(&msg->text)));
}

static void model_feed(struct model *m, const struct message *msg)
{
    struct pending *p = &m->pending[msg->id];

    switch (msg->what) {
    case CALL:
        model_call(m, msg);
        break;
    case ANSWER:
        model_answer(m, msg);
        break;
    case CANCEL:
        if (p->is_pending && p->holds) {
            p->holds = false;
            m->open--;
        }
        break;
    case SAID:
        sp_buf_add(&m->known, sp_buf_str(&msg->text));
        if (msg->is_user)
            sp_buf_addf(&model_add(m, EPISODE_USER)->text, "user %.*s",
                        SP_STR_ARG(sp_buf_str(&msg->text)));
        else if (msg->text.len > 0)
            sp_buf_addf(&model_add(m, EPISODE_ASSISTANT)->text, "says %.*s",
                        SP_STR_ARG(sp_buf_str(&msg->text)));
        break;
    case NOISE:
        break;
    }
}

static void put_event(const struct episode_event *event, struct sp_buf *b)
{
    switch (event->kind) {
    case EPISODE_USER:
        sp_buf_addf(b, "user %.*s", SP_STR_ARG(event->text));
        break;
    case EPISODE_ASSISTANT:
        sp_buf_add(b, event->text.p != NULL ? SP_STR("says ") : SP_STR("turn"));
        sp_buf_add(b, event->text);
        for (size_t i = 0; i < event->n_calls; i++)
            sp_buf_addf(b, " %.*s %.*s %.*s", SP_STR_ARG(event->calls[i].id),
                        SP_STR_ARG(event->calls[i].name), SP_STR_ARG(event->calls[i].arguments));
        break;
    case EPISODE_RESULT:
        sp_buf_addf(b, "result %.*s %.*s %d %.*s", SP_STR_ARG(event->call_id),
                    SP_STR_ARG(event->name), event->is_error, SP_STR_ARG(event->text));
        break;
    }
}

static void assert_same(struct turns *t, const struct model *m, const struct sp_buf *log)
{
    const struct episode *e = turns_episode(t);
    struct sp_buf b = {0};

    for (size_t i = 0; i < e->n_events && i < m->n_events; i++) {
        sp_buf_clear(&b);
        put_event(&e->events[i], &b);
        if (!sp_str_eq(sp_buf_str(&b), sp_buf_str(&m->events[i].text)))
            fail_msg("%.*s\nevent %zu is '%.*s', not '%.*s'", SP_STR_ARG(sp_buf_str(log)), i,
                     SP_STR_ARG(sp_buf_str(&b)), SP_STR_ARG(sp_buf_str(&m->events[i].text)));
    }
    if (e->n_events != m->n_events)
        fail_msg("%.*s\n%zu events, not %zu", SP_STR_ARG(sp_buf_str(log)), e->n_events,
                 m->n_events);
    for (size_t i = 0; i < N_OF(ids); i++) {
        size_t first = first_with_call_id(i);
        uint64_t n = 0;

        if (turns_sent_after(t, sp_str_of(ids[i].call_id), &n) != m->is_sent[first] ||
            n != m->sent_after[first])
            fail_msg("%.*s\n%s sent after %ju", SP_STR_ARG(sp_buf_str(log)), ids[i].call_id,
                     (uintmax_t)n);
    }
    sp_buf_deinit(&b);
}

/* Fills in a call: up to three values at different depths, one beside a name that is no value. */
static void gen_call(struct json_gen *g, struct message *msg, struct sp_buf *b)
{
    static const char *const before[] = {"{\"a\":", ",\"b\":[false,", ",{\"K7\":"};
    static const char *const after[] = {"{}", "}", "]}", "}]}"};
    size_t n = json_gen_below(g, MAX_VALUES + 1);

    msg->tool = json_gen_below(g, N_OF(tools));
    for (size_t i = 0; i < n && i < MAX_VALUES; i++) {
        msg->values[i] = &values[json_gen_below(g, N_OF(values))];
        sp_buf_addf(&msg->text, "%s%s", before[i], msg->values[i]->json);
    }
    sp_buf_add(&msg->text, sp_str_of(after[n]));
    sp_buf_addf(b, "{\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"", tools[msg->tool]);
    if (n > 0 || json_gen_below(g, 2) == 0)
        sp_buf_addf(b, ",\"arguments\":%.*s", SP_STR_ARG(sp_buf_str(&msg->text)));
    sp_buf_addf(b, "},\"id\":%s}", ids[msg->id].json);
}

static void gen_noise(struct json_gen *g, const struct message *msg, struct sp_buf *b)
{
    static const char *const noises[] = {
        "{\"id\":%s,\"method\":\"ping\"}",
        "{\"id\":%s,\"method\":null,\"result\":{}}",
        "{\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":null}}",
        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestid\":%s}}",
        "{\"id\":[%s],\"result\":{}}",
        "{\"id\":%s,\"error\":null}",
        "[%s]",
        "{\"id\":%s,\"result\":{}}", /* of the client, to a request of the server's */
    };
    size_t i = json_gen_below(g, N_OF(noises) - (msg->from != LINE_CLIENT));
    size_t at = (size_t)(strchr(noises[i], '%') - noises[i]);

    sp_buf_add(b, (struct sp_str){noises[i], at});
    sp_buf_add(b, sp_str_of(ids[msg->id].json));
    sp_buf_add(b, sp_str_of(noises[i] + at + 2));
}

/* Puts a message as JSON behind `b`. */
static void gen_message(struct json_gen *g, struct message *msg, struct sp_buf *b)
{
    if (msg->what == ANSWER || msg->what == SAID) {
        for (uint64_t i = json_gen_below(g, 4); i > 0; i--)
            sp_buf_add(&msg->text, sp_str_of(pieces[json_gen_below(g, N_OF(pieces))]));
    }
    switch (msg->what) {
    case CALL:
        gen_call(g, msg, b);
        break;
    case ANSWER:
        msg->is_error = json_gen_below(g, 3) == 0;
        sp_buf_addf(b, "{\"id\":%s,%s", ids[msg->id].json,
                    msg->is_error ? "\"error\":{\"message\":"
                                  : "\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
        jput_string(b, sp_buf_str(&msg->text));
        sp_buf_add(b, msg->is_error ? SP_STR("}}") : SP_STR("}]}}"));
        break;
    case CANCEL:
        sp_buf_addf(b, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%s}}",
                    ids[msg->id].json);
        break;
    case SAID:
        msg->is_user = json_gen_below(g, 2) == 0;
        sp_buf_addf(b, "{\"role\":\"%s\",\"content\":", msg->is_user ? "user" : "assistant");
        jput_string(b, sp_buf_str(&msg->text));
        sp_buf_add_char(b, '}');
        break;
    case NOISE:
        gen_noise(g, msg, b);
        break;
    }
}

static enum what gen_what(struct json_gen *g, enum line_from from)
{
    uint64_t n = json_gen_below(g, 12);

    if (n == 0 && from != LINE_CONTEXT)
        return NOISE;
    switch (from) {
    case LINE_CLIENT:
        return n < 3 ? CANCEL : CALL;
    case LINE_SERVER:
        return ANSWER;
    case LINE_PROXY:
        return n < 3 ? CANCEL : n < 7 ? ANSWER : CALL;
    case LINE_CONTEXT:
        break;
    }
    return SAID;
}

/* An id; mostly, for what is no call, one that waits for its answer, so that turns end. */
static size_t gen_id(struct json_gen *g, enum what what, const struct model *m)
{
    size_t id = json_gen_below(g, N_OF(ids));

    if (what != CALL && json_gen_below(g, 8) > 0) {
        for (size_t i = 0; i < N_OF(ids) && !m->pending[id].is_pending; i++)
            id = (id + 1) % N_OF(ids);
    }
    return id;
}

/* One entry: a message, or a batch of some. Returns how many there are. */
static size_t gen_entry(struct json_gen *g, struct turns *t, struct model *m, uint64_t t_ms,
                        struct sp_buf *log)
{
    static const enum line_from froms[] = {
        LINE_CLIENT, LINE_CLIENT, LINE_CLIENT, LINE_CLIENT, LINE_SERVER, LINE_SERVER,
        LINE_SERVER, LINE_SERVER, LINE_SERVER, LINE_PROXY,  LINE_PROXY,  LINE_CONTEXT,
    };
    enum line_from from = froms[json_gen_below(g, N_OF(froms))];
    bool is_batch = json_gen_below(g, 8) == 0;
    size_t n = is_batch ? json_gen_below(g, 4) : 1;
    struct sp_buf b = {0};

    sp_buf_add(&b, is_batch ? SP_STR("[") : SP_STR(""));
    for (size_t i = 0; i < n; i++) {
        struct message msg = {.what = gen_what(g, from), .from = from, .t_ms = t_ms};

        msg.id = gen_id(g, msg.what, m);
        if (i > 0)
            sp_buf_add_char(&b, ',');
        gen_message(g, &msg, &b);
        model_feed(m, &msg);
        sp_buf_deinit(&msg.text);
    }
    sp_buf_add(&b, is_batch ? SP_STR("]") : SP_STR(""));
    sp_buf_addf(log, "%ju from %d %.*s\n", (uintmax_t)t_ms, (int)from, SP_STR_ARG(sp_buf_str(&b)));
    sessiontext_feed_json(t, from, t_ms, sp_buf_str(&b));
    sp_buf_deinit(&b);
    return n;
}

static void turns_agree_with_a_plain_model_of_the_chapter(void **state)
{
    static const uint64_t steps[] = {0, 1, 3, 100, 249, 499, 500, 501, 4000};
    struct json_gen g = {20240607};
    size_t n_turns = 0, n_joined = 0;

    (void)state;
    for (size_t i = 0; i < N_SESSIONS; i++) {
        struct turns *t = sessiontext_new("");
        struct model m = {0};
        struct sp_buf log = {0};
        uint64_t t_ms = 5000;

        for (size_t n = json_gen_below(&g, MAX_MESSAGES - 4); n < MAX_MESSAGES - 4;) {
            uint64_t step = steps[json_gen_below(&g, N_OF(steps))];

            t_ms = json_gen_below(&g, 10) > 0 ? t_ms + step : t_ms - (step < t_ms ? step : t_ms);
            n += gen_entry(&g, t, &m, t_ms, &log);
            assert_same(t, &m, &log);
        }
        for (size_t k = 0; k < m.n_events; k++) {
            const struct episode_event *event = &turns_episode(t)->events[k];

            n_turns += event->n_calls > 0;
            n_joined += event->n_calls > 1;
            sp_buf_deinit(&m.events[k].text);
        }
        sp_buf_deinit(&m.returned);
        sp_buf_deinit(&m.known);
        sp_buf_deinit(&log);
        turns_free(t);
    }
    /* The sessions would say little if all turns had one call, or if one turn had all calls. */
    assert_true(n_turns > N_SESSIONS);
    assert_true(n_joined > N_SESSIONS / 2);
    assert_true(n_turns - n_joined > N_SESSIONS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_agree_with_a_plain_model_of_the_chapter),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
