/*
 * stretto_commit: several calls of the server's tools in one, in order.
 *
 *  1. commit_start() reads the calls. Anything wrong with any of them: nothing is run.
 *  2. Each call is checked, which may take a while, sent, and awaited; its outcome goes into the
 *     report.
 *  3. The first that is refused, fails or gets no answer ends the commit: what comes after it was
 *     not run. Then the report answers the host, and the commit is gone.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "engine/engine_state.h"
#include "json/jcanon.h"

#define TOOL SP_STR("stretto_commit")

/* How the tool is listed, as canonical JSON. */
static const char declaration[] =
    "{\"annotations\":{\"destructiveHint\":true,\"readOnlyHint\":false},"
    "\"description\":\"Run several of the server's tools in order, in one call, once the user has "
    "agreed to all of the changes. Each call passes the policy check before it is made; the first "
    "one that is refused or fails ends the commit. Returns every call's result and the calls that "
    "were not run.\","
    "\"inputSchema\":{\"properties\":{\"calls\":{\"items\":{\"properties\":{"
    "\"arguments\":{\"type\":\"object\"},"
    "\"name\":{\"description\":\"The name of one of the other tools.\",\"type\":\"string\"}},"
    "\"required\":[\"name\",\"arguments\"],\"type\":\"object\"},"
    "\"minItems\":1,\"type\":\"array\"}},\"required\":[\"calls\"],\"type\":\"object\"},"
    "\"name\":\"stretto_commit\"}";

static const char misuse[] =
    "stretto_commit needs {\"calls\": [{\"name\": TOOL, \"arguments\": {...}}, ...]} with one or "
    "more calls of the server's tools; nothing was run.";

enum commit_state {
    COMMIT_NEXT,  /* call `i` is to be made, or all are */
    COMMIT_CHECK, /* it is judged, or waits for the judge */
    COMMIT_SENT,  /* its answer is awaited */
    COMMIT_ENDED, /* it failed: call `i` and those behind it are not run */
};

struct commit {
    TAILQ_ENTRY(commit) entry;
    enum commit_state state;
    struct sp_arena arena; /* of the views below */
    struct sp_str id;      /* the host's, as it was sent */
    bool is_modern;        /* its request was */
    struct engine_call *calls;
    size_t n_calls;
    size_t i;         /* the next call, or the one that is awaited */
    uint64_t awaited; /* the number of its request */
    uint64_t sent_ms;
    struct sp_buf report;
};

bool commit_is_called(const struct engine_call *call)
{
    return sp_str_eq(call->name, TOOL);
}

void commit_drop(struct commit *cm)
{
    sp_arena_deinit(&cm->arena);
    sp_buf_deinit(&cm->report);
    free(cm->calls);
    free(cm);
}

void commit_free_all(struct engine *e)
{
    struct commit *cm;

    while ((cm = TAILQ_FIRST(&e->commits)) != NULL) {
        TAILQ_REMOVE(&e->commits, cm, entry);
        commit_drop(cm);
    }
}

/* Begins the part of the call at index `i` of the report. */
static void report_call(struct commit *cm, size_t i)
{
    if (i > 0)
        sp_buf_add(&cm->report, SP_STR("\n\n"));
    sp_buf_add(&cm->report, cm->calls[i].name);
    sp_buf_add_char(&cm->report, ' ');
    jcanon_exact(&cm->report, cm->calls[i].arguments);
}

/* Puts down how the call ended, and goes on to the next. */
static void report(struct commit *cm, struct sp_str outcome, struct sp_str text)
{
    report_call(cm, cm->i++);
    sp_buf_add(&cm->report, outcome);
    sp_buf_add(&cm->report, text);
}

static void report_no_answer(struct commit *cm)
{
    report(cm, SP_STR(" got no answer from the server"), SP_STR(""));
    cm->state = COMMIT_ENDED;
}

/* Sends the next call. A closed server ends the commit, and so does the end of the proxy: nobody
 * would wait for the answer. */
static void send_call(struct engine *e, struct commit *cm)
{
    if (e->is_interrupted) {
        cm->state = COMMIT_ENDED;
        return;
    }
    if (e->is_server_ended || !e->ops->is_server_open(e->owner)) {
        report_no_answer(cm);
        return;
    }
    cm->awaited = engine_send_own(e, &cm->calls[cm->i]);
    cm->sent_ms = e->now_ms;
    cm->state = COMMIT_SENT;
}

/* Goes on with the next call, which was checked; a refusal ends the commit. */
static void end_check(struct engine *e, struct commit *cm, enum engine_verdict verdict,
                      struct sp_str reasons)
{
    switch (verdict) {
    case ENGINE_MAY_CALL:
        send_call(e, cm);
        break;
    case ENGINE_REFUSED:
        report(cm, SP_STR(" was refused by the policy check: "), reasons);
        cm->state = COMMIT_ENDED;
        break;
    case ENGINE_JUDGED:
        cm->state = COMMIT_CHECK;
        judging_hold_commit(e, cm);
        break;
    case ENGINE_WAITS:
        cm->state = COMMIT_CHECK;
        judging_wait(e, cm);
        break;
    case ENGINE_NOT_NOW:
        cm->state = COMMIT_ENDED;
        break;
    }
}

static void make_call(struct engine *e, struct commit *cm)
{
    struct sp_buf reasons = {0};
    enum engine_verdict verdict = engine_check(e, &cm->calls[cm->i], &reasons);

    end_check(e, cm, verdict, sp_buf_str(&reasons));
    sp_buf_deinit(&reasons);
}

/* Goes on until an answer is awaited or the commit is over, and then gone. */
static void commit_step(struct engine *e, struct commit *cm)
{
    bool is_error;

    while (cm->state == COMMIT_NEXT && cm->i < cm->n_calls)
        make_call(e, cm);
    if (cm->state == COMMIT_CHECK)
        return; /* who holds it goes on */
    if (cm->state == COMMIT_SENT) {
        TAILQ_INSERT_TAIL(&e->commits, cm, entry); /* its request is the youngest */
        return;
    }
    is_error = cm->state == COMMIT_ENDED;
    while (cm->i < cm->n_calls)
        report(cm, SP_STR(" was not run"), SP_STR(""));
    engine_answer_call(e, cm->id, cm->is_modern, sp_buf_str(&cm->report), is_error);
    commit_drop(cm);
}

void commit_resume(struct engine *e, struct commit *cm, enum engine_verdict verdict,
                   struct sp_str reasons)
{
    end_check(e, cm, verdict, reasons);
    commit_step(e, cm);
}

void commit_go_on(struct engine *e, struct commit *cm)
{
    cm->state = COMMIT_NEXT;
    commit_step(e, cm);
}

/* Reads one call; whether it is one. */
static bool read_call(struct commit *cm, struct sp_str item, struct engine_call *ret)
{
    struct sp_str name;
    struct sp_buf text = {0};

    *ret = (struct engine_call){.arguments = SP_STR("{}")};
    if (!jget_member(item, SP_STR("name"), &name) || jget_type(name) != JSCAN_STRING)
        return false;
    (void)jget_member(item, SP_STR("arguments"), &ret->arguments); /* absent: none */
    jget_text(name, &text);
    ret->name = sp_arena_copy(&cm->arena, sp_buf_str(&text));
    ret->arguments = sp_arena_copy(&cm->arena, ret->arguments);
    sp_buf_deinit(&text);
    return jget_type(ret->arguments) == JSCAN_OBJECT && !commit_is_called(ret);
}

/* Reads the calls; whether all of them are calls, and there is one. */
static bool read_calls(struct commit *cm, const struct tracemsg *m)
{
    struct sp_str arguments, calls;
    size_t max = 0;

    if (m->params.p == NULL || !jget_member(m->params, SP_STR("arguments"), &arguments) ||
        !jget_member(arguments, SP_STR("calls"), &calls) || jget_type(calls) != JSCAN_ARRAY)
        return false;
    for (struct jget_iter it = jget_iter(calls); jget_next(&it); cm->n_calls++) {
        if (cm->n_calls == max) {
            max = max > 0 ? 2 * max : 4;
            cm->calls = sp_realloc(cm->calls, max * sizeof *cm->calls);
        }
        if (!read_call(cm, it.value, &cm->calls[cm->n_calls]))
            return false;
    }
    return cm->n_calls > 0;
}

void commit_start(struct engine *e, const struct tracemsg *m)
{
    struct commit *cm = sp_calloc(1, sizeof *cm);

    cm->id = sp_arena_copy(&cm->arena, m->id);
    cm->is_modern = engine_is_modern(m);
    if (read_calls(cm, m)) {
        commit_step(e, cm);
    } else {
        engine_answer_call(e, cm->id, cm->is_modern, sp_str_of(misuse), true);
        commit_drop(cm);
    }
}

/* The commit that awaits the answer to an own request; NULL for none. */
static struct commit *find(const struct engine *e, uint64_t own)
{
    struct commit *cm = TAILQ_FIRST(&e->commits);

    while (cm != NULL && cm->awaited != own)
        cm = TAILQ_NEXT(cm, entry);
    return cm;
}

bool commit_take(struct engine *e, const struct tracemsg *m, uint64_t own)
{
    struct commit *cm = find(e, own);
    struct sp_buf text = {0};

    if (cm == NULL)
        return false;
    TAILQ_REMOVE(&e->commits, cm, entry);
    if (engine_response_text(m, &text) || engine_wants_input(m)) {
        report(cm, SP_STR(" (error):\n"), sp_buf_str(&text));
        cm->state = COMMIT_ENDED;
    } else {
        report(cm, SP_STR(":\n"), sp_buf_str(&text));
        cm->state = COMMIT_NEXT;
    }
    sp_buf_deinit(&text);
    commit_step(e, cm);
    return true;
}

void commit_end_first(struct engine *e)
{
    struct commit *cm = TAILQ_FIRST(&e->commits);

    engine_abandon(e, cm->awaited);
    TAILQ_REMOVE(&e->commits, cm, entry);
    report_no_answer(cm);
    commit_step(e, cm);
}

uint64_t commit_first_own(const struct engine *e)
{
    const struct commit *cm = TAILQ_FIRST(&e->commits);

    return cm != NULL ? cm->awaited : UINT64_MAX;
}

void commit_timeout(struct engine *e)
{
    while (commit_due_ms(e) <= e->now_ms) {
        const struct commit *cm = TAILQ_FIRST(&e->commits);

        engine_note(e, "no answer from the server to %.*s within %d s",
                    SP_STR_ARG(engine_clip(cm->calls[cm->i].name)), ENGINE_WAIT_MS / 1000);
        commit_end_first(e);
    }
}

uint64_t commit_due_ms(const struct engine *e)
{
    const struct commit *cm = TAILQ_FIRST(&e->commits);

    return cm != NULL ? cm->sent_ms + ENGINE_WAIT_MS + 1 : UINT64_MAX;
}

static bool is_the_tool(struct sp_str item)
{
    struct sp_str name;

    return jget_member(item, SP_STR("name"), &name) && jget_is_text(name, TOOL);
}

/* Appends the array without the server's tool of that name, and with the proxy's; whether the
 * server had one. */
static bool put_tools(struct sp_str tools, bool is_added, struct sp_buf *b)
{
    bool is_first = true, had_one = false;

    sp_buf_add_char(b, '[');
    for (struct jget_iter it = jget_iter(tools); jget_next(&it);) {
        if (is_the_tool(it.value)) {
            had_one = true;
            continue;
        }
        if (!is_first)
            sp_buf_add_char(b, ',');
        is_first = false;
        sp_buf_add(b, it.value);
    }
    if (is_added) {
        if (!is_first)
            sp_buf_add_char(b, ',');
        sp_buf_add(b, sp_str_of(declaration));
    }
    sp_buf_add_char(b, ']');
    return had_one;
}

bool commit_list(struct sp_str text, bool is_first, struct sp_buf *ret)
{
    struct sp_str result, tools;
    struct sp_buf spliced = {0};
    const char *end = text.p + text.len;
    bool is_changed;

    if (!jget_member(text, SP_STR("result"), &result) ||
        !jget_member(result, SP_STR("tools"), &tools) || jget_type(tools) != JSCAN_ARRAY)
        return false;
    sp_buf_add(&spliced, (struct sp_str){text.p, (size_t)(tools.p - text.p)});
    is_changed = put_tools(tools, is_first, &spliced) || is_first;
    sp_buf_add(&spliced, (struct sp_str){tools.p + tools.len, (size_t)(end - tools.p) - tools.len});
    if (is_changed)
        jcanon_exact(ret, sp_buf_str(&spliced));
    sp_buf_deinit(&spliced);
    return is_changed;
}
