/*
 * The engine's events, and what becomes of one message.
 *
 * A line of the host:
 *  1. with guards, strict.c sees to it that it can be read in one way only;
 *  2. a tools/list is remembered by its id; a tools/call is checked: the conversation is read, the
 *     guards judge the session as it stands before the call, and only then is it recorded;
 *  3. where the confirmation judge is asked, the call and what comes behind it wait (judging.c);
 *  4. refused, it is answered here; a commit is served here; anything else goes on as it came.
 *
 * A line of the server is recorded first. A response that answers one of the proxy's own requests
 * goes to what awaits it, or nowhere if that was given up; one that lists tools may be changed;
 * anything else goes on as it came.
 */

#include <stdarg.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "engine/engine_state.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "mcp/message.h"

struct engine *engine_new(const struct engine_options *options, const struct engine_ops *ops,
                          void *owner)
{
    struct engine *e = sp_calloc(1, sizeof *e);

    e->options = options;
    e->ops = ops;
    e->owner = owner;
    TAILQ_INIT(&e->commits);
    if (options->guards != NULL || options->flow != NULL) {
        struct sp_str none = {0};

        e->turns = turns_new(sp_str_of(options->session),
                             options->domain != NULL ? sp_str_of(options->domain) : none,
                             options->agent_model != NULL ? sp_str_of(options->agent_model) : none);
        turns_episode(e->turns)->task_id = sp_str_of(options->task_id);
    }
    flowrun_init(e);
    judging_init(e);
    return e;
}

void engine_free(struct engine *e)
{
    if (e == NULL)
        return;
    commit_free_all(e);
    judging_deinit(e);
    flowrun_deinit(e);
    toollist_deinit(&e->tools);
    guard_facts_deinit(&e->facts);
    turns_free(e->turns);
    idset_deinit(&e->calls);
    idset_deinit(&e->lists);
    idset_deinit(&e->abandoned);
    sp_buf_deinit(&e->meta);
    free(e);
}

void engine_note(struct engine *e, const char *format, ...)
{
    struct sp_buf text = {0};
    va_list args;

    va_start(args, format);
    sp_buf_addv(&text, format, args);
    va_end(args);
    e->ops->note(e->owner, sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

void engine_record(struct engine *e, struct line *line, enum line_from from)
{
    struct jscan scan;

    line->from = from;
    line->t_ms = e->now_ms;
    e->ops->record(e->owner, line);
    if (e->turns != NULL && jscan(line_str(line), JSCAN_LOG_DEPTH, &scan))
        turns_feed(e->turns, from, e->now_ms, scan.value);
}

struct line *engine_record_own(struct engine *e, struct sp_buf *text)
{
    struct line *line;

    sp_buf_add_char(text, '\n');
    line = line_new(text->len);
    memcpy(line->bytes, text->p, text->len);
    line->len = text->len;
    sp_buf_clear(text);
    engine_record(e, line, LINE_PROXY);
    return line;
}

void engine_answer_host(struct engine *e, struct sp_buf *text)
{
    e->ops->to_host(e->owner, engine_record_own(e, text));
}

bool engine_is_modern(const struct tracemsg *m)
{
    struct sp_str version;

    return message_params_version(m->params, &version);
}

void engine_answer_call(struct engine *e, struct sp_str id, bool is_modern, struct sp_str text,
                        bool is_error)
{
    struct sp_buf answer = {0};

    sp_buf_add(&answer, SP_STR("{\"id\":"));
    sp_buf_add(&answer, id);
    sp_buf_add(&answer, SP_STR(",\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":"));
    jput_string(&answer, text);
    sp_buf_addf(&answer, ",\"type\":\"text\"}],\"isError\":%s%s}}", is_error ? "true" : "false",
                is_modern ? ",\"resultType\":\"complete\"" : "");
    engine_answer_host(e, &answer);
    sp_buf_deinit(&answer);
}

/* Keeps what own requests are to have for _meta from now on: what the host's last call had. */
static void keep_meta(struct engine *e, const struct tracemsg *m)
{
    struct sp_str meta;

    sp_buf_clear(&e->meta);
    if ((!e->options->commit && e->flow == NULL) || !engine_is_modern(m))
        return;
    (void)jget_member(m->params, SP_STR("_meta"), &meta); /* it is there: it has the version */
    for (struct jget_iter it = jget_iter(meta); jget_next(&it);) {
        if (jget_is_text(it.name, SP_STR("progressToken")))
            continue;
        sp_buf_add_char(&e->meta, e->meta.len > 0 ? ',' : '{');
        sp_buf_add(&e->meta, it.name);
        sp_buf_add_char(&e->meta, ':');
        sp_buf_add(&e->meta, it.value);
    }
    sp_buf_add_char(&e->meta, '}');
}

uint64_t engine_send_own(struct engine *e, const struct engine_call *call)
{
    struct sp_buf text = {0};

    e->n_own++;
    sp_buf_addf(&text,
                "{\"id\":\"stretto-%ju\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\","
                "\"params\":{",
                (uintmax_t)e->n_own);
    if (e->meta.len > 0) {
        sp_buf_add(&text, SP_STR("\"_meta\":"));
        jcanon_exact(&text, sp_buf_str(&e->meta));
        sp_buf_add_char(&text, ',');
    }
    sp_buf_add(&text, SP_STR("\"arguments\":"));
    jcanon_exact(&text, call->arguments);
    sp_buf_add(&text, SP_STR(",\"name\":"));
    jput_string(&text, call->name);
    sp_buf_add(&text, SP_STR("}}"));
    e->ops->to_server(e->owner, engine_record_own(e, &text));
    sp_buf_deinit(&text);
    return e->n_own;
}

struct engine_call engine_call_of(const struct tracemsg *m, struct sp_buf *name_buf)
{
    struct engine_call call = {.arguments = SP_STR("{}")};
    struct sp_str name;

    if (m->params.p != NULL) {
        (void)jget_member(m->params, SP_STR("arguments"), &call.arguments); /* absent: none */
        if (jget_member(m->params, SP_STR("name"), &name) && jget_type(name) == JSCAN_STRING)
            jget_text(name, name_buf);
    }
    call.name = sp_buf_str(name_buf);
    return call;
}

enum engine_verdict engine_check(struct engine *e, const struct engine_call *call,
                                 struct sp_buf *ret_reasons)
{
    const struct guard_verdict *confirmed;
    const struct episode *episode;
    struct guard_checked checked;
    enum engine_verdict verdict = ENGINE_MAY_CALL;

    if (e->options->guards == NULL)
        return ENGINE_MAY_CALL;
    conversation_read(e);
    episode = turns_episode(e->turns);
    guard_facts_update(&e->facts, episode, episode->n_events);
    guard_check(e->options->guards, &e->facts, call->name, call->arguments, &checked);
    confirmed = guard_confirmed(&checked);
    if (guard_put_reasons(&checked, ret_reasons))
        verdict = ENGINE_REFUSED;
    else if (e->judging != NULL && confirmed != NULL)
        verdict = judging_begin(e, call, confirmed->outcome == GUARD_PASS, ret_reasons);
    guard_checked_deinit(&checked);
    return verdict;
}

/* Appends the string `text` members of a result's content items, joined by LF. */
static void put_texts(struct sp_str result, struct sp_buf *ret)
{
    struct sp_str content, text;
    bool is_any = false;

    if (!jget_member(result, SP_STR("content"), &content) || jget_type(content) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(content); jget_next(&it);) {
        if (!jget_member(it.value, SP_STR("text"), &text) || jget_type(text) != JSCAN_STRING)
            continue;
        if (is_any)
            sp_buf_add_char(ret, '\n');
        jget_text(text, ret);
        is_any = true;
    }
}

bool engine_response_text(const struct tracemsg *m, struct sp_buf *ret)
{
    struct sp_str part;

    if (m->error.p != NULL) {
        if (jget_member(m->error, SP_STR("message"), &part) && jget_type(part) == JSCAN_STRING)
            jget_text(part, ret);
        else
            sp_buf_add(ret, SP_STR("error"));
        return true;
    }
    if (m->result.p == NULL)
        return false;
    put_texts(m->result, ret);
    return jget_member(m->result, SP_STR("isError"), &part) && jget_type(part) == JSCAN_TRUE;
}

bool engine_wants_input(const struct tracemsg *m)
{
    struct sp_str type;

    return m->result.p != NULL && jget_member(m->result, SP_STR("resultType"), &type) &&
           jget_is_text(type, SP_STR("input_required"));
}

/* Answers a refused call, or drops one that has no id. */
static void refuse(struct engine *e, const struct tracemsg *m, struct sp_str name,
                   struct sp_str reasons)
{
    struct sp_buf text = {0};

    engine_note(e, "refused %.*s: %.*s", SP_STR_ARG(engine_clip(name)),
                SP_STR_ARG(engine_clip(reasons)));
    if (m->id.p != NULL) {
        guard_put_refusal(name, reasons, &text);
        engine_answer_call(e, m->id, engine_is_modern(m), sp_buf_str(&text), true);
    }
    sp_buf_deinit(&text);
}

static void forward_host(struct engine *e, struct line *line)
{
    engine_record(e, line, LINE_CLIENT);
    e->ops->to_server(e->owner, line_ref(line));
}

/* Goes on with a call that was checked. */
static void end_call(struct engine *e, const struct tracemsg *m, struct line *line,
                     struct sp_str name, enum engine_verdict verdict, struct sp_str reasons)
{
    switch (verdict) {
    case ENGINE_MAY_CALL:
        if (m->id.p != NULL)
            idset_put(&e->calls, m->id, 0);
        forward_host(e, line);
        break;
    case ENGINE_REFUSED:
        engine_record(e, line, LINE_CLIENT);
        refuse(e, m, name, reasons);
        break;
    case ENGINE_JUDGED:
        judging_hold_line(e, line);
        break;
    case ENGINE_WAITS: /* a host's call is not handled while the judge is busy */
    case ENGINE_NOT_NOW:
        if (!e->is_server_ended) /* behind its end the host's lines are dropped */
            engine_record(e, line, LINE_CLIENT);
        break;
    }
}

/* A tools/call; without an id only where guards are to see it. */
static void host_call(struct engine *e, const struct tracemsg *m, struct line *line)
{
    struct sp_buf name = {0}, reasons = {0};
    struct engine_call call = engine_call_of(m, &name);

    keep_meta(e, m);
    conversation_read(e);
    if (e->options->commit && commit_is_called(&call)) {
        engine_record(e, line, LINE_CLIENT);
        if (m->id.p != NULL)
            commit_start(e, m);
        else
            engine_note(e, "dropped a call of %.*s that has no id",
                        SP_STR_ARG(engine_clip(call.name)));
    } else {
        enum engine_verdict verdict = engine_check(e, &call, &reasons);

        end_call(e, m, line, call.name, verdict, sp_buf_str(&reasons));
    }
    sp_buf_deinit(&name);
    sp_buf_deinit(&reasons);
}

static bool asks_first_page(const struct tracemsg *m)
{
    struct sp_str cursor;

    return m->params.p == NULL || !jget_member(m->params, SP_STR("cursor"), &cursor) ||
           jget_type(cursor) == JSCAN_NULL;
}

/* Reads a line that is one message: JSON, and an object. */
static bool read_message(struct line *line, struct tracemsg *ret)
{
    struct tracemsg_iter it;
    struct jscan scan;

    if (!jscan(line_str(line), JSCAN_LOG_DEPTH, &scan) || scan.type != JSCAN_OBJECT)
        return false;
    it = tracemsg_iter(line->from, line->t_ms, scan.value);
    return tracemsg_next(&it, ret);
}

void engine_resume_call(struct engine *e, struct line *line, enum engine_verdict verdict,
                        struct sp_str reasons)
{
    struct sp_buf name = {0};
    struct tracemsg m;

    if (read_message(line, &m)) /* it did before */
        end_call(e, &m, line, engine_call_of(&m, &name).name, verdict, reasons);
    sp_buf_deinit(&name);
}

void engine_host_message(struct engine *e, struct line *line)
{
    struct tracemsg m;

    if (read_message(line, &m)) {
        bool is_request = m.id.p != NULL;

        if (tracemsg_is(&m, SP_STR("tools/call")) && (is_request || e->options->guards != NULL)) {
            host_call(e, &m, line);
            return;
        }
        if (is_request && tracemsg_is(&m, SP_STR("tools/list")))
            idset_put(&e->lists, m.id, asks_first_page(&m));
    }
    forward_host(e, line);
}

void engine_handle_host(struct engine *e, struct line *line)
{
    if (e->is_server_ended)
        return;
    if (engine_is_judging(e))
        judging_put_off(e, line);
    else if (e->options->guards != NULL)
        strict_host_line(e, line);
    else
        engine_host_message(e, line);
}

void engine_host_line(struct engine *e, uint64_t now_ms, struct line *line)
{
    e->now_ms = now_ms;
    engine_handle_host(e, line);
}

/* Whether a message answers, by the id of a request that it may belong to. */
static bool is_response(const struct tracemsg *m)
{
    return m->id.p != NULL && m->method.p == NULL && (m->result.p != NULL || m->has_error);
}

/* The number of one of the proxy's own requests; 0 for any other id. */
static uint64_t own_number(struct sp_str id)
{
    struct sp_buf text = {0};
    struct sp_str digits, prefix = SP_STR("stretto-");
    uint64_t n = 0;

    if (jget_type(id) == JSCAN_STRING)
        jget_text(id, &text);
    if (sp_str_starts(sp_buf_str(&text), prefix)) {
        digits = sp_str_sub(sp_buf_str(&text), prefix.len, text.len);
        if (digits.len > 0 && digits.p[0] != '0')
            (void)jget_u64(digits, &n); /* no number: none */
    }
    sp_buf_deinit(&text);
    return n;
}

/* Answers to tools/list and tools/call, and the proxy's own; whether the line is not forwarded. */
static bool take_response(struct engine *e, const struct tracemsg *m, struct line *line)
{
    uint64_t own = own_number(m->id);
    struct sp_buf changed = {0};
    size_t is_first;
    bool is_taken = true;

    if (own > 0 && (commit_take(e, m, own) || flowrun_take(e, m, own)))
        return true;
    if (idset_take(&e->abandoned, m->id, NULL))
        return true;
    if (idset_take(&e->lists, m->id, &is_first)) {
        if (e->flow != NULL && m->result.p != NULL)
            toollist_learn(&e->tools, m->result);
        is_taken = e->options->commit && commit_list(m->text, is_first != 0, &changed);
        if (is_taken)
            engine_answer_host(e, &changed);
        sp_buf_deinit(&changed);
        return is_taken;
    }
    return idset_take(&e->calls, m->id, NULL) && flowrun_start(e, m, line);
}

void engine_server_line(struct engine *e, uint64_t now_ms, struct line *line)
{
    struct tracemsg m;

    e->now_ms = now_ms;
    engine_record(e, line, line->from);
    if (read_message(line, &m) && is_response(&m) && take_response(e, &m, line))
        return;
    e->ops->to_host(e->owner, line_ref(line));
}

void engine_kept_line(struct engine *e, uint64_t now_ms, struct line *line)
{
    e->now_ms = now_ms;
    engine_record(e, line, line->from);
}

void engine_host_end(struct engine *e, uint64_t now_ms)
{
    e->now_ms = now_ms;
    if (!e->is_server_ended && !judging_put_off_end(e))
        conversation_read(e);
}

void engine_answer(struct engine *e, uint64_t now_ms, enum engine_asker who,
                   const struct oracle_response *response, const char *error)
{
    e->now_ms = now_ms;
    switch (who) {
    case ENGINE_ASK_FLOW:
        flowrun_answer(e, response, error);
        break;
    case ENGINE_ASK_JUDGE:
        judging_answer(e, response, error);
        break;
    case ENGINE_N_ASKERS:
        break;
    }
}

void engine_abandon(struct engine *e, uint64_t own)
{
    struct sp_buf id = {0};

    sp_buf_addf(&id, "\"stretto-%ju\"", (uintmax_t)own);
    idset_put(&e->abandoned, sp_buf_str(&id), 0);
    sp_buf_deinit(&id);
}

/* Ends all jobs in the order in which their last requests were sent. */
static void end_jobs(struct engine *e, bool with_found)
{
    while (commit_first_own(e) != UINT64_MAX) {
        if (flowrun_last_own(e) < commit_first_own(e))
            flowrun_end(e, with_found);
        else
            commit_end_first(e);
    }
    flowrun_end(e, with_found);
}

void engine_server_end(struct engine *e, uint64_t now_ms)
{
    e->now_ms = now_ms;
    e->is_server_ended = true;
    judging_stop(e);
    end_jobs(e, true);
}

void engine_interrupt(struct engine *e, uint64_t now_ms)
{
    e->now_ms = now_ms;
    e->is_interrupted = true;
    judging_stop(e);
    end_jobs(e, false);
}

void engine_timeout(struct engine *e, uint64_t now_ms)
{
    e->now_ms = now_ms;
    commit_timeout(e);
    flowrun_timeout(e);
}

uint64_t engine_due_ms(const struct engine *e)
{
    uint64_t commit_ms = commit_due_ms(e), flow_ms = flowrun_due_ms(e);

    return commit_ms < flow_ms ? commit_ms : flow_ms;
}
