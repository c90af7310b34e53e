/*
 * One run of a procedure.
 *
 *     CHOOSING ──► CALLING ──► CHOOSING ... (at most max_calls times)
 *         │           └──────► OVER (handed over)
 *         ├──► CHECKING ──► OVER
 *         └──► OVER (no check)
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/sp_unicode.h"
#include "json/jcanon.h"
#include "json/jscan.h"
#include "procedure/procedure_bind.h"
#include "procedure/procedure_run.h"
#include "procedure/procedure_text.h"

enum run_state { RUN_CHOOSING, RUN_CALLING, RUN_CHECKING, RUN_OVER };

struct procedure_run {
    const struct procedure *procedure;
    enum run_state state;
    struct procedure_state *known;
    struct procedure_bind bind;
    struct sp_arena arena;
    struct sp_map done;  /* keys of all calls made */
    struct sp_map fresh; /* keys of the reads made since the last write */
    struct sp_buf ticket_lower;
    struct procedure_run_call *calls;
    size_t n_calls;
    size_t max_calls;     /* that there is room for */
    struct sp_str action; /* of the call under way, as written */
    const struct procedure_check *check;
    struct sp_buf outcome;
    enum procedure_run_verdict verdict;
};

struct procedure_run *procedure_run_new(const struct procedure *p, struct sp_str ticket)
{
    struct procedure_run *r = sp_calloc(1, sizeof *r);

    r->procedure = p;
    r->known = procedure_state_new(p, ticket);
    r->bind = (struct procedure_bind){.state = r->known, .ticket = ticket};
    sp_unicode_put_lower(&r->ticket_lower, ticket);
    return r;
}

void procedure_run_free(struct procedure_run *r)
{
    if (r == NULL)
        return;
    procedure_bind_deinit(&r->bind);
    procedure_state_free(r->known);
    sp_map_deinit(&r->done);
    sp_map_deinit(&r->fresh);
    sp_buf_deinit(&r->ticket_lower);
    sp_buf_deinit(&r->outcome);
    free(r->calls);
    sp_arena_deinit(&r->arena);
    free(r);
}

static bool is_read(const struct procedure_run *r, struct sp_str tool)
{
    return sp_map_find(&r->procedure->reads, tool) != NULL;
}

/* What tells a call from others: its tool, in which there is no brace, and its arguments. */
static void put_key(struct sp_buf *b, const struct procedure_run_call *call)
{
    sp_buf_add(b, call->tool);
    sp_buf_add(b, call->arguments);
}

static bool is_repeat(const struct procedure_run *r, const struct procedure_run_call *call)
{
    struct sp_buf key = {0};
    bool is;

    put_key(&key, call);
    is = sp_map_find(is_read(r, call->tool) ? &r->fresh : &r->done, sp_buf_str(&key)) != NULL;
    sp_buf_deinit(&key);
    return is;
}

/* Appends an action's arguments as they are written. */
static int read_arguments(const struct procedure_run *r, struct sp_str action, struct sp_str tool,
                          struct sp_buf *ret, struct sp_err *ret_err)
{
    struct jscan found;

    if (tool.len < action.len) {
        if (!jscan(sp_str_sub(action, tool.len, action.len), PROCEDURE_TEXT_DEPTH, &found)) {
            sp_err_set(ret_err, "action %.*s: its arguments are no JSON object",
                       SP_STR_ARG(action));
            return -EINVAL;
        }
        jcanon_exact(ret, found.value);
    } else if (sp_str_eq(tool, r->procedure->handoff)) {
        jcanon_exact(ret, r->procedure->handoff_arguments);
    } else {
        sp_buf_add(ret, SP_STR("{}"));
    }
    return 0;
}

/*
 * Looks at one action of a leaf.
 *
 * Returns: PROCEDURE_RUN_CALL when it can be made; 0 when it does not bind or is a repeat;
 *          negative when it cannot be read.
 */
static int try_action(struct procedure_run *r, struct sp_str action, struct procedure_run_call *ret,
                      struct sp_err *ret_err)
{
    struct procedure_run_call call = {.tool = sp_str_sub(action, 0, sp_str_find(action, '{'))};
    struct sp_buf written = {0}, bound = {0};
    int outcome = read_arguments(r, action, call.tool, &written, ret_err);

    if (outcome < 0)
        goto out;
    call.arguments = sp_buf_str(&written);
    if (r->procedure->is_symbolic && !sp_str_eq(call.tool, r->procedure->handoff)) {
        if (!procedure_bind_arguments(&r->bind, call.tool, call.arguments, &bound))
            goto out;
        call.arguments = sp_buf_str(&bound);
    }
    if (is_repeat(r, &call))
        goto out;
    call.arguments = sp_arena_copy(&r->arena, call.arguments);
    *ret = call;
    outcome = PROCEDURE_RUN_CALL;
out:
    sp_buf_deinit(&written);
    sp_buf_deinit(&bound);
    return outcome;
}

/* Chooses the next call; returns as try_action() does, 0 when the loop is to be left. */
static int choose(struct procedure_run *r, struct procedure_run_call *ret, struct sp_err *ret_err)
{
    const struct procedure_node *node =
        procedure_tree(r->procedure, procedure_state_site(r->known));
    int outcome = 0;

    while (node->feature.p != NULL)
        node = procedure_state_has(r->known, node->feature) ? node->yes : node->no;
    for (size_t i = 0; outcome == 0 && i < node->n_actions; i++) {
        if (sp_str_eq(node->actions[i], r->procedure->stop))
            break;
        r->action = node->actions[i];
        outcome = try_action(r, r->action, ret, ret_err);
    }
    return outcome;
}

/* Keeps a call that is going to be made. */
static void add_call(struct procedure_run *r, struct procedure_run_call call)
{
    if (r->n_calls == r->max_calls) {
        r->max_calls = r->max_calls > 0 ? 2 * r->max_calls : 16;
        r->calls = sp_realloc(r->calls, r->max_calls * sizeof *r->calls);
    }
    r->calls[r->n_calls++] = call;
}

/* Notes that a call is made, for what may follow it. */
static void note_call(struct procedure_run *r, const struct procedure_run_call *call)
{
    struct sp_buf text = {0};
    struct sp_str key;

    put_key(&text, call);
    key = sp_arena_copy(&r->arena, sp_buf_str(&text));
    sp_buf_deinit(&text);
    (void)sp_map_put(&r->done, key, NULL);
    if (is_read(r, call->tool)) {
        (void)sp_map_put(&r->fresh, key, NULL);
    } else {
        sp_map_deinit(&r->fresh);
        procedure_state_made(r->known, r->action);
    }
    procedure_bind_pass(&r->bind, call->tool, call->arguments);
}

/* The first check whose phrase the ticket has; NULL for none. */
static const struct procedure_check *find_check(const struct procedure_run *r)
{
    for (size_t i = 0; i < r->procedure->n_checks; i++) {
        if (procedure_text_has(sp_buf_str(&r->ticket_lower), r->procedure->checks[i].phrase))
            return &r->procedure->checks[i];
    }
    return NULL;
}

int procedure_run_next(struct procedure_run *r, struct procedure_run_call *ret,
                       struct sp_err *ret_err)
{
    struct procedure_run_call call;
    int outcome = 0;

    assert(r->state == RUN_CHOOSING || r->state == RUN_OVER);
    if (r->state == RUN_OVER)
        return 0;
    if (r->n_calls < r->procedure->max_calls)
        outcome = choose(r, &call, ret_err);
    if (outcome < 0)
        return outcome;
    if (outcome == PROCEDURE_RUN_CALL) {
        add_call(r, call);
        note_call(r, &call);
        r->state = RUN_CALLING;
        *ret = call;
        return outcome;
    }
    r->verdict = PROCEDURE_RUN_HAND_BACK;
    r->check = find_check(r);
    if (r->check == NULL) {
        r->state = RUN_OVER;
        return 0;
    }
    r->state = RUN_CHECKING;
    *ret = (struct procedure_run_call){.tool = r->check->probe, .arguments = SP_STR("{}")};
    return PROCEDURE_RUN_CALL;
}

static bool has_all(struct sp_str text, const struct procedure_texts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        if (!procedure_text_has(text, parts->of[i]))
            return false;
    }
    return true;
}

static bool has_any(struct sp_str text, const struct procedure_texts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        if (procedure_text_has(text, parts->of[i]))
            return true;
    }
    return false;
}

static void check(struct procedure_run *r, struct sp_str text)
{
    struct sp_buf lower = {0};

    sp_buf_add(&r->outcome, text);
    sp_unicode_put_lower(&lower, text);
    if (has_all(sp_buf_str(&lower), &r->check->contains) &&
        !has_any(sp_buf_str(&lower), &r->check->lacks))
        r->verdict = PROCEDURE_RUN_RESOLVED;
    sp_buf_deinit(&lower);
    r->state = RUN_OVER;
}

/* Goes on behind a call whose result was taken in. */
static void go_on(struct procedure_run *r)
{
    r->state = RUN_CHOOSING;
    if (sp_str_eq(r->calls[r->n_calls - 1].tool, r->procedure->handoff)) {
        r->verdict = PROCEDURE_RUN_TRANSFERRED;
        r->state = RUN_OVER;
    }
}

void procedure_run_answer(struct procedure_run *r, struct sp_str text)
{
    assert(r->state == RUN_CALLING || r->state == RUN_CHECKING);
    if (r->state == RUN_CHECKING) {
        check(r, text);
        return;
    }
    procedure_state_take(r->known, r->calls[r->n_calls - 1].tool, text);
    go_on(r);
}

void procedure_run_fail(struct procedure_run *r, struct sp_str text)
{
    struct procedure_run_call *call;

    assert(r->state == RUN_CALLING || r->state == RUN_CHECKING);
    if (r->state == RUN_CHECKING) {
        check(r, text);
        return;
    }
    call = &r->calls[r->n_calls - 1];
    call->has_failed = true;
    procedure_state_take_failure(r->known, call->tool);
    go_on(r);
}

struct procedure_run_record procedure_run_record(const struct procedure_run *r)
{
    assert(r->state == RUN_OVER);
    return (struct procedure_run_record){
        .calls = r->calls,
        .n_calls = r->n_calls,
        .probe = r->check != NULL ? r->check->probe : (struct sp_str){0},
        .outcome = sp_buf_str(&r->outcome),
        .verdict = r->verdict,
    };
}

const char *procedure_run_verdict_name(enum procedure_run_verdict verdict)
{
    switch (verdict) {
    case PROCEDURE_RUN_RESOLVED:
        return "resolved";
    case PROCEDURE_RUN_TRANSFERRED:
        return "transferred";
    case PROCEDURE_RUN_HAND_BACK:
        break;
    }
    return "hand_back";
}
