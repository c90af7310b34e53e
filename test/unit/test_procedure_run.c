/* Tests of procedure/procedure_run.h, by chapter 43, sections 5 and 7. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "procedure/procedure_run.h"
#include "procedures.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define GREEN_TICKET "Dark since 8. Phone 555-0199. Fixed when the lamp is green."

/* What a tool answers: the text, after a "!" that of a failure. */
typedef const char *(*server_fn)(const char *tool, size_t n_calls, size_t n_resets);

/* Runs a procedure against a server; appends the calls, the check and the verdict. */
static void play(struct procedure *p, const char *ticket, server_fn server, struct sp_buf *ret)
{
    struct procedure_run *run = procedure_run_new(p, sp_str_of(ticket));
    struct procedure_run_record record;
    struct procedure_run_call call;
    struct sp_err err;
    size_t n_calls = 0, n_resets = 0;
    int outcome;

    sp_buf_clear(ret);
    while ((outcome = procedure_run_next(run, &call, &err)) == PROCEDURE_RUN_CALL) {
        struct sp_buf tool = {0};
        const char *text;

        sp_buf_add(&tool, call.tool);
        n_resets += sp_str_eq(call.tool, SP_STR("reset_breaker"));
        text = server(sp_buf_cstr(&tool), n_calls++, n_resets);
        if (*text == '!')
            procedure_run_fail(run, sp_str_of(text + 1));
        else
            procedure_run_answer(run, sp_str_of(text));
        sp_buf_deinit(&tool);
    }
    if (outcome < 0) {
        sp_buf_addf(ret, "failed: %s", err.text);
        procedure_run_free(run);
        return;
    }
    assert_int_equal(procedure_run_next(run, &call, &err), 0); /* over is over */
    record = procedure_run_record(run);
    for (size_t i = 0; i < record.n_calls; i++) {
        sp_buf_add(ret, record.calls[i].tool);
        if (!sp_str_eq(record.calls[i].arguments, SP_STR("{}")))
            sp_buf_add(ret, record.calls[i].arguments);
        sp_buf_add(ret, record.calls[i].has_failed ? SP_STR("! ") : SP_STR(" "));
    }
    if (record.probe.p != NULL)
        sp_buf_addf(ret, "(%.*s: %.*s) ", SP_STR_ARG(record.probe), SP_STR_ARG(record.outcome));
    sp_buf_addf(ret, "%s", procedure_run_verdict_name(record.verdict));
    procedure_run_free(run);
}

static const char *meter_server(const char *tool, size_t n_calls, size_t n_resets)
{
    (void)n_calls;
    if (strcmp(tool, "find_site") == 0)
        return "{\"site_id\":\"S7\",\"meters\":[\"M71\",\"M72\"]}";
    if (strcmp(tool, "read_panel") == 0)
        return n_resets > 0 ? "Panel Lamp: Green" : "Panel Lamp: Red";
    if (strcmp(tool, "to_person") == 0)
        return "!nobody is there";
    return "done";
}

struct run_case {
    const char *start; /* trees that replace the procedure's, or NULL */
    const char *read_panel;
    const char *ticket;
    const char *want;
};

static void run_does_what_the_vectors_say(void **state)
{
    static const struct run_case cases[] = {
        {NULL, NULL, GREEN_TICKET,
         "find_site{\"phone\":\"555-0199\"} read_panel reset_breaker read_panel "
         "enable_feed{\"meter_id\":\"M71\"} (read_panel: Panel Lamp: Green) resolved"},
        {NULL, "{'calls':[['stop',1]]}", GREEN_TICKET,
         "find_site{\"phone\":\"555-0199\"} read_panel (read_panel: Panel Lamp: Red) hand_back"},
        {NULL, NULL, "Dark.", "hand_back"},
        {"{'calls':[['to_person',1]]}", NULL, GREEN_TICKET, "to_person! transferred"},
        {"{'calls':[['read_panel{oops',1]]}", NULL, GREEN_TICKET,
         "failed: action read_panel{oops: its arguments are no JSON object"},
        /* The phrase is looked for in the ticket in lower case. */
        {"{'calls':[]}", NULL, "UNTIL THE LAMP IS GREEN",
         "(read_panel: Panel Lamp: Red) hand_back"},
        {"{'calls':[['reset_breaker',1]]}", "{'calls':[['stop',1]]}", "until the lamp is green",
         "reset_breaker read_panel (read_panel: Panel Lamp: Green) resolved"},
        /* An action that cannot be read fails the run only when its turn comes. */
        {"{'calls':[['reset_breaker',1],['read_panel{oops',1]]}", "{'calls':[]}", "",
         "reset_breaker read_panel hand_back"},
        {"{'calls':[['stop',1],['read_panel{oops',1]]}", NULL, "", "hand_back"},
        {"{'calls':[['x{\\'a\\':1}{',1]]}", NULL, "",
         "failed: action x{\"a\":1}{: its arguments are no JSON object"},
    };
    struct sp_buf got = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct procedure *p = procedures_meter(cases[i].start, cases[i].read_panel);

        play(p, cases[i].ticket, meter_server, &got);
        assert_string_equal(sp_buf_cstr(&got), cases[i].want);
        procedure_free(p);
    }
    sp_buf_deinit(&got);
}

/* A procedure of one tree for every site, and calls of "r" (a read), "w", "v" (writes). */
static struct procedure *one_tree(const char *node, const char *more)
{
    struct sp_buf text = {0};
    struct procedure *p;

    sp_buf_addf(&text,
                "{'stretto_procedure':1,'domain':'d','symbolic':true,'max_calls':9,'stop':'stop',"
                "'handoff':'h','reads':['r'],'vocab':['word'],'trees':{},'fallback':%s,"
                "'checks':[]%s}",
                node, more);
    p = procedures_parse(sp_buf_cstr(&text));
    sp_buf_deinit(&text);
    return p;
}

static const char *fine_server(const char *tool, size_t n_calls, size_t n_resets)
{
    (void)tool;
    (void)n_calls;
    (void)n_resets;
    return "fine";
}

static const char *failing_server(const char *tool, size_t n_calls, size_t n_resets)
{
    (void)tool;
    (void)n_calls;
    (void)n_resets;
    return "!no";
}

static const char *counting_server(const char *tool, size_t n_calls, size_t n_resets)
{
    static char text[32];

    (void)tool;
    (void)n_resets;
    snprintf(text, sizeof text, "{\"n\":\"v%zu\"}", n_calls);
    return text;
}

static const char *list_server(const char *tool, size_t n_calls, size_t n_resets)
{
    (void)tool;
    (void)n_calls;
    (void)n_resets;
    return "[\"x\",\"y\"]";
}

struct tree_case {
    const char *node;
    const char *more; /* members that end the procedure */
    const char *ticket;
    server_fn server;
    const char *want;
};

static const struct tree_case trees[] = {
    /* A read is a repeat until something is written, a write for ever. */
    {"{'calls':[['r',1],['w',1],['v',1]]}", "", "", fine_server, "r w r v r hand_back"},
    {"{'calls':[['w{\\'a\\':1}',1],['w{\\'a\\':2}',1],['w{ \\'a\\' : 1 }',1],['w{}',1],['w',1]]}",
     "", "", fine_server, "w{\"a\":1} w{\"a\":2} w hand_back"},
    {"{'calls':[['r{\\'b\\':1,\\'a\\':[ ]}',1],['r{\\'a\\':[],\\'b\\':1}',1]]}", "", "",
     fine_server, "r{\"a\":[],\"b\":1} hand_back"},
    /* What failed was made. */
    {"{'calls':[['r',1],['w',1]]}", "", "", failing_server, "r! w! r! hand_back"},
    {"{'feature':'made w','yes':{'calls':[]},'no':{'calls':[['w',1]]}}", "", "", failing_server,
     "w! hand_back"},
    /* Writes are known by the text of the action, and reads are never made. */
    {"{'feature':'made w{ }','yes':{'calls':[['v',1]]},'no':{'calls':[['w{ }',1]]}}", "", "",
     fine_server, "w v hand_back"},
    {"{'feature':'made r','yes':{'calls':[['v',1]]},'no':{'calls':[['r',1]]}}", "", "", fine_server,
     "r hand_back"},
    {"{'feature':'called r','yes':{'calls':[['v',1]]},'no':{'calls':[['r',1]]}}", "", "",
     fine_server, "r v hand_back"},
    {"{'feature':'r:says fine','yes':{'calls':[['v',1]]},'no':{'calls':[['r',1]]}}", "", "",
     fine_server, "r v hand_back"},
    {"{'feature':'r:error','yes':{'calls':[['v',1]]},'no':{'calls':[['r',1]]}}", "", "",
     failing_server, "r! v! hand_back"},
    {"{'feature':'ticket: word','yes':{'calls':[['v',1]]},'no':{'calls':[['w',1]]}}", "",
     "the Word!", fine_server, "v hand_back"},
    /* At most so many calls. */
    {"{'calls':[['r',1],['w',1],['v',1]]}", ",'max_calls':3", "", fine_server, "r w r hand_back"},
    {"{'calls':[['r',1]]}", ",'max_calls':0", "", fine_server, "hand_back"},
    {"{'calls':[['r',1],['h',1]]}", ",'max_calls':2", "", fine_server, "r h transferred"},
    {"{'calls':[['r',1],['h',1]]}", ",'max_calls':1", "", fine_server, "r hand_back"},
    /* A hand-over has the procedure's arguments as they are, if it has none of its own. */
    {"{'calls':[['h',1]]}", ",'handoff_arguments':{'why':'@r$.n', 'at':1.50}", "", fine_server,
     "h{\"at\":1.5,\"why\":\"@r$.n\"} transferred"},
    {"{'calls':[['h{\\'to\\':\\'@x\\'}',1]]}", ",'handoff_arguments':{'why':1}", "", fine_server,
     "h{\"to\":\"@x\"} transferred"},
    {"{'calls':[['h{}',1]]}", ",'handoff_arguments':{'why':1}", "", fine_server, "h transferred"},
    /* Symbols are bound, unless the procedure has none. */
    {"{'calls':[['w{\\'a\\':\\'@r$.n\\'}',1],['r',1]]}", ",'max_calls':4", "", counting_server,
     "r w{\"a\":\"v0\"} r w{\"a\":\"v2\"} hand_back"},
    {"{'calls':[['w{\\'a\\':\\'@r$[*]\\'}',1],['r',1]]}", ",'max_calls':7", "", list_server,
     "r w{\"a\":\"x\"} w{\"a\":\"y\"} r hand_back"},
    {"{'calls':[['w{\\'a\\':\\'@r$.n\\'}',1],['r',1]]}", ",'symbolic':false", "", counting_server,
     "w{\"a\":\"@r$.n\"} r hand_back"},
    /* An action that does not bind is passed over. */
    {"{'calls':[['w{\\'a\\':\\'@ticket\\\\\\\\d\\'}',1],['v',1],['stop',1],['u',1]]}", "", "",
     fine_server, "v hand_back"},
    /* The stop word is compared as a whole. */
    {"{'calls':[['stop{}',1],['stop',1]]}", "", "", fine_server, "stop hand_back"},
    {"{'calls':[['w',1],['end',1],['v',1]]}", ",'stop':'end'", "", fine_server, "w hand_back"},
    /* The first check whose phrase is there, of parts none or all of which are there. */
    {"{'calls':[]}",
     ",'checks':[{'phrase':'b','probe':'p','contains':[],'lacks':[]},"
     "{'phrase':'','probe':'q','contains':['fine','in'],'lacks':['out']}]",
     "a", fine_server, "(q: fine) resolved"},
    {"{'calls':[]}", ",'checks':[{'phrase':'','probe':'q','contains':['fine','x'],'lacks':[]}]", "",
     fine_server, "(q: fine) hand_back"},
    {"{'calls':[]}", ",'checks':[{'phrase':'','probe':'q','contains':[],'lacks':['x','in']}]", "",
     fine_server, "(q: fine) hand_back"},
    {"{'calls':[]}", ",'checks':[{'phrase':'A','probe':'q','contains':[],'lacks':[]}]", "A",
     fine_server, "hand_back"},
    /* A probe that fails is read as well. */
    {"{'calls':[]}", ",'checks':[{'phrase':'','probe':'q','contains':['no'],'lacks':[]}]", "",
     failing_server, "(q: no) resolved"},
    {"{'calls':[['h',1]]}", ",'checks':[{'phrase':'','probe':'q','contains':[],'lacks':[]}]", "",
     fine_server, "h transferred"},
};

static void run_follows_its_trees(void **state)
{
    struct sp_buf got = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(trees); i++) {
        struct procedure *p = one_tree(trees[i].node, trees[i].more);

        play(p, trees[i].ticket, trees[i].server, &got);
        assert_string_equal(sp_buf_cstr(&got), trees[i].want);
        procedure_free(p);
    }
    sp_buf_deinit(&got);
}

static void run_is_freed_at_any_time(void **state)
{
    struct procedure *p = procedures_meter(NULL, NULL);
    struct procedure_run *run = procedure_run_new(p, SP_STR("555-0199"));
    struct procedure_run_call call;
    struct sp_err err;

    (void)state;
    procedure_run_free(NULL);
    assert_int_equal(procedure_run_next(run, &call, &err), PROCEDURE_RUN_CALL);
    assert_true(sp_str_eq(call.tool, SP_STR("find_site")));
    assert_true(sp_str_eq(call.arguments, SP_STR("{\"phone\":\"555-0199\"}")));
    procedure_run_free(run);
    procedure_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_does_what_the_vectors_say),
        cmocka_unit_test(run_follows_its_trees),
        cmocka_unit_test(run_is_freed_at_any_time),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
