/* Lines that wait for a confirmation judge, as they would wait in a queue. */

#include <stdio.h>

#include "judge_model.h"

void judge_model_deinit(struct judge_model *m)
{
    sp_buf_deinit(&m->to_host);
    sp_buf_deinit(&m->to_server);
    sp_buf_deinit(&m->senders);
    sp_buf_deinit(&m->client);
}

static void record(struct judge_model *m, const char *from)
{
    sp_buf_addf(&m->senders, "%s ", from);
}

static void record_client(struct judge_model *m, const struct judge_model_line *line)
{
    record(m, "client");
    sp_buf_add(&m->client, sp_str_of(line->text));
}

static void to_host(struct judge_model *m, const char *text)
{
    record(m, "proxy");
    sp_buf_add(&m->to_host, sp_str_of(text));
}

static void to_server(struct judge_model *m, const struct judge_model_line *line)
{
    record_client(m, line);
    sp_buf_add(&m->to_server, sp_str_of(line->text));
}

static void read_conversation(struct judge_model *m)
{
    for (; m->n_unread > 0; m->n_unread--)
        record(m, "context");
}

static void list_add(struct judge_model_list *list, struct judge_model_commit *c)
{
    list->of[list->n++] = c;
}

static void list_remove(struct judge_model_list *list, size_t i)
{
    list->n--;
    for (; i < list->n; i++)
        list->of[i] = list->of[i + 1];
}

/* Whether a question is out now, or the call passes unasked. */
static bool ask(struct judge_model *m)
{
    if (m->n_questions == m->budget)
        return false;
    m->n_questions++;
    m->is_asked = true;
    return true;
}

static void report(struct judge_model_commit *c, const char *outcome)
{
    size_t i = c->i++;
    size_t len = strlen(c->report);

    (void)snprintf(c->report + len, sizeof c->report - len, "%s%s%s", i > 0 ? "\\n\\n" : "",
                   c->line->is_write[i] ? "" : "get_user_details {}", "");
    len = strlen(c->report);
    if (c->line->is_write[i])
        (void)snprintf(c->report + len, sizeof c->report - len, "book_reservation {\\\"n\\\":%zu}",
                       c->line->n + i);
    len = strlen(c->report);
    (void)snprintf(c->report + len, sizeof c->report - len, "%s", outcome);
}

#define RESULT                                                                           \
    "{\"id\":%u,\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"%s\",\"type\":" \
    "\"text\"}],\"isError\":%s}}\n"

static void commit_end(struct judge_model *m, struct judge_model_commit *c, bool is_error)
{
    struct sp_buf text = {0};

    while (c->i < c->line->n_calls)
        report(c, " was not run");
    sp_buf_addf(&text, RESULT, c->line->id, c->report, is_error ? "true" : "false");
    to_host(m, sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static void commit_send(struct judge_model *m, struct judge_model_commit *c)
{
    bool is_write = c->line->is_write[c->i];

    if (m->is_server_ended || !m->is_open) {
        report(c, " got no answer from the server");
        commit_end(m, c, true);
        return;
    }
    c->awaited = ++m->n_own;
    record(m, "proxy");
    sp_buf_addf(&m->to_server,
                "{\"id\":\"stretto-%u\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
                "\"arguments\":{",
                c->awaited);
    if (is_write)
        sp_buf_addf(&m->to_server, "\"n\":%zu", c->line->n + c->i);
    sp_buf_addf(&m->to_server, "},\"name\":\"%s\"}}\n",
                is_write ? "book_reservation" : "get_user_details");
    list_add(&m->sent, c);
}

/* The commit's next call, or its end. */
static void commit_go_on(struct judge_model *m, struct judge_model_commit *c)
{
    bool is_write;

    if (c->i == c->line->n_calls) {
        commit_end(m, c, false);
        return;
    }
    read_conversation(m);
    is_write = c->line->is_write[c->i];
    if (m->is_interrupted || (is_write && m->is_server_ended))
        commit_end(m, c, true);
    else if (is_write && m->is_asked)
        list_add(&m->waiting, c);
    else if (is_write && ask(m))
        m->held_commit = c;
    else
        commit_send(m, c);
}

static void handle(struct judge_model *m, const struct judge_model_line *line)
{
    if (m->is_server_ended)
        return;
    if (line->kind == JUDGE_MODEL_READ || line->kind == JUDGE_MODEL_WRITE ||
        line->kind == JUDGE_MODEL_COMMIT)
        read_conversation(m);
    switch (line->kind) {
    case JUDGE_MODEL_PLAIN:
    case JUDGE_MODEL_READ:
        to_server(m, line);
        break;
    case JUDGE_MODEL_WRITE:
        if (m->is_interrupted)
            record_client(m, line);
        else if (ask(m))
            m->held = line;
        else
            to_server(m, line);
        break;
    case JUDGE_MODEL_BAD:
        record_client(m, line);
        to_host(m, "{\"error\":{\"code\":-32700,\"message\":\"Parse error\"},\"id\":null,"
                   "\"jsonrpc\":\"2.0\"}\n");
        break;
    case JUDGE_MODEL_COMMIT:
        record_client(m, line);
        m->commits[m->n_commits].line = line;
        commit_go_on(m, &m->commits[m->n_commits++]);
        break;
    case JUDGE_MODEL_N_KINDS:
        break;
    }
}

void judge_model_run(struct judge_model *m)
{
    while (!m->is_asked) {
        if (m->waiting.n > 0) {
            struct judge_model_commit *c = m->waiting.of[0];

            list_remove(&m->waiting, 0);
            if (m->is_interrupted || m->is_server_ended)
                commit_end(m, c, true);
            else
                commit_go_on(m, c);
        } else if (m->n_taken < m->n_lines) {
            handle(m, &m->lines[m->n_taken++]);
        } else {
            break;
        }
    }
    if (m->is_asked)
        return;
    if (m->end_is_unread && !m->is_server_ended)
        read_conversation(m);
    m->end_is_unread = false;
    if (m->has_host_ended)
        m->is_open = false;
}

#define REASONS(list)                                                                        \
    "the customer has not explicitly agreed to this exact change (confirmation judge: " list \
    "); describe the change and ask the customer to confirm it first"

/* The judgment is over: its call is refused for a list of reasons, or made if there are none. */
static void judged(struct judge_model *m, const char *list)
{
    const struct judge_model_line *line = m->held;
    struct judge_model_commit *c = m->held_commit;
    struct sp_buf text = {0}, refused = {0};

    m->held = NULL;
    m->held_commit = NULL;
    m->is_second = false;
    if (list[0] == '\0') {
        if (line != NULL)
            to_server(m, line);
        else
            commit_send(m, c);
    } else if (line != NULL) {
        record_client(m, line);
        sp_buf_addf(&text,
                    "Refused by the policy check, so book_reservation was not run and nothing "
                    "changed: " REASONS("%s") ".",
                    list);
        sp_buf_addf(&refused, RESULT, line->id, sp_buf_cstr(&text), "true");
        if (line->id > 0)
            to_host(m, sp_buf_cstr(&refused));
    } else {
        sp_buf_addf(&text, " was refused by the policy check: " REASONS("%s"), list);
        report(c, sp_buf_cstr(&text));
        commit_end(m, c, true);
    }
    sp_buf_deinit(&text);
    sp_buf_deinit(&refused);
    judge_model_run(m);
}

void judge_model_answer(struct judge_model *m, double p)
{
    char list[64] = "";
    bool fails[2];

    m->is_asked = false;
    m->p[m->is_second] = p;
    if (m->has_second && !m->is_second) {
        m->p[1] = -1;
        m->is_second = ask(m);
        if (m->is_second)
            return;
    }
    fails[0] = m->p[0] >= 0 && m->p[0] < 0.5;
    fails[1] = m->has_second && !m->is_shadow && m->p[1] >= 0 && m->p[1] < 0.5;
    if (m->enforces && (fails[0] || fails[1]))
        (void)snprintf(list, sizeof list, "%s%s%s", fails[0] ? "p_yes 0.10" : "",
                       fails[0] && fails[1] ? ", " : "", fails[1] ? "p_second 0.10" : "");
    judged(m, list);
}

void judge_model_server(struct judge_model *m, const char *text, unsigned own)
{
    record(m, "server");
    for (size_t i = 0; i < m->sent.n; i++) {
        struct judge_model_commit *c = m->sent.of[i];

        if (c->awaited == own) {
            list_remove(&m->sent, i);
            report(c, ":\\nx");
            commit_go_on(m, c);
            return;
        }
    }
    if (own == 0)
        sp_buf_addf(&m->to_host, "%s\n", text);
}

void judge_model_stop(struct judge_model *m)
{
    const struct judge_model_line *line = m->held;
    struct judge_model_commit *c = m->held_commit;

    m->held = NULL;
    m->held_commit = NULL;
    m->is_asked = false;
    if (line != NULL && !m->is_server_ended)
        record_client(m, line);
    if (c != NULL)
        commit_end(m, c, true);
    judge_model_run(m);
    while (m->sent.n > 0) {
        c = m->sent.of[0];
        list_remove(&m->sent, 0);
        m->given_up = c->awaited;
        report(c, " got no answer from the server");
        commit_end(m, c, true);
    }
    m->is_open = false;
}
