/* Tests of trace/episode.h and trace/episodejson.h, by chapter 40, section 3. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "json_gen.h"
#include "sessiontext.h"
#include "trace/episodejson.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/*
 * An episode in short: "(1,2)" is a turn with those calls, "=1" a result, "u" a message of the
 * user. The tool of the n-th call of a turn is "tn".
 */
static struct episode episode(const char *events)
{
    struct episode e = {.id = SP_STR("e"),
                        .task_id = SP_STR(""),
                        .domain = SP_STR("d"),
                        .agent_model = SP_STR("m")};

    while (*events != '\0') {
        size_t n = strcspn(events, " ");

        if (*events == 'u') {
            episode_add_user(&e, SP_STR("hi"));
        } else if (*events == '=') {
            episode_add_result(&e, (struct sp_str){events + 1, n - 1}, SP_STR("t"), false,
                               SP_STR("text"));
        } else {
            size_t turn = episode_add_turn(&e, (struct sp_str){0});
            struct sp_str ids = {events + 1, n - 2};

            for (int i = 0; ids.len > 0; i++) {
                size_t comma = sp_str_find(ids, ',');
                char name[16];

                (void)snprintf(name, sizeof name, "t%d", i);
                episode_add_call(&e, turn,
                                 (struct episode_call){
                                     .id = sp_str_sub(ids, 0, comma),
                                     .name = sp_str_of(name),
                                     .arguments = SP_STR("{}"),
                                 });
                ids = sp_str_sub(ids, comma < ids.len ? comma + 1 : comma, ids.len);
            }
        }
        events += n + (events[n] == ' ');
    }
    return e;
}

static void put_calls(struct sp_buf *b, const struct episode_call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sp_buf_add(b, i > 0 ? SP_STR(",") : SP_STR(""));
        sp_buf_add(b, calls[i].id);
        sp_buf_add_char(b, ':');
        sp_buf_add(b, calls[i].name);
    }
}

/* Tells a view as "INDEX of the turn [calls] [pending]". */
static void put_view(struct sp_buf *b, const struct episode_view *v)
{
    if (v->turn != SIZE_MAX)
        sp_buf_addf(b, "%zu ", v->turn);
    sp_buf_add_char(b, '[');
    put_calls(b, v->calls, v->n_calls);
    sp_buf_add(b, SP_STR("] ["));
    put_calls(b, v->pending, v->n_pending);
    sp_buf_add_char(b, ']');
}

struct view_case {
    const char *events;
    const char *call_id;
    const char *want;
};

static void episode_is_viewed_after_a_call(void **state)
{
    static const struct view_case cases[] = {
        /* The vector of the chapter. */
        {"(1,2,3) =2 =3", "3", "0 [2:t1,3:t2] [1:t0]"},
        {"(1,2,3) =2", "2", "0 [2:t1] [1:t0,3:t2]"},
        {"(1,2,3) =2 =3", "9", "[] []"},
        /* Without a turn, and of the results' ids alone. */
        {"", "1", "[] []"},
        {"u =1", "1", "[] []"},
        {"()", "", "[] []"},
        /* The call is last, whether it has a result or not, and the rest keeps its order. */
        {"(1,2,3) =3 =2 =1", "1", "0 [2:t1,3:t2,1:t0] []"},
        {"(1,2,3) =3 =1", "2", "0 [1:t0,3:t2,2:t1] []"},
        {"(1,2,3)", "1", "0 [1:t0] [2:t1,3:t2]"},
        {"(1)", "1", "0 [1:t0] []"},
        /* A result counts wherever it stands. */
        {"=2 (1,2,3) =1", "1", "1 [2:t1,1:t0] [3:t2]"},
        {"(1,2) =1 (3) =3 =2", "1", "0 [2:t1,1:t0] []"},
        /* The first turn that has the call is the one; its results may be of another. */
        {"(1,2) =1 (1,3) =1", "1", "0 [1:t0] [2:t1]"},
        {"u (5) (1,2) (2,1) =2", "1", "2 [2:t1,1:t0] []"},
        {"(2) =2 (1,2)", "1", "2 [2:t1,1:t0] []"},
        /* Of calls with its id the first is kept; others that share an id stay together. */
        {"(1,2,1) =2", "1", "0 [2:t1,1:t0] []"},
        {"(2,1,2,3,3) =2", "1", "0 [2:t0,2:t2,1:t1] [3:t3,3:t4]"},
        {"(11,1) =11", "1", "0 [11:t0,1:t1] []"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct episode e = episode(cases[i].events);
        struct episode_view view;
        struct sp_buf b = {0};

        episode_view_after(&e, sp_str_of(cases[i].call_id), &view);
        assert_ptr_equal(view.episode, &e);
        put_view(&b, &view);
        if (strcmp(sp_buf_cstr(&b), cases[i].want) != 0)
            fail_msg("%s after %s: %s", cases[i].events, cases[i].call_id, b.p);
        sp_buf_deinit(&b);
        episode_view_deinit(&view);
        episode_deinit(&e);
    }
}

static void episode_knows_the_first_turn_though_a_call_joins_it_late(void **state)
{
    struct episode e = episode("(2) (1)");
    struct episode_view view;
    struct sp_buf b = {0};

    (void)state;
    episode_add_call(&e, 0, (struct episode_call){SP_STR("1"), SP_STR("late"), SP_STR("{}")});
    episode_view_after(&e, SP_STR("1"), &view);
    put_view(&b, &view);
    assert_string_equal(sp_buf_cstr(&b), "0 [1:late] [2:t0]");
    sp_buf_deinit(&b);
    episode_view_deinit(&view);
    episode_deinit(&e);
}

static void episode_view_shows_all_other_turns_as_they_are(void **state)
{
    struct episode e = episode("(1,2) =1 (3,4) u");
    struct episode_view whole = episode_view_whole(&e), view;
    size_t n;

    (void)state;
    episode_view_after(&e, SP_STR("1"), &view);
    assert_ptr_equal(episode_view_calls(&view, 0, &n), view.calls);
    assert_int_equal(n, 1);
    assert_ptr_equal(episode_view_calls(&view, 2, &n), e.events[2].calls);
    assert_int_equal(n, 2);
    (void)episode_view_calls(&view, 3, &n);
    assert_int_equal(n, 0);
    assert_ptr_equal(episode_view_calls(&whole, 0, &n), e.events[0].calls);
    assert_int_equal(n, 2);
    episode_view_deinit(&view);
    episode_view_deinit(&whole);
    episode_deinit(&e);
}

/* The view by the steps of 3.3, in lists that are searched from end to end. */
static bool is_returned(const struct episode *e, struct sp_str id)
{
    for (size_t i = 0; i < e->n_events; i++) {
        if (e->events[i].kind == EPISODE_RESULT && sp_str_eq(e->events[i].call_id, id))
            return true;
    }
    return false;
}

static size_t index_of(const struct episode_event *event, struct sp_str id)
{
    size_t i = 0;

    while (i < event->n_calls && !sp_str_eq(event->calls[i].id, id))
        i++;
    return i;
}

static void put_plain_view(struct sp_buf *b, const struct episode *e, struct sp_str id)
{
    struct episode_call kept[64], apart[64];
    size_t turn = 0, n_kept = 0, n_apart = 0;

    while (turn < e->n_events && index_of(&e->events[turn], id) == e->events[turn].n_calls)
        turn++;
    if (turn == e->n_events) {
        sp_buf_add(b, SP_STR("[] []"));
        return;
    }
    for (size_t i = 0; i < e->events[turn].n_calls; i++) {
        struct episode_call call = e->events[turn].calls[i];

        if (sp_str_eq(call.id, id))
            continue;
        if (is_returned(e, call.id))
            kept[n_kept++] = call;
        else
            apart[n_apart++] = call;
    }
    kept[n_kept++] = e->events[turn].calls[index_of(&e->events[turn], id)];
    sp_buf_addf(b, "%zu [", turn);
    put_calls(b, kept, n_kept);
    sp_buf_add(b, SP_STR("] ["));
    put_calls(b, apart, n_apart);
    sp_buf_add_char(b, ']');
}

static struct sp_str some_id(struct json_gen *g, char *room)
{
    room[0] = (char)('a' + json_gen_below(g, 12));
    return (struct sp_str){room, 1};
}

static void episode_views_agree_with_the_steps_of_the_chapter(void **state)
{
    struct json_gen g = {20240608};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct episode e = episode("(a)");
        char id[1];

        for (size_t n = json_gen_below(&g, 40), turn = 0; n > 0; n--) {
            struct episode_call call = {.name = SP_STR("t"), .arguments = SP_STR("{}")};
            struct episode_view view;
            struct sp_buf got = {0}, want = {0};

            switch (json_gen_below(&g, 8)) {
            case 0:
                turn = episode_add_turn(&e, (struct sp_str){0});
                break;
            case 1:
            case 2:
                episode_add_result(&e, some_id(&g, id), SP_STR("t"), true, SP_STR(""));
                break;
            default:
                call.id = some_id(&g, id);
                episode_add_call(&e, turn, call);
                break;
            }
            some_id(&g, id);
            episode_view_after(&e, (struct sp_str){id, 1}, &view);
            put_view(&got, &view);
            put_plain_view(&want, &e, (struct sp_str){id, 1});
            assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&want));
            sp_buf_deinit(&got);
            sp_buf_deinit(&want);
            episode_view_deinit(&view);
        }
        episode_deinit(&e);
    }
}

static void episode_keeps_texts_of_its_own(void **state)
{
    char text[] = "abcdef";
    struct episode e = {0};

    (void)state;
    assert_int_equal(episode_add_user(&e, (struct sp_str){text, 2}), 0);
    assert_int_equal(episode_add_turn(&e, (struct sp_str){text, 1}), 1);
    assert_int_equal(episode_add_turn(&e, (struct sp_str){0}), 2);
    assert_int_equal(episode_add_turn(&e, SP_STR("")), 3);
    assert_int_equal(episode_add_result(&e, (struct sp_str){text, 1}, (struct sp_str){text + 1, 1},
                                        true, (struct sp_str){text + 2, 1}),
                     4);
    episode_add_call(&e, 2, (struct episode_call){{text + 3, 1}, {text + 4, 1}, {text + 5, 1}});
    memset(text, '?', sizeof text);
    assert_true(sp_str_eq(e.events[0].text, SP_STR("ab")));
    assert_true(sp_str_eq(e.events[1].text, SP_STR("a")));
    assert_null(e.events[2].text.p);
    assert_non_null(e.events[3].text.p);
    assert_true(sp_str_eq(e.events[4].call_id, SP_STR("a")));
    assert_true(sp_str_eq(e.events[4].name, SP_STR("b")));
    assert_true(sp_str_eq(e.events[4].text, SP_STR("c")));
    assert_true(e.events[4].is_error);
    assert_true(sp_str_eq(e.events[2].calls[0].id, SP_STR("d")));
    assert_true(sp_str_eq(e.events[2].calls[0].name, SP_STR("e")));
    assert_true(sp_str_eq(e.events[2].calls[0].arguments, SP_STR("f")));
    episode_deinit(&e);
    assert_int_equal(e.n_events, 0);
    episode_deinit(&e);
}

static void episode_finds_the_last_result_of_a_call(void **state)
{
    struct episode e = episode("(1,2) =1 u =2 =1");
    const struct episode_event *result = episode_result_of(&e, SP_STR("1"));

    (void)state;
    assert_ptr_equal(result, &e.events[4]);
    assert_ptr_equal(episode_result_of(&e, SP_STR("2")), &e.events[3]);
    assert_null(episode_result_of(&e, SP_STR("3")));
    episode_deinit(&e);
}

static void episode_succeeded_but_for_rounding(void **state)
{
    static const struct {
        double reward;
        bool succeeded;
    } cases[] = {{0, false},        {0.5, false},        {1, true},       {1 - 1e-9, true},
                 {1 - 1e-10, true}, {1 - 1.1e-9, false}, {0.99999, false}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct episode e = {.reward = cases[i].reward};

        assert_int_equal(episode_succeeded(&e), cases[i].succeeded);
    }
}

static void assert_json(const struct episode_view *view, const char *want)
{
    struct sp_buf b = {0};

    episodejson_put(&b, view);
    assert_string_equal(sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
}

static void episodejson_writes_the_episode_of_the_chapter(void **state)
{
    struct episode e = {.id = SP_STR("s1"),
                        .task_id = SP_STR(""),
                        .domain = SP_STR("shop"),
                        .agent_model = SP_STR("desk-app")};
    struct episode_view view = episode_view_whole(&e);
    struct episode_call call = {SP_STR("1"), SP_STR("cart"), SP_STR("{\"id\":\"K7\"}")};

    (void)state;
    episode_add_user(&e, SP_STR("Where is cart K7?"));
    episode_add_call(&e, episode_add_turn(&e, (struct sp_str){0}), call);
    episode_add_result(&e, SP_STR("1"), SP_STR("cart"), false, SP_STR("open"));
    assert_json(&view,
                "{\"agent_model\":\"desk-app\",\"domain\":\"shop\",\"events\":["
                "{\"kind\":\"user\",\"text\":\"Where is cart K7?\"},"
                "{\"calls\":[{\"arguments\":{\"id\":\"K7\"},\"id\":\"1\",\"name\":\"cart\"}],"
                "\"kind\":\"assistant\",\"text\":null,\"usage\":null},"
                "{\"call_id\":\"1\",\"content\":\"open\",\"error\":false,\"kind\":\"tool_result\","
                "\"name\":\"cart\"}],\"id\":\"s1\",\"reward\":0.0,\"task_id\":\"\",\"trial\":0}");
    episode_deinit(&e);
}

static void episodejson_writes_every_field(void **state)
{
    struct episode e = {.id = SP_STR("\"i\""),
                        .task_id = SP_STR("t\n"),
                        .domain = SP_STR("é"),
                        .agent_model = SP_STR("\x1f"),
                        .trial = UINT64_MAX,
                        .reward = 1e-7};
    struct episode_view view = episode_view_whole(&e);
    size_t turn = episode_add_turn(&e, SP_STR("a\\b"));

    (void)state;
    e.events[turn].has_usage = true;
    e.events[turn].usage = (struct episode_usage){UINT64_MAX, 7, 15};
    episode_add_result(&e, SP_STR("\t"), SP_STR("n/"), true, SP_STR(""));
    turn = episode_add_turn(&e, SP_STR(""));
    episode_add_call(&e, turn, (struct episode_call){SP_STR("1"), SP_STR("a"), SP_STR("null")});
    episode_add_call(&e, turn, (struct episode_call){SP_STR("\""), SP_STR(""), SP_STR("[1.5]")});
    assert_json(&view,
                "{\"agent_model\":\"\\u001f\",\"domain\":\"é\",\"events\":["
                "{\"calls\":[],\"kind\":\"assistant\",\"text\":\"a\\\\b\",\"usage\":"
                "{\"completion_tokens\":7,\"cost\":15.0,\"prompt_tokens\":18446744073709551615}},"
                "{\"call_id\":\"\\t\",\"content\":\"\",\"error\":true,\"kind\":\"tool_result\","
                "\"name\":\"n/\"},"
                "{\"calls\":[{\"arguments\":null,\"id\":\"1\",\"name\":\"a\"},"
                "{\"arguments\":[1.5],\"id\":\"\\\"\",\"name\":\"\"}],"
                "\"kind\":\"assistant\",\"text\":\"\",\"usage\":null}],"
                "\"id\":\"\\\"i\\\"\",\"reward\":1e-7,\"task_id\":\"t\\n\","
                "\"trial\":18446744073709551615}");
    episode_deinit(&e);
    e = (struct episode){.id = SP_STR(""),
                         .task_id = SP_STR(""),
                         .domain = SP_STR(""),
                         .agent_model = SP_STR(""),
                         .reward = 1};
    assert_json(&view, "{\"agent_model\":\"\",\"domain\":\"\",\"events\":[],\"id\":\"\","
                       "\"reward\":1.0,\"task_id\":\"\",\"trial\":0}");
}

static void episodejson_writes_a_view(void **state)
{
    struct episode e = episode("(1,2) =2 (3)");
    struct episode_view view;
    struct sp_buf b = {0};

    (void)state;
    episode_view_after(&e, SP_STR("2"), &view);
    assert_json(&view, "{\"agent_model\":\"m\",\"domain\":\"d\",\"events\":["
                       "{\"calls\":[{\"arguments\":{},\"id\":\"2\",\"name\":\"t1\"}],"
                       "\"kind\":\"assistant\",\"text\":null,\"usage\":null},"
                       "{\"call_id\":\"2\",\"content\":\"text\",\"error\":false,"
                       "\"kind\":\"tool_result\",\"name\":\"t\"},"
                       "{\"calls\":[{\"arguments\":{},\"id\":\"3\",\"name\":\"t0\"}],"
                       "\"kind\":\"assistant\",\"text\":null,\"usage\":null}],"
                       "\"id\":\"e\",\"reward\":0.0,\"task_id\":\"\",\"trial\":0}");
    episodejson_put_calls(&b, view.pending, view.n_pending);
    assert_string_equal(sp_buf_cstr(&b), "[{\"arguments\":{},\"id\":\"1\",\"name\":\"t0\"}]");
    sp_buf_clear(&b);
    episodejson_put_calls(&b, NULL, 0);
    assert_string_equal(sp_buf_cstr(&b), "[]");
    sp_buf_deinit(&b);
    episode_view_deinit(&view);
    episode_deinit(&e);
}

/* Section 9, of the fourth vector. */
static void episodejson_writes_the_episode_of_a_session(void **state)
{
    static const char want[] =
        "{\"agent_model\":\"unknown\",\"domain\":\"mcp\",\"events\":["
        "{\"calls\":[{\"arguments\":{\"email\":\"ana@shop.test\"},\"id\":\"1\",\"name\":\"a\"}],"
        "\"kind\":\"assistant\",\"text\":null,\"usage\":null},"
        "{\"call_id\":\"1\",\"content\":\"cust_81\",\"error\":false,\"kind\":\"tool_result\","
        "\"name\":\"a\"},"
        "{\"calls\":[{\"arguments\":{\"id\":\"cust_81\"},\"id\":\"2\",\"name\":\"a\"}],"
        "\"kind\":\"assistant\",\"text\":null,\"usage\":null},"
        "{\"call_id\":\"2\",\"content\":\"{\\\"carts\\\":[\\\"K7\\\",\\\"K9\\\"]}\","
        "\"error\":false,\"kind\":\"tool_result\",\"name\":\"a\"},"
        "{\"calls\":[{\"arguments\":{\"id\":\"K7\"},\"id\":\"3\",\"name\":\"a\"},"
        "{\"arguments\":{\"id\":\"K9\"},\"id\":\"4\",\"name\":\"a\"}],"
        "\"kind\":\"assistant\",\"text\":null,\"usage\":null},"
        "{\"call_id\":\"3\",\"content\":\"{\\\"state\\\":\\\"open\\\"}\",\"error\":false,"
        "\"kind\":\"tool_result\",\"name\":\"a\"},"
        "{\"call_id\":\"4\",\"content\":\"\",\"error\":false,\"kind\":\"tool_result\","
        "\"name\":\"a\"}],\"id\":\"s1\",\"reward\":0.0,\"task_id\":\"\",\"trial\":0}";
    struct turns *t = sessiontext_new(
        "0 C 1 a {\"email\":\"ana@shop.test\"}; 4 R 1 cust_81; 6 C 2 a {\"id\":\"cust_81\"}; "
        "9 R 2 {\"carts\":[\"K7\",\"K9\"]}; 12 C 3 a {\"id\":\"K7\"}; 15 R 3 {\"state\":\"open\"}; "
        "18 C 4 a {\"id\":\"K9\"}; 21 R 4 ");
    struct episode_view view;
    struct sp_buf b = {0};

    (void)state;
    episode_view_after(turns_episode(t), SP_STR("2"), &view);
    episodejson_put(&b, &view);
    assert_string_equal(sp_buf_cstr(&b), want);
    episode_view_deinit(&view);
    sp_buf_deinit(&b);
    turns_free(t);
}

static void assert_copy(const struct episode *e, size_t n, const char *want)
{
    struct episode copy = episode_copy(e, n);
    struct sp_buf b = {0};

    sessiontext_tell(&copy, &b);
    assert_string_equal(sp_buf_cstr(&b), want);
    assert_true(sp_str_eq(copy.agent_model, SP_STR("m")));
    sp_buf_deinit(&b);
    episode_deinit(&copy);
}

static void episode_is_copied_up_to_an_event(void **state)
{
    struct episode e = episode("u (1,2) =1 (3) =2");

    (void)state;
    assert_copy(&e, 0, "");
    assert_copy(&e, 1, "user");
    assert_copy(&e, 3, "user turn(1,2) result:1");
    assert_copy(&e, 5, "user turn(1,2) result:1 turn(3) result:2");
    episode_deinit(&e);
}

static void episode_copy_stands_on_its_own(void **state)
{
    struct episode e = {.id = SP_STR("i"),
                        .task_id = SP_STR("t"),
                        .domain = SP_STR("d"),
                        .agent_model = SP_STR("m"),
                        .trial = 3,
                        .reward = 0.5};
    struct episode copy;
    struct episode_view view = episode_view_whole(&e);
    struct sp_buf b = {0};

    (void)state;
    episode_add_user(&e, SP_STR("hi"));
    episode_add_turn(&e, SP_STR("ho"));
    e.events[1].has_usage = true;
    e.events[1].usage = (struct episode_usage){1, 2, 0.25};
    episode_add_call(&e, 1, (struct episode_call){SP_STR("1"), SP_STR("a"), SP_STR("{}")});
    episode_add_call(&e, 1, (struct episode_call){SP_STR("2"), SP_STR("b"), SP_STR("[]")});
    episode_add_turn(&e, (struct sp_str){0});
    episode_add_result(&e, SP_STR("1"), SP_STR("a"), true, SP_STR("no"));
    episode_add_result(&e, SP_STR("2"), SP_STR("b"), false, SP_STR("yes"));
    episodejson_put(&b, &view);
    copy = episode_copy(&e, e.n_events);
    view = episode_view_whole(&copy);
    episode_deinit(&e);
    assert_json(&view, sp_buf_cstr(&b));
    episode_deinit(&copy);
    sp_buf_deinit(&b);
}

static void episode_copy_has_the_views_of_its_events_only(void **state)
{
    struct episode e = episode("(1,2) =1 =2 (3)");
    struct episode copy = episode_copy(&e, 2);
    struct episode_view view;
    struct sp_buf b = {0};

    (void)state;
    episode_view_after(&copy, SP_STR("1"), &view);
    put_view(&b, &view);
    assert_string_equal(sp_buf_cstr(&b), "0 [1:t0] [2:t1]");
    episode_view_deinit(&view);
    episode_view_after(&copy, SP_STR("3"), &view);
    assert_int_equal(view.turn, SIZE_MAX);
    episode_view_deinit(&view);
    /* Both go on by themselves. */
    episode_add_call(&copy, 0, (struct episode_call){SP_STR("9"), SP_STR("t9"), SP_STR("{}")});
    assert_int_equal(copy.events[0].n_calls, 3);
    assert_int_equal(e.events[0].n_calls, 2);
    sp_buf_deinit(&b);
    episode_deinit(&copy);
    episode_deinit(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episode_is_viewed_after_a_call),
        cmocka_unit_test(episode_knows_the_first_turn_though_a_call_joins_it_late),
        cmocka_unit_test(episode_view_shows_all_other_turns_as_they_are),
        cmocka_unit_test(episode_views_agree_with_the_steps_of_the_chapter),
        cmocka_unit_test(episode_keeps_texts_of_its_own),
        cmocka_unit_test(episode_finds_the_last_result_of_a_call),
        cmocka_unit_test(episode_succeeded_but_for_rounding),
        cmocka_unit_test(episodejson_writes_the_episode_of_the_chapter),
        cmocka_unit_test(episodejson_writes_every_field),
        cmocka_unit_test(episodejson_writes_a_view),
        cmocka_unit_test(episodejson_writes_the_episode_of_a_session),
        cmocka_unit_test(episode_is_copied_up_to_an_event),
        cmocka_unit_test(episode_copy_stands_on_its_own),
        cmocka_unit_test(episode_copy_has_the_views_of_its_events_only),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
