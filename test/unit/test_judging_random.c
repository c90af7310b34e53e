/* Sessions with a confirmation judge at random, held against a naive model of them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"
#include "json_gen.h"
#include "judge_model.h"

#define N_STEPS   250
#define MAX_PARTS 5

/* The same to both. */
struct play {
    struct engine_fixture f;
    struct judge_model m;
    struct json_gen g;
    unsigned n; /* of host lines and calls in commits */
    struct sp_buf recorded, heard;
    size_t n_held_back; /* steps at which lines waited */
};

static void play_begin(struct play *p, uint64_t seed)
{
    struct engine_judge judge = {
        .options = {.model = SP_STR("m"), .threshold = 0.5},
    };

    p->g.state = seed;
    p->m.is_open = true;
    p->m.enforces = judge.options.enforces = seed % 4 != 0;
    p->m.has_second = seed % 3 != 0;
    p->m.is_shadow = judge.options.second_shadow = seed % 3 == 2;
    if (p->m.has_second)
        judge.options.second = JUDGMENT_PROPOSED;
    judge.questions = json_gen_below(&p->g, 5) == 0 ? json_gen_below(&p->g, 20) : 10000;
    p->m.budget = (unsigned)judge.questions;
    engine_fixture_init_judge(&p->f, &judge, NULL, "airline", true);
}

/* Appends the host's lines that were recorded since the last look. */
static void look(struct play *p)
{
    struct sp_str rest = sp_str_of(engine_fixture_look(&p->f));

    while (rest.len > 0) {
        struct sp_str line = sp_str_sub(rest, 0, sp_str_find(rest, '\n') + 1);

        if (sp_str_starts(line, SP_STR("[client ")))
            sp_buf_add(&p->recorded, sp_str_sub(line, sp_str_find(line, ']') + 2, line.len));
        rest = sp_str_sub(rest, line.len, rest.len);
    }
}

static void compare(const struct play *p, const char *what, const struct sp_buf *got,
                    const struct sp_buf *wanted)
{
    size_t at = 0;

    while (at < got->len && at < wanted->len && got->p[at] == wanted->p[at])
        at++;
    if (at < got->len || at < wanted->len)
        fail_msg("%s, line %u, byte %zu: got '%.*s', wanted '%.*s'", what, p->n, at,
                 SP_STR_ARG(sp_str_sub(sp_buf_str(got), at, got->len)),
                 SP_STR_ARG(sp_str_sub(sp_buf_str(wanted), at, wanted->len)));
}

static void check(struct play *p)
{
    look(p);
    compare(p, "to the server", &p->f.to_server, &p->m.to_server);
    compare(p, "to the host", &p->f.to_host, &p->m.to_host);
    compare(p, "the host's entries", &p->recorded, &p->m.client);
    compare(p, "all entries", &p->f.senders, &p->m.senders);
    assert_int_equal(p->f.judged != NULL, p->m.is_asked);
    assert_int_equal(engine_is_judging(p->f.engine), p->m.is_asked);
    p->n_held_back += p->m.n_taken < p->m.n_lines;
}

static void put_commit(struct play *p, struct judge_model_line *line)
{
    struct sp_buf calls = {0};

    line->n_calls = 1 + json_gen_below(&p->g, JUDGE_MODEL_MAX_CALLS);
    for (size_t i = 0; i < line->n_calls; i++) {
        line->is_write[i] = json_gen_below(&p->g, 2) == 0;
        sp_buf_addf(&calls, i > 0 ? "," : "");
        if (line->is_write[i])
            sp_buf_addf(&calls, "{\"name\":\"book_reservation\",\"arguments\":{\"n\":%u}}", p->n);
        else
            sp_buf_addf(&calls, "{\"name\":\"get_user_details\"}");
        p->n++;
    }
    (void)snprintf(line->text, sizeof line->text,
                   "{\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\","
                   "\"arguments\":{\"calls\":[%s]}}}\n",
                   line->id, sp_buf_cstr(&calls));
    sp_buf_deinit(&calls);
}

/* Makes a line of the host of a kind. */
static void put_line(struct play *p, enum judge_model_kind kind, struct judge_model_line *line)
{
    *line = (struct judge_model_line){.kind = kind, .id = ++p->n, .n = p->n};
    switch (kind) {
    case JUDGE_MODEL_PLAIN:
        (void)snprintf(line->text, sizeof line->text,
                       json_gen_below(&p->g, 2) == 0 ? "{\"id\":%u,\"method\":\"ping\"}\n"
                                                     : "{\"method\":\"n\",\"params\":[%u]}\n",
                       line->id);
        break;
    case JUDGE_MODEL_READ:
        (void)snprintf(line->text, sizeof line->text,
                       "{\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":"
                       "\"get_user_details\"}}\n",
                       line->id);
        break;
    case JUDGE_MODEL_WRITE:
        if (json_gen_below(&p->g, 4) == 0)
            line->id = 0;
        (void)snprintf(line->text, sizeof line->text,
                       line->id == 0 ? "{\"method\":\"tools/call\",\"params\":{\"name\":"
                                       "\"book_reservation\",\"arguments\":{\"n\":%u}}}\n"
                                     : "{\"method\":\"tools/call\",\"params\":{\"name\":"
                                       "\"book_reservation\"},\"id\":%u}\n",
                       line->n);
        break;
    case JUDGE_MODEL_BAD:
        (void)snprintf(line->text, sizeof line->text, "bad %u\n", line->id);
        break;
    case JUDGE_MODEL_COMMIT:
        put_commit(p, line);
        break;
    case JUDGE_MODEL_N_KINDS:
        break;
    }
}

static bool is_call(enum judge_model_kind kind)
{
    return kind == JUDGE_MODEL_READ || kind == JUDGE_MODEL_WRITE || kind == JUDGE_MODEL_COMMIT;
}

/* Appends a batch; what becomes of it is one line, or as many as it has parts. */
static void put_batch(struct play *p, struct sp_buf *text)
{
    static const enum judge_model_kind kinds[] = {JUDGE_MODEL_PLAIN, JUDGE_MODEL_READ,
                                                  JUDGE_MODEL_WRITE, JUDGE_MODEL_COMMIT};
    struct judge_model_line *first = &p->m.lines[p->m.n_lines];
    size_t n = 1 + json_gen_below(&p->g, MAX_PARTS);
    bool is_taken_apart = false;

    for (size_t i = 0; i < n; i++) {
        enum judge_model_kind kind =
            kinds[json_gen_below(&p->g, 8) < 4 ? 0 : json_gen_below(&p->g, 4)];

        put_line(p, kind, first + i);
        is_taken_apart = is_taken_apart || is_call(kind);
        sp_buf_add_char(text, i > 0 ? ',' : '[');
        sp_buf_add(text, sp_str_sub(sp_str_of(first[i].text), 0, strlen(first[i].text) - 1));
    }
    sp_buf_add(text, SP_STR("]\n"));
    if (!is_taken_apart) {
        first->kind = JUDGE_MODEL_PLAIN;
        (void)snprintf(first->text, sizeof first->text, "%s", sp_buf_cstr(text));
        n = 1;
    }
    p->m.n_lines += n;
}

static void play_host(struct play *p)
{
    size_t n_before = p->m.n_lines;
    struct sp_buf text = {0};

    if (p->m.n_lines + MAX_PARTS > JUDGE_MODEL_MAX_LINES)
        return;
    if (json_gen_below(&p->g, 5) == 0) {
        put_batch(p, &text);
    } else {
        put_line(p, (enum judge_model_kind)json_gen_below(&p->g, JUDGE_MODEL_N_KINDS),
                 &p->m.lines[p->m.n_lines]);
        sp_buf_add(&text, sp_str_of(p->m.lines[p->m.n_lines++].text));
    }
    for (size_t i = n_before; i < p->m.n_lines; i++)
        sp_buf_add(&p->heard, sp_str_of(p->m.lines[i].text));
    engine_fixture_host_bytes(&p->f, sp_buf_str(&text));
    sp_buf_deinit(&text);
    judge_model_run(&p->m);
}

/* The server answers one of the proxy's own requests, perhaps one that is over. */
static void play_own_answer(struct play *p)
{
    unsigned own;
    char text[128];

    if (p->m.sent.n > 0)
        own = p->m.sent.of[json_gen_below(&p->g, p->m.sent.n)]->awaited;
    else
        own = p->m.given_up;
    if (own == 0)
        return;
    if (own == p->m.given_up)
        p->m.given_up = 0;
    (void)snprintf(text, sizeof text,
                   "{\"id\":\"stretto-%u\",\"result\":{\"content\":[{\"text\":\"x\"}]}}", own);
    engine_fixture_server(&p->f, text);
    judge_model_server(&p->m, text, own);
}

static void play_server(struct play *p)
{
    static const char *const forms[] = {
        "{\"method\":\"notifications/message\",\"params\":[",
        "{\"id\":\"s\",\"method\":\"ping\",\"params\":[",
        "not JSON ",
    };
    char text[128];

    (void)snprintf(text, sizeof text, "%s%u]}", forms[json_gen_below(&p->g, 3)], ++p->n);
    engine_fixture_server(&p->f, text);
    judge_model_server(&p->m, text, 0);
}

static void play_judge(struct play *p)
{
    size_t how = json_gen_below(&p->g, 4);

    if (!p->m.is_asked)
        return;
    if (how == 0)
        engine_fixture_judge_fails(&p->f, "lost");
    else
        engine_fixture_judge(&p->f, how == 1 ? 0.1 : 0.9);
    judge_model_answer(&p->m, how == 0 ? -1 : how == 1 ? 0.1 : 0.9);
}

static void play_step(struct play *p)
{
    p->f.now_ms += json_gen_below(&p->g, 50);
    switch (json_gen_below(&p->g, 10)) {
    case 0:
    case 1:
    case 2:
        if (!p->m.has_host_ended)
            play_host(p);
        break;
    case 3:
    case 4:
    case 5:
        play_judge(p);
        break;
    case 6:
    case 7:
        play_own_answer(p);
        break;
    case 8:
        play_server(p);
        break;
    case 9:
        engine_fixture_says(&p->f, "{\"role\":\"user\",\"content\":\"Well\"}\n");
        p->m.n_unread++;
        break;
    }
    check(p);
}

static void play_host_end(struct play *p)
{
    p->m.has_host_ended = true;
    p->m.end_is_unread = true;
    engine_fixture_host_end(&p->f);
    judge_model_run(&p->m);
    check(p);
}

/* Plays on until nothing is out. */
static void play_out(struct play *p)
{
    while (p->m.is_asked || p->m.sent.n > 0) {
        play_judge(p);
        play_own_answer(p);
        check(p);
    }
    compare(p, "the host's lines", &p->recorded, &p->heard);
}

static void play_finish(struct play *p)
{
    size_t how = json_gen_below(&p->g, 4);

    if (how == 0)
        play_host_end(p);
    for (size_t n = json_gen_below(&p->g, 5); n > 0; n--)
        play_step(p);
    if (how == 1) {
        p->m.is_interrupted = true;
        engine_fixture_interrupt(&p->f);
        judge_model_stop(&p->m);
        check(p);
        play_own_answer(p);
        play_server(p);
    }
    if (how <= 2)
        play_out(p);
    p->m.is_server_ended = true;
    engine_fixture_server_end(&p->f);
    judge_model_stop(&p->m);
    check(p);
    play_host(p); /* nobody takes it any more */
    check(p);
    assert_true(sp_str_starts(sp_buf_str(&p->heard), sp_buf_str(&p->recorded)));
    assert_int_equal(engine_due_ms(p->f.engine), UINT64_MAX);
}

static void play_end(struct play *p)
{
    judge_model_deinit(&p->m);
    sp_buf_deinit(&p->recorded);
    sp_buf_deinit(&p->heard);
    engine_fixture_deinit(&p->f);
}

static void judging_is_as_if_every_line_waited_its_turn(void **state)
{
    size_t n_held_back = 0, n_refused = 0, n_skipped = 0, n_commits = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct play *p = sp_calloc(1, sizeof *p);

        play_begin(p, seed);
        for (int i = 0; i < N_STEPS; i++)
            play_step(p);
        play_finish(p);
        n_held_back += p->n_held_back;
        n_refused += memmem(p->f.to_host.p, p->f.to_host.len, "p_second 0.10", 13) != NULL;
        n_skipped += p->f.n_skipped;
        n_commits += p->m.n_commits;
        play_end(p);
        free(p);
    }
    /* The sessions were of all kinds. */
    assert_true(n_held_back > 3000);
    assert_true(n_refused > 10);
    assert_true(n_skipped > 100);
    assert_true(n_commits > 1000);
}

/* A session that ends at any moment with whatever is held leaves nothing behind. */
static void judging_can_be_left_at_any_moment(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct play *p = sp_calloc(1, sizeof *p);

        play_begin(p, seed);
        for (uint64_t i = 0; i < 10 + seed % 30; i++)
            play_step(p);
        play_end(p);
        free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_is_as_if_every_line_waited_its_turn),
        cmocka_unit_test(judging_can_be_left_at_any_moment),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
