/* An engine whose surroundings are made of text. */

#include <assert.h>
#include <stdio.h>

#include "engine_fixture.h"
#include "trace/logformat.h"

/* Begins a line of the events, adds a text to it, and ends it. */
static void put_event(struct engine_fixture *f, const char *head, struct sp_str text)
{
    sp_buf_add(&f->events, sp_str_of(head));
    sp_buf_add(&f->events, text);
    if (!sp_str_ends(text, SP_STR("\n")))
        sp_buf_add(&f->events, SP_STR("~\n"));
}

static void on_record(void *owner, struct line *line)
{
    struct engine_fixture *f = owner;
    struct sp_buf head = {0};
    struct sp_str from = logformat_from(line->from);
    struct jscan scan;

    assert(line->t_ms == f->now_ms);
    sp_buf_addf(&head, "[%.*s %ju] ", SP_STR_ARG(from), (uintmax_t)line->t_ms);
    put_event(f, sp_buf_cstr(&head), line_str(line));
    sp_buf_deinit(&head);
    sp_buf_add(&f->senders, from);
    sp_buf_add_char(&f->senders, ' ');
    sp_buf_add(&f->entries, logformat_entry(&f->entries, line));
    sp_buf_add(&f->entries, LOGFORMAT_TAIL);
    if (jscan(line_str(line), JSCAN_LOG_DEPTH, &scan))
        turns_feed(f->turns, line->from, line->t_ms, scan.value);
}

static void on_to_host(void *owner, struct line *line)
{
    struct engine_fixture *f = owner;

    put_event(f, "< ", line_str(line));
    sp_buf_add(&f->to_host, line_str(line));
    line_unref(line);
}

static void on_to_server(void *owner, struct line *line)
{
    struct engine_fixture *f = owner;

    put_event(f, "> ", line_str(line));
    sp_buf_add(&f->to_server, line_str(line));
    line_unref(line);
}

static bool on_is_server_open(void *owner)
{
    const struct engine_fixture *f = owner;

    return f->is_server_open;
}

static bool on_read_conversation(void *owner, uint64_t offset, struct sp_buf *ret)
{
    struct engine_fixture *f = owner;
    struct sp_str text = sp_buf_str(&f->conversation);

    f->n_readings++;
    if (offset < text.len)
        sp_buf_add(ret, sp_str_sub(text, (size_t)offset, text.len));
    return f->has_conversation;
}

/* The question of an asker that is out. */
static const struct oracle_request **question_of(struct engine_fixture *f, enum engine_asker who)
{
    assert(who < ENGINE_N_ASKERS);
    return who == ENGINE_ASK_FLOW ? &f->question : &f->judged;
}

static void on_ask(void *owner, enum engine_asker who, const struct oracle_request *request,
                   char ret_key[ORACLE_KEY_SIZE])
{
    struct engine_fixture *f = owner;

    assert(*question_of(f, who) == NULL); /* one is out at most */
    *question_of(f, who) = request;
    f->n_questions++;
    (void)snprintf(ret_key, ORACLE_KEY_SIZE, "%064zu", f->n_questions);
    sp_buf_add(&f->events, SP_STR("?"));
    for (size_t i = 0; i < request->n_questions; i++) {
        sp_buf_add_char(&f->events, ' ');
        sp_buf_add(&f->events, request->questions[i].id);
    }
    sp_buf_add_char(&f->events, '\n');
}

static void on_cancel(void *owner, enum engine_asker who)
{
    struct engine_fixture *f = owner;

    assert(*question_of(f, who) != NULL);
    *question_of(f, who) = NULL;
    sp_buf_add(&f->events, SP_STR("? cancelled\n"));
}

static void on_key_of(void *owner, const struct oracle_request *request,
                      char ret_key[ORACLE_KEY_SIZE])
{
    struct engine_fixture *f = owner;

    assert(request->n_questions > 0);
    (void)snprintf(ret_key, ORACLE_KEY_SIZE, "f%063zu", ++f->n_skipped);
}

static void on_log_flow(void *owner, struct sp_str line)
{
    struct engine_fixture *f = owner;

    put_event(f, "# ", line);
    sp_buf_add(&f->flow_log, line);
}

static void on_log_confirm(void *owner, struct sp_str line)
{
    struct engine_fixture *f = owner;

    put_event(f, "% ", line);
    sp_buf_add(&f->confirm_log, line);
}

static void on_note(void *owner, const char *text)
{
    struct engine_fixture *f = owner;

    f->n_notes++;
    sp_buf_add(&f->events, SP_STR("! "));
    sp_buf_add(&f->events, sp_str_of(text));
    sp_buf_add_char(&f->events, '\n');
}

static const struct engine_ops ops = {
    .record = on_record,
    .to_host = on_to_host,
    .to_server = on_to_server,
    .is_server_open = on_is_server_open,
    .read_conversation = on_read_conversation,
    .ask = on_ask,
    .cancel = on_cancel,
    .key_of = on_key_of,
    .log_flow = on_log_flow,
    .log_confirm = on_log_confirm,
    .note = on_note,
};

static void prepare(struct engine_fixture *f, bool commit, bool context)
{
    *f = (struct engine_fixture){
        .options = {.commit = commit, .context = context, .session = "s-1", .task_id = "s-1"},
        .has_conversation = true,
        .is_server_open = true,
    };
    f->turns = turns_new(SP_STR("s-1"), (struct sp_str){0}, (struct sp_str){0});
}

static void add_guards(struct engine_fixture *f, const char *guards)
{
    f->options.guards = guard_domain_find(sp_str_of(guards));
    assert(f->options.guards != NULL);
    f->options.domain = guards;
}

void engine_fixture_init(struct engine_fixture *f, const char *guards, bool commit, bool context)
{
    prepare(f, commit, context);
    if (guards != NULL)
        add_guards(f, guards);
    f->engine = engine_new(&f->options, &ops, f);
}

void engine_fixture_init_flow(struct engine_fixture *f, const struct engine_flow *served,
                              bool commit, bool context)
{
    prepare(f, commit, context);
    f->served = *served;
    f->options.flow = &f->served;
    f->engine = engine_new(&f->options, &ops, f);
}

void engine_fixture_init_judge(struct engine_fixture *f, const struct engine_judge *judge,
                               const struct engine_flow *served, const char *guards, bool commit)
{
    prepare(f, commit, true);
    add_guards(f, guards);
    f->judge = *judge;
    f->options.judge = &f->judge;
    if (served != NULL) {
        f->served = *served;
        f->options.flow = &f->served;
    }
    f->engine = engine_new(&f->options, &ops, f);
}

void engine_fixture_deinit(struct engine_fixture *f)
{
    engine_free(f->engine);
    flow_free((struct flow *)f->served.flow);
    sp_buf_deinit(&f->flow_log);
    sp_buf_deinit(&f->confirm_log);
    turns_free(f->turns);
    sp_buf_deinit(&f->conversation);
    sp_buf_deinit(&f->events);
    sp_buf_deinit(&f->to_host);
    sp_buf_deinit(&f->to_server);
    sp_buf_deinit(&f->senders);
    sp_buf_deinit(&f->entries);
    sp_buf_deinit(&f->shown);
}

static struct line *line_of(enum line_from from, struct sp_str text, const char *end)
{
    size_t end_len = strlen(end);
    struct line *line = line_new(text.len + end_len);

    line->from = from;
    if (text.len > 0)
        memcpy(line->bytes, text.p, text.len);
    memcpy(line->bytes + text.len, end, end_len);
    line->len = text.len + end_len;
    return line;
}

/* Takes the caller's reference of a line that has crossed. */
static void host_line(struct engine_fixture *f, struct line *line)
{
    engine_host_line(f->engine, f->now_ms, line);
    line_unref(line);
}

static void server_line(struct engine_fixture *f, struct line *line)
{
    engine_server_line(f->engine, f->now_ms, line);
    line_unref(line);
}

void engine_fixture_host_bytes(struct engine_fixture *f, struct sp_str bytes)
{
    host_line(f, line_of(LINE_CLIENT, bytes, ""));
}

void engine_fixture_server_bytes(struct engine_fixture *f, struct sp_str bytes)
{
    server_line(f, line_of(LINE_SERVER, bytes, ""));
}

void engine_fixture_host(struct engine_fixture *f, const char *text)
{
    host_line(f, line_of(LINE_CLIENT, sp_str_of(text), "\n"));
}

void engine_fixture_server(struct engine_fixture *f, const char *text)
{
    server_line(f, line_of(LINE_SERVER, sp_str_of(text), "\n"));
}

void engine_fixture_kept(struct engine_fixture *f, enum line_from from, const char *text)
{
    struct line *line = line_of(from, sp_str_of(text), "\n");

    engine_kept_line(f->engine, f->now_ms, line);
    line_unref(line);
}

/* The server's input ends with the host's, but not while a call is judged. */
static void close_server(struct engine_fixture *f)
{
    if (f->has_host_ended && !engine_is_judging(f->engine))
        f->is_server_open = false;
}

void engine_fixture_host_end(struct engine_fixture *f)
{
    f->has_host_ended = true;
    engine_host_end(f->engine, f->now_ms);
    close_server(f);
}

void engine_fixture_server_end(struct engine_fixture *f)
{
    engine_server_end(f->engine, f->now_ms);
    f->is_server_open = false;
}

void engine_fixture_interrupt(struct engine_fixture *f)
{
    engine_interrupt(f->engine, f->now_ms);
    f->is_server_open = false;
}

void engine_fixture_answer(struct engine_fixture *f, const struct oracle_response *response)
{
    assert(f->question != NULL);
    f->question = NULL;
    engine_answer(f->engine, f->now_ms, ENGINE_ASK_FLOW, response, NULL);
}

void engine_fixture_no_answer(struct engine_fixture *f, const char *cause)
{
    assert(f->question != NULL);
    f->question = NULL;
    engine_answer(f->engine, f->now_ms, ENGINE_ASK_FLOW, NULL, cause);
}

void engine_fixture_judge_with(struct engine_fixture *f, const struct oracle_response *response)
{
    assert(f->judged != NULL);
    f->judged = NULL;
    engine_answer(f->engine, f->now_ms, ENGINE_ASK_JUDGE, response, NULL);
    close_server(f);
}

void engine_fixture_judge(struct engine_fixture *f, double p)
{
    struct oracle_answer answer = {.type = ORACLE_NOUL, .noul = p};

    assert(f->judged != NULL && f->judged->n_questions == 1);
    answer.id = f->judged->questions[0].id;
    engine_fixture_judge_with(f, &(struct oracle_response){.answers = &answer, .n_answers = 1});
}

void engine_fixture_judge_fails(struct engine_fixture *f, const char *cause)
{
    assert(f->judged != NULL);
    f->judged = NULL;
    engine_answer(f->engine, f->now_ms, ENGINE_ASK_JUDGE, NULL, cause);
    close_server(f);
}

void engine_fixture_wait_until(struct engine_fixture *f, uint64_t ms)
{
    uint64_t due_ms;

    while ((due_ms = engine_due_ms(f->engine)) <= ms) {
        if (due_ms > f->now_ms)
            f->now_ms = due_ms;
        engine_timeout(f->engine, f->now_ms);
        assert(engine_due_ms(f->engine) > f->now_ms); /* what was due is done */
    }
    f->now_ms = ms;
}

void engine_fixture_says(struct engine_fixture *f, const char *text)
{
    sp_buf_add(&f->conversation, sp_str_of(text));
}

static void put_turn(struct sp_buf *b, const struct episode_event *event)
{
    sp_buf_add(b, SP_STR("agent"));
    if (event->text.p != NULL) {
        sp_buf_add(b, SP_STR(": "));
        sp_buf_add(b, event->text);
    }
    if (event->n_calls > 0)
        sp_buf_add(b, SP_STR(" calls"));
    for (size_t i = 0; i < event->n_calls; i++) {
        sp_buf_add_char(b, ' ');
        sp_buf_add(b, event->calls[i].name);
    }
}

const char *engine_fixture_episode(struct engine_fixture *f)
{
    const struct episode *e = turns_episode(f->turns);

    sp_buf_clear(&f->shown);
    for (size_t i = 0; i < e->n_events; i++) {
        const struct episode_event *event = &e->events[i];

        if (event->kind == EPISODE_ASSISTANT) {
            put_turn(&f->shown, event);
        } else {
            sp_buf_add(&f->shown, event->kind == EPISODE_USER ? SP_STR("user: ")
                                  : event->is_error           ? SP_STR("error: ")
                                                              : SP_STR("result: "));
            sp_buf_add(&f->shown, event->text);
        }
        sp_buf_add_char(&f->shown, '\n');
    }
    return sp_buf_cstr(&f->shown);
}

const char *engine_fixture_look(struct engine_fixture *f)
{
    sp_buf_clear(&f->shown);
    sp_buf_add(&f->shown, sp_buf_str(&f->events));
    sp_buf_clear(&f->events);
    return sp_buf_cstr(&f->shown);
}

const char *engine_fixture_look_sent(struct engine_fixture *f)
{
    struct sp_str rest = sp_buf_str(&f->events);

    sp_buf_clear(&f->shown);
    while (rest.len > 0) {
        size_t n = sp_str_find(rest, '\n') + 1;

        if (rest.p[0] != '[')
            sp_buf_add(&f->shown, sp_str_sub(rest, 0, n));
        rest = sp_str_sub(rest, n, rest.len);
    }
    sp_buf_clear(&f->events);
    return sp_buf_cstr(&f->shown);
}
