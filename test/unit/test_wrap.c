/* Tests of config/wrap.h: wrapping. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/wrap.h"
#include "wrapping.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define OWN "\"--record\", \"~/.stretto/logs/s\", \"--domain\", \"s\", "
#define P   "\"stretto-proxy\""

static const struct wrap_how plain_how = {SP_STR("stretto-proxy"), SP_STR("")};

/* ---- what becomes of one entry ---- */

/* An entry, the same wrapped, and the same unwrapped without a backup (NULL: as it was). */
struct entry_case {
    const char *entry;
    const char *wrapped;
    const char *rebuilt;
};

#define UPSTREAM OWN "\"--upstream\", \"http://x/\""
#define AUTH     "\"--upstream-header\", \"Authorization=STRETTO_HEADER_AUTHORIZATION\""

static const struct entry_case commands[] = {
    {"{\"command\": \"npx\", \"args\": [\"-y\", \"x\"]}",
     "{\"command\": " P ", \"args\": [" OWN "\"--\", \"npx\", \"-y\", \"x\"]}", NULL},
    {"{\"command\":\"npx\",\"args\":[\"-y\"]}",
     "{\"command\":" P ",\"args\":[\"--record\",\"~/.stretto/logs/s\",\"--domain\",\"s\",\"--\","
     "\"npx\",\"-y\"]}",
     NULL},
    {"{\"command\": \"npx\", \"args\": []}",
     "{\"command\": " P ", \"args\": [" OWN "\"--\", \"npx\"]}", NULL},
    {"{\"command\": \"npx\", \"args\": [ /* none */ ]}",
     "{\"command\": " P ", \"args\": [" OWN "\"--\", \"npx\" /* none */ ]}",
     "{\"command\": \"npx\", \"args\": []}"},
    {"{\"command\": \"npx\"}", "{\"command\": " P ", \"args\": [" OWN "\"--\", \"npx\"]}",
     "{\"command\": \"npx\", \"args\": []}"},
    {"{\n  \"command\": \"npx\" // c\n}",
     "{\n  \"command\": " P ",\n  \"args\": [" OWN "\"--\", \"npx\"] // c\n}",
     "{\n  \"command\": \"npx\",\n  \"args\": [] // c\n}"},
    {"{\r\n\t\"type\": \"stdio\",\r\n\t\"command\": \"np\\u0078\",\r\n\t\"env\": {}\r\n}",
     "{\r\n\t\"type\": \"stdio\",\r\n\t\"command\": " P ",\r\n\t\"args\": [" OWN
     "\"--\", \"np\\u0078\"],\r\n\t\"env\": {}\r\n}",
     "{\r\n\t\"type\": \"stdio\",\r\n\t\"command\": \"np\\u0078\",\r\n\t\"args\": [],\r\n\t"
     "\"env\": {}\r\n}"},
    {"{\"args\": [\n    \"-y\", // yes\n    \"x\",\n  ], \"command\": \"npx\",}",
     "{\"args\": [\n    \"--record\",\n    \"~/.stretto/logs/s\",\n    \"--domain\",\n    \"s\",\n"
     "    \"--\",\n    \"npx\",\n    \"-y\", // yes\n    \"x\",\n  ], \"command\": " P ",}",
     NULL},
    {"{\"command\": \"npx\", \"args\": [// all\n\"-y\"]}",
     "{\"command\": " P ", \"args\": [// all\n\"--record\",\n\"~/.stretto/logs/s\",\n\"--domain\","
     "\n\"s\",\n\"--\",\n\"npx\",\n\"-y\"]}",
     NULL},
    {"{\"command\": \"npx\", \"args\": [/* a */ 1, null]}",
     "{\"command\": " P ", \"args\": [/* a */ " OWN "\"--\", \"npx\", 1, null]}", NULL},
    {"{\"command\": \"a/stretto-proxy-2\"}",
     "{\"command\": " P ", \"args\": [" OWN "\"--\", \"a/stretto-proxy-2\"]}",
     "{\"command\": \"a/stretto-proxy-2\", \"args\": []}"},
};

static const struct entry_case urls[] = {
    {"{\"url\": \"http://x/\"}", "{\"command\": " P ", \"args\": [" UPSTREAM "]}", NULL},
    {"{\"url\":\"http://x/\",}",
     "{\"command\":" P ",\"args\":[\"--record\",\"~/.stretto/logs/s\",\"--domain\",\"s\","
     "\"--upstream\",\"http://x/\"],}",
     NULL},
    {"{\"type\": \"http\", \"url\" /* at */: \"http:\\/\\/x/\" /* there */}",
     "{\"type\": \"stdio\", \"command\" /* at */: " P ", \"args\": [" OWN
     "\"--upstream\", \"http:\\/\\/x/\"] /* there */}",
     "{\"type\": \"http\", \"url\" /* at */: \"http:\\/\\/x/\" /* there */}"},
    {"{\n    \"serverUrl\": \"http://x/\",\n    \"headers\": {\n        // secret\n"
     "        \"Authorization\": \"Bearer a\"\n    }\n}",
     "{\n    \"command\": " P ",\n    \"args\": [" UPSTREAM ", " AUTH "],\n    \"env\": {\n"
     "        // secret\n        \"STRETTO_HEADER_AUTHORIZATION\": \"Bearer a\"\n    }\n}",
     "{\n    \"url\": \"http://x/\",\n    \"headers\": {\n        // secret\n"
     "        \"Authorization\": \"Bearer a\"\n    }\n}"},
    {"{\"url\": \"http://x/\", \"headers\": {}}",
     "{\"command\": " P ", \"args\": [" UPSTREAM "], \"env\": {}}", NULL},
    {"{\"url\": \"http://x/\", \"headers\": {\"Authorization\": \"a\"}, \"env\": {\"B\": \"b\"}}",
     "{\"command\": " P ", \"args\": [" UPSTREAM ", " AUTH
     "], \"env\": {\"STRETTO_HEADER_AUTHORIZATION\": \"a\", \"B\": \"b\"}}",
     "{\"url\": \"http://x/\", \"headers\": {\"Authorization\": \"a\"}, \"env\": {\"B\": \"b\"}}"},
    {"{\n  \"url\": \"http://x/\",\n  \"env\": {\n    \"B\": \"b\",\n  },\n  \"headers\": {\n"
     "    \"Authorization\": \"a\",\n  }, // h\n}",
     "{\n  \"command\": " P ",\n  \"args\": [" UPSTREAM ", " AUTH "],\n  \"env\": {\n"
     "    \"STRETTO_HEADER_AUTHORIZATION\": \"a\",\n    \"B\": \"b\",\n  },\n  // h\n}",
     "{\n  \"url\": \"http://x/\",\n  \"headers\": {\"Authorization\": \"a\"},\n  \"env\": {\n"
     "    \"B\": \"b\",\n  },\n  // h\n}"},
    {"{\"url\": \"http://x/\", \"env\": {}, \"headers\": {\"Authorization\": \"a\"}}",
     "{\"command\": " P ", \"args\": [" UPSTREAM ", " AUTH
     "], \"env\": {\"STRETTO_HEADER_AUTHORIZATION\": \"a\"}}",
     "{\"url\": \"http://x/\", \"headers\": {\"Authorization\": \"a\"}}"},
    {"{\"url\": \"http://x/\", \"headers\": {\"x-a\": \"1\", \"X-A\": \"2\"},"
     " \"env\": {\"STRETTO_HEADER_X_A\": \"0\"}}",
     "{\"command\": " P ", \"args\": [" UPSTREAM
     ", \"--upstream-header\", \"x-a=STRETTO_HEADER_X_A_2\", \"--upstream-header\","
     " \"X-A=STRETTO_HEADER_X_A_3\"], \"env\": {\"STRETTO_HEADER_X_A_2\": \"1\","
     " \"STRETTO_HEADER_X_A_3\": \"2\", \"STRETTO_HEADER_X_A\": \"0\"}}",
     "{\"url\": \"http://x/\", \"headers\": {\"x-a\": \"1\", \"X-A\": \"2\"},"
     " \"env\": {\"STRETTO_HEADER_X_A\": \"0\"}}"},
    {"{\"url\": \"${input:where}\"}",
     "{\"command\": " P ", \"args\": [" OWN "\"--upstream\", \"${input:where}\"]}", NULL},
};

static void check_entry(const struct entry_case *c)
{
    struct sp_buf before = {0};
    struct sp_buf want = {0};
    struct sp_buf back = {0};
    struct wrap w;
    struct wrap undone;
    struct sp_str text;

    wrapping_put_file(&before, c->entry);
    wrapping_put_file(&want, c->wrapped);
    wrapping_put_file(&back, c->rebuilt != NULL ? c->rebuilt : c->entry);
    text = sp_buf_str(&before);
    wrapping_wrap(text, NULL, &w);
    wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&want));
    assert_int_equal(w.n_changed, 1);
    assert_int_equal(w.servers[0].outcome, WRAP_CHANGED);
    wrapping_assert_text(w.servers[0].record, SP_STR("~/.stretto/logs/s"));

    wrapping_unwrap(sp_buf_str(&w.text), &text, 1, &undone);
    wrapping_assert_text(sp_buf_str(&undone.text), text);
    assert_int_equal(undone.servers[0].outcome, WRAP_CHANGED);
    wrap_deinit(&undone);

    wrapping_unwrap(sp_buf_str(&w.text), NULL, 0, &undone);
    wrapping_assert_text(sp_buf_str(&undone.text), sp_buf_str(&back));
    assert_int_equal(undone.servers[0].outcome, WRAP_REBUILT);
    wrap_deinit(&undone);
    wrap_deinit(&w);
    sp_buf_deinit(&before);
    sp_buf_deinit(&want);
    sp_buf_deinit(&back);
}

static void wrap_puts_the_proxy_before_a_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(commands); i++)
        check_entry(&commands[i]);
}

static void wrap_puts_the_proxy_before_a_url(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(urls); i++)
        check_entry(&urls[i]);
}

static void wrap_states_the_type_where_the_host_wants_it(void **state)
{
    struct sp_str text = SP_STR("{\"servers\": {\"s\": {\n  \"url\": \"http://x/\"}}}");
    struct wrap w;

    (void)state;
    wrapping_wrap(text, NULL, &w);
    wrapping_assert_text(sp_buf_str(&w.text),
                         SP_STR("{\"servers\": {\"s\": {\n  \"type\": \"stdio\",\n  \"command\": " P
                                ",\n  \"args\": [" UPSTREAM "]}}}"));
    wrap_deinit(&w);
}

static void wrap_uses_the_proxy_and_the_directory_that_it_is_told(void **state)
{
    static const struct wrap_how how = {SP_STR("/opt/a \"b\"/stretto-proxy"), SP_STR("/logs")};
    struct sp_str text = SP_STR("{\"mcpServers\": {\"s\": {\"command\": \"c\"}}}");
    struct wrap w;
    struct wrap undone;

    (void)state;
    wrapping_wrap(text, &how, &w);
    wrapping_assert_text(
        sp_buf_str(&w.text),
        SP_STR("{\"mcpServers\": {\"s\": {\"command\": \"/opt/a \\\"b\\\"/stretto-proxy\", "
               "\"args\": [\"--record\", \"/logs\", \"--domain\", \"s\", \"--\", \"c\"]}}}"));
    wrapping_assert_text(w.servers[0].record, SP_STR("/logs"));
    wrapping_unwrap(sp_buf_str(&w.text), &text, 1, &undone);
    wrapping_assert_text(sp_buf_str(&undone.text), text);
    wrap_deinit(&undone);
    wrap_deinit(&w);
}

struct skip_case {
    const char *entry;
    const char *why;
};

static void wrap_skips_what_cannot_be_wrapped(void **state)
{
    static const struct skip_case cases[] = {
        {"{}", "neither a command nor a URL"},
        {"7", "neither a command nor a URL"},
        {"{\"source\": \"extension\"}", "neither a command nor a URL"},
        {"{\"command\": {\"path\": \"x\"}}", "\"command\" is no text"},
        {"{\"command\": \"c\", \"args\": \"x\"}", "\"args\" are no list"},
        {"{\"command\": \"c\", \"env\": []}", "\"env\" is no object"},
        {"{\"command\": \"c\", \"url\": \"http://x/\"}", "both a command and a URL"},
        {"{\"command\": \"c\", \"command\": \"d\"}", "occurs twice"},
        {"{\"url\": \"http://x/\", \"serverUrl\": \"http://x/\"}", "occurs twice"},
        {"{\"type\": \"sse\", \"url\": \"http://x/\"}", "SSE"},
        {"{\"serverUrl\": \"https://x/sse\"}", "SSE"},
        {"{\"type\": \"ws\", \"url\": \"http://x/\"}", "\"type\""},
        {"{\"type\": 1, \"url\": \"http://x/\"}", "\"type\""},
        {"{\"url\": \"ftp://x/\"}", "neither http:// nor https://"},
        {"{\"url\": 1}", "neither http:// nor https://"},
        {"{\"url\": \"http://x/\", \"oauth\": {}}", "signs in"},
        {"{\"url\": \"http://x/\", \"headersHelper\": \"x\"}", "signs in"},
        {"{\"url\": \"http://x/\", \"headers\": [\"a: b\"]}", "\"headers\" are no object"},
        {"{\"url\": \"http://x/\", \"headers\": {\"a\": 1}}", "one of its \"headers\""},
        {"{\"url\": \"http://x/\", \"headers\": {\"\": \"a\"}}", "one of its \"headers\""},
        {"{\"url\": \"http://x/\", \"headers\": {\"a b\": \"a\"}}", "one of its \"headers\""},
        {"{\"url\": \"http://x/\", \"headers\": {\"-a\": \"a\"}}", "one of its \"headers\""},
        {"{\"url\": \"http://x/\", \"headers\": {\"HOST\": \"a\"}}", "one of its \"headers\""},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str name = SP_STR("s");
        struct sp_buf text = {0};
        struct sp_buf why = {0};
        struct wrap w;
        struct sp_err err = {0};

        wrapping_put_file(&text, cases[i].entry);
        wrapping_wrap(sp_buf_str(&text), NULL, &w);
        wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&text));
        assert_int_equal(w.n_changed, 0);
        assert_int_equal(w.servers[0].outcome, WRAP_SKIPPED);
        sp_buf_add(&why, w.servers[0].why);
        if (strstr(sp_buf_cstr(&why), cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].entry, sp_buf_cstr(&why));
        wrap_deinit(&w);

        assert_true(wrap_text(sp_buf_str(&text), &plain_how, &name, 1, &w, &err) < 0);
        assert_non_null(strstr(err.text, "server 's': "));
        assert_non_null(strstr(err.text, cases[i].why));
        sp_buf_deinit(&text);
        sp_buf_deinit(&why);
    }
}

/* The host may have signed in to it, and nothing says so. */
static void wrap_remarks_on_a_url_without_headers(void **state)
{
    struct wrap w;

    (void)state;
    wrapping_wrap(SP_STR("{\"mcpServers\": {\"s\": {\"url\": \"https://x/mcp\"}}}"), NULL, &w);
    assert_int_equal(w.servers[0].outcome, WRAP_CHANGED);
    assert_true(w.servers[0].remark.len > 0);
    wrap_deinit(&w);
    wrapping_wrap(
        SP_STR("{\"mcpServers\": {\"s\": {\"url\": \"https://x/mcp\", \"headers\": {}}}}"), NULL,
        &w);
    assert_int_equal(w.servers[0].remark.len, 0);
    wrap_deinit(&w);
}

static void wrap_leaves_what_is_wrapped(void **state)
{
    static const char *const proxies[] = {"stretto-proxy", "/usr/bin/stretto-proxy",
                                          "C:\\\\stretto-proxy.exe", "stretto\\u002dproxy"};

    (void)state;
    for (size_t i = 0; i < N_OF(proxies); i++) {
        struct sp_buf text = {0};
        struct wrap w;

        sp_buf_addf(&text, "{\"mcpServers\": {\"s\": {\"command\": \"%s\"}}}", proxies[i]);
        wrapping_wrap(sp_buf_str(&text), NULL, &w);
        assert_int_equal(w.servers[0].outcome, WRAP_AS_IT_IS);
        wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&text));
        wrap_deinit(&w);
        sp_buf_deinit(&text);
    }
}

/* ---- the whole file ---- */

struct failing_case {
    const char *text;
    const char *name;
    const char *error;
};

static void wrap_tells_what_it_cannot_do(void **state)
{
    static const struct failing_case cases[] = {
        {"{", NULL, "line 1: the text ends before all brackets are closed"},
        {"[]", NULL, "it lists no servers"},
        {"{\"mcpServers\": []}", NULL, "it lists no servers"},
        {"{\"mcpServers\": {\"a\": {}, \"b\": {}}}", "c", "it has no server 'c', but 'a', 'b'"},
        {"{\"mcpServers\": {}}", "c", "it has no server 'c', but none at all"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str name = cases[i].name != NULL ? sp_str_of(cases[i].name) : SP_STR("");
        size_t n = cases[i].name != NULL;
        struct wrap w;
        struct sp_err err = {0};

        assert_true(wrap_text(sp_str_of(cases[i].text), &plain_how, &name, n, &w, &err) < 0);
        assert_non_null(strstr(err.text, cases[i].error));
        assert_null(w.text.p);
        assert_true(wrap_undo_text(sp_str_of(cases[i].text), NULL, 0, &name, n, &w, &err) < 0);
        assert_non_null(strstr(err.text, cases[i].error));
    }
}

static void wrap_takes_the_named_servers_alone(void **state)
{
    struct sp_str text = SP_STR("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [1]}, "
                                "\"s\": {\"command\": \"y\", \"args\": [2]}}}");
    struct sp_str name = SP_STR("s");
    struct wrap w;
    struct wrap undone;
    struct sp_err err;

    (void)state;
    assert_int_equal(wrap_text(text, &plain_how, &name, 1, &w, &err), 0);
    assert_int_equal(w.n, 1);
    wrapping_assert_text(sp_buf_str(&w.text),
                         SP_STR("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [1]}, "
                                "\"s\": {\"command\": " P ", \"args\": [" OWN
                                "\"--\", \"y\", 2]}}}"));
    name = SP_STR("a");
    assert_int_equal(wrap_undo_text(sp_buf_str(&w.text), NULL, 0, &name, 1, &undone, &err), 0);
    assert_int_equal(undone.n_changed, 0);
    assert_int_equal(undone.servers[0].outcome, WRAP_AS_IT_IS);
    wrap_deinit(&undone);
    wrap_deinit(&w);
}

/* ---- domains ---- */

static void wrap_makes_a_domain_of_any_name(void **state)
{
    static const struct {
        const char *name;
        const char *domain;
        bool is_one;
    } cases[] = {
        {"notes", "notes", true},
        {"a-b_c.D9", "a-b_c.D9", true},
        {"My Server", "My-Server", false},
        {"@org/x", "org-x", false},
        {"..", "server", false},
        {"", "server", false},
        {"-a", "a", false},
        {".a.", "a.", false},
        {"\xe2\x82\xac", "server", false},
        {"a\xe2\x82\xac!", "a--", false},
        {"../../x", "x", false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf b = {0};

        wrap_put_domain(&b, sp_str_of(cases[i].name));
        assert_string_equal(sp_buf_cstr(&b), cases[i].domain);
        assert_int_equal(wrap_is_domain(sp_str_of(cases[i].name)), cases[i].is_one);
        assert_true(wrap_is_domain(sp_buf_str(&b)));
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrap_puts_the_proxy_before_a_command),
        cmocka_unit_test(wrap_puts_the_proxy_before_a_url),
        cmocka_unit_test(wrap_states_the_type_where_the_host_wants_it),
        cmocka_unit_test(wrap_uses_the_proxy_and_the_directory_that_it_is_told),
        cmocka_unit_test(wrap_skips_what_cannot_be_wrapped),
        cmocka_unit_test(wrap_remarks_on_a_url_without_headers),
        cmocka_unit_test(wrap_leaves_what_is_wrapped),
        cmocka_unit_test(wrap_tells_what_it_cannot_do),
        cmocka_unit_test(wrap_takes_the_named_servers_alone),
        cmocka_unit_test(wrap_makes_a_domain_of_any_name),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
