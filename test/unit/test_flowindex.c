/* Tests of flow/flow.h: the order of a flow's parts, and finding them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define FIND_TICKETS SP_STR("find_tickets")
#define GET_TICKET   SP_STR("get_ticket")
#define NO_TOOL      SP_STR("find_tickets_")

static int parse_full(void **state)
{
    struct flow *f = NULL;
    struct sp_err err;

    if (flow_parse(SP_STR(FLOW_FULL), &f, &err) < 0)
        fail_msg("%s", err.text);
    *state = f;
    return 0;
}

static int free_flow(void **state)
{
    flow_free(*state);
    return 0;
}

static void flow_finds_actions_and_tools(void **state)
{
    const struct flow *f = *state;

    assert_int_equal(flow_action(f, FIND_TICKETS), 1);
    assert_int_equal(flow_action(f, GET_TICKET), 2);
    assert_int_equal(flow_action(f, SP_STR("Respond")), 3);
    assert_int_equal(flow_action(f, SP_STR("")), 3);

    assert_int_equal(flow_kind_of(f, SP_STR("close_ticket"))->kind, MANIFEST_WRITE);
    assert_int_equal(flow_kind_of(f, SP_STR("ping"))->kind, MANIFEST_GENERIC);
    assert_null(flow_kind_of(f, NO_TOOL));
    assert_true(sp_str_eq(flow_doc_of(f, GET_TICKET)->args[0].name, SP_STR("ticket_id")));
    assert_null(flow_doc_of(f, SP_STR("ping")));

    assert_int_equal(flow_read_of(f, GET_TICKET), 1);
    assert_int_equal(flow_read_of(f, SP_STR("ping")), 2);
    assert_true(sp_str_eq(flow_contract_of(f, GET_TICKET)->text, SP_STR("ticket_id:string!")));
    assert_null(flow_contract_of(f, SP_STR("a")));
}

static void flow_finds_features(void **state)
{
    const struct flow *f = *state;
    const struct sp_str values[] = {SP_STR("1"), SP_STR("\xc3\xa9\xe2\x88\x85")};
    const struct sp_str more = SP_STR("2+");

    assert_int_equal(flow_fields_of(f, FIND_TICKETS)->n, 2);
    assert_true(flow_fields_of(f, FIND_TICKETS)->of[0].is_len);
    assert_false(flow_fields_of(f, FIND_TICKETS)->of[1].is_len);
    assert_null(flow_fields_of(f, SP_STR("ping")));

    assert_int_equal(flow_feature_of(f, FIND_TICKETS, values, 2), 2);
    assert_int_equal(flow_feature_of(f, FIND_TICKETS, values, 1), 0);
    assert_int_equal(flow_feature_of(f, GET_TICKET, values, 2), 0);
    assert_int_equal(flow_feature_of(f, GET_TICKET, &more, 1), 3);
    assert_int_equal(flow_feature_of(f, GET_TICKET, NULL, 0), 0);
}

static void flow_finds_what_followed_a_history(void **state)
{
    struct flow *f = *state;
    const uint32_t first[] = {FLOW_PADDING, 16384};
    const uint32_t never[] = {16384, FLOW_PADDING};
    const uint32_t grouped[] = {8192, 16384};
    uint32_t long_one[FLOW_MAX_ORDER + 1] = {0};
    const struct flow_counts *counts = flow_counts_of(&f->habit, first, 2);

    assert_true(counts->total == 2.0 && counts->n == 1);
    assert_true(flow_count(counts, 2) == 2.0);
    assert_true(flow_count(counts, 1) == 0.0);
    assert_null(flow_counts_of(&f->habit, never, 2));
    assert_null(flow_counts_of(&f->habit, long_one, N_OF(long_one)));

    counts = flow_counts_of(&f->habit, first, 0);
    assert_true(counts->total == 13.0);
    assert_true(flow_count(counts, 0) == 5.0 && flow_count(counts, 1) == 4.0);
    assert_true(flow_count(counts, 2) == 4.0 && flow_count(counts, 3) == 0.0);
    assert_true(flow_counts_of(&f->habit, first + 1, 1)->total == 3.0);
    assert_true(flow_count(flow_counts_of(&f->reach, first, 2), 0) == 2.0);

    /* The same history is there for another group too. */
    assert_true(flow_top_of(f, grouped)->total == 1.0);
    assert_null(flow_top_of(f, never));

    f->reach.order--;
    f->reach.n_levels--;
    assert_null(flow_counts_of(&f->reach, first, 2));
    f->reach.order++;
    f->reach.n_levels++;
}

static void flow_finds_sites(void **state)
{
    const struct flow *f = *state;
    const struct flow_next *next = flow_next_of(f, FIND_TICKETS, false);

    assert_int_equal(flow_tally_of(&next->lookups, GET_TICKET)->n, 3);
    assert_null(flow_tally_of(&next->lookups, SP_STR("ping")));
    next = flow_next_of(f, FIND_TICKETS, true);
    assert_int_equal(flow_tally_of(&next->lookups, FIND_TICKETS)->n, 2);
    assert_false(flow_next_of(f, GET_TICKET, false)->failed);
    assert_null(flow_next_of(f, GET_TICKET, true));
    assert_null(flow_next_of(f, NO_TOOL, false));

    assert_int_equal(flow_feed_of(f, GET_TICKET)->n, 3);
    assert_null(flow_feed_of(f, FIND_TICKETS));
    assert_true(flow_rate_of(&f->folds[0], SP_STR("find_tickets (error)"))->decisions == 1.0);
    assert_null(flow_rate_of(&f->folds[0], GET_TICKET));
    assert_true(flow_promoted_of(f, FIND_TICKETS)->promoted);
    assert_false(flow_promoted_of(f, GET_TICKET)->promoted);
    assert_null(flow_promoted_of(f, NO_TOOL));
    assert_true(flow_threshold_of(f, SP_STR("get_ticket (error)"))->threshold == 1.5);
    assert_null(flow_threshold_of(f, GET_TICKET));
}

static void flow_tells_a_failed_call_from_one_that_did_not_fail(void **state)
{
    struct flow_next next[] = {
        {.tool = SP_STR("a"), .failed = true},
        {.tool = SP_STR("b"), .failed = false},
        {.tool = SP_STR("c"), .failed = true},
    };
    struct flow *f = flow_new();

    (void)state;
    f->sites.next = next;
    f->sites.n_next = N_OF(next);
    flow_index(f);
    for (size_t i = 0; i < N_OF(next); i++) {
        assert_ptr_equal(flow_next_of(f, next[i].tool, next[i].failed), &next[i]);
        assert_null(flow_next_of(f, next[i].tool, !next[i].failed));
    }
    flow_free(f);
}

static void flow_finds_bindings(void **state)
{
    const struct flow *f = *state;
    const struct flow_bindings *b = &f->bindings;
    size_t n = 0;

    assert_int_equal(flow_args_of(f, FIND_TICKETS)->calls, 4);
    assert_null(flow_args_of(f, NO_TOOL));
    assert_int_equal(flow_traced_of(&b->sources, GET_TICKET, SP_STR("ticket_id"))->found[0].n, 4);
    assert_null(flow_traced_of(&b->sources, GET_TICKET, SP_STR("email")));
    assert_int_equal(flow_traced_of(&b->lists, GET_TICKET, SP_STR("ids"))->n_found, 2);
    assert_int_equal(flow_agreed_of(f, GET_TICKET)->unmentioned.hits, 4);
    assert_int_equal(flow_agreed_of(f, GET_TICKET)->mentioned.n, 0);
    assert_null(flow_agreed_of(f, FIND_TICKETS));
    assert_int_equal(flow_used_of(&b->named_other, FIND_TICKETS)->ratio.hits, 1);
    assert_null(flow_used_of(&b->described_read, FIND_TICKETS));
    assert_int_equal(flow_tally_of(&b->bare, FIND_TICKETS)->n, 2);

    assert_true(sp_str_eq(flow_constants_of(f, FIND_TICKETS, &n)->arg, SP_STR("limit")));
    assert_int_equal(n, 2);
    assert_true(sp_str_eq(flow_constants_of(f, GET_TICKET, &n)->value,
                          SP_STR("{\"a\":[null,\"\xc3\xa9\\n\"],\"b\":1.5}")));
    assert_int_equal(n, 1);
    assert_null(flow_constants_of(f, NO_TOOL, &n));
}

static void flow_index_sorts_what_was_made_in_any_order(void **state)
{
    struct flow_tally tallies[] = {{SP_STR("b"), 1}, {SP_STR("a"), 2}, {SP_STR("b"), 3}};
    struct flow_site_source sources[] = {
        {.tool = SP_STR("t"), .source_tool = SP_STR("b"), .values = 1},
        {.tool = SP_STR("t"), .source_tool = SP_STR("a"), .values = 2},
        {.tool = SP_STR("t"), .source_tool = SP_STR("a"), .values = 3},
    };
    struct flow *f = flow_new();

    (void)state;
    f->bindings.bare = (struct flow_tallies){tallies, N_OF(tallies)};
    f->bindings.site_sources = sources;
    f->bindings.n_site_sources = N_OF(sources);
    flow_index(f);

    /* Of a key that comes twice the last counts. */
    assert_int_equal(f->bindings.bare.n, 2);
    assert_int_equal(tallies[0].n, 2);
    assert_int_equal(tallies[1].n, 3);
    /* These are no map, and all are kept. */
    assert_int_equal(f->bindings.n_site_sources, 3);
    assert_int_equal(sources[0].values, 2);
    assert_int_equal(sources[1].values, 3);
    assert_int_equal(sources[2].values, 1);
    assert_true(f->has_standard_program);
    flow_free(f);
    flow_free(NULL);
}

static void flow_finds_among_many(void **state)
{
    enum { N = 300 };

    static struct flow_contract contracts[N];
    static char names[N][8];
    struct flow *f = flow_new();

    (void)state;
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", (i * 7) % N * 2);
        contracts[i].tool = sp_str_of(names[i]);
        contracts[i].text = contracts[i].tool;
    }
    f->contracts = contracts;
    f->n_contracts = N;
    flow_index(f);
    for (size_t i = 0; i < 2 * (size_t)N; i++) {
        const struct flow_contract *found;
        char name[8];

        snprintf(name, sizeof name, "t%zu", i);
        found = flow_contract_of(f, sp_str_of(name));
        assert_int_equal(found != NULL, i % 2 == 0);
        assert_true(found == NULL || sp_str_eq(found->text, sp_str_of(name)));
    }
    flow_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flow_finds_actions_and_tools, parse_full, free_flow),
        cmocka_unit_test_setup_teardown(flow_finds_features, parse_full, free_flow),
        cmocka_unit_test_setup_teardown(flow_finds_what_followed_a_history, parse_full, free_flow),
        cmocka_unit_test_setup_teardown(flow_finds_sites, parse_full, free_flow),
        cmocka_unit_test_setup_teardown(flow_finds_bindings, parse_full, free_flow),
        cmocka_unit_test(flow_tells_a_failed_call_from_one_that_did_not_fail),
        cmocka_unit_test(flow_index_sorts_what_was_made_in_any_order),
        cmocka_unit_test(flow_finds_among_many),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
