/* Tests of procedure/procedure.h, by chapter 43, section 2. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_file.h"
#include "json/jscan.h"
#include "json_gen.h"
#include "procedure/procedure.h"
#include "procedures.h"
#include "tmpdir.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The smallest procedure in pieces, one a member. */
static const char *const members[] = {
    "'stretto_procedure':1",
    "'domain':'d'",
    "'symbolic':true",
    "'max_calls':3",
    "'stop':'stop'",
    "'handoff':'h'",
    "'reads':[]",
    "'vocab':[]",
    "'trees':{}",
    "'fallback':{'calls':[]}",
    "'checks':[]",
};

/* Builds it with one piece (its index) replaced; "" leaves it out, NULL replaces nothing. */
static void put_with(struct sp_buf *text, size_t index, const char *piece)
{
    const char *separator = "{";

    for (size_t i = 0; i < N_OF(members); i++) {
        const char *part = i == index && piece != NULL ? piece : members[i];

        if (*part == '\0')
            continue;
        procedures_put(text, separator);
        procedures_put(text, part);
        separator = ",";
    }
    sp_buf_add_char(text, '}');
}

enum {
    VERSION,
    DOMAIN_NAME,
    SYMBOLIC,
    MAX_CALLS,
    STOP,
    HANDOFF,
    READS,
    VOCAB,
    TREES,
    FALLBACK,
    CHECKS
};

struct error_case {
    size_t index;
    const char *piece;
    const char *want;
};

static const struct error_case errors[] = {
    {VERSION, "", "no compiled procedure: it has no member 'stretto_procedure'"},
    {VERSION, "'stretto_procedure':null",
     "no compiled procedure: it has no member 'stretto_procedure'"},
    {VERSION, "'stretto_procedure':2", "format 2, and only format 1 is read"},
    {VERSION, "'stretto_procedure':1.0", "format 1.0, and only format 1 is read"},
    {VERSION, "'stretto_procedure':'1'", "format \"1\", and only format 1 is read"},
    {DOMAIN_NAME, "", "domain: is missing"},
    {DOMAIN_NAME, "'domain':null", "domain: must be a string"},
    {SYMBOLIC, "'symbolic':1", "symbolic: must be true or false"},
    {SYMBOLIC, "", "symbolic: is missing"},
    {MAX_CALLS, "'max_calls':-1",
     "max_calls: must be a whole number from 0 to 18446744073709551615"},
    {MAX_CALLS, "", "max_calls: is missing"},
    {STOP, "", "stop: is missing"},
    {HANDOFF, "", "handoff: is missing"},
    {HANDOFF, "'handoff':'h','handoff_arguments':[]", "handoff_arguments: must be an object"},
    {READS, "", "reads: is missing"},
    {READS, "'reads':['a',1]", "reads[1]: must be a string"},
    {VOCAB, "", "vocab: is missing"},
    {VOCAB, "'vocab':[null]", "vocab[0]: must be a string"},
    {TREES, "", "trees: is missing"},
    {TREES, "'trees':{'s!':[]}", "trees.s!: must be an object"},
    {TREES, "'trees':{'s':{}}", "trees.s.calls: is missing"},
    {TREES, "'trees':{'s':{'feature':'f','yes':{'calls':[]}}}", "trees.s.no: is missing"},
    {TREES, "'trees':{'s':{'feature':'f','yes':{'calls':[]},'no':1}}",
     "trees.s.no: must be an object"},
    {TREES, "'trees':{'s':{'feature':1,'yes':{'calls':[]},'no':{'calls':[]}}}",
     "trees.s.feature: must be a string"},
    {TREES, "'trees':{'s':{'feature':'f','yes':{'calls':[]},'no':{'calls':1}}}",
     "trees.s.no.calls: must be an array"},
    {FALLBACK, "", "fallback: is missing"},
    {FALLBACK, "'fallback':{'calls':[['a',1],'a']}",
     "fallback.calls[1]: must be an action and a count"},
    {FALLBACK, "'fallback':{'calls':[[1,1]]}", "fallback.calls[0]: must be an action and a count"},
    {FALLBACK, "'fallback':{'calls':[['a']]}", "fallback.calls[0]: must be an action and a count"},
    {FALLBACK, "'fallback':{'calls':[[]]}", "fallback.calls[0]: must be an action and a count"},
    {FALLBACK, "'fallback':{'calls':[['a',-1]]}",
     "fallback.calls[0]: must be an action and a count"},
    {FALLBACK, "'fallback':{'calls':[['a',1,1]]}",
     "fallback.calls[0]: must be an action and a count"},
    {CHECKS, "", "checks: is missing"},
    {CHECKS, "'checks':[1]", "checks[0]: must be an object"},
    {CHECKS, "'checks':[{'probe':'p','contains':[],'lacks':[]}]", "checks[0].phrase: is missing"},
    {CHECKS, "'checks':[{'phrase':'p','contains':[],'lacks':[]}]", "checks[0].probe: is missing"},
    {CHECKS, "'checks':[{'phrase':'p','probe':'p','lacks':[]}]", "checks[0].contains: is missing"},
    {CHECKS, "'checks':[{'phrase':'p','probe':'p','contains':[]}]", "checks[0].lacks: is missing"},
    {CHECKS, "'checks':[{'phrase':'p','probe':'p','contains':[],'lacks':['a',{}]}]",
     "checks[0].lacks[1]: must be a string"},
};

static void procedure_names_what_is_wrong(void **state)
{
    struct sp_buf text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(errors); i++) {
        struct procedure *p = NULL;
        struct sp_err err = {0};

        sp_buf_clear(&text);
        put_with(&text, errors[i].index, errors[i].piece);
        assert_true(procedure_parse(sp_buf_str(&text), &p, &err) < 0);
        assert_string_equal(err.text, errors[i].want);
        assert_null(p);
    }
    sp_buf_deinit(&text);
}

static void procedure_is_json(void **state)
{
    static const char *const texts[] = {
        "", "{", "no", "{}{}", "\xef\xbb\xbf{}", "{\"a\":\"\xff\"}"};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct procedure *p = NULL;
        struct sp_err err;

        assert_true(procedure_parse(sp_str_of(texts[i]), &p, &err) < 0);
        assert_string_equal(err.text, "not JSON");
    }
}

static void procedure_is_an_object(void **state)
{
    static const char *const texts[] = {"[]", "1", "null", "\"stretto_procedure\"", "{}"};

    (void)state;
    for (size_t i = 0; i < N_OF(texts); i++) {
        struct procedure *p = NULL;
        struct sp_err err;

        assert_true(procedure_parse(sp_str_of(texts[i]), &p, &err) < 0);
        assert_string_equal(err.text,
                            "no compiled procedure: it has no member 'stretto_procedure'");
    }
}

static void procedure_has_defaults_and_unknown_members(void **state)
{
    struct procedure *p;

    (void)state;
    p = procedures_parse("{'x':1,'stretto_procedure':1,'domain':'d','symbolic':false,"
                         "'max_calls':0,'stop':'s','handoff':'h','handoff_arguments':null,"
                         "'provenance':7,'reads':[],'vocab':[],'trees':{},"
                         "'fallback':{'calls':[],'n':3},'checks':[]} ");
    assert_false(p->is_symbolic);
    assert_int_equal(p->max_calls, 0);
    assert_true(sp_str_eq(p->handoff_arguments, SP_STR("{}")));
    assert_int_equal(p->n_checks, 0);
    procedure_free(p);
    procedure_free(NULL);
}

static void procedure_holds_what_the_file_says(void **state)
{
    const struct procedure_node *node;
    struct procedure *p;

    (void)state;
    p = procedures_parse(
        "{'stretto_procedure':1,'domain':'d\\u00e9','symbolic':true,"
        "'max_calls':18446744073709551615,'stop':'s','handoff':'h',"
        "'handoff_arguments':{'why': 1},'reads':['a','b','a'],'vocab':['w w'],"
        "'trees':{'x':{'calls':[]},'x!':{'feature':'f','yes':{'calls':[['a{}',2],['s',1]]},"
        "'no':{'calls':[['b',0]],'feature_':1}},'x':{'calls':[['s',1]]}},"
        "'fallback':{'calls':[]},"
        "'checks':[{'phrase':'p','probe':'q','contains':['c'],'lacks':['l','m']}]}");
    assert_true(sp_str_eq(p->domain, SP_STR("d\xc3\xa9")));
    assert_true(p->is_symbolic);
    assert_true(p->max_calls == UINT64_MAX);
    assert_true(sp_str_eq(p->handoff_arguments, SP_STR("{\"why\": 1}")));
    assert_int_equal(p->reads.n, 2);
    assert_non_null(sp_map_find(&p->vocab, SP_STR("w w")));

    node = procedure_tree(p, SP_STR("x!"));
    assert_true(sp_str_eq(node->feature, SP_STR("f")));
    assert_int_equal(node->yes->n_actions, 2);
    assert_true(sp_str_eq(node->yes->actions[0], SP_STR("a{}")));
    assert_int_equal(node->no->n_actions, 1);
    /* Of a site that occurs twice the last counts. */
    node = procedure_tree(p, SP_STR("x"));
    assert_null(node->feature.p);
    assert_int_equal(node->n_actions, 1);
    assert_ptr_equal(procedure_tree(p, SP_STR("y")), p->fallback);

    assert_int_equal(p->n_checks, 1);
    assert_true(sp_str_eq(p->checks[0].phrase, SP_STR("p")));
    assert_true(sp_str_eq(p->checks[0].probe, SP_STR("q")));
    assert_int_equal(p->checks[0].contains.n, 1);
    assert_int_equal(p->checks[0].lacks.n, 2);
    assert_true(sp_str_eq(p->checks[0].lacks.of[1], SP_STR("m")));
    procedure_free(p);
}

static void procedure_has_trees_as_deep_as_json_goes(void **state)
{
    /* The file and its fallback take two levels, a leaf with a call two more. */
    static const size_t most = JSCAN_MAX_DEPTH - 4;
    struct sp_buf piece = {0}, text = {0};

    (void)state;
    for (size_t depth = most; depth <= most + 1; depth++) {
        struct procedure *p = NULL;
        struct sp_err err = {0};
        int outcome;

        sp_buf_clear(&piece);
        sp_buf_clear(&text);
        sp_buf_add(&piece, SP_STR("'fallback':"));
        for (size_t i = 0; i < depth; i++)
            sp_buf_add(&piece, SP_STR("{'feature':'f','no':{'calls':[]},'yes':"));
        sp_buf_add(&piece, SP_STR("{'calls':[['s',1]]}"));
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&piece, '}');
        put_with(&text, FALLBACK, sp_buf_cstr(&piece));
        outcome = procedure_parse(sp_buf_str(&text), &p, &err);
        assert_int_equal(outcome == 0, depth <= most);
        if (outcome == 0) {
            const struct procedure_node *node = p->fallback;

            for (size_t i = 0; i < depth; i++)
                node = node->yes;
            assert_int_equal(node->n_actions, 1);
        }
        procedure_free(p);
    }
    sp_buf_deinit(&piece);
    sp_buf_deinit(&text);
}

static int make_dir(void **state)
{
    *state = tmpdir_new();
    return 0;
}

static int remove_dir(void **state)
{
    tmpdir_remove(*state);
    return 0;
}

static void procedure_is_read_from_a_file(void **state)
{
    char *path = tmpdir_path(*state, "p.json");
    struct sp_buf want = {0}, text = {0};
    struct procedure *p = NULL;
    struct sp_err err;

    assert_true(procedure_load(path, &p, &err) < 0);
    sp_buf_addf(&want, "reading %s: No such file or directory", path);
    assert_string_equal(err.text, sp_buf_cstr(&want));

    put_with(&text, 0, NULL);
    assert_int_equal(sp_file_replace(path, sp_buf_str(&text)), 0);
    assert_int_equal(procedure_load(path, &p, &err), 0);
    procedure_free(p);

    assert_int_equal(sp_file_replace(path, SP_STR("")), 0);
    assert_true(procedure_load(path, &p, &err) < 0);
    sp_buf_clear(&want);
    sp_buf_addf(&want, "reading %s: not JSON", path);
    assert_string_equal(err.text, sp_buf_cstr(&want));
    sp_buf_deinit(&want);
    sp_buf_deinit(&text);
    free(path);
}

static void procedure_takes_or_names_any_value_in_any_place(void **state)
{
    struct json_gen g = {.state = 2};
    struct sp_buf value = {0}, text = {0};
    size_t n_taken = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        static const char *const names[] = {"domain", "symbolic", "max_calls", "reads",
                                            "trees",  "fallback", "checks",    "other"};
        struct procedure *p = NULL;
        struct sp_err err = {0};

        sp_buf_clear(&value);
        sp_buf_clear(&text);
        json_gen_value(&g, &value);
        put_with(&text, 0, NULL);
        text.len--; /* of a name that occurs twice the last counts */
        sp_buf_addf(&text, ",\"%s\":", names[json_gen_below(&g, N_OF(names))]);
        sp_buf_add(&text, sp_buf_str(&value));
        sp_buf_add_char(&text, '}');
        if (procedure_parse(sp_buf_str(&text), &p, &err) == 0)
            n_taken++;
        else
            assert_non_null(strstr(err.text, ": "));
        procedure_free(p);
    }
    assert_true(n_taken > 100 && n_taken < 2900);
    sp_buf_deinit(&value);
    sp_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procedure_names_what_is_wrong),
        cmocka_unit_test(procedure_is_json),
        cmocka_unit_test(procedure_is_an_object),
        cmocka_unit_test(procedure_has_defaults_and_unknown_members),
        cmocka_unit_test(procedure_holds_what_the_file_says),
        cmocka_unit_test(procedure_has_trees_as_deep_as_json_goes),
        cmocka_unit_test_setup_teardown(procedure_is_read_from_a_file, make_dir, remove_dir),
        cmocka_unit_test(procedure_takes_or_names_any_value_in_any_place),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
