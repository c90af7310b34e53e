/* Tests of guard/guard_facts.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "guard_session.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static int compare_texts(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

/* The keys of a map in byte order; the caller frees the array. */
static struct sp_str *sorted_keys(const struct sp_map *map)
{
    struct sp_str *keys = sp_calloc(map->n, sizeof *keys);
    size_t value;
    size_t n = 0;

    for (size_t at = 0; n < map->n && sp_map_next(map, &at, &keys[n], &value);)
        n++;
    qsort(keys, n, sizeof *keys, compare_texts);
    return keys;
}

static void put_records(struct sp_buf *b, const char *name, const struct guard_records *records)
{
    struct sp_str *ids = sorted_keys(&records->by_id);

    for (size_t i = 0; i < records->by_id.n; i++) {
        struct sp_str value;

        assert_true(guard_facts_find(records, ids[i], &value));
        sp_buf_addf(b, "%s %.*s = %.*s\n", name, SP_STR_ARG(ids[i]), SP_STR_ARG(value));
    }
    assert_int_equal(records->n_values, records->by_id.n);
    free(ids);
}

/* Everything that rules read. */
static void dump(struct sp_buf *b, const struct guard_facts *f)
{
    struct sp_str *users = sorted_keys(&f->authenticated);

    if (f->last_said.p != NULL)
        sp_buf_addf(b, "said %.*s\n", SP_STR_ARG(f->last_said));
    for (size_t i = 0; i < f->authenticated.n; i++)
        sp_buf_addf(b, "authenticated %.*s\n", SP_STR_ARG(users[i]));
    put_records(b, "user", &f->users);
    put_records(b, "product", &f->products);
    put_records(b, "order", &f->orders);
    put_records(b, "reservation", &f->reservations);
    put_records(b, "flight", &f->flights);
    for (size_t i = 0; i < f->n_writes; i++)
        sp_buf_addf(b, "write %.*s %.*s\n", SP_STR_ARG(f->writes[i].tool),
                    SP_STR_ARG(f->writes[i].arguments));
    free(users);
}

static void assert_facts(const struct guard_session *s, const char *want)
{
    struct guard_facts facts = {0};
    struct sp_buf got = {0};

    guard_facts_update(&facts, &s->episode, s->episode.n_events);
    dump(&got, &facts);
    assert_string_equal(sp_buf_cstr(&got), want);
    guard_facts_deinit(&facts);
    sp_buf_deinit(&got);
}

/* One call, its result, and the facts that they give. */
struct row {
    const char *tool;
    const char *arguments;
    const char *result;
    const char *want;
};

static void assert_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct guard_session s;

        guard_session_init(&s, "retail");
        guard_session_calls(&s, rows[i].tool, rows[i].arguments, rows[i].result);
        assert_facts(&s, rows[i].want);
        guard_session_deinit(&s);

        guard_session_init(&s, "retail");
        guard_session_fails(&s, rows[i].tool, rows[i].arguments, rows[i].result);
        assert_facts(&s, "");
        guard_session_deinit(&s);
    }
}

static void facts_take_user_ids_that_are_texts(void **state)
{
    static const struct row rows[] = {
        {"find_user_id_by_email", "{}", "\"mia_7\"", "authenticated mia_7\n"},
        {"find_user_id_by_email", "{}", "mia_7", "authenticated mia_7\n"},
        {"find_user_id_by_name_zip", "{}", " \xe2\x80\x83mia_7\r\n", "authenticated mia_7\n"},
        {"find_user_id_by_name_zip", "{}", " \"\\u006dia_7\" ", "authenticated mia_7\n"},
        {"find_user_id_by_email", "{}", "\"\\\"mia_7\\\"\"", "authenticated mia_7\n"},
        {"find_user_id_by_email", "{}", "\"\"mia_7\"", "authenticated mia_7\n"},
        {"find_user_id_by_email", "{}", "{\"user_id\":\"mia_7\"}", ""},
        {"find_user_id_by_email", "{}", "7", ""},
        {"find_user_id_by_email", "{}", "null", ""},
        {"find_user_id_by_email", "{}", "[\"mia_7\"]", ""},
        {"find_user_id_by_email", "{}", "", "authenticated \n"},
        {"find_user_id_by_phone", "{}", "mia_7", ""},
        {"get_user_id", "{}", "mia_7", ""},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void facts_keep_records_by_their_ids(void **state)
{
    static const struct row rows[] = {
        {"get_user_details", "{}", "{\"user_id\":\"u\"}", "user u = {\"user_id\":\"u\"}\n"},
        {"get_user_details", "{}", "{\"user_id\":7}", ""},
        {"get_user", "{}", "{\"user_id\":\"u\"}", ""},
        {"get_product_details", "{}", " {\"product_id\" : \"p\"}\n",
         "product p = {\"product_id\" : \"p\"}\n"},
        {"get_product", "{}", "{\"product_id\":\"p\"}", ""},
        {"get_anything", "{}", "{\"order_id\":\"o\"}", "order o = {\"order_id\":\"o\"}\n"},
        {"get_anything", "{}", "{\"order_id\":\"a\",\"order_id\":\"\\u006f\"}",
         "order o = {\"order_id\":\"a\",\"order_id\":\"\\u006f\"}\n"},
        {"get_anything", "{}", "[{\"order_id\":\"o\"}]", ""},
        {"get_anything", "{}", "{\"order\":{\"order_id\":\"o\"}}", ""},
        {"get_anything", "{}", "{\"order_id\":\"o\"},", ""},
        {"search_anything", "{}", "{\"reservation_id\":\"r\"}",
         "reservation r = {\"reservation_id\":\"r\"}\n"},
        {"get_anything", "{}", "{\"order_id\":\"o\",\"reservation_id\":\"r\"}",
         "order o = {\"order_id\":\"o\",\"reservation_id\":\"r\"}\n"
         "reservation r = {\"order_id\":\"o\",\"reservation_id\":\"r\"}\n"},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void facts_take_flight_statuses_that_are_texts(void **state)
{
    static const struct row rows[] = {
        {"get_flight_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "cancelled\n",
         "flight \"A\"\"1\" = cancelled\n"},
        {"get_flight_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "\"on time\"",
         "flight \"A\"\"1\" = on time\n"},
        {"get_flight_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "7", ""},
        {"get_flight_status", "{\"flight_number\":\"A\",\"date\":1}", "cancelled", ""},
        {"get_flight_status", "{\"flight_number\":\"A\"}", "cancelled", ""},
        {"get_flight_status", "[]", "cancelled", ""},
        {"get_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "cancelled", ""},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void facts_count_as_writes_what_is_no_read(void **state)
{
    static const struct row rows[] = {
        {"cancel_order", "{\"a\":1}", "ok", "write cancel_order {\"a\":1}\n"},
        {"think", "null", "", "write think null\n"},
        {"calculate_all", "{}", "ok", "write calculate_all {}\n"},
        {"getaway", "{}", "ok", "write getaway {}\n"},
        {"Get_it", "{}", "ok", "write Get_it {}\n"},
        {"", "{}", "ok", "write  {}\n"},
        {"calculate", "{}", "ok", ""},
        {"get_", "{}", "ok", ""},
        {"find_it", "{}", "ok", ""},
        {"list_all", "{}", "ok", ""},
        {"search_it", "{}", "ok", ""},
    };

    (void)state;
    assert_rows(rows, N_OF(rows));
}

static void facts_keep_the_last_of_everything(void **state)
{
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "retail");
    guard_session_says(&s, "one");
    guard_session_calls(&s, "get_order", "{}", "{\"order_id\":\"o\",\"n\":1}");
    guard_session_calls(&s, "get_order", "{}", "{\"order_id\":\"p\"}");
    guard_session_calls(&s, "get_flight_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "x");
    guard_session_calls(&s, "get_flight_status", "{\"flight_number\":\"A\",\"date\":\"1\"}", "y");
    guard_session_says(&s, "two");
    guard_session_calls(&s, "change_it", "{}", "{\"order_id\":\"o\",\"n\":2}");
    guard_session_fails(&s, "change_it", "{}", "{\"order_id\":\"o\",\"n\":3}");
    guard_session_calls(&s, "find_user_id_by_email", "{}", "b");
    guard_session_calls(&s, "find_user_id_by_email", "{}", "a");
    guard_session_calls(&s, "find_user_id_by_email", "{}", "b");
    assert_facts(&s, "said two\n"
                     "authenticated a\n"
                     "authenticated b\n"
                     "order o = {\"order_id\":\"o\",\"n\":2}\n"
                     "order p = {\"order_id\":\"p\"}\n"
                     "flight \"A\"\"1\" = y\n"
                     "write change_it {}\n");
    guard_session_deinit(&s);
}

static void facts_take_results_of_unknown_calls_as_reads(void **state)
{
    struct guard_session s;

    (void)state;
    guard_session_init(&s, "retail");
    episode_add_result(&s.episode, SP_STR("x"), SP_STR("cancel_pending_order"), false,
                       SP_STR("{\"order_id\":\"#W100\"}"));
    episode_add_result(&s.episode, SP_STR("y"), SP_STR("find_user_id_by_email"), false,
                       SP_STR("mia_7"));
    episode_add_result(&s.episode, SP_STR("z"), SP_STR("get_flight_status"), false,
                       SP_STR("cancelled"));
    assert_facts(&s, "authenticated mia_7\n"
                     "order #W100 = {\"order_id\":\"#W100\"}\n");
    guard_session_deinit(&s);
}

static void facts_read_results_nested_as_deep_as_a_log_holds(void **state)
{
    (void)state;
    for (int depth = 127; depth <= 128; depth++) {
        struct sp_buf text = {0};
        struct guard_session s;
        struct guard_facts facts = {0};

        sp_buf_add(&text, SP_STR("{\"order_id\":\"o\",\"a\":"));
        for (int i = 1; i < depth; i++)
            sp_buf_add_char(&text, '[');
        for (int i = 1; i < depth; i++)
            sp_buf_add_char(&text, ']');
        sp_buf_add_char(&text, '}');
        guard_session_init(&s, "retail");
        guard_session_calls(&s, "get_order", "{}", sp_buf_cstr(&text));
        guard_facts_update(&facts, &s.episode, s.episode.n_events);
        assert_int_equal(facts.orders.n_values, depth == 127);
        guard_facts_deinit(&facts);
        guard_session_deinit(&s);
        sp_buf_deinit(&text);
    }
}

static void add_call(struct episode *e, size_t turn, const char *id, const char *tool,
                     const char *arguments)
{
    episode_add_call(e, turn,
                     (struct episode_call){sp_str_of(id), sp_str_of(tool), sp_str_of(arguments)});
}

static void facts_follow_a_call_that_takes_the_id_of_an_answered_one(void **state)
{
    struct guard_session s;
    struct episode *e = &s.episode;
    size_t turn;

    (void)state;
    guard_session_init(&s, "retail");
    turn = episode_add_turn(e, (struct sp_str){0});
    add_call(e, turn, "1", "change_it", "{\"n\":1}");
    episode_add_result(e, SP_STR("1"), SP_STR("change_it"), false, SP_STR("ok"));
    guard_facts_update(&s.facts, e, e->n_events);
    assert_int_equal(s.facts.n_writes, 1);
    assert_memory_equal(s.facts.writes[0].arguments.p, "{\"n\":1}", 7);

    /* It joins the turn, so that one pass meets it before the result. */
    add_call(e, turn, "1", "change_it", "{\"n\":2}");
    assert_facts(&s, "write change_it {\"n\":2}\n");
    guard_facts_update(&s.facts, e, e->n_events);
    assert_int_equal(s.facts.n_writes, 1);
    assert_memory_equal(s.facts.writes[0].arguments.p, "{\"n\":2}", 7);

    add_call(e, turn, "1", "get_it", "{}");
    guard_facts_update(&s.facts, e, e->n_events);
    assert_int_equal(s.facts.n_writes, 0);
    guard_session_deinit(&s);
}

static void facts_follow_calls_that_come_after_their_turn(void **state)
{
    struct guard_session s;
    struct episode *e = &s.episode;
    size_t turn;

    (void)state;
    guard_session_init(&s, "retail");
    turn = episode_add_turn(e, (struct sp_str){0});
    add_call(e, turn, "1", "change_it", "{}");
    add_call(e, turn, "2", "change_it", "{}");
    guard_facts_update(&s.facts, e, e->n_events);
    turn = episode_add_turn(e, SP_STR("words"));
    guard_facts_update(&s.facts, e, e->n_events);
    add_call(e, turn, "3", "change_it", "{}");
    guard_facts_update(&s.facts, e, e->n_events);
    add_call(e, turn, "4", "change_it", "{}");
    episode_add_result(e, SP_STR("3"), SP_STR("change_it"), false, SP_STR("ok"));
    episode_add_result(e, SP_STR("4"), SP_STR("change_it"), false, SP_STR("ok"));
    guard_facts_update(&s.facts, e, e->n_events);
    assert_int_equal(s.facts.n_writes, 2);
    guard_session_deinit(&s);
}

/* Random sessions. */
#define PICK(array) (array)[json_gen_below(g, N_OF(array))]

static const char *const ids[] = {"1", "2", "3", "4", "5", "6"};
static const char *const tools[] = {
    "find_user_id_by_email",      "get_user_details",   "get_order_details",
    "get_reservation_details",    "get_flight_status",  "get_product_details",
    "modify_pending_order_items", "cancel_reservation", "exchange_delivered_order_items",
    "cancel_pending_order",
};
static const char *const arguments[] = {
    "{}",
    "{\"order_id\":\"o1\"}",
    "{\"order_id\":\"o2\",\"reservation_id\":\"r1\"}",
    "{\"date\":\"2024-05-20\",\"flight_number\":\"A\"}",
    "{\"date\":\"2024-05-20\",\"flight_number\":\"B\"}",
    "{\"order_id\":\"o1\",\"item_ids\":[\"i1\"],\"new_item_ids\":[\"i2\"]}",
    "{\"order_id\":\"o1\",\"item_ids\":[\"i1\"],\"payment_method_id\":\"c1\"}",
    "{\"reservation_id\":\"r1\",\"total_baggages\":1,\"passengers\":[],\"payment_id\":\"c1\"}",
};
static const char *const texts[] = {
    "u1",
    "\"u2\"",
    "cancelled",
    "{\"user_id\":\"u1\",\"payment_methods\":{\"c1\":{}}}",
    "{\"order_id\":\"o1\",\"user_id\":\"u1\",\"status\":\"pending\"}",
    "{\"order_id\":\"o1\",\"items\":[{\"item_id\":\"i1\",\"product_id\":\"p\"}]}",
    "{\"order_id\":\"o2\",\"reservation_id\":\"r1\"}",
    "{\"reservation_id\":\"r1\",\"user_id\":\"u\\u0031\",\"total_baggages\":2}",
    "{\"reservation_id\":\"r1\",\"flights\":[{\"flight_number\":\"A\",\"date\":\"2024-05-20\"}]}",
    "{\"product_id\":\"p\",\"variants\":{\"i2\":{}}}",
};

/* Lets the session grow by one step, as sessions do; `turn` is the last turn with calls. */
static void grow(struct json_gen *g, struct episode *e, size_t *turn)
{
    switch (json_gen_below(g, 10)) {
    case 0:
        episode_add_user(e, sp_str_of(json_gen_below(g, 2) == 0 ? "Yes" : "No"));
        break;
    case 1:
        episode_add_turn(e, SP_STR("words"));
        break;
    case 2:
    case 3:
        *turn = episode_add_turn(e, (struct sp_str){0});
        add_call(e, *turn, PICK(ids), PICK(tools), PICK(arguments));
        break;
    case 4:
        /* A turn of words gets a call. */
        if (e->n_events > 0 && e->events[e->n_events - 1].kind == EPISODE_ASSISTANT)
            *turn = e->n_events - 1;
        /* fallthrough */
    case 5:
        if (*turn < e->n_events)
            add_call(e, *turn, PICK(ids), PICK(tools), PICK(arguments));
        break;
    default:
        episode_add_result(e, sp_str_of(PICK(ids)), sp_str_of(PICK(tools)),
                           json_gen_below(g, 6) == 0, sp_str_of(PICK(texts)));
        break;
    }
}

/* What all rules of both domains say of some calls. */
static void put_verdicts(struct sp_buf *b, const struct guard_facts *f)
{
    for (size_t d = 0; guard_domain_at(d) != NULL; d++) {
        for (size_t i = 0; i < N_OF(tools) * N_OF(arguments); i++) {
            struct guard_checked checked;

            guard_check(guard_domain_at(d), f, sp_str_of(tools[i / N_OF(arguments)]),
                        sp_str_of(arguments[i % N_OF(arguments)]), &checked);
            for (size_t k = 0; k < checked.n_verdicts; k++)
                sp_buf_addf(b, "%s %d %.*s\n", checked.verdicts[k].rule->id,
                            (int)checked.verdicts[k].outcome,
                            SP_STR_ARG(checked.verdicts[k].reason));
            guard_checked_deinit(&checked);
        }
    }
}

static void assert_same(const struct guard_facts *grown, const struct guard_facts *fresh)
{
    struct sp_buf got = {0};
    struct sp_buf want = {0};

    dump(&got, grown);
    dump(&want, fresh);
    put_verdicts(&got, grown);
    put_verdicts(&want, fresh);
    assert_string_equal(sp_buf_cstr(&got), sp_buf_cstr(&want));
    sp_buf_deinit(&got);
    sp_buf_deinit(&want);
}

static void facts_that_grow_are_those_of_one_pass(void **state)
{
    struct json_gen g = {.state = 30};

    (void)state;
    for (int round = 0; round < 30; round++) {
        struct episode e = {0};
        struct guard_facts grown = {0};
        size_t turn = SIZE_MAX;

        for (int step = 0; step < 40; step++) {
            struct guard_facts fresh = {0};

            for (size_t n = json_gen_below(&g, 4); n > 0; n--)
                grow(&g, &e, &turn);
            guard_facts_update(&grown, &e, e.n_events);
            guard_facts_update(&fresh, &e, e.n_events);
            assert_same(&grown, &fresh);
            guard_facts_deinit(&fresh);
        }
        guard_facts_deinit(&grown);
        episode_deinit(&e);
    }
}

static void facts_of_the_first_events_are_those_of_a_shorter_session(void **state)
{
    struct json_gen g = {.state = 31};

    (void)state;
    for (int round = 0; round < 10; round++) {
        struct episode e = {0};
        struct guard_facts grown = {0};
        size_t turn = SIZE_MAX;

        for (int step = 0; step < 40; step++)
            grow(&g, &e, &turn);
        for (size_t n = 0; n <= e.n_events; n += 1 + json_gen_below(&g, 3)) {
            struct episode shorter = episode_copy(&e, n);
            struct guard_facts fresh = {0};

            guard_facts_update(&grown, &e, n);
            guard_facts_update(&fresh, &shorter, n);
            assert_same(&grown, &fresh);
            guard_facts_deinit(&fresh);
            episode_deinit(&shorter);
        }
        guard_facts_deinit(&grown);
        episode_deinit(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_take_user_ids_that_are_texts),
        cmocka_unit_test(facts_keep_records_by_their_ids),
        cmocka_unit_test(facts_take_flight_statuses_that_are_texts),
        cmocka_unit_test(facts_count_as_writes_what_is_no_read),
        cmocka_unit_test(facts_keep_the_last_of_everything),
        cmocka_unit_test(facts_take_results_of_unknown_calls_as_reads),
        cmocka_unit_test(facts_read_results_nested_as_deep_as_a_log_holds),
        cmocka_unit_test(facts_follow_a_call_that_takes_the_id_of_an_answered_one),
        cmocka_unit_test(facts_follow_calls_that_come_after_their_turn),
        cmocka_unit_test(facts_that_grow_are_those_of_one_pass),
        cmocka_unit_test(facts_of_the_first_events_are_those_of_a_shorter_session),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
