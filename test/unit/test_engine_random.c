/* Sessions at random: whatever comes in whatever order, nothing is lost, and nothing is said twice.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine_fixture.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Appends a line that the engine does not act on. */
static void put_plain_line(struct json_gen *g, struct sp_buf *b)
{
    static const char *const texts[] = {
        "",
        "not json",
        "\xff\xfe",
        " {\"id\":1,\"method\":\"ping\"} ",
        "{\"id\":\"a\",\"result\":{\"n\":1e2}}",
        "{\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"lookup\"}}",
        "{\"id\":7,\"result\":{\"content\":[]}}",
        "[{\"id\":7,\"method\":\"tools/call\"}]",
        "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}",
    };

    if (json_gen_below(g, 2) == 0)
        sp_buf_add(b, sp_str_of(texts[json_gen_below(g, N_OF(texts))]));
    else
        json_gen_value(g, b);
    sp_buf_add(b, json_gen_below(g, 3) == 0 ? SP_STR("\r\n") : SP_STR("\n"));
}

static void engine_keeps_random_traffic_byte_for_byte_and_in_order(void **state)
{
    struct json_gen g = {0x5eed};

    (void)state;
    for (int options = 0; options < 4; options++) {
        struct engine_fixture f;
        struct sp_buf from_host = {0}, from_server = {0};

        engine_fixture_init(&f, NULL, (options & 1) != 0, (options & 2) != 0);
        for (int i = 0; i < 1000; i++) {
            struct sp_buf line = {0};

            put_plain_line(&g, &line);
            f.now_ms += json_gen_below(&g, 3);
            if (json_gen_below(&g, 2) == 0) {
                engine_fixture_host_bytes(&f, sp_buf_str(&line));
                sp_buf_add(&from_host, sp_buf_str(&line));
            } else {
                engine_fixture_server_bytes(&f, sp_buf_str(&line));
                sp_buf_add(&from_server, sp_buf_str(&line));
            }
            sp_buf_deinit(&line);
        }
        assert_int_equal(f.to_server.len, from_host.len);
        assert_memory_equal(f.to_server.p, from_host.p, from_host.len);
        assert_int_equal(f.to_host.len, from_server.len);
        assert_memory_equal(f.to_host.p, from_server.p, from_server.len);
        sp_buf_deinit(&from_host);
        sp_buf_deinit(&from_server);
        engine_fixture_deinit(&f);
    }
}

#define MAX_ASKED 400

/* A session whose requests are counted. */
struct play {
    struct engine_fixture f;
    struct json_gen g;
    size_t n_asked;            /* by the host; the numbers from 1 on are the ids */
    bool is_own[MAX_ASKED];    /* the request is the proxy's to answer */
    size_t n_given[MAX_ASKED]; /* answers that the server has given under an id of the host */
    size_t n_got[MAX_ASKED];   /* answers that the host has got */
    size_t n_server_seen;      /* bytes sent to the server that were looked at */
    size_t n_host_seen;
    struct sp_buf open[2 * MAX_ASKED]; /* ids of requests that the server has not answered */
    size_t n_open;
};

static void play_begin(struct play *p, uint64_t seed, const char *guards)
{
    *p = (struct play){.g = {seed}};
    engine_fixture_init(&p->f, guards, true, true);
}

static void play_end(struct play *p)
{
    while (p->n_open > 0)
        sp_buf_deinit(&p->open[--p->n_open]);
    engine_fixture_deinit(&p->f);
}

/* The index of an id that the host has given; MAX_ASKED for another. */
static size_t index_of(const struct play *p, struct sp_str id)
{
    uint64_t n;

    return jget_u64(id, &n) && n > 0 && n <= p->n_asked ? (size_t)n - 1 : MAX_ASKED;
}

/* Takes the next line off what was sent to a side. */
static struct sp_str next_line(const struct sp_buf *sent, size_t *n_seen)
{
    struct sp_str rest = sp_str_sub(sp_buf_str(sent), *n_seen, sent->len);

    rest.len = sp_str_find(rest, '\n') + 1;
    *n_seen += rest.len;
    return rest;
}

/* Notes what both sides have got since the last look. */
static void play_look(struct play *p)
{
    struct jscan scan;

    while (p->n_server_seen < p->f.to_server.len) {
        struct sp_str line = next_line(&p->f.to_server, &p->n_server_seen);

        assert_true(jscan(line, JSCAN_LOG_DEPTH, &scan));
        assert_in_range(p->n_open, 0, N_OF(p->open) - 1);
        if (scan.id.p != NULL && scan.method.p != NULL)
            sp_buf_add(&p->open[p->n_open++], scan.id);
    }
    while (p->n_host_seen < p->f.to_host.len) {
        struct sp_str line = next_line(&p->f.to_host, &p->n_host_seen);
        size_t i;

        assert_true(jscan(line, JSCAN_LOG_DEPTH, &scan));
        assert_true(scan.id.p == NULL || !sp_str_starts(scan.id, SP_STR("\"stretto-")));
        i = scan.id.p != NULL && scan.method.p == NULL ? index_of(p, scan.id) : MAX_ASKED;
        if (i < MAX_ASKED)
            p->n_got[i]++;
    }
}

#define LOOKUP "{\"name\":\"lookup\"}"
#define CANCEL "{\"name\":\"cancel_pending_order\",\"arguments\":{\"order_id\":\"#W1\"}}"
#define COMMIT(calls)      \
    ",\"method\":\"tools/" \
    "call\",\"params\":{\"name\":\"stretto_commit\",\"arguments\":{\"calls\":[" calls "]}}}"

/* The host asks for something. */
static void play_ask(struct play *p)
{
    static const struct {
        const char *rest; /* of the request, after its id */
        bool is_own;      /* without guards too */
        bool is_refused;  /* by guards */
    } forms[] = {
        {",\"method\":\"ping\"}", false, false},
        {",\"method\":\"tools/list\"}", false, false},
        {",\"method\":\"tools/list\",\"params\":{\"cursor\":\"c\"}}", false, false},
        {",\"method\":\"tools/call\",\"params\":" LOOKUP "}", false, false},
        {",\"method\":\"tools/call\",\"params\":" CANCEL "}", false, true},
        {",\"method\":\"ping\",\"method\":\"ping\"}", false, true},
        {",\"method\":\"tools/call\",\"params\":{\"name\":\"stretto_commit\"}}", true, true},
        {COMMIT(LOOKUP), true, true},
        {COMMIT(LOOKUP "," LOOKUP "," LOOKUP), true, true},
        {COMMIT(LOOKUP "," CANCEL), true, true},
        {COMMIT(CANCEL "," LOOKUP), true, true},
    };
    size_t i = json_gen_below(&p->g, N_OF(forms));
    bool has_guards = p->f.options.guards != NULL;
    bool is_batch = has_guards && json_gen_below(&p->g, 8) == 0 && forms[i].is_refused;
    struct sp_buf line = {0};

    p->is_own[p->n_asked] = has_guards ? forms[i].is_refused : forms[i].is_own;
    sp_buf_addf(&line, "%s{\"id\":%zu%s%s", is_batch ? "[" : "", ++p->n_asked, forms[i].rest,
                is_batch ? "]" : "");
    engine_fixture_host(&p->f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
}

/* The server answers one of the requests that it has. */
static void play_answer(struct play *p)
{
    static const char *const answers[] = {
        "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}",
        "\"result\":{\"content\":[],\"isError\":true}",
        "\"result\":{\"tools\":[{\"name\":\"stretto_commit\"}]}",
        "\"error\":{\"code\":1,\"message\":\"no\"}",
    };
    size_t i, asked;
    struct sp_buf id, line = {0};

    if (p->n_open == 0)
        return;
    i = json_gen_below(&p->g, p->n_open);
    id = p->open[i];
    p->open[i] = p->open[--p->n_open];
    p->open[p->n_open] = (struct sp_buf){0};
    asked = index_of(p, sp_buf_str(&id));
    if (asked < MAX_ASKED)
        p->n_given[asked]++;
    sp_buf_addf(&line, "{\"id\":%s,%s}", sp_buf_cstr(&id),
                answers[json_gen_below(&p->g, N_OF(answers))]);
    engine_fixture_server(&p->f, sp_buf_cstr(&line));
    sp_buf_deinit(&line);
    sp_buf_deinit(&id);
}

static void play_step(struct play *p)
{
    switch (json_gen_below(&p->g, 8)) {
    case 0:
    case 1:
        play_ask(p);
        break;
    case 2:
    case 3:
    case 4:
        play_answer(p);
        break;
    case 5:
        engine_fixture_server(&p->f, "{\"method\":\"notifications/message\",\"params\":{}}");
        engine_fixture_host(&p->f, "{\"id\":\"x\",\"result\":{}}");
        break;
    case 6:
        engine_fixture_says(&p->f, "{\"role\":\"user\",\"content\":\"Yes\"}\n");
        break;
    case 7:
        engine_fixture_wait_until(&p->f, p->f.now_ms + json_gen_below(&p->g, 30000));
        break;
    }
    play_look(p);
}

/* What is left when the server answers all, or ends, or the proxy is to end. */
static void play_finish(struct play *p)
{
    size_t how = json_gen_below(&p->g, 4);

    if (how == 0)
        engine_fixture_host_end(&p->f);
    if (how == 1)
        engine_fixture_interrupt(&p->f);
    for (; how != 2 && p->n_open > 0; play_look(p))
        play_answer(p);
    engine_fixture_server_end(&p->f);
    play_look(p);
}

static void engine_gives_every_request_one_answer(void **state)
{
    size_t n_own = 0, n_timed_out = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct play p;

        play_begin(&p, seed, seed % 2 == 0 ? "retail" : NULL);
        for (int i = 0; i < 400; i++)
            play_step(&p);
        play_finish(&p);
        for (size_t i = 0; i < p.n_asked; i++) {
            size_t wanted = p.is_own[i] ? 1 : p.n_given[i];

            if (p.n_got[i] != wanted)
                fail_msg("seed %ju: the request %zu got %zu answers", (uintmax_t)seed, i + 1,
                         p.n_got[i]);
            n_own += p.is_own[i];
        }
        assert_int_equal(engine_due_ms(p.f.engine), UINT64_MAX);
        n_timed_out += memmem(p.f.events.p, p.f.events.len, "within 60 s", 11) != NULL;
        play_end(&p);
    }
    /* The sessions were of all kinds. */
    assert_true(n_own > 500);
    assert_true(n_timed_out > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engine_keeps_random_traffic_byte_for_byte_and_in_order),
        cmocka_unit_test(engine_gives_every_request_one_answer),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
