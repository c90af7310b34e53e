/*
 * A flow's run behind one of the agent's calls.
 *
 *  1. A response to a call of the host starts a run, if none is under way: it is held.
 *  2. The flow's program says when to decide. A decision may ask the model; its answer comes by
 *     engine_answer(). What is decided on is logged.
 *  3. Where it chose a lookup that may be made, the program says when: it is sent, and its answer
 *     comes as a line of the server.
 *  4. When the program ends, the run is logged, and the agent gets the response that was held, with
 *     what was looked up behind it, or as the server sent it if nothing was.
 *
 * A lookup that gets no answer, or that cannot be sent, ends the run without a line in the log. So
 * do the end of the server's output and a signal.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "engine/engine_state.h"
#include "flow/predict.h"
#include "flow/recall.h"
#include "flow/toolmodel.h"
#include "json/jcanon.h"
#include "json/jput.h"

static const char appendix[] =
    "--- Also looked up automatically (current results; no need to repeat these calls) ---";

enum flowrun_state {
    FLOWRUN_STEP,  /* the program goes on */
    FLOWRUN_ASKED, /* the model's answer is awaited */
    FLOWRUN_SENT,  /* the answer to a lookup is awaited */
};

struct flowrun {
    enum flowrun_state state;
    struct line *held; /* the response; a reference */
    struct sp_arena arena;
    struct sp_str id;      /* of the agent's call, as it was sent */
    struct sp_str call_id; /* of the call that returned last: the agent's, or a lookup */
    struct program_run *run;
    struct decide *decide; /* the decision under way; NULL for none */
    uint64_t decide_ms;    /* when it began */
    char key[ORACLE_KEY_SIZE];
    bool has_key;
    struct sp_str tool;      /* of the lookup that the last decision chose; p is NULL for none */
    struct sp_str arguments; /* canonical JSON */
    uint64_t awaited;        /* the number of its request, and when that was sent */
    uint64_t sent_ms;
    uint64_t n_lookups;
    struct sp_buf found; /* the text for the agent, so far */
};

struct flowstate {
    struct toolmodel tools;
    struct bind *bind;
    struct recall recall;
    struct decide_options decide;
    struct flowrun *run; /* NULL: none */
    uint64_t n_lookups;  /* of the session, as the next */
    uint64_t n_questions;
    struct sp_map noted; /* tools whose contract was told to have changed; keys are the flow's */
};

void flowrun_init(struct engine *e)
{
    const struct engine_flow *o = e->options->flow;
    struct flowstate *s;

    if (o == NULL)
        return;
    s = sp_calloc(1, sizeof *s);
    toolmodel_init(&s->tools, o->flow);
    s->bind = bind_new(o->flow);
    s->decide = o->decide;
    s->decide.recall = &s->recall;
    e->flow = s;
}

static void run_free(struct flowrun *r)
{
    line_unref(r->held);
    program_run_free(r->run);
    decide_free(r->decide);
    sp_buf_deinit(&r->found);
    sp_arena_deinit(&r->arena);
    free(r);
}

void flowrun_deinit(struct engine *e)
{
    struct flowstate *s = e->flow;

    if (s == NULL)
        return;
    if (s->run != NULL)
        run_free(s->run);
    toolmodel_deinit(&s->tools);
    bind_free(s->bind);
    recall_deinit(&s->recall);
    sp_map_deinit(&s->noted);
    free(s);
}

/* ---- the end ---- */

/*
 * Appends a response's text with one more content item in its result. Returns false when the result
 * is nothing that could take one.
 */
static bool put_with_item(struct sp_str text, struct sp_str item, struct sp_buf *ret)
{
    struct sp_str result, content;
    const char *from, *to; /* what the new text takes the place of */
    const char *before = "", *behind = "";
    bool has_members;

    if (!jget_member(text, SP_STR("result"), &result))
        return false;
    if (jget_type(result) == JSCAN_NULL) {
        from = result.p;
        to = result.p + result.len;
        before = "{\"content\":[";
        behind = "]}";
    } else if (jget_type(result) != JSCAN_OBJECT) {
        return false;
    } else if (!jget_member(result, SP_STR("content"), &content)) {
        struct jget_iter it = jget_iter(result);

        has_members = jget_next(&it);
        from = to = result.p + result.len - 1;
        before = has_members ? ",\"content\":[" : "\"content\":[";
        behind = "]";
    } else if (jget_type(content) != JSCAN_ARRAY) {
        from = content.p;
        to = content.p + content.len;
        before = "[";
        behind = "]";
    } else {
        struct jget_iter it = jget_iter(content);

        has_members = jget_next(&it);
        from = to = content.p + content.len - 1;
        before = has_members ? "," : "";
    }
    sp_buf_add(ret, (struct sp_str){text.p, (size_t)(from - text.p)});
    sp_buf_add(ret, sp_str_of(before));
    sp_buf_add(ret, item);
    sp_buf_add(ret, sp_str_of(behind));
    sp_buf_add(ret, (struct sp_str){to, (size_t)(text.p + text.len - to)});
    return true;
}

/* Sends the agent its response with what was looked up; whether that could be put into it. */
static bool send_found(struct engine *e, const struct flowrun *r)
{
    struct sp_buf item = {0}, spliced = {0}, answer = {0};
    struct jscan scan;
    bool is_put;

    (void)jscan(line_str(r->held), JSCAN_LOG_DEPTH, &scan); /* it was read before */
    sp_buf_add(&item, SP_STR("{\"text\":"));
    jput_string(&item, sp_buf_str(&r->found));
    sp_buf_add(&item, SP_STR(",\"type\":\"text\"}"));
    is_put = put_with_item(scan.value, sp_buf_str(&item), &spliced);
    if (is_put) {
        jcanon_exact(&answer, sp_buf_str(&spliced));
        engine_answer_host(e, &answer);
    }
    sp_buf_deinit(&item);
    sp_buf_deinit(&spliced);
    sp_buf_deinit(&answer);
    return is_put;
}

/* Lets go of the response: with what was looked up, or as the server sent it. */
static void finish(struct engine *e, bool with_found)
{
    struct flowrun *r = e->flow->run;

    e->flow->run = NULL;
    if (!with_found || r->found.len == 0 || !send_found(e, r))
        e->ops->to_host(e->owner, line_ref(r->held));
    run_free(r);
}

static void log_run(struct engine *e, const struct flowrun *r)
{
    struct sp_buf text = {0};

    sp_buf_add(&text, SP_STR("{\"after\":"));
    jcanon_exact(&text, r->id);
    sp_buf_add(&text, SP_STR(",\"run\":"));
    program_record_put(&text, program_run_record(r->run));
    sp_buf_add(&text, SP_STR("}\n"));
    e->ops->log_flow(e->owner, sp_buf_str(&text));
    sp_buf_deinit(&text);
    if (program_run_is_cut(r->run))
        engine_note(e, "the flow's program was ended: it goes on without an end");
}

/* ---- deciding ---- */

static bool is_granted(const struct engine_flow *o, struct sp_str tool)
{
    if (o->tools == NULL)
        return true;
    for (size_t i = 0; i < o->n_tools; i++) {
        if (sp_str_eq(o->tools[i], tool))
            return true;
    }
    return false;
}

/* Whether the server's listing has the input that the flow was learned for, or none is known. */
static bool has_same_contract(struct engine *e, const struct flow_contract *pinned,
                              const struct toollist_tool *listed)
{
    bool is_new;

    if (pinned == NULL || listed == NULL || listed->contract.p == NULL ||
        sp_str_eq(pinned->text, listed->contract))
        return true;
    sp_map_put(&e->flow->noted, pinned->tool, &is_new);
    if (is_new)
        engine_note(e, "the flow leaves %.*s alone: its input has changed from '%.*s' to '%.*s'",
                    SP_STR_ARG(engine_clip(pinned->tool)), SP_STR_ARG(engine_clip(pinned->text)),
                    SP_STR_ARG(engine_clip(listed->contract)));
    return false;
}

/* Whether a lookup may be made: the one place that says so. */
static bool is_allowed(struct engine *e, struct sp_str tool)
{
    const struct engine_flow *o = e->options->flow;
    const struct flow_kind *kind = flow_kind_of(o->flow, tool);
    const struct toollist_tool *listed = toollist_find(&e->tools, tool);

    if (kind == NULL || kind->kind != MANIFEST_READ)
        return false;
    if (e->tools.n_tools > 0 && (listed == NULL || listed->hint == TOOLLIST_WRITES))
        return false;
    return has_same_contract(e, flow_contract_of(o->flow, tool), listed) && is_granted(o, tool);
}

static bool is_spent(const struct engine *e)
{
    const struct engine_flow *o = e->options->flow;

    return e->flow->n_lookups >= o->per_session || e->flow->n_questions >= o->questions;
}

static void log_decision(struct engine *e, const struct flowrun *r)
{
    struct sp_buf text = {0}, after = {0};
    struct decide_context context = {
        .address = program_run_stop(r->run)->address,
        .ms = e->now_ms - r->decide_ms,
        .is_shadow = e->options->flow->shadow,
    };

    jcanon_exact(&after, r->id);
    context.after = sp_buf_str(&after);
    if (r->has_key)
        context.key = sp_str_of(r->key);
    sp_buf_add_char(&text, '{');
    decide_put_record(r->decide, &context, &text);
    sp_buf_add(&text, SP_STR("}\n"));
    e->ops->log_flow(e->owner, sp_buf_str(&text));
    sp_buf_deinit(&text);
    sp_buf_deinit(&after);
}

/* Gives the program the number of the lookup that was decided on, or 0. */
static void decided(struct engine *e, enum decide_outcome outcome)
{
    struct flowrun *r = e->flow->run;
    uint64_t number = 0;

    log_decision(e, r);
    if (outcome == DECIDE_LOOKUP && !e->options->flow->shadow &&
        is_allowed(e, decide_tool(r->decide))) {
        number = toolmodel_number(&e->flow->tools, decide_tool(r->decide));
        if (number >= program_run_stop(r->run)->n_options) {
            engine_note(e, "the flow's program does not offer %.*s",
                        SP_STR_ARG(engine_clip(decide_tool(r->decide))));
            number = 0;
        }
    }
    if (number > 0) {
        e->flow->n_lookups++;
        r->n_lookups++;
        r->tool = sp_arena_copy(&r->arena, decide_tool(r->decide));
        r->arguments = sp_arena_copy(&r->arena, decide_arguments(r->decide));
    }
    decide_free(r->decide);
    r->decide = NULL;
    r->state = FLOWRUN_STEP;
    program_run_give(r->run, (int64_t)number);
}

/* Decides at the site where the program waits. */
static void decide(struct engine *e)
{
    struct flowstate *s = e->flow;
    struct flowrun *r = s->run;
    const struct episode *episode = turns_episode(e->turns);
    struct episode_view view;
    enum decide_outcome outcome;

    r->tool = (struct sp_str){0};
    if (r->n_lookups >= e->options->flow->per_call || is_spent(e)) {
        program_run_give(r->run, 0);
        return;
    }
    conversation_read(e);
    r->decide_ms = e->now_ms;
    r->has_key = false;
    bind_update(s->bind, episode);
    episode_view_after(episode, r->call_id, &view);
    outcome = decide_begin(e->options->flow->flow, &s->decide, s->bind, &view, &r->decide);
    episode_view_deinit(&view);
    if (outcome != DECIDE_ASKS) {
        decided(e, outcome);
        return;
    }
    s->n_questions++;
    r->state = FLOWRUN_ASKED;
    r->has_key = true;
    e->ops->ask(e->owner, ENGINE_ASK_FLOW, decide_request(r->decide), r->key);
}

/* ---- lookups ---- */

/* Makes the lookup that was chosen; whether the run goes on. */
static bool look_up(struct engine *e)
{
    struct flowrun *r = e->flow->run;
    struct sp_buf id = {0};

    if (r->tool.p == NULL) {
        program_run_give(r->run, false);
        return true;
    }
    if (e->is_server_ended || !e->ops->is_server_open(e->owner))
        return false;
    r->awaited = engine_send_own(e, &(struct engine_call){r->tool, r->arguments});
    r->sent_ms = e->now_ms;
    r->state = FLOWRUN_SENT;
    sp_buf_addf(&id, "stretto-%ju", (uintmax_t)r->awaited);
    r->call_id = sp_arena_copy(&r->arena, sp_buf_str(&id));
    sp_buf_deinit(&id);
    return true;
}

static void add_found(struct flowrun *r, struct sp_str text, bool is_error)
{
    if (r->found.len == 0)
        sp_buf_add(&r->found, sp_str_of(appendix));
    sp_buf_add(&r->found, SP_STR("\n\n"));
    sp_buf_add(&r->found, r->tool);
    sp_buf_add_char(&r->found, ' ');
    sp_buf_add(&r->found, r->arguments);
    sp_buf_add(&r->found, is_error ? SP_STR(" (error):\n") : SP_STR(":\n"));
    sp_buf_add(&r->found, text);
}

/* Goes on until something is awaited or the run is over, and then gone. */
static void step(struct engine *e)
{
    struct flowrun *r = e->flow->run;

    while (r->state == FLOWRUN_STEP) {
        switch (program_run_step(r->run)) {
        case PROGRAM_DECIDE:
            decide(e);
            break;
        case PROGRAM_OUTCOME:
            if (!look_up(e)) {
                finish(e, true);
                return;
            }
            break;
        case PROGRAM_END:
            log_run(e, r);
            finish(e, true);
            return;
        }
    }
}

bool flowrun_start(struct engine *e, const struct tracemsg *m, struct line *line)
{
    struct flowstate *s = e->flow;
    struct episode_view view;
    struct predict_site site;
    struct sp_buf call_id = {0};
    struct flowrun *r;
    bool is_call;

    if (s == NULL || s->run != NULL || e->is_interrupted || is_spent(e) || m->result.p == NULL ||
        m->error.p != NULL || engine_wants_input(m))
        return false;
    r = sp_calloc(1, sizeof *r);
    tracemsg_call_id(m->id, &call_id);
    r->call_id = sp_arena_copy(&r->arena, sp_buf_str(&call_id));
    sp_buf_deinit(&call_id);
    episode_view_after(turns_episode(e->turns), r->call_id, &view);
    is_call = predict_site(&view, &r->arena, &site);
    episode_view_deinit(&view);
    if (!is_call) {
        run_free(r);
        return false;
    }
    r->held = line_ref(line);
    r->id = sp_arena_copy(&r->arena, m->id);
    site.prev = sp_arena_copy(&r->arena, site.prev);
    r->run = program_run_new(e->options->flow->flow->program, &s->tools.base,
                             &(struct program_data){
                                 .call = site.prev,
                                 .number = toolmodel_number(&s->tools, site.prev),
                                 .failed = site.failed,
                                 .max_lookups = e->options->flow->per_call < INT64_MAX
                                                    ? (int64_t)e->options->flow->per_call
                                                    : INT64_MAX,
                             },
                             PROGRAM_EXECUTE);
    s->run = r;
    step(e);
    return true;
}

bool flowrun_take(struct engine *e, const struct tracemsg *m, uint64_t own)
{
    struct flowrun *r = e->flow != NULL ? e->flow->run : NULL;
    struct sp_buf text = {0};
    bool is_error;

    if (r == NULL || r->state != FLOWRUN_SENT || r->awaited != own)
        return false;
    is_error = engine_response_text(m, &text);
    add_found(r, sp_buf_str(&text), is_error);
    sp_buf_deinit(&text);
    r->tool = (struct sp_str){0}; /* it is made once, however often the program asks for it */
    r->state = FLOWRUN_STEP;
    program_run_give(r->run, !is_error);
    step(e);
    return true;
}

void flowrun_answer(struct engine *e, const struct oracle_response *response, const char *error)
{
    struct flowrun *r = e->flow->run;

    if (r == NULL || r->state != FLOWRUN_ASKED)
        return;
    if (response == NULL)
        engine_note(e, "the System-One model failed: %s", error);
    decided(e, response != NULL ? decide_answer(r->decide, response)
                                : decide_no_answer(r->decide, error));
    step(e);
}

static void give_up(struct engine *e, bool with_found)
{
    struct flowrun *r = e->flow->run;

    if (r->state == FLOWRUN_ASKED)
        e->ops->cancel(e->owner, ENGINE_ASK_FLOW);
    if (r->state == FLOWRUN_SENT)
        engine_abandon(e, r->awaited);
    finish(e, with_found);
}

void flowrun_timeout(struct engine *e)
{
    if (flowrun_due_ms(e) > e->now_ms)
        return;
    engine_note(e, "no answer from the server to %.*s within %d s", SP_STR_ARG(e->flow->run->tool),
                ENGINE_WAIT_MS / 1000);
    give_up(e, true);
}

void flowrun_end(struct engine *e, bool with_found)
{
    if (e->flow != NULL && e->flow->run != NULL)
        give_up(e, with_found);
}

uint64_t flowrun_last_own(const struct engine *e)
{
    return e->flow != NULL && e->flow->run != NULL ? e->flow->run->awaited : UINT64_MAX;
}

uint64_t flowrun_due_ms(const struct engine *e)
{
    const struct flowrun *r = e->flow != NULL ? e->flow->run : NULL;

    return r != NULL && r->state == FLOWRUN_SENT ? r->sent_ms + ENGINE_WAIT_MS + 1 : UINT64_MAX;
}
