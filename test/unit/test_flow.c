/* Tests of flow/flow.h: reading and writing flow files. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow/flow.h"
#include "flow_edit.h"
#include "flow_example.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* A text that is read, and how it is written. */
struct text_case {
    struct flow_edit edits[3];
    struct flow_edit written[3];
};

#define BEGIN_V1 "{\"stretto_flow\":1,"
#define BEGIN_V2 "{\"stretto_flow\":2,"

static void flow_writes_what_it_read_byte_by_byte(void **state)
{
    static const char *const texts[] = {FLOW_EXAMPLE, FLOW_FULL};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct flow *f = flow_parsed(texts[i], NULL, 0);

        flow_check_written(f, sp_str_of(texts[i]));
        flow_index(f);
        flow_check_written(f, sp_str_of(texts[i]));
        flow_free(f);
    }
}

static void flow_has_what_the_file_says(void **state)
{
    struct flow *f = flow_parsed(FLOW_EXAMPLE, NULL, 0);

    (void)state;
    assert_int_equal(f->provenance.compiled_unix_ms, 1790198400000);
    assert_int_equal(f->provenance.n_sources, 1);
    assert_int_equal(f->n_actions, 3);
    assert_int_equal(f->n_kinds, 2);
    assert_int_equal(f->kinds[1].kind, MANIFEST_READ);
    assert_int_equal(f->group, 1);
    assert_int_equal(f->habit.order, 2);
    assert_int_equal(f->habit.n_levels, 3);
    assert_true(f->habit.alpha == 1.0 && f->beta == 1.0);
    assert_int_equal(f->top.n, 8);
    assert_int_equal(f->sites.n_reads, 2);
    assert_int_equal(f->n_folds, 0);
    assert_int_equal(f->model.len, 0);
    assert_true(f->has_standard_program);
    assert_false(f->is_promoted);
    assert_true(f->has_reach);
    flow_free(f);
}

static void flow_without_optional_members_is_read(void **state)
{
    static const char program[] = ",\"program\":{\"fugue_program\":1,";
    struct flow *f = flow_parsed(FLOW_DESK, NULL, 0);
    struct sp_buf b = {0};

    (void)state;
    assert_true(f->has_standard_program);
    assert_int_equal(f->n_contracts, 0);
    flow_put(&b, f);
    assert_non_null(strstr(sp_buf_cstr(&b), program));
    sp_buf_deinit(&b);
    flow_free(f);

    f = flow_parsed(FLOW_EXAMPLE,
                    (struct flow_edit[]){
                        {",\"reach\":{", ",\"far\":{"},
                        {",\"contracts\":{", ",\"notes\":{"},
                        {",\"docs\":{", ",\"papers\":{"},
                    },
                    3);
    assert_false(f->has_reach);
    assert_int_equal(f->n_contracts, 0);
    assert_int_equal(f->n_docs, 0);
    flow_free(f);
}

static void flow_writes_in_the_form_that_the_format_fixes(void **state)
{
    static const struct text_case cases[] = {
        /* What the build does not know is gone. */
        {{{BEGIN_V1, BEGIN_V1 "\"notes\":{\"x\":1},"}}, {{0}}},
        {{{"\"sites\":{", "\"sites\":{\"notes\":{\"x\":1},"}}, {{0}}},
        {{{"\"bindings\":{", "\"bindings\":{\"notes\":{\"x\":1},"}}, {{0}}},
        /* Members come in any order, with any white space, and with escapes. */
        {{{"\"group\":1,", ""}, {"\"model\":\"\"", "\"model\" : \"\" ,\r\n\t\"group\": 1"}}, {{0}}},
        {{{"\"group\"", "\"gr\\u006fup\""}}, {{0}}},
        /* Empty is absent, and null is no promotion. */
        {{{"\"contracts\"", "\"thresholds\":{},\"promoted\":null,\"contracts\""}}, {{0}}},
        {{{"\"agreed\"", "\"bare\":{},\"lists\":[],\"constants\":[],\"agreed\""}}, {{0}}},
        {{{"\"feeds\":{}", "\"every_read\":false,\"feeds\":{}"}}, {{0}}},
        /* Without a program there is the standard one. */
        {{{",\"program\":{", ",\"notes\":{"}}, {{0}}},
        /* A version 2 that needs none is written as 1. */
        {{{BEGIN_V1, BEGIN_V2}}, {{0}}},
        /* Reals and integers. */
        {{{"\"alpha\":1.0,\"vocab_size\":4,\"levels\":[[[[],{\"by_action\":[[0,13.0]",
           "\"alpha\":1,\"vocab_size\":4,\"levels\":[[[[],{\"by_action\":[[0,13]"}},
         {{0}}},
        {{{"\"beta\":1.0", "\"beta\":1.50"}}, {{"\"beta\":1.0", "\"beta\":1.5"}}},
        {{{"\"beta\":1.0", "\"beta\":1e16"}}, {{"\"beta\":1.0", "\"beta\":1e16"}}},
        {{{"\"beta\":1.0", "\"beta\":1.5E-07"}}, {{"\"beta\":1.0", "\"beta\":1.5e-7"}}},
        {{{"\"beta\":1.0", "\"beta\":8.017279693592648"}},
         {{"\"beta\":1.0", "\"beta\":8.017279693592648"}}},
        /* Pairs out of order, and keys that come twice. */
        {{{"[[16384],{\"by_action\":[[2,3.0]],\"total\":3.0}],", ""},
          {"[[4294967295],{\"by_action\":[[1,3.0]],\"total\":3.0}]",
           "[[4294967295],{\"by_action\":[[1,3.0]],\"total\":3.0}],"
           "[[16384],{\"by_action\":[[2,3.0]],\"total\":3.0}]"}},
         {{0}}},
        {{{"[[16384],{\"by_action\":[[2,3.0]],\"total\":3.0}],",
           "[[16384],{\"by_action\":[],\"total\":7.0}],"
           "[[16384],{\"by_action\":[[2,3.0]],\"total\":3.0}],"}},
         {{0}}},
        {{{"[[0,5.0],[1,4.0],[2,4.0]]", "[[2,4.0],[0,9.0],[1,4.0],[0,5.0]]"}}, {{0}}},
        {{{"[1,[8192,16384]],{\"by_action\":[[2,1.0]],\"total\":1.0}],",
           "[1,[8192,16384]],"
           "{\"by_action\":[[2,1.0]],\"total\":1.0}],[[0,[9,9]],{\"by_action\":[],\"total\":0.0}]"
           ","}},
         {{"\"top\":[", "\"top\":[[[0,[9,9]],{\"by_action\":[],\"total\":0.0}],"}}},
        {{{"\"find_tickets\":\"read\",\"get_ticket\":\"read\"",
           "\"get_ticket\":\"read\",\"find_tickets\":\"read\""}},
         {{0}}},
        /* Program versions. */
        {{{BEGIN_V1, BEGIN_V2},
          {"\"contracts\"", "\"thresholds\":{\"find_tickets\":0.95},\"contracts\""}},
         {{BEGIN_V1, BEGIN_V2},
          {"\"contracts\"", "\"thresholds\":{\"find_tickets\":0.95},\"contracts\""}}},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct flow *f = flow_parsed(FLOW_EXAMPLE, cases[i].edits, N_OF(cases[i].edits));
        struct sp_buf text = flow_edited(FLOW_EXAMPLE, cases[i].written, N_OF(cases[i].written));

        flow_check_written(f, sp_buf_str(&text));
        sp_buf_deinit(&text);
        flow_free(f);
    }
}

static void flow_keeps_a_program_of_its_own(void **state)
{
    static const struct flow_edit edit = {"\"name\":\"decide\"", "\"name\":\"choose\""};
    struct sp_buf text = flow_edited(FLOW_EXAMPLE, &edit, 1);
    struct flow *f = flow_parsed(sp_buf_cstr(&text), NULL, 0);

    (void)state;
    assert_false(f->has_standard_program);
    flow_check_written(f, sp_buf_str(&text));
    flow_free(f);
    sp_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_writes_what_it_read_byte_by_byte),
        cmocka_unit_test(flow_has_what_the_file_says),
        cmocka_unit_test(flow_without_optional_members_is_read),
        cmocka_unit_test(flow_writes_in_the_form_that_the_format_fixes),
        cmocka_unit_test(flow_keeps_a_program_of_its_own),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
