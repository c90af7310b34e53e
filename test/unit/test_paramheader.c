/* Tests of mcp/paramheader.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "json/jscan.h"
#include "mcp/paramheader.h"
#include "mcp/paramvalue.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define ANSWER_START "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":"
#define ANSWER_END   ",\"ttlMs\":0}}"

/* Reasons, as they are told. */
#define NO_TOKEN  "x-mcp-header is not an HTTP token"
#define NO_SCALAR "x-mcp-header on a property whose type is not string, integer or boolean"
#define EQUAL     "two properties have the same x-mcp-header"
#define MISPLACED "x-mcp-header is not on a chain of properties"

static void assert_str(struct sp_str got, const char *want)
{
    if (!sp_str_eq(got, sp_str_of(want)))
        fail_msg("'%.*s' is not '%s'", SP_STR_ARG(got), want);
}

/* Notes "TOOL: REASON;" in the buffer that is the owner. */
static void on_refused(void *owner, struct sp_str tool, const char *reason)
{
    sp_buf_add(owner, tool);
    sp_buf_addf(owner, ": %s;", reason);
}

/* Notes "NAME=VALUE;". */
static void on_header(void *owner, struct sp_str name, struct sp_str value)
{
    sp_buf_add(owner, name);
    sp_buf_add_char(owner, '=');
    sp_buf_add(owner, value);
    sp_buf_add_char(owner, ';');
}

/* Learns from memory of exactly the answer's size, which is gone afterwards. */
static void learn(struct paramheader_tools *tools, struct sp_str answer, struct sp_buf *ret_cut,
                  struct sp_buf *ret_refused)
{
    char *copy = malloc(answer.len);
    struct jscan found;

    assert_non_null(copy);
    memcpy(copy, answer.p, answer.len);
    assert_true(jscan_grammar((struct sp_str){copy, answer.len}, &found));
    paramheader_learn(tools, (struct sp_str){copy, answer.len}, ret_cut, on_refused, ret_refused);
    free(copy);
}

/* Learns a list of tools, given as JSON, none of which is refused. */
static void learn_list(struct paramheader_tools *tools, const char *list)
{
    struct sp_buf answer = {0};
    struct sp_buf cut = {0};
    struct sp_buf refused = {0};

    sp_buf_addf(&answer, ANSWER_START "%s" ANSWER_END, list);
    learn(tools, sp_buf_str(&answer), &cut, &refused);
    assert_str(sp_buf_str(&refused), "");
    assert_int_equal(cut.len, 0);
    sp_buf_deinit(&answer);
    sp_buf_deinit(&cut);
    sp_buf_deinit(&refused);
}

static void check_call(const struct paramheader_tools *tools, const char *params, const char *want)
{
    struct sp_buf got = {0};

    paramheader_for_call(tools, sp_str_of(params), on_header, &got);
    assert_str(sp_buf_str(&got), want);
    sp_buf_deinit(&got);
}

/* What a call of a tool with this schema has for headers. */
static void check_schema(const char *schema, const char *arguments, const char *want)
{
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf b = {0};

    sp_buf_addf(&b, "[{\"name\":\"t\",\"inputSchema\":%s}]", schema);
    learn_list(tools, sp_buf_cstr(&b));
    sp_buf_clear(&b);
    sp_buf_addf(&b, "{\"name\":\"t\",\"arguments\":%s}", arguments);
    check_call(tools, sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
    paramheader_tools_free(tools);
}

/* A tool with this schema is refused, for this reason; "" if it is not. */
static void check_refused(const char *schema, const char *reason)
{
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf answer = {0};
    struct sp_buf cut = {0};
    struct sp_buf refused = {0};
    struct sp_buf want = {0};

    sp_buf_addf(&answer, ANSWER_START "[{\"inputSchema\":%s,\"name\":\"t\"}]" ANSWER_END, schema);
    learn(tools, sp_buf_str(&answer), &cut, &refused);
    if (*reason != '\0')
        sp_buf_addf(&want, "t: %s;", reason);
    if (!sp_str_eq(sp_buf_str(&refused), sp_buf_str(&want)))
        fail_msg("%s gives '%s'", schema, sp_buf_cstr(&refused));
    assert_str(sp_buf_str(&cut), *reason != '\0' ? ANSWER_START "[]" ANSWER_END : "");
    assert_int_equal(paramheader_knows(tools, SP_STR("t")), *reason == '\0');
    sp_buf_deinit(&answer);
    sp_buf_deinit(&cut);
    sp_buf_deinit(&refused);
    sp_buf_deinit(&want);
    paramheader_tools_free(tools);
}

static void put_value_is_plain_or_base64(void **state)
{
    static const struct {
        struct sp_str text;
        const char *value;
    } cases[] = {
        {SP_STR("us-west1"), "us-west1"},
        {SP_STR("Hello, \xe4\xb8\x96\xe7\x95\x8c"), "=?base64?SGVsbG8sIOS4lueVjA==?="},
        {SP_STR(" padded "), "=?base64?IHBhZGRlZCA=?="},
        {SP_STR("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?="},
        {SP_STR("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
        {SP_STR(""), ""},
        {{NULL, 0}, ""},
        {SP_STR("us west\t1"), "us west\t1"},
        {SP_STR("!~"), "!~"},
        {SP_STR(" a"), "=?base64?IGE=?="},
        {SP_STR("a "), "=?base64?YSA=?="},
        {SP_STR("\ta"), "=?base64?CWE=?="},
        {SP_STR("a\t"), "=?base64?YQk=?="},
        {SP_STR(" "), "=?base64?IA==?="},
        {SP_STR("a\x1f"), "=?base64?YR8=?="},
        {SP_STR("a\x7f"), "=?base64?YX8=?="},
        {SP_STR("a\0b"), "=?base64?YQBi?="},
        {SP_STR("a\r\nb"), "=?base64?YQ0KYg==?="},
        {SP_STR("caf\xc3\xa9"), "=?base64?Y2Fmw6k=?="},
        {SP_STR("=?base64?"
                "?="),
         "=?base64?PT9iYXNlNjQ/Pz0=?="},
        {SP_STR("=?base64?="), "=?base64?PT9iYXNlNjQ/PQ==?="},
        {SP_STR("=?base64?x"), "=?base64?x"},
        {SP_STR("x?="), "x?="},
        {SP_STR("=?BASE64?x?="), "=?BASE64?x?="},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        sp_buf_add_char(&b, '>');
        paramvalue_put(&b, cases[i].text);
        assert_string_equal(sp_buf_cstr(&b) + 1, cases[i].value);
        sp_buf_deinit(&b);
    }
}

static void a_call_has_the_headers_of_its_tool(void **state)
{
    struct paramheader_tools *tools = paramheader_tools_new();

    (void)state;
    learn_list(tools,
               "[ {\"name\":\"run\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
               "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
               "\"query\":{\"type\":\"string\"},"
               "\"limits\":{\"properties\":{\"rows\":{\"x-mcp-header\":\"Max-Rows\","
               "\"type\":\"integer\"}},\"type\":\"object\"},"
               "\"dry\":{\"x-mcp-header\":\"dry\",\"type\":\"boolean\"}}}} ,"
               " {\"name\":\"plain\",\"inputSchema\":{\"type\":\"object\"}}, {\"name\":\"bare\"},"
               " 7, {}, {\"name\":8} ]");
    assert_true(paramheader_knows(tools, SP_STR("run")));
    assert_true(paramheader_knows(tools, SP_STR("plain")));
    assert_true(paramheader_knows(tools, SP_STR("bare")));
    assert_false(paramheader_knows(tools, SP_STR("ru")));
    assert_false(paramheader_knows(tools, SP_STR("")));

    check_call(tools,
               "{\"arguments\":{\"dry\":false,\"limits\":{\"rows\":42},\"query\":\"q\","
               "\"region\":\"us-west1\"},\"name\":\"r\\u0075n\"}",
               "Mcp-Param-Region=us-west1;Mcp-Param-Max-Rows=42;Mcp-Param-dry=false;");
    check_call(tools, "{\"name\":\"run\",\"arguments\":{\"region\":\"\",\"dry\":true}}",
               "Mcp-Param-Region=;Mcp-Param-dry=true;");
    check_call(tools, "{\"name\":\"run\",\"arguments\":{\"region\":null,\"limits\":3}}", "");
    check_call(tools, "{\"name\":\"run\",\"arguments\":{}}", "");
    check_call(tools, "{\"name\":\"run\",\"arguments\":[\"region\"]}", "");
    check_call(tools, "{\"name\":\"run\"}", "");
    check_call(tools, "{\"name\":\"plain\",\"arguments\":{\"region\":\"a\"}}", "");
    check_call(tools, "{\"name\":\"other\",\"arguments\":{\"region\":\"a\"}}", "");
    check_call(tools, "{\"arguments\":{\"region\":\"a\"}}", "");
    check_call(tools, "{\"name\":7,\"arguments\":{\"region\":\"a\"}}", "");
    check_call(tools, "[]", "");
    paramheader_for_call(tools, (struct sp_str){0}, on_header, NULL);
    paramheader_tools_free(tools);
    paramheader_tools_free(NULL);
}

static void a_header_goes_by_the_value_that_the_call_has(void **state)
{
    static const struct {
        const char *value;
        const char *header; /* NULL for none */
    } cases[] = {
        {"\"us-west1\"", "us-west1"},
        {"\"\\u0048ello, \\u4e16\\u754c\"", "=?base64?SGVsbG8sIOS4lueVjA==?="},
        {"\"line1\\nline2\"", "=?base64?bGluZTEKbGluZTI=?="},
        {"\"\\ud83d\\ude00\"", "=?base64?8J+YgA==?="},
        {"\"\\ud83d\"", NULL},
        {"\"null\"", "null"},
        {"null", NULL},
        {"[]", NULL},
        {"{}", NULL},
        {"true", "true"},
        {"false", "false"},
        {"42", "42"},
        {"-7", "-7"},
        {"0", "0"},
        {"-0", "0"},
        {"0.0", "0"},
        {"-0e5", "0"},
        {"0e999999999999999999999", "0"},
        {"5.0", "5"},
        {"-5.00", "-5"},
        {"1e2", "100"},
        {"1E+2", "100"},
        {"12e0", "12"},
        {"1.50e1", "15"},
        {"100e-2", "1"},
        {"100e-3", NULL},
        {"0.001e3", "1"},
        {"0.0010e5", "100"},
        {"5.5", NULL},
        {"1e-1", NULL},
        {"1e-999999999999999999999", NULL},
        {"9007199254740993", "9007199254740993"},
        {"9007199254740993.0", "9007199254740993"},
        {"-123456789012345678901234567890", "-123456789012345678901234567890"},
        {"1e20", "100000000000000000000"},
        {"1e309", NULL},
        {"1e400", NULL},
        {"1e999999999999999999999", NULL},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf arguments = {0};
        struct sp_buf want = {0};

        sp_buf_addf(&arguments, "{\"v\": %s}", cases[i].value);
        if (cases[i].header != NULL)
            sp_buf_addf(&want, "Mcp-Param-V=%s;", cases[i].header);
        check_schema("{\"properties\":{\"v\":{\"type\":\"integer\",\"x-mcp-header\":\"V\"}}}",
                     sp_buf_cstr(&arguments), sp_buf_cstr(&want));
        sp_buf_deinit(&arguments);
        sp_buf_deinit(&want);
    }
}

static void the_largest_power_of_ten_in_a_double_is_written_out(void **state)
{
    struct sp_buf want = {0};

    (void)state;
    sp_buf_add(&want, SP_STR("Mcp-Param-V=1"));
    for (int i = 0; i < 308; i++)
        sp_buf_add_char(&want, '0');
    sp_buf_add_char(&want, ';');
    check_schema("{\"properties\":{\"v\":{\"type\":\"integer\",\"x-mcp-header\":\"V\"}}}",
                 "{\"v\":1e308}", sp_buf_cstr(&want));
    sp_buf_deinit(&want);
}

static void paths_follow_properties_and_names_are_compared_unescaped(void **state)
{
    (void)state;
    /* The order is the schema's, whatever the order of keywords. */
    check_schema(
        "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"properties\":{\"c\":{\"type\":"
        "\"string\",\"x-mcp-header\":\"C\"}},\"type\":\"string\",\"x-mcp-header\":\"B\"}}},"
        "\"d\":{\"type\":\"string\",\"x-mcp-header\":\"D\"}}}",
        "{\"d\":\"4\",\"a\":{\"b\":{\"c\":\"3\"}}}", "Mcp-Param-C=3;Mcp-Param-D=4;");
    check_schema("{\"properties\":{\"a\":{\"properties\":{\"c\":{\"type\":\"string\","
                 "\"x-mcp-header\":\"C\"}},\"type\":\"string\",\"x-mcp-header\":\"A\"}}}",
                 "{\"a\":\"x\",\"c\":\"y\"}", "Mcp-Param-A=x;");
    check_schema("{\"\\u0070roperties\":{\"a\\u002eb\":{\"t\\u0079pe\":\"str\\u0069ng\","
                 "\"x\\u002dmcp-header\":\"\\u0041\"}}}",
                 "{\"a\":{\"b\":\"no\"},\"\\u0061.b\":\"yes\"}", "Mcp-Param-A=yes;");
    /* Properties with the names of keywords. */
    check_schema("{\"properties\":{\"x-mcp-header\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
                 "\"properties\":{\"properties\":{\"items\":{\"type\":\"boolean\","
                 "\"x-mcp-header\":\"B\"}}},\"type\":{\"type\":\"integer\",\"x-mcp-header\":"
                 "\"C\"}}}",
                 "{\"x-mcp-header\":\"1\",\"properties\":{\"items\":true},\"type\":3}",
                 "Mcp-Param-A=1;Mcp-Param-B=true;Mcp-Param-C=3;");
    /* A name may hold NUL, and be empty. */
    check_schema("{\"properties\":{\"\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
                 "\"\\u0000\":{\"type\":\"string\",\"x-mcp-header\":\"B\"}}}",
                 "{\"\\u0000\":\"2\",\"\":\"1\"}", "Mcp-Param-A=1;Mcp-Param-B=2;");
    /* Of a name that a call has twice the last counts. */
    check_schema("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}",
                 "{\"a\":\"1\",\"a\":\"2\"}", "Mcp-Param-A=2;");
}

static void annotations_must_be_tokens(void **state)
{
    static const char *const good[] = {"Region", "x", "0", "!#$%&'*+-.^_`|~", "\\u0041z9"};
    static const char *const bad[] = {
        "",
        " ",
        "My Region",
        "Region:Primary",
        "R\xc3\xa9gion",
        "Region\\t1",
        "a\\r\\nb",
        "a\\/",
        "a\\\"",
        "(a)",
        "a,b",
        "a;b",
        "a=b",
        "a@b",
        "[a]",
        "{a}",
        "<a>",
        "a?",
        "\\u0000",
        "a\\\\",
        "\x7f",
    };
    struct sp_buf schema = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(good) + N_OF(bad); i++) {
        bool is_good = i < N_OF(good);

        sp_buf_clear(&schema);
        sp_buf_addf(&schema,
                    "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"%s\"}}}",
                    is_good ? good[i] : bad[i - N_OF(good)]);
        check_refused(sp_buf_cstr(&schema), is_good ? "" : NO_TOKEN);
    }
    sp_buf_deinit(&schema);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":null}}}", NO_TOKEN);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":7}}}", NO_TOKEN);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\","
                  "\"x-mcp-header\":7}}}",
                  NO_TOKEN);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":true}}}", NO_TOKEN);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":[\"A\"]}}}",
                  NO_TOKEN);
    check_refused("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\" : {\"a\":1}}}}",
                  NO_TOKEN);
}

static void annotations_must_differ_by_more_than_case(void **state)
{
    static const char two[] =
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"%s\"},"
        "\"b\":{\"properties\":{\"c\":{\"type\":\"integer\","
        "\"x-mcp-header\":\"%s\"}}},\"d\":{\"type\":\"string\","
        "\"x-mcp-header\":\"Other\"}}}";
    static const struct {
        const char *first;
        const char *second;
        const char *reason;
    } cases[] = {
        {"Region", "Region", EQUAL}, {"MyField", "myfield", EQUAL}, {"A", "\\u0061", EQUAL},
        {"oTHER", "x", EQUAL},       {"Region", "Region2", ""},     {"Region2", "Region", ""},
        {"a-b", "a_b", ""},
    };
    struct sp_buf schema = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        sp_buf_clear(&schema);
        sp_buf_addf(&schema, two, cases[i].first, cases[i].second);
        check_refused(sp_buf_cstr(&schema), cases[i].reason);
    }
    sp_buf_deinit(&schema);
}

static void annotated_properties_are_strings_integers_or_booleans(void **state)
{
    static const char *const bad[] = {
        "\"type\":\"number\",",
        "\"type\":\"object\",",
        "\"type\":\"array\",\"items\":{\"type\":\"string\"},",
        "\"type\":\"null\",",
        "\"type\":\"String\",",
        "\"type\":\"\",",
        "\"type\":[\"string\"],",
        "\"type\":[\"string\",\"null\"],",
        "\"type\":null,",
        "\"type\":{\"type\":\"string\"},",
        "\"type\":\"string\",\"type\":\"number\",",
        "\"properties\":{\"type\":{\"type\":\"string\"}},",
        "",
    };
    struct sp_buf schema = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        sp_buf_clear(&schema);
        sp_buf_addf(&schema,
                    "{\"type\":\"string\",\"properties\":{\"a\":{%s\"x-mcp-header\":\"A\"}}}",
                    bad[i]);
        check_refused(sp_buf_cstr(&schema), NO_SCALAR);
    }
    sp_buf_deinit(&schema);
    check_refused("{\"properties\":{\"a\":{\"x-mcp-header\":\"A\",\"type\":\"object\"}}}",
                  NO_SCALAR);
    check_refused("{\"properties\":{\"a\":{\"x-mcp-header\":\"A\", \"type\" :\n\"boolean\"}}}", "");
    check_refused("{\"properties\":{\"a\":{\"type\":\"number\",\"type\":\"string\","
                  "\"x-mcp-header\":\"A\"}}}",
                  "");
}

/* Checks an annotated schema in the place of "%s". */
static void check_place(const char *schema_format, const char *reason)
{
    const char *at = strstr(schema_format, "%s");
    struct sp_buf schema = {0};

    assert_non_null(at);
    sp_buf_add(&schema, (struct sp_str){schema_format, (size_t)(at - schema_format)});
    sp_buf_add(&schema, SP_STR("{\"type\":\"string\",\"x-mcp-header\":\"A\"}"));
    sp_buf_add(&schema, sp_str_of(at + 2));
    check_refused(sp_buf_cstr(&schema), reason);
    sp_buf_deinit(&schema);
}

static void annotations_stand_on_a_chain_of_properties(void **state)
{
    static const char *const keywords[] = {
        "items",
        "additionalItems",
        "prefixItems",
        "unevaluatedItems",
        "contains",
        "oneOf",
        "anyOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "$ref",
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "contentSchema",
        "x-anything",
        "",
    };
    static const char *const holders[] = {
        "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies",
    };
    struct sp_buf schema = {0};

    (void)state;
    check_place("%s", MISPLACED);
    check_place("{\"properties\":{\"a\":%s}}", "");
    check_place("{\"properties\":{\"a\":{\"properties\":{\"a\":%s}}}}", "");
    check_place("{\"properties\":[%s]}", MISPLACED);
    check_place("{\"properties\":{\"a\":[%s]}}", MISPLACED);
    check_place("{\"properties\":{\"a\":{\"properties\":[[%s]]}}}", MISPLACED);
    for (size_t i = 0; i < N_OF(keywords); i++) {
        static const char *const formats[] = {
            "{\"%s\":%%s}",
            "{\"%s\":[{},%%s]}",
            "{\"properties\":{\"b\":{\"%s\":%%s}}}",
            "{\"properties\":{\"b\":{\"%s\":{\"properties\":{\"a\":%%s}}}}}",
            "{\"%s\":{\"x\":[{\"properties\":{\"c\":%%s}}]}}",
        };

        for (size_t k = 0; k < N_OF(formats); k++) {
            const char *at = strstr(formats[k], "%s");

            sp_buf_clear(&schema);
            sp_buf_add(&schema, (struct sp_str){formats[k], (size_t)(at - formats[k])});
            sp_buf_add(&schema, sp_str_of(keywords[i]));
            for (at += 2; *at != '\0'; at++) {
                if (at[0] != '%' || at[1] != '%')
                    sp_buf_add_char(&schema, *at);
            }
            check_place(sp_buf_cstr(&schema), MISPLACED);
        }
    }
    for (size_t i = 0; i < N_OF(holders); i++) {
        sp_buf_clear(&schema);
        sp_buf_addf(&schema, "{\"%s\":{\"a\":%%s}}", holders[i]);
        check_place(sp_buf_cstr(&schema), MISPLACED);
        sp_buf_clear(&schema);
        sp_buf_addf(&schema, "{\"properties\":{\"p\":{\"%s\":{\"a\":[{\"b\":%%s}]}}}}", holders[i]);
        check_place(sp_buf_cstr(&schema), MISPLACED);
    }
    sp_buf_deinit(&schema);
    check_refused("{\"items\":{\"x-mcp-header\":7}}", MISPLACED);
    check_refused("{\"items\":{\"x\\u002dmcp-header\":\"A\"}}", MISPLACED);
}

static void names_and_data_are_not_annotations(void **state)
{
    (void)state;
    check_refused("{\"properties\":{\"x-mcp-header\":{\"type\":\"object\"}}}", "");
    check_refused("{\"items\":{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}}", "");
    check_refused("{\"$defs\":{\"x-mcp-header\":{}},\"patternProperties\":{\"x-mcp-header\":{}}}",
                  "");
    check_place("{\"default\":%s}", "");
    check_place("{\"properties\":{\"a\":{\"const\":{\"properties\":{\"b\":%s}}}}}", "");
    check_place("{\"anyOf\":[{\"enum\":[1,[%s]]}]}", "");
    check_place("{\"examples\":[1,{\"a\":%s}]}", "");
    check_refused("{\"description\":\"x-mcp-header\",\"required\":[\"x-mcp-header\"]}", "");
    check_refused("{\"properties\":{\"default\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
                  NO_TOKEN);
    check_refused("true", "");
    check_refused("[{\"x-mcp-header\":\"A\"}]", "");
    check_refused("\"x-mcp-header\"", "");
}

/* Tools that stay or go, in lists of every combination. */
static void refused_tools_are_cut_out_with_one_comma(void **state)
{
    static const char good[] = "{\"name\" : \"good\", \"inputSchema\":{}}";
    static const char bad[] = "{\"inputSchema\":{\"x-mcp-header\":\"[,\\\"]\"},\"name\":\"b,d\"}";

    (void)state;
    for (unsigned n = 0; n <= 5; n++) {
        for (unsigned set = 0; set < 1U << n; set++) {
            struct sp_buf answer = {0}, want = {0}, cut = {0}, refused = {0}, want_refused = {0};
            struct paramheader_tools *tools = paramheader_tools_new();
            struct jscan found;
            bool has_kept = false;
            bool is_cut = false;

            sp_buf_add(&answer, SP_STR(" " ANSWER_START "[ \t"));
            sp_buf_add(&want, SP_STR(" " ANSWER_START "[ \t"));
            for (unsigned i = 0; i < n; i++) {
                bool is_bad = (set >> i & 1) != 0;

                /* Of each pair of white spaces the digits of the comma tell which it is. */
                sp_buf_add(&answer, i > 0 ? SP_STR(" \r,\n\n") : SP_STR(""));
                sp_buf_add(&want, i > 0 ? SP_STR(" \r") : SP_STR(""));
                if (i > 0 && has_kept && !is_bad)
                    sp_buf_add_char(&want, ',');
                sp_buf_add(&want, i > 0 ? SP_STR("\n\n") : SP_STR(""));
                sp_buf_add(&answer, sp_str_of(is_bad ? bad : good));
                sp_buf_add(&want, sp_str_of(is_bad ? "" : good));
                if (is_bad)
                    sp_buf_add(&want_refused, SP_STR("b,d: " MISPLACED ";"));
                has_kept |= !is_bad;
                is_cut |= is_bad;
            }
            sp_buf_add(&answer, SP_STR("  ]" ANSWER_END "\r\n"));
            sp_buf_add(&want, SP_STR("  ]" ANSWER_END "\r\n"));

            learn(tools, sp_buf_str(&answer), &cut, &refused);
            assert_str(sp_buf_str(&refused), sp_buf_cstr(&want_refused));
            assert_str(sp_buf_str(&cut), is_cut ? sp_buf_cstr(&want) : "");
            assert_true(!is_cut || jscan_grammar(sp_buf_str(&cut), &found));
            assert_int_equal(paramheader_knows(tools, SP_STR("good")), has_kept);
            assert_false(paramheader_knows(tools, SP_STR("b,d")));
            paramheader_tools_free(tools);
            sp_buf_deinit(&answer);
            sp_buf_deinit(&want);
            sp_buf_deinit(&cut);
            sp_buf_deinit(&refused);
            sp_buf_deinit(&want_refused);
        }
    }
}

static void tools_without_a_name_are_refused_too(void **state)
{
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf cut = {0};
    struct sp_buf refused = {0};

    (void)state;
    learn_list(tools, "[{\"name\":\"\"}]");
    learn(tools,
          SP_STR(ANSWER_START "[{\"inputSchema\":{\"x-mcp-header\":\"A\"}},1,{\"name\":2,"
                              "\"inputSchema\":{\"items\":{\"x-mcp-header\":\"A\"}}}]" ANSWER_END),
          &cut, &refused);
    assert_str(sp_buf_str(&cut), ANSWER_START "[1]" ANSWER_END);
    assert_str(sp_buf_str(&refused), ": " MISPLACED ";: " MISPLACED ";");
    assert_true(paramheader_knows(tools, SP_STR("")));
    sp_buf_deinit(&cut);
    sp_buf_deinit(&refused);
    paramheader_tools_free(tools);
}

static void answers_that_list_nothing_are_left_alone(void **state)
{
    static const char *const answers[] = {
        "{}",
        "[]",
        "7",
        "{\"result\":[]}",
        "{\"result\":{}}",
        "{\"result\":{\"tools\":{\"a\":{\"inputSchema\":{\"x-mcp-header\":\"A\"}}}}}",
        "{\"result\":{\"tools\":[]}}",
        "{\"result\":{\"tools\":null}}",
        "{\"error\":{\"code\":1,\"message\":\"no\"}}",
        "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"x-mcp-header\":\"A\"}}]}",
        "{\"result\":{\"tools\":[{\"name\":\"t\",\"outputSchema\":{\"x-mcp-header\":\"A\"}}]}}",
    };
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf cut = {0};
    struct sp_buf refused = {0};

    (void)state;
    for (size_t i = 0; i < N_OF(answers); i++) {
        learn(tools, sp_str_of(answers[i]), &cut, &refused);
        assert_int_equal(cut.len, 0);
        assert_int_equal(refused.len, 0);
    }
    sp_buf_deinit(&cut);
    sp_buf_deinit(&refused);
    paramheader_tools_free(tools);
}

static void a_later_listing_replaces_an_earlier_one(void **state)
{
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf cut = {0};
    struct sp_buf refused = {0};

    (void)state;
    learn_list(tools,
               "[{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\","
               "\"x-mcp-header\":\"A\"}}}},{\"name\":\"u\"}]");
    check_call(tools, "{\"name\":\"t\",\"arguments\":{\"a\":\"1\",\"b\":\"2\"}}", "Mcp-Param-A=1;");
    /* Another page does not make the first one's tools unknown. */
    learn_list(tools, "[{\"name\":\"v\"}]");
    assert_true(paramheader_knows(tools, SP_STR("u")));
    learn_list(tools,
               "[{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"b\":{\"type\":\"string\","
               "\"x-mcp-header\":\"B\"}}}}]");
    check_call(tools, "{\"name\":\"t\",\"arguments\":{\"a\":\"1\",\"b\":\"2\"}}", "Mcp-Param-B=2;");
    learn(tools,
          SP_STR(ANSWER_START "[{\"name\":\"t\",\"inputSchema\":{\"not\":{\"x-mcp-header\":\"A\"}}"
                              "}]" ANSWER_END),
          &cut, &refused);
    assert_false(paramheader_knows(tools, SP_STR("t")));
    check_call(tools, "{\"name\":\"t\",\"arguments\":{\"a\":\"1\",\"b\":\"2\"}}", "");
    assert_true(paramheader_knows(tools, SP_STR("u")));
    assert_true(paramheader_knows(tools, SP_STR("v")));
    sp_buf_deinit(&cut);
    sp_buf_deinit(&refused);
    paramheader_tools_free(tools);
}

static void tools_take_no_more_memory_than_allowed(void **state)
{
    enum { NAME_LEN = 1 << 20, N_TOOLS = 20 };
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf list = {0};
    size_t n_known = 0;

    (void)state;
    for (int i = 0; i < N_TOOLS; i++) {
        sp_buf_clear(&list);
        sp_buf_addf(&list, "[{\"name\":\"%0*d\"}]", NAME_LEN, i);
        learn_list(tools, sp_buf_cstr(&list));
        assert_true(paramheader_knows(tools, sp_str_sub(sp_buf_str(&list), 10, 10 + NAME_LEN)));
    }
    for (int i = 0; i < N_TOOLS; i++) {
        sp_buf_clear(&list);
        sp_buf_addf(&list, "%0*d", NAME_LEN, i);
        n_known += paramheader_knows(tools, sp_buf_str(&list));
    }
    assert_in_range(n_known * NAME_LEN, NAME_LEN, PARAMHEADER_MAX_BYTES);

    /* The same tool again and again takes the memory once. */
    learn_list(tools, "[{\"name\":\"small\"}]");
    for (int i = 0; i < N_TOOLS; i++) {
        sp_buf_clear(&list);
        sp_buf_addf(&list, "[{\"name\":\"%0*d\"}]", NAME_LEN, N_TOOLS - 1);
        learn_list(tools, sp_buf_cstr(&list));
        assert_true(paramheader_knows(tools, SP_STR("small")));
    }

    sp_buf_clear(&list);
    sp_buf_addf(&list, "[{\"name\":\"%0*d\"}]", (int)PARAMHEADER_MAX_BYTES + 1, 0);
    learn_list(tools, sp_buf_cstr(&list));
    assert_false(
        paramheader_knows(tools, sp_str_sub(sp_buf_str(&list), 10, PARAMHEADER_MAX_BYTES + 11)));
    sp_buf_deinit(&list);
    paramheader_tools_free(tools);
}

static void repeat(struct sp_buf *b, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sp_buf_add(b, sp_str_of(text));
}

static void schemas_may_nest_as_deep_as_they_like(void **state)
{
    enum { DEPTH = 100000, CALL_DEPTH = 300 };
    struct sp_buf schema = {0};
    struct sp_buf arguments = {0};

    (void)state;
    sp_buf_add(&schema, SP_STR("{\"anyOf\":"));
    repeat(&schema, "[", DEPTH);
    repeat(&schema, "]", DEPTH);
    sp_buf_add_char(&schema, '}');
    check_refused(sp_buf_cstr(&schema), "");

    sp_buf_clear(&schema);
    repeat(&schema, "{\"items\":", DEPTH);
    sp_buf_add(&schema, SP_STR("{\"x-mcp-header\":\"A\"}"));
    repeat(&schema, "}", DEPTH);
    check_refused(sp_buf_cstr(&schema), MISPLACED);

    for (size_t depth = CALL_DEPTH; depth <= DEPTH; depth = depth < DEPTH ? DEPTH : DEPTH + 1) {
        sp_buf_clear(&schema);
        repeat(&schema, "{\"properties\":{\"a\":", depth);
        sp_buf_add(&schema, SP_STR("{\"x-mcp-header\":\"A\",\"type\":\"string\"}"));
        repeat(&schema, "}}", depth);
        check_refused(sp_buf_cstr(&schema), "");
        if (depth > CALL_DEPTH)
            continue;
        repeat(&arguments, "{\"a\":", depth);
        sp_buf_add(&arguments, SP_STR("\"deep\""));
        repeat(&arguments, "}", depth);
        check_schema(sp_buf_cstr(&schema), sp_buf_cstr(&arguments), "Mcp-Param-A=deep;");
    }
    sp_buf_deinit(&schema);
    sp_buf_deinit(&arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_value_is_plain_or_base64),
        cmocka_unit_test(a_call_has_the_headers_of_its_tool),
        cmocka_unit_test(a_header_goes_by_the_value_that_the_call_has),
        cmocka_unit_test(the_largest_power_of_ten_in_a_double_is_written_out),
        cmocka_unit_test(paths_follow_properties_and_names_are_compared_unescaped),
        cmocka_unit_test(annotations_must_be_tokens),
        cmocka_unit_test(annotations_must_differ_by_more_than_case),
        cmocka_unit_test(annotated_properties_are_strings_integers_or_booleans),
        cmocka_unit_test(annotations_stand_on_a_chain_of_properties),
        cmocka_unit_test(names_and_data_are_not_annotations),
        cmocka_unit_test(refused_tools_are_cut_out_with_one_comma),
        cmocka_unit_test(tools_without_a_name_are_refused_too),
        cmocka_unit_test(answers_that_list_nothing_are_left_alone),
        cmocka_unit_test(a_later_listing_replaces_an_earlier_one),
        cmocka_unit_test(tools_take_no_more_memory_than_allowed),
        cmocka_unit_test(schemas_may_nest_as_deep_as_they_like),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
