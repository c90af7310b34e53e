/*
 * Timelines of sessions.
 *
 * The session is walked twice: first for its figures and for what became of every request, so that
 * a call's own line can say that it was never answered; then line by line. Notifications, stray
 * messages and raw lines that follow each other are gathered, unless all is wanted.
 */

#include "cmd/screen.h"
#include "cmd/timeline_lines.h"
#include "json/jcanon.h"
#include "trace/sessionstats.h"
#include "trace/turns.h"

#define MAX_ID   24 /* columns of a request's id */
#define MAX_NAME 48 /* columns of a tool's name, or a method's */

struct timeline {
    struct timeline_lines lines;
    const struct sessionstats *stats; /* of the whole session */
    struct exchanges exchanges;       /* so far */
    struct turns *turns;
    size_t n_events; /* of the episode, that were looked at */
    size_t n_turns;
    size_t turn; /* the number of the turn that a call would join */
    size_t n_open_commits;
    size_t last_call;       /* the last call's request */
    size_t last_call_lines; /* how many lines there were when its own was added */
};

static const struct exchanges_request *request_of(const struct timeline *t, size_t i)
{
    return &t->stats->exchanges.requests[i];
}

static void put_id(struct timeline *t, const struct exchanges_request *request)
{
    sp_buf_add_char(&t->lines.what, '#');
    timeline_lines_put(&t->lines, request->id, MAX_ID);
}

/* Appends what a request is known by: a call's id and tool, or a method. */
static void put_request(struct timeline *t, const struct exchanges_request *request)
{
    if (request->tool.p == NULL) {
        timeline_lines_put(&t->lines, request->method, MAX_NAME);
        return;
    }
    put_id(t, request);
    sp_buf_add_char(&t->lines.what, ' ');
    timeline_lines_put(&t->lines, request->tool, MAX_NAME);
}

static void put_latency(struct sp_buf *b, const struct exchanges_request *request)
{
    screen_put_duration(
        b, request->answered_ms > request->sent_ms ? request->answered_ms - request->sent_ms : 0);
}

static void feed_call(struct timeline *t, const struct tracemsg *m, size_t i)
{
    const struct exchanges_request *call = request_of(t, i);
    struct sp_str arguments = SP_STR("{}");
    enum timeline_label label = TIMELINE_CALL;

    if (exchanges_is_commit(call)) {
        t->n_open_commits++;
        label = TIMELINE_COMMIT;
    } else if (call->from == LINE_PROXY) {
        label = t->n_open_commits > 0 ? TIMELINE_COMMIT : TIMELINE_LOOKUP;
    }
    put_request(t, call);
    if (call->state == EXCHANGES_OPEN)
        sp_buf_add(&t->lines.what, SP_STR(" (never answered)"));
    (void)jget_member(m->params, SP_STR("arguments"), &arguments); /* absent: none */
    sp_buf_add_char(&t->lines.what, ' ');
    jcanon(&t->lines.what, arguments);
    timeline_lines_add(&t->lines, m->t_ms, t->turn, label);
    t->last_call = i;
    t->last_call_lines = t->lines.n_lines;
}

static void feed_request(struct timeline *t, const struct tracemsg *m, size_t i)
{
    const struct exchanges_request *request = request_of(t, i);

    if (request->tool.p != NULL) {
        feed_call(t, m, i);
        return;
    }
    put_request(t, request);
    sp_buf_add_char(&t->lines.what, ' ');
    if (request->state == EXCHANGES_OPEN)
        sp_buf_add(&t->lines.what, SP_STR("(never answered)"));
    else
        put_latency(&t->lines.what, request);
    if (m->params.p != NULL && !sp_str_eq(m->params, SP_STR("{}")) &&
        (t->lines.length == TIMELINE_FULL || !tracemsg_is(m, SP_STR("initialize")))) {
        sp_buf_add_char(&t->lines.what, ' ');
        jcanon(&t->lines.what, m->params);
    }
    timeline_lines_add(&t->lines, m->t_ms, TIMELINE_NO_TURN, timeline_lines_label(m->from));
}

static void feed_answer(struct timeline *t, const struct tracemsg *m, size_t i)
{
    const struct exchanges_request *request = request_of(t, i);
    enum timeline_label label = TIMELINE_RESULT;
    struct sp_buf text = {0};

    if (request->state == EXCHANGES_FAILED)
        label = exchanges_is_refused(request) ? TIMELINE_REFUSED : TIMELINE_ERROR;
    if (exchanges_is_commit(request))
        t->n_open_commits--;
    if (request->tool.p == NULL && label == TIMELINE_RESULT)
        return; /* the request's own line says all */
    timeline_lines_end_run(&t->lines);
    if (t->last_call == i && t->last_call_lines == t->lines.n_lines)
        put_id(t, request); /* the tool is in the line above */
    else
        put_request(t, request);
    sp_buf_add_char(&t->lines.what, ' ');
    put_latency(&t->lines.what, request);
    sp_buf_add(&t->lines.what, SP_STR(": "));
    tracemsg_result_text(m, &text);
    sp_buf_add(&t->lines.what, text.len > 0 ? sp_buf_str(&text) : SP_STR("(empty)"));
    sp_buf_deinit(&text);
    timeline_lines_add(&t->lines, m->t_ms, TIMELINE_NO_TURN, label);
}

/*
 * Appends the text of a result's last content item: the lookups that the proxy has added, without
 * the line that tells the agent of them.
 */
static void put_added(const struct tracemsg *m, struct sp_buf *b)
{
    struct sp_str content, string = {0}, text;
    struct sp_buf added = {0};

    if (m->result.p == NULL || !jget_member(m->result, SP_STR("content"), &content) ||
        jget_type(content) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(content); jget_next(&it);) {
        if (!jget_member(it.value, SP_STR("text"), &string) || jget_type(string) != JSCAN_STRING)
            string = (struct sp_str){0};
    }
    if (string.p == NULL)
        return;
    jget_text(string, &added);
    text = sp_buf_str(&added);
    if (sp_str_starts(text, SP_STR("--- "))) {
        size_t n = sp_str_find(text, '\n');

        while (n < text.len && text.p[n] == '\n')
            n++;
        text = sp_str_sub(text, n, text.len);
    }
    sp_buf_add(b, text);
    sp_buf_deinit(&added);
}

static void feed_again(struct timeline *t, const struct tracemsg *m,
                       const struct exchanges_request *request)
{
    if (m->from != LINE_PROXY) {
        sp_buf_addf(&t->lines.what, "%s: another answer to ", timeline_lines_side(m->from));
        put_request(t, request);
        timeline_lines_add_stray(&t->lines, m->from, m->t_ms, TIMELINE_STRAY);
        return;
    }
    put_request(t, request);
    if (request->tool.p == NULL) {
        sp_buf_add(&t->lines.what, SP_STR(": the answer is changed for the host"));
        timeline_lines_add(&t->lines, m->t_ms, TIMELINE_NO_TURN, TIMELINE_PROXY);
        return;
    }
    sp_buf_add(&t->lines.what, SP_STR(": "));
    put_added(m, &t->lines.what);
    timeline_lines_add(&t->lines, m->t_ms, TIMELINE_NO_TURN, TIMELINE_ADDED);
}

static void feed_cancellation(struct timeline *t, const struct tracemsg *m,
                              const struct exchanges_request *request)
{
    struct sp_str reason;

    put_request(t, request);
    if (jget_member(m->params, SP_STR("reason"), &reason) && jget_type(reason) == JSCAN_STRING) {
        sp_buf_add(&t->lines.what, SP_STR(": "));
        jget_text(reason, &t->lines.what);
    }
    timeline_lines_add(&t->lines, m->t_ms, TIMELINE_NO_TURN, TIMELINE_CANCELLED);
}

static void feed_talk(struct timeline *t, const struct tracemsg *m, bool is_turn)
{
    enum timeline_label label = TIMELINE_CONTEXT;

    if (m->role.p != NULL && jget_is_text(m->role, SP_STR("user"))) {
        label = TIMELINE_USER;
    } else if (m->role.p != NULL && jget_is_text(m->role, SP_STR("assistant"))) {
        label = TIMELINE_AGENT;
    } else if (m->role.p != NULL) {
        jcanon(&t->lines.what, m->role);
        sp_buf_add(&t->lines.what, SP_STR(": "));
    }
    if (m->content.p != NULL && jget_type(m->content) == JSCAN_STRING)
        jget_text(m->content, &t->lines.what);
    else if (m->content.p != NULL)
        jcanon(&t->lines.what, m->content);
    timeline_lines_add(&t->lines, m->t_ms, is_turn ? t->n_turns : TIMELINE_NO_TURN, label);
}

/* Feeds the turns; whether the message began one. */
static bool feed_turns(struct timeline *t, const struct tracemsg *m)
{
    const struct episode *e;
    size_t n_turns = t->n_turns;

    turns_feed(t->turns, m->from, m->t_ms, m->text);
    e = turns_episode(t->turns);
    for (; t->n_events < e->n_events; t->n_events++)
        t->n_turns += e->events[t->n_events].kind == EPISODE_ASSISTANT;
    if (t->n_turns > n_turns && m->from != LINE_CONTEXT)
        t->turn = t->n_turns;
    return t->n_turns > n_turns;
}

static void feed_message(struct timeline *t, const struct tracemsg *m)
{
    struct exchanges_note note = exchanges_feed(&t->exchanges, m);
    bool is_turn = feed_turns(t, m);

    switch (note.kind) {
    case EXCHANGES_TALK:
        feed_talk(t, m, is_turn);
        break;
    case EXCHANGES_REQUEST:
        feed_request(t, m, note.request);
        break;
    case EXCHANGES_ANSWER:
        feed_answer(t, m, note.request);
        break;
    case EXCHANGES_AGAIN:
        feed_again(t, m, request_of(t, note.request));
        break;
    case EXCHANGES_CANCELLATION:
        feed_cancellation(t, m, request_of(t, note.request));
        break;
    case EXCHANGES_NOTIFICATION:
        timeline_lines_add_notification(&t->lines, m->from, m->t_ms, m->method, m->params);
        break;
    case EXCHANGES_STRAY:
        sp_buf_addf(&t->lines.what, "%s: ", timeline_lines_side(m->from));
        jcanon(&t->lines.what, m->text);
        timeline_lines_add_stray(&t->lines, m->from, m->t_ms, TIMELINE_STRAY);
        break;
    }
}

static void feed_entry(struct timeline *t, const struct sessionlog_entry *entry)
{
    bool is_message = false;
    struct tracemsg m;

    for (struct tracemsg_iter it = tracemsg_iter(entry->from, entry->t_ms, entry->message);
         tracemsg_next(&it, &m); is_message = true)
        feed_message(t, &m);
    if (is_message)
        return;
    sp_buf_addf(&t->lines.what, "%s: ", timeline_lines_side(entry->from));
    if (entry->raw.p != NULL) {
        jget_text(entry->raw, &t->lines.what);
        timeline_lines_add_stray(&t->lines, entry->from, entry->t_ms, TIMELINE_RAW);
    } else {
        jcanon(&t->lines.what, entry->message.p != NULL ? entry->message : SP_STR("null"));
        timeline_lines_add_stray(&t->lines, entry->from, entry->t_ms, TIMELINE_STRAY);
    }
}

static void put_program(struct sp_buf *b, const struct sessionstats_program *program)
{
    sp_buf_add(b, program->name);
    if (program->version.p != NULL) {
        sp_buf_add_char(b, ' ');
        sp_buf_add(b, program->version);
    }
}

static void add_header(struct timeline *t, const struct sessionlog_header *header)
{
    const struct sessionstats *stats = t->stats;
    struct sp_buf *what = &t->lines.what;

    sp_buf_add(what, header->session);
    timeline_lines_add_fact(&t->lines, "Session");
    screen_put_instant(what, header->started_unix_ms);
    sp_buf_add(what, SP_STR(" UTC, for "));
    screen_put_duration(what, stats->duration_ms);
    timeline_lines_add_fact(&t->lines, "Started");
    if (stats->server.name.p != NULL) {
        put_program(what, &stats->server);
        timeline_lines_add_fact(&t->lines, "Server");
    }
    for (size_t i = 0; i < header->n_command; i++) {
        sp_buf_addf(what, i > 0 ? " " : "");
        sp_buf_add(what, header->command[i]);
    }
    timeline_lines_add_fact(&t->lines, "Command");
    if (stats->host.name.p != NULL) {
        put_program(what, &stats->host);
        timeline_lines_add_fact(&t->lines, "Host");
    }
    if (stats->protocol.p != NULL) {
        sp_buf_add(what, stats->protocol);
        timeline_lines_add_fact(&t->lines, "Protocol");
    }
    if (header->domain.p != NULL) {
        sp_buf_add(what, header->domain);
        timeline_lines_add_fact(&t->lines, "Domain");
    }
    if (header->agent_model.p != NULL) {
        sp_buf_add(what, header->agent_model);
        timeline_lines_add_fact(&t->lines, "Model");
    }
    timeline_lines_add_gap(&t->lines);
    timeline_lines_add_titles(&t->lines);
}

static void put_count(struct sp_buf *b, size_t n, const char *what)
{
    if (n > 0)
        sp_buf_addf(b, ", %zu %s", n, what);
}

static void add_latencies(struct timeline *t)
{
    static const struct {
        unsigned percent;
        const char *name;
    } wanted[] = {{50, "p50 "}, {95, ", p95 "}, {100, ", longest "}};
    uint64_t ms;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!sessionstats_percentile(t->stats, wanted[i].percent, &ms))
            return;
        sp_buf_addf(&t->lines.what, "%s", wanted[i].name);
        screen_put_duration(&t->lines.what, ms);
    }
    timeline_lines_add_fact(&t->lines, "Latency");
}

/* Adds the calls that had no answer, by their times. */
static void add_unanswered(struct timeline *t)
{
    const struct exchanges *x = &t->stats->exchanges;

    for (size_t i = 0; i < x->n_requests; i++) {
        if (x->requests[i].tool.p == NULL || x->requests[i].state != EXCHANGES_OPEN)
            continue;
        timeline_lines_put_time(&t->lines.what, x->requests[i].sent_ms);
        sp_buf_add_char(&t->lines.what, ' ');
        put_request(t, &x->requests[i]);
        if (x->requests[i].is_cancelled)
            sp_buf_add(&t->lines.what, SP_STR(" (cancelled)"));
        timeline_lines_add_fact(&t->lines, "Unanswered");
    }
}

static void add_totals(struct timeline *t)
{
    const struct sessionstats *stats = t->stats;
    struct sp_buf *what = &t->lines.what;

    timeline_lines_add_gap(&t->lines);
    sp_buf_addf(what, "%zu, turns %zu", stats->n_calls, t->n_turns);
    put_count(what, stats->n_proxy_calls, "by the proxy");
    put_count(what, stats->n_errors, "failed");
    put_count(what, stats->n_refused, "refused");
    put_count(what, stats->n_cancelled, "cancelled");
    put_count(what, stats->n_unanswered, "never answered");
    timeline_lines_add_fact(&t->lines, "Calls");
    add_latencies(t);
    if (stats->n_tools > 0) {
        for (size_t i = 0; i < stats->n_tools; i++) {
            sp_buf_addf(what, i > 0 ? ", " : "");
            sp_buf_add(what, stats->tools[i].name);
            sp_buf_addf(what, " %zu", stats->tools[i].n_calls);
        }
        timeline_lines_add_fact(&t->lines, "Tools");
    }
    add_unanswered(t);
}

int timeline_add(struct spool *spool, const struct sessionlog *log, enum timeline_length length,
                 enum timeline_colours colours)
{
    struct sessionstats stats;
    struct timeline t = {
        .lines = {.spool = spool, .length = length, .colours = colours},
        .stats = &stats,
        .turns = turns_new(log->header.session, log->header.domain, log->header.agent_model),
    };

    sessionstats_read(log, &stats);
    add_header(&t, &log->header);
    for (size_t i = 0; i < log->n_entries; i++)
        feed_entry(&t, &log->entries[i]);
    timeline_lines_end_run(&t.lines);
    add_totals(&t);

    sessionstats_deinit(&stats);
    exchanges_deinit(&t.exchanges);
    turns_free(t.turns);
    timeline_lines_deinit(&t.lines);
    return t.lines.err;
}
