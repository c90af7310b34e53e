/*
 * From messages to an episode.
 *
 *  1. A call opens a turn, or joins the current one: while one of its calls is unanswered always,
 *     after its last answer if it continues it.
 *  2. It stays pending until its answer comes, which makes a result. A call that is cancelled no
 *     longer holds its turn open, but a late answer is still its result.
 *  3. Whether a call continues an answered turn depends on where its values come from: `known` is
 *     all that was said before the turn's answers, `returned` what the turn's answers brought.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "trace/saidtext.h"
#include "trace/turns.h"

/* How long after a turn's last answer a call may still belong to it. */
#define CONTINUE_MS 500

#define NO_TURN SIZE_MAX

/* A call without an answer. Its views look into the session's arena. */
struct pending {
    struct sp_str call_id;
    struct sp_str tool;
    bool holds; /* its turn open */
};

struct turns {
    struct episode episode;
    struct sp_arena arena;
    struct sp_map pending; /* id key -> index of `calls` */
    struct pending *calls; /* every call of the session */
    size_t n_calls;
    size_t max_calls;
    size_t turn; /* index of the current turn's event, or NO_TURN */
    size_t n_open;
    bool is_interrupted; /* something was said since the current turn */
    bool has_last;
    uint64_t last; /* when the turn's last open call was answered */
    struct saidtext returned;
    struct saidtext known;
    uint64_t n_answered;
    struct sp_map sent_after; /* call id -> value */
    bool is_model_known;
    struct sp_buf key; /* scratch, as the next two */
    struct sp_buf text;
    struct sp_buf arguments;
};

struct turns *turns_new(struct sp_str session, struct sp_str domain, struct sp_str agent_model)
{
    struct turns *t = sp_calloc(1, sizeof *t);

    t->turn = NO_TURN;
    t->is_model_known = agent_model.p != NULL;
    t->episode.id = sp_arena_copy(&t->arena, session);
    t->episode.task_id = SP_STR("");
    t->episode.domain = sp_arena_copy(&t->arena, domain.p != NULL ? domain : SP_STR("mcp"));
    t->episode.agent_model =
        sp_arena_copy(&t->arena, t->is_model_known ? agent_model : SP_STR("unknown"));
    return t;
}

void turns_free(struct turns *t)
{
    if (t == NULL)
        return;
    episode_deinit(&t->episode);
    sp_map_deinit(&t->pending);
    sp_map_deinit(&t->sent_after);
    free(t->calls);
    saidtext_deinit(&t->returned);
    saidtext_deinit(&t->known);
    sp_buf_deinit(&t->key);
    sp_buf_deinit(&t->text);
    sp_buf_deinit(&t->arguments);
    sp_arena_deinit(&t->arena);
    free(t);
}

struct episode *turns_episode(struct turns *t)
{
    return &t->episode;
}

/* Whether a value of at least two characters came with `returned` and was not known before. */
static bool is_new(const struct turns *t, struct sp_str value)
{
    size_t n_chars = 0;

    for (size_t i = 0; i < value.len && n_chars < 2; i++)
        n_chars += (value.p[i] & 0xc0) != 0x80;
    return n_chars >= 2 && saidtext_has(&t->returned, value) && !saidtext_has(&t->known, value);
}

/* Whether canonical JSON holds a new value, at any depth; names do not count. */
static bool passes_new(struct turns *t, struct sp_str value)
{
    switch (jget_type(value)) {
    case JSCAN_STRING:
        sp_buf_clear(&t->text);
        jget_text(value, &t->text);
        return is_new(t, sp_buf_str(&t->text));
    case JSCAN_NUMBER:
        return is_new(t, value);
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
            if (passes_new(t, it.value))
                return true;
        }
        return false;
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        return false;
    }
    return false;
}

static bool continues(struct turns *t, const struct tracemsg *m)
{
    return m->from == LINE_CLIENT && t->has_last &&
           (m->t_ms <= t->last || m->t_ms - t->last <= CONTINUE_MS) && !t->is_interrupted &&
           !passes_new(t, sp_buf_str(&t->arguments));
}

static void open_turn(struct turns *t)
{
    saidtext_move(&t->known, &t->returned);
    t->has_last = false;
    t->is_interrupted = false;
    t->n_answered = 0;
    t->turn = episode_add_turn(&t->episode, (struct sp_str){0});
}

static void stop_holding(struct turns *t, struct pending *call)
{
    if (call->holds)
        t->n_open--;
    call->holds = false;
}

static size_t add_pending(struct turns *t, struct pending call)
{
    if (t->n_calls == t->max_calls) {
        t->max_calls = t->max_calls > 0 ? 2 * t->max_calls : 16;
        t->calls = sp_realloc(t->calls, t->max_calls * sizeof *t->calls);
    }
    t->calls[t->n_calls] = call;
    return t->n_calls++;
}

/* The pending call of an id; NULL for none. */
static struct pending *find_pending(struct turns *t, struct sp_str id)
{
    const size_t *i;

    sp_buf_clear(&t->key);
    tracemsg_id_key(id, &t->key);
    i = sp_map_find(&t->pending, sp_buf_str(&t->key));
    return i != NULL ? &t->calls[*i] : NULL;
}

static void feed_call(struct turns *t, const struct tracemsg *m)
{
    struct sp_str name, arguments = SP_STR("{}"), id_key;
    struct pending *earlier;
    struct pending call = {.holds = true};

    if (m->params.p == NULL || !jget_member(m->params, SP_STR("name"), &name) ||
        jget_type(name) != JSCAN_STRING)
        return;
    earlier = find_pending(t, m->id);
    if (earlier != NULL) {
        stop_holding(t, earlier);
        (void)sp_map_take(&t->pending, sp_buf_str(&t->key)); /* the key is the arena's */
    }
    id_key = sp_arena_copy(&t->arena, sp_buf_str(&t->key));

    (void)jget_member(m->params, SP_STR("arguments"), &arguments); /* absent: none */
    sp_buf_clear(&t->arguments);
    jcanon(&t->arguments, arguments);
    if (t->n_open == 0 && !continues(t, m))
        open_turn(t);

    saidtext_add(&t->known, sp_buf_str(&t->arguments));
    sp_buf_clear(&t->text);
    tracemsg_call_id(m->id, &t->text);
    call.call_id = sp_arena_copy(&t->arena, sp_buf_str(&t->text));
    sp_buf_clear(&t->text);
    jget_text(name, &t->text);
    call.tool = sp_arena_copy(&t->arena, sp_buf_str(&t->text));
    *sp_map_put(&t->sent_after, call.call_id, NULL) = (size_t)t->n_answered;
    episode_add_call(&t->episode, t->turn,
                     (struct episode_call){
                         .id = call.call_id,
                         .name = call.tool,
                         .arguments = sp_buf_str(&t->arguments),
                     });
    t->n_open++;
    *sp_map_put(&t->pending, id_key, NULL) = add_pending(t, call);
}

static void feed_answer(struct turns *t, const struct tracemsg *m)
{
    struct pending *call = find_pending(t, m->id);
    bool is_error;

    if (call == NULL)
        return;
    (void)sp_map_take(&t->pending, sp_buf_str(&t->key)); /* the key is the arena's */
    if (call->holds) {
        stop_holding(t, call);
        t->n_answered++;
        if (t->n_open == 0) {
            t->has_last = true;
            t->last = m->t_ms;
        }
    }
    sp_buf_clear(&t->text);
    is_error = tracemsg_result_text(m, &t->text);
    saidtext_add(&t->returned, sp_buf_str(&t->text));
    episode_add_result(&t->episode, call->call_id, call->tool, is_error, sp_buf_str(&t->text));
}

static void feed_cancelled(struct turns *t, const struct tracemsg *m)
{
    struct sp_str id;
    struct pending *call;

    if (m->params.p == NULL || !jget_member(m->params, SP_STR("requestId"), &id))
        return;
    call = find_pending(t, id);
    if (call != NULL)
        stop_holding(t, call);
}

static void feed_initialize(struct turns *t, const struct tracemsg *m)
{
    struct sp_str info, name;

    if (t->is_model_known || m->params.p == NULL ||
        !jget_member(m->params, SP_STR("clientInfo"), &info) ||
        !jget_member(info, SP_STR("name"), &name) || jget_type(name) != JSCAN_STRING)
        return;
    sp_buf_clear(&t->text);
    jget_text(name, &t->text);
    t->episode.agent_model = sp_arena_copy(&t->arena, sp_buf_str(&t->text));
    t->is_model_known = true;
}

static void feed_context(struct turns *t, const struct tracemsg *m)
{
    struct sp_str text;

    sp_buf_clear(&t->text);
    if (m->content.p != NULL && jget_type(m->content) == JSCAN_STRING)
        jget_text(m->content, &t->text);
    text = sp_buf_str(&t->text);
    saidtext_add(&t->known, text);
    if (m->role.p == NULL)
        return;
    if (jget_is_text(m->role, SP_STR("user")))
        episode_add_user(&t->episode, text);
    else if (jget_is_text(m->role, SP_STR("assistant")) && text.len > 0)
        episode_add_turn(&t->episode, text);
    else
        return;
    t->is_interrupted = true;
}

static void feed_message(struct turns *t, const struct tracemsg *m)
{
    bool has_method = m->method.p != NULL && jget_type(m->method) == JSCAN_STRING;

    if (m->from == LINE_CONTEXT) {
        feed_context(t, m);
    } else if (m->from != LINE_SERVER && has_method) {
        if (tracemsg_is(m, SP_STR("tools/call"))) {
            if (m->id.p != NULL)
                feed_call(t, m);
        } else if (tracemsg_is(m, SP_STR("notifications/cancelled"))) {
            feed_cancelled(t, m);
        } else if (tracemsg_is(m, SP_STR("initialize"))) {
            feed_initialize(t, m);
        }
    } else if (m->from != LINE_CLIENT && tracemsg_is_response(m)) {
        feed_answer(t, m);
    }
}

void turns_feed(struct turns *t, enum line_from from, uint64_t t_ms, struct sp_str message)
{
    struct tracemsg m;

    for (struct tracemsg_iter it = tracemsg_iter(from, t_ms, message); tracemsg_next(&it, &m);)
        feed_message(t, &m);
}

bool turns_sent_after(const struct turns *t, struct sp_str call_id, uint64_t *ret)
{
    const size_t *value = sp_map_find(&t->sent_after, call_id);

    if (value == NULL)
        return false;
    *ret = *value;
    return true;
}

static int key_cmp(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

void turns_put_sent_after(const struct turns *t, struct sp_buf *b)
{
    struct sp_str *keys = sp_calloc(t->sent_after.n, sizeof *keys);
    size_t n = 0, value;

    for (size_t at = 0; sp_map_next(&t->sent_after, &at, &keys[n], &value);)
        n++;
    qsort(keys, n, sizeof *keys, key_cmp);
    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, keys[i]);
        sp_buf_addf(b, ":%zu", *sp_map_find(&t->sent_after, keys[i]));
    }
    sp_buf_add_char(b, '}');
    free(keys);
}
