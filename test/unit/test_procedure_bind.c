/* Tests of procedure/procedure_bind.h, by chapter 43, sections 6 and 7. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "json/jput.h"
#include "json_gen.h"
#include "procedure/procedure_bind.h"
#include "procedures.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

struct output_case {
    const char *tool;
    const char *text;
};

struct bind_case {
    const char *symbol;
    const char *ticket;
    const char *passed; /* a value that was passed already, or NULL */
    const char *want;   /* NULL: it cannot be bound */
};

/* A state with outputs, and what binds against it the argument "arg" of the tool "write". */
struct bench {
    struct procedure *p;
    struct procedure_state *state;
    struct procedure_bind bind;
};

static void bench_init(struct bench *b, const char *ticket, const struct output_case *outputs,
                       size_t n)
{
    struct sp_buf text = {0};

    b->p = procedures_plain(true);
    b->state = procedure_state_new(b->p, sp_str_of(ticket));
    b->bind = (struct procedure_bind){.state = b->state, .ticket = sp_str_of(ticket)};
    for (size_t i = 0; i < n; i++) {
        sp_buf_clear(&text);
        procedures_put(&text, outputs[i].text);
        procedure_state_take(b->state, sp_str_of(outputs[i].tool), sp_buf_str(&text));
    }
    sp_buf_deinit(&text);
}

static void bench_deinit(struct bench *b)
{
    procedure_bind_deinit(&b->bind);
    procedure_state_free(b->state);
    procedure_free(b->p);
}

/* Appends {"arg":VALUE}. */
static void put_arguments(struct sp_buf *b, const char *value)
{
    sp_buf_add(b, SP_STR("{\"arg\":"));
    jput_string(b, sp_str_of(value));
    sp_buf_add_char(b, '}');
}

static void pass(struct bench *b, const char *tool, const char *value)
{
    struct sp_buf arguments = {0};

    put_arguments(&arguments, value);
    procedure_bind_pass(&b->bind, sp_str_of(tool), sp_buf_str(&arguments));
    sp_buf_deinit(&arguments);
}

static void check(struct bench *b, const char *symbol, const char *want)
{
    struct sp_buf quoted = {0}, arguments = {0}, got = {0}, wanted = {0};
    bool is_bound;

    procedures_put(&quoted, symbol);
    put_arguments(&arguments, sp_buf_cstr(&quoted));
    is_bound = procedure_bind_arguments(&b->bind, SP_STR("write"), sp_buf_str(&arguments), &got);
    if (want != NULL)
        put_arguments(&wanted, want);
    if (is_bound != (want != NULL) || !sp_str_eq(sp_buf_str(&got), sp_buf_str(&wanted)))
        fail_msg("%s gives %s", symbol, is_bound ? sp_buf_cstr(&got) : "nothing");
    sp_buf_deinit(&quoted);
    sp_buf_deinit(&arguments);
    sp_buf_deinit(&got);
    sp_buf_deinit(&wanted);
}

static void compare(const struct bind_case *cases, size_t n, const struct output_case *outputs,
                    size_t n_outputs)
{
    for (size_t i = 0; i < n; i++) {
        struct bench b;

        bench_init(&b, cases[i].ticket != NULL ? cases[i].ticket : "", outputs, n_outputs);
        if (cases[i].passed != NULL)
            pass(&b, "write", cases[i].passed);
        check(&b, cases[i].symbol, cases[i].want);
        bench_deinit(&b);
    }
}

static const struct output_case sites[] = {
    {"find_site", "{'site_id':'S7','meters':['M71','M72']}"},
    {"get_meter", "{'meter_id':'M71','serial':'990-0107'}"},
    {"get_meter", "{'meter_id':'M72','serial':'990-0108'}"},
    {"bills", "[{'bill_id':'B1','status':'Paid'},{'bill_id':'B2','status':'Overdue'}]"},
};

static void bind_takes_values_from_where_a_symbol_says(void **state)
{
    static const struct bind_case cases[] = {
        /* The section's vectors. */
        {"@find_site$.meters[*]", NULL, "M71", "M72"},
        {"@get_meter$.meter_id", NULL, NULL, "M72"},
        {"@get_meter$.meter_id", "serial 990-0107 is dark", NULL, "M71"},
        {"@bills$[*].bill_id?{'status': 'Overdue'}", NULL, NULL, "B2"},
        {"@ticket\\d{3}\\-\\d{4}", "call 555-0199", NULL, "555-0199"},
        {"@payments$.id", NULL, NULL, NULL},
        /* A list's values are passed once, another one's as often as is asked. */
        {"@find_site$.meters[*]", NULL, NULL, "M71"},
        {"@get_meter$.meter_id", NULL, "M72", "M72"},
        /* The ticket's record counts for what is not listed only. */
        {"@bills$[*].bill_id", "serial 990-0107 is dark", NULL, "B1"},
        /* The members that set a record apart come first, if it was not passed. */
        {"@bills$[*].bill_id?{'status': 'Overdue'}", NULL, "B2", "B1"},
        {"@bills$[*].bill_id?{'status':'Overdue','bill_id':'B1'}", NULL, NULL, "B1"},
        {"@bills$[*].bill_id?{'status':'overdue'}", NULL, NULL, "B1"},
        {"@bills$[*].bill_id?{'none':null}", NULL, NULL, "B1"},
        {"@bills$[*].bill_id?{}", NULL, "B1", "B2"},
        {"@bills$[*].bill_id?{'status':'Overdue'", NULL, NULL, NULL},
        {"@bills$[*].bill_id?['Overdue']", NULL, NULL, NULL},
        {"@bills$[*].bill_id?", NULL, NULL, NULL},
        /* Without a list the whole result is the record. */
        {"@get_meter$.meter_id?{'serial':'990-0107'}", NULL, NULL, "M72"},
        {"@get_meter$.serial?{'meter_id':'M72'}", NULL, NULL, "990-0108"},
        /* What is no symbol of this kind. */
        {"@find_site", NULL, NULL, NULL},
        {"@", NULL, NULL, NULL},
        {"@$.id", NULL, NULL, NULL},
        {"find_site$.site_id", NULL, NULL, "find_site$.site_id"},
        {"", NULL, NULL, ""},
        {" @find_site$.site_id", NULL, NULL, " @find_site$.site_id"},
    };

    (void)state;
    compare(cases, N_OF(cases), sites, N_OF(sites));
}

static void bind_takes_the_leftmost_text_of_a_shape(void **state)
{
    static const struct bind_case cases[] = {
        {"@ticket\\d", "a1b2", NULL, "1"},
        {"@ticket\\d{2}", "1a 345", NULL, "34"},
        {"@ticketM\\d{2}", "MM12 M34", NULL, "M12"},
        {"@ticket#W\\d\\d", "#W1 #W23", NULL, "#W23"},
        {"@ticket\\d\\{2}", "1{2}", NULL, "1{2}"},
        {"@ticket\\\\\\d", "a\\7", NULL, "\\7"},
        {"@ticket\\D\\n", "Dn", NULL, "Dn"},
        {"@ticket.", "a.", NULL, "."},
        {"@ticket\xc3\xa9\\d",
         "e1 \xc3\xa9"
         "2",
         NULL,
         "\xc3\xa9"
         "2"},
        {"@ticket\\\xc3\xa9", "\xc3\xa9", NULL, "\xc3\xa9"},
        {"@ticket\\d{2}\\d", "1 123", NULL, "123"},
        {"@ticket\\d{03}", "12 345", NULL, "345"},
        {"@ticket\\d{0}", "", NULL, ""},
        {"@ticket", "1", NULL, ""},
        {"@ticketa b", "xa b", NULL, "a b"},
        {"@ticketA", "a", NULL, NULL},
        {"@ticket\\d", "\xd9\xa1\xc2\xb3", NULL, NULL},
        {"@ticket\\d{3}", "12", NULL, NULL},
        {"@ticket\\d", "", NULL, NULL},
        {"@ticketabc", "ab", NULL, NULL},
        {"@ticket\\d{18446744073709551615}", "12", NULL, NULL},
        /* A pattern that is none binds nothing. */
        {"@ticket1\\", "1 1\\", NULL, NULL},
        {"@ticket\\d{}", "1 1{}", NULL, NULL},
        {"@ticket\\d{", "1 1{", NULL, NULL},
        {"@ticket\\d{2", "12", NULL, NULL},
        {"@ticket\\d{x}", "1", NULL, NULL},
        {"@ticket\\d{-1}", "1", NULL, NULL},
        {"@ticket\\d{+1}", "1", NULL, NULL},
        {"@ticket\\d{1 }", "1", NULL, NULL},
        {"@ticket\\d{18446744073709551616}", "1", NULL, NULL},
        /* So it is with what only begins like that. */
        {"@tickets$.id", "1", NULL, NULL},
        {"@ticket$.id", "is $.id", NULL, "$.id"},
    };
    static const struct output_case outputs[] = {{"tickets", "{'id':'x'}"},
                                                 {"ticket", "{'id':'x'}"}};

    (void)state;
    compare(cases, N_OF(cases), outputs, N_OF(outputs));
}

static void bind_follows_a_path_to_strings(void **state)
{
    static const struct output_case outputs[] = {
        {"text", "plain text"},
        {"number", "12"},
        {"deep", "{'a':{'b':[{'c':'1'},{'c':2},7,{'c':['x']},{'c':'3'}]},'':'empty','a]':'bracket',"
                 "'Key Two':'two','x?':'q','o':{'m':'n'}}"},
        {"lists", "[['a','b'],[],['c']]"},
    };
    static const struct bind_case cases[] = {
        {"@text$", NULL, NULL, "plain text"},
        {"@number$", NULL, NULL, NULL},
        {"@deep$", NULL, NULL, NULL},
        {"@deep$.a.b[*].c", NULL, NULL, "1"},
        {"@deep$.a.b[*].c", NULL, "1", "3"},
        {"@deep$.a.b[*].c", NULL, "3", "1"},
        {"@deep$.a.b[*]", NULL, NULL, NULL},
        {"@deep$.a[*]", NULL, NULL, NULL},
        {"@deep$.a.c", NULL, NULL, NULL},
        {"@deep$.o.m.z", NULL, NULL, NULL},
        {"@deep$.", NULL, NULL, "empty"},
        {"@deep$.a]", NULL, NULL, "bracket"},
        {"@deep$.Key Two", NULL, NULL, "two"},
        {"@lists$[*][*]", NULL, NULL, "a"},
        {"@lists$[*][*]", NULL, "a", "b"},
        {"@lists$[*]", NULL, NULL, NULL},
        /* Reading a path stops at what is no part of one. */
        {"@text$x", NULL, NULL, "plain text"},
        {"@text$[0]", NULL, NULL, "plain text"},
        {"@deep$.o.m[0].z", NULL, NULL, "n"},
        {"@deep$.o.m[0][*].z", NULL, "n", NULL},
        {"@deep$.o.m[0][*].z", NULL, NULL, "n"},
        {"@text$$.a", NULL, NULL, "plain text"},
        /* The first '?' ends a path. */
        {"@deep$.x?", NULL, NULL, NULL},
        {"@deep$.a.b[*].c?{'c':'3'}", NULL, NULL, "3"},
        {"@deep$.a.b[*].c?{'c':2}", NULL, NULL, "1"},
    };

    (void)state;
    compare(cases, N_OF(cases), outputs, N_OF(outputs));
}

static void bind_prefers_the_newest_output_with_a_value(void **state)
{
    static const struct output_case outputs[] = {
        {"get", "{'id':'A111','v':'a'}"},
        {"get", "{'id':'B222','v':'b'}"},
        {"get", "{'id':'C333'}"},
        {"list", "['x','y']"},
        {"list", "['y']"},
        {"ids", "['A111','z']"},
        {"ids", "['w']"},
    };
    static const struct bind_case cases[] = {
        {"@get$.v", NULL, NULL, "b"},
        {"@get$.v", "A111", NULL, "a"},
        {"@get$.v", "A111 and B222", NULL, "b"},
        {"@get$.v", "C333", NULL, "b"},
        {"@get$.id", "C333 or A111", NULL, "C333"},
        {"@get$.w", "A111", NULL, NULL},
        {"@list$[*]", NULL, NULL, "y"},
        {"@list$[*]", NULL, "y", "x"},
        {"@list$[*]", NULL, "x", "y"},
        {"@ids$[*]", "A111", NULL, "w"},
    };

    (void)state;
    compare(cases, N_OF(cases), outputs, N_OF(outputs));
}

static void bind_sets_records_apart_by_json_values(void **state)
{
    static const struct output_case outputs[] = {
        {"t", "{'l':[{'id':'a','n':1,'o':{'x':[1,2.50]}},{'id':'b','n':1.0,'o':null},"
              "{'id':'c','n':1,'o':{'x':[1,2.5]}},'d',{'id':5,'n':7}],'n':1}"},
    };
    static const struct bind_case cases[] = {
        {"@t$.l[*].id?{'n': 1}", NULL, NULL, "a"},
        {"@t$.l[*].id?{'n': 1}", NULL, "a", "c"},
        {"@t$.l[*].id?{'n': 1.00}", NULL, NULL, "b"},
        {"@t$.l[*].id?{'o': {'x': [1, 2.5]}}", NULL, "a", "c"},
        {"@t$.l[*].id?{'o': null}", NULL, NULL, "b"},
        {"@t$.l[*].id?{'n': 7}", NULL, NULL, "a"},
        /* The part of the path behind the last list leads from the record on. */
        {"@t$.l[*]?{'n':1}", NULL, NULL, "d"},
    };

    (void)state;
    compare(cases, N_OF(cases), outputs, N_OF(outputs));
}

static void bind_counts_what_was_passed_by_tool_and_argument(void **state)
{
    static const struct output_case outputs[] = {{"list", "['x','y\\n','z']"}};
    struct bench b;

    (void)state;
    bench_init(&b, "", outputs, N_OF(outputs));
    pass(&b, "other", "x");
    check(&b, "@list$[*]", "x");
    procedure_bind_pass(&b.bind, SP_STR("write"), SP_STR("{\"arg\":7,\"agr\":\"x\"}"));
    check(&b, "@list$[*]", "x");
    pass(&b, "write", "x");
    check(&b, "@list$[*]", "y\n");
    pass(&b, "write", "y\n");
    pass(&b, "write", "y\n");
    check(&b, "@list$[*]", "z");
    pass(&b, "write", "z");
    check(&b, "@list$[*]", NULL);
    bench_deinit(&b);
}

static void bind_leaves_alone_what_is_no_symbol(void **state)
{
    static const char *const arguments[] = {
        "{}",
        "{\"a\":12345678901234567890123,\"b\":[\"@t$\"],\"c\":{\"d\":\"@t$\"},\"e\":null,\"f\":"
        "\"x\"}",
    };
    struct sp_buf got = {0};
    struct bench b;

    (void)state;
    bench_init(&b, "1", sites, N_OF(sites));
    for (size_t i = 0; i < N_OF(arguments); i++) {
        sp_buf_clear(&got);
        assert_true(procedure_bind_arguments(&b.bind, SP_STR("w"), sp_str_of(arguments[i]), &got));
        assert_string_equal(sp_buf_cstr(&got), arguments[i]);
    }
    /* One that cannot be bound is enough, and then nothing is there. */
    sp_buf_clear(&got);
    assert_false(procedure_bind_arguments(&b.bind, SP_STR("w"),
                                          SP_STR("{\"a\":\"@ticket1\",\"b\":\"@no$\"}"), &got));
    assert_int_equal(got.len, 0);
    assert_true(procedure_bind_arguments(
        &b.bind, SP_STR("w"), SP_STR("{\"a\":\"@ticket1\",\"b\":\"@find_site$.site_id\"}"), &got));
    assert_string_equal(sp_buf_cstr(&got), "{\"a\":\"1\",\"b\":\"S7\"}");
    sp_buf_deinit(&got);
    bench_deinit(&b);
}

/* Whether a text begins with a pattern's shape: a slow reading, character by character. */
static bool naive_begins(const char *text, const char *pattern, size_t *ret_len)
{
    const char *t = text;

    for (const char *p = pattern; *p != '\0';) {
        unsigned n = 1;
        int used = 0;

        if (p[0] != '\\') {
            if (*p++ != *t++)
                return false;
            continue;
        }
        p += 2; /* "\d" */
        if (sscanf(p, "{%u}%n", &n, &used) == 1 && used > 0)
            p += used;
        while (n-- > 0) {
            if (*t < '0' || *t++ > '9')
                return false;
        }
    }
    *ret_len = (size_t)(t - text);
    return true;
}

static void bind_finds_shapes_in_random_tickets_as_a_slow_search_does(void **state)
{
    static const char *const parts[] = {"\\d", "\\d{2}", "\\d{3}", "a", "-", "1"};
    static const char alphabet[] = "123a-";
    struct json_gen g = {.state = 6};
    size_t n_found = 0;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char ticket[17] = {0}, pattern[32] = {0}, symbol[64], want[17];
        size_t at = 0, len = 0;
        struct bench b;
        bool is_found = false;

        for (size_t k = 0, n = json_gen_below(&g, sizeof ticket); k < n; k++)
            ticket[k] = alphabet[json_gen_below(&g, sizeof alphabet - 1)];
        for (size_t k = 0, n = 1 + json_gen_below(&g, 4); k < n; k++)
            strncat(pattern, parts[json_gen_below(&g, N_OF(parts))],
                    sizeof pattern - 1 - strlen(pattern));
        snprintf(symbol, sizeof symbol, "@ticket%s", pattern);
        while (!is_found && at <= strlen(ticket)) {
            is_found = naive_begins(ticket + at, pattern, &len);
            at += !is_found;
        }
        n_found += is_found;
        if (is_found)
            snprintf(want, sizeof want, "%.*s", (int)len, ticket + at);
        bench_init(&b, ticket, NULL, 0);
        check(&b, symbol, is_found ? want : NULL);
        bench_deinit(&b);
    }
    assert_true(n_found > 500 && n_found < 4500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bind_takes_values_from_where_a_symbol_says),
        cmocka_unit_test(bind_takes_the_leftmost_text_of_a_shape),
        cmocka_unit_test(bind_follows_a_path_to_strings),
        cmocka_unit_test(bind_prefers_the_newest_output_with_a_value),
        cmocka_unit_test(bind_sets_records_apart_by_json_values),
        cmocka_unit_test(bind_counts_what_was_passed_by_tool_and_argument),
        cmocka_unit_test(bind_leaves_alone_what_is_no_symbol),
        cmocka_unit_test(bind_finds_shapes_in_random_tickets_as_a_slow_search_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
