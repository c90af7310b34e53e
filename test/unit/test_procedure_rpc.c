/* Tests of procedure/procedure_rpc.h, by chapter 43, section 3. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "procedure/procedure_rpc.h"
#include "procedures.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static void rpc_writes_requests_as_canonical_json(void **state)
{
    struct sp_buf b = {0};

    (void)state;
    procedure_rpc_put_initialize(&b, 1);
    procedure_rpc_put_initialized(&b);
    procedure_rpc_put_call(&b, 18446744073709551615U, SP_STR("a \"b\""), SP_STR("{\"x\":1}"));
    assert_string_equal(
        sp_buf_cstr(&b),
        "{\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"initialize\",\"params\":{\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"stretto-procedure\",\"version\":\"" SP_VERSION "\"},"
        "\"protocolVersion\":\"2025-06-18\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        "{\"id\":18446744073709551615,\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
        "\"arguments\":{\"x\":1},\"name\":\"a \\\"b\\\"\"}}\n");
    sp_buf_deinit(&b);
}

struct line_case {
    const char *line;
    enum procedure_rpc_kind kind;
    const char *found; /* NULL: nothing is said of it, or there is none */
};

static void rpc_knows_the_answer_to_its_request(void **state)
{
    static const struct line_case cases[] = {
        {"{'id':7,'result':{'a': 1}}\r\n", PROCEDURE_RPC_RESULT, "{'a': 1}"},
        {"{'id':7,'result':null}", PROCEDURE_RPC_RESULT, "null"},
        {"{'id':7,'error':null,'result':2}", PROCEDURE_RPC_RESULT, "2"},
        {"{'id':7}", PROCEDURE_RPC_RESULT, NULL},
        {" {'error':{'code':-1},'id':7,'result':{}}\n", PROCEDURE_RPC_ERROR, "{'code':-1}"},
        {"{'id':7,'error':'no'}", PROCEDURE_RPC_ERROR, "'no'"},
        /* Skipped: another id, a method, no JSON. */
        {"{'id':8,'result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':'7','result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':7.0,'result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':null,'result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':7,'method':'ping'}", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':7,'method':1,'result':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"{'method':'notifications/message','params':{}}", PROCEDURE_RPC_OTHER, NULL},
        {"[{'id':7,'result':{}}]", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':7,'result':{}} x", PROCEDURE_RPC_OTHER, NULL},
        {"{'id':7,'result':'\xff'}", PROCEDURE_RPC_OTHER, NULL},
        {"listening on stdio", PROCEDURE_RPC_OTHER, NULL},
        {"7", PROCEDURE_RPC_OTHER, NULL},
        {"", PROCEDURE_RPC_OTHER, NULL},
    };
    struct sp_buf line = {0}, want = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str found = {0};

        sp_buf_clear(&line);
        sp_buf_clear(&want);
        procedures_put(&line, cases[i].line);
        assert_int_equal(procedure_rpc_read(sp_buf_str(&line), 7, &found), cases[i].kind);
        if (cases[i].found == NULL) {
            assert_null(found.p);
        } else {
            procedures_put(&want, cases[i].found);
            assert_true(sp_str_eq(found, sp_buf_str(&want)));
        }
    }
    sp_buf_deinit(&line);
    sp_buf_deinit(&want);
}

struct result_case {
    const char *result;
    bool has_failed;
    const char *text;
};

static void rpc_reads_the_text_of_a_result(void **state)
{
    static const struct result_case cases[] = {
        {"{'content':[{'type':'text','text':'a'}]}", false, "a"},
        {"{'content':[{'type':'text','text':'a'},{'type':'x','text':'\\u00e9\\n'}],"
         "'isError':true}",
         true, "a\n\xc3\xa9\n"},
        {"{'content':[{'type':'image','data':'eA=='},{'text':''},{'text':7},'x',{'text':'b'}]}",
         false, "\nb"},
        {"{'content':[],'isError':false}", false, ""},
        {"{'isError':true}", true, ""},
        {"{'content':{'text':'a'},'isError':1}", false, ""},
        {"{'content':'a','isError':'true'}", false, ""},
        {"null", false, ""},
        {"7", false, ""},
        {"[]", false, ""},
        {NULL, false, ""},
    };
    struct sp_buf result = {0}, text = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str span = {0};

        sp_buf_clear(&result);
        sp_buf_clear(&text);
        if (cases[i].result != NULL) {
            procedures_put(&result, cases[i].result);
            span = sp_buf_str(&result);
        }
        assert_int_equal(procedure_rpc_result(span, &text), cases[i].has_failed);
        assert_string_equal(sp_buf_cstr(&text), cases[i].text);
    }
    sp_buf_deinit(&result);
    sp_buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpc_writes_requests_as_canonical_json),
        cmocka_unit_test(rpc_knows_the_answer_to_its_request),
        cmocka_unit_test(rpc_reads_the_text_of_a_result),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
