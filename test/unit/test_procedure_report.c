/* Tests of procedure/procedure_report.h, by chapter 43, section 1. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "procedure/procedure_report.h"

static const struct procedure_run_call calls[] = {
    {.tool = {"get_meter", 9}, .arguments = {"{\"id\":\"M4410\",\"l\":[]}", 21}},
    {.tool = {"a \"b\"\n", 6}, .arguments = {"{}", 2}, .has_failed = true},
};

struct report_case {
    struct procedure_run_record record;
    const char *want;
};

static const struct report_case cases[] = {
    {{.verdict = PROCEDURE_RUN_HAND_BACK},
     "{\n"
     "  \"calls\": [],\n"
     "  \"check\": null,\n"
     "  \"verdict\": \"hand_back\"\n"
     "}\n"},
    {{.calls = calls,
      .n_calls = 2,
      .probe = {"read_panel", 10},
      .outcome = {"Panel Lamp: Green\n\"\xc3\xa9\"", 22},
      .verdict = PROCEDURE_RUN_RESOLVED},
     "{\n"
     "  \"calls\": [\n"
     "    {\n"
     "      \"tool\": \"get_meter\",\n"
     "      \"arguments\": {\n"
     "        \"id\": \"M4410\",\n"
     "        \"l\": []\n"
     "      },\n"
     "      \"failed\": false\n"
     "    },\n"
     "    {\n"
     "      \"tool\": \"a \\\"b\\\"\\n\",\n"
     "      \"arguments\": {},\n"
     "      \"failed\": true\n"
     "    }\n"
     "  ],\n"
     "  \"check\": [\n"
     "    \"read_panel\",\n"
     "    \"Panel Lamp: Green\\n\\\"\xc3\xa9\\\"\"\n"
     "  ],\n"
     "  \"verdict\": \"resolved\"\n"
     "}\n"},
    {{.calls = calls, .n_calls = 1, .verdict = PROCEDURE_RUN_TRANSFERRED},
     "{\n"
     "  \"calls\": [\n"
     "    {\n"
     "      \"tool\": \"get_meter\",\n"
     "      \"arguments\": {\n"
     "        \"id\": \"M4410\",\n"
     "        \"l\": []\n"
     "      },\n"
     "      \"failed\": false\n"
     "    }\n"
     "  ],\n"
     "  \"check\": null,\n"
     "  \"verdict\": \"transferred\"\n"
     "}\n"},
};

static void report_is_indented_json(void **state)
{
    struct sp_buf got = {0};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_buf_clear(&got);
        procedure_report_put(&got, &cases[i].record);
        assert_string_equal(sp_buf_cstr(&got), cases[i].want);
    }
    sp_buf_deinit(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_is_indented_json),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
