/* Tests of config/wrap.h: unwrapping what is not as wrapping left it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/jsonc.h"
#include "config/wrap.h"
#include "json/jcanon.h"
#include "wrapping.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define P "\"stretto-proxy\""

/* An entry that wrapping has not made, and the same unwrapped. */
struct rebuilt_case {
    const char *wrapped;
    const char *rebuilt;
};

static void unwrapping_rebuilds_what_was_edited(void **state)
{
    static const struct rebuilt_case cases[] = {
        {"{\"command\": " P ", \"args\": [\"--record\", \"/l\", \"--flow\", \"f\", \"--\", \"c\", "
         "\"--\", \"d\"]}",
         "{\"command\": \"c\", \"args\": [\"--\", \"d\"]}"},
        {"{\"command\": " P ", \"args\": [\"--\", \"c\",],}",
         "{\"command\": \"c\", \"args\": [],}"},
        {"{\"args\": [\"--upstream=http://x/\"], \"command\": " P "}", "{\"url\": \"http://x/\"}"},
        {"{\"command\": " P ", \"args\": [\"--upstream-header=A=V\", \"--upstream\", \"http://x/\"]"
         ", \"env\": {\"V\": \"1\", \"W\": \"2\"}}",
         "{\"url\": \"http://x/\", \"headers\": {\"A\": \"1\"}, \"env\": {\"W\": \"2\"}}"},
        {"{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\", \"--upstream-header\", "
         "\"A=V\", \"--upstream-header\", \"B=V\"], \"env\": {\"V\": \"1\",}}",
         "{\"url\": \"http://x/\", \"headers\": {\"A\": \"1\", \"B\": \"1\"}, \"env\": {}}"},
        {"{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\", \"--upstream-header\", "
         "\"A=V\", \"--upstream-header\", \"B=V\"], \"env\": {\"V\": \"1\", \"W\": \"2\"}}",
         "{\"url\": \"http://x/\", \"headers\": {\"A\": \"1\", \"B\": \"1\"}, "
         "\"env\": {\"W\": \"2\"}}"},
        {"{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\", \"--upstream-header\", "
         "\"A=V\", \"--upstream-header\", \"B=U\"],\n \"env\": {\"W\": \"0\", \"V\": \"1\",\n  "
         "\"U\": \"2\"\n }}",
         "{\"url\": \"http://x/\", \"headers\": {\"A\": \"1\", \"B\": \"2\"}, \"env\": "
         "{\"W\": \"0\"  }}"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_buf text = {0};
        struct sp_buf want = {0};
        struct sp_buf got_plain = {0};
        struct wrap w;

        wrapping_put_file(&text, cases[i].wrapped);
        wrapping_put_file(&want, cases[i].rebuilt);
        wrapping_unwrap(sp_buf_str(&text), NULL, 0, &w);
        assert_int_equal(w.servers[0].outcome, WRAP_REBUILT);
        /* Where lines were taken out, what is left may stand on others. */
        for (size_t k = 0; k < 2; k++) {
            struct sp_str side = sp_buf_str(k == 0 ? &w.text : &want);
            struct jsonc c;
            struct sp_err err;

            assert_int_equal(jsonc_read(side, &c, &err), 0);
            sp_buf_clear(&text);
            jcanon(&text, c.value);
            if (k == 0)
                sp_buf_add(&got_plain, sp_buf_str(&text));
            jsonc_deinit(&c);
        }
        wrapping_assert_text(sp_buf_str(&got_plain), sp_buf_str(&text));
        wrap_deinit(&w);
        sp_buf_deinit(&text);
        sp_buf_deinit(&want);
        sp_buf_deinit(&got_plain);
    }
}

static void unwrapping_leaves_what_it_does_not_understand(void **state)
{
    static const char *const entries[] = {
        "{\"command\": " P "}",
        "{\"command\": " P ", \"args\": []}",
        "{\"command\": " P ", \"args\": [\"--\"]}",
        "{\"command\": " P ", \"args\": [\"--\", 1]}",
        "{\"command\": " P ", \"args\": [1, \"--\", \"c\"]}",
        "{\"command\": " P ", \"args\": \"-- c\"}",
        "{\"command\": " P ", \"args\": [\"--upstream\"]}",
        "{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\", \"--\", \"c\"]}",
        "{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\"], \"url\": \"u\"}",
        "{\"command\": " P ", \"args\": [\"--upstream\", \"http://x/\"], \"headers\": {}}",
        "{\"command\": " P ", \"args\": [\"--upstream=u\", \"--upstream-header\", \"A\"]}",
        "{\"command\": " P ", \"args\": [\"--upstream=u\", \"--upstream-header\", \"A=V\"]}",
        "{\"command\": " P ", \"args\": [\"--\", \"c\"], \"args\": []}",
        "{\"command\": " P ", \"args\": [\"--\", \"c\"], \"env\": 1}",
    };

    (void)state;
    for (size_t i = 0; i < N_OF(entries); i++) {
        struct sp_buf text = {0};
        struct wrap w;

        wrapping_put_file(&text, entries[i]);
        wrapping_unwrap(sp_buf_str(&text), NULL, 0, &w);
        if (w.servers[0].outcome != WRAP_SKIPPED)
            fail_msg("unwrapped: %s", entries[i]);
        assert_true(w.servers[0].why.len > 0);
        wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&text));
        wrap_deinit(&w);
        sp_buf_deinit(&text);
    }
}

static void unwrapping_takes_the_newest_backup_that_fits(void **state)
{
    struct sp_str now = SP_STR("{\"mcpServers\": {\"s\": {\"command\": \"c\" /* 1 */}}}");
    const struct sp_str befores[] = {
        SP_STR("no json"),
        SP_STR("{\"mcpServers\": {\"s\": {\"command\": \"c\" }}}"),
        SP_STR("{\"servers\": {\"s\": {\"command\": \"c\" /* 1 */}}}"),
        SP_STR("{\"mcpServers\": {\"t\": {\"command\": \"c\" /* 1 */}}}"),
        now,
    };
    struct wrap w;
    struct wrap undone;

    (void)state;
    wrapping_wrap(now, NULL, &w);
    wrapping_unwrap(sp_buf_str(&w.text), befores, 4, &undone);
    assert_int_equal(undone.servers[0].outcome, WRAP_REBUILT);
    wrap_deinit(&undone);
    wrapping_unwrap(sp_buf_str(&w.text), befores, 5, &undone);
    assert_int_equal(undone.servers[0].outcome, WRAP_CHANGED);
    wrapping_assert_text(sp_buf_str(&undone.text), now);
    wrap_deinit(&undone);
    wrap_deinit(&w);
}

static void unwrapping_calls_a_url_as_the_file_does(void **state)
{
    static const char *const befores[] = {
        "{\"mcpServers\": {\"a\": {\"url\": \"http://y/\"}}}",
        "{\"mcpServers\": {\"a\": {\"serverUrl\": \"http://y/\"}}}",
    };
    static const char *const names[] = {"url", "serverUrl"};
    struct sp_str text = SP_STR("{\"mcpServers\": {\"s\": {\"command\": " P
                                ", \"args\": [\"--upstream\", \"http://x/\"]}}}");

    (void)state;
    for (size_t i = 0; i < N_OF(befores); i++) {
        struct sp_str before = sp_str_of(befores[i]);
        struct sp_buf now = {0};
        struct sp_buf want = {0};
        struct wrap w;

        sp_buf_addf(&want, "{\"mcpServers\": {\"s\": {\"%s\": \"http://x/\"}}}", names[i]);
        wrapping_unwrap(text, &before, 1, &w);
        wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&want));
        wrap_deinit(&w);

        sp_buf_addf(&now, "{\"servers\": {\"b\": {\"%s\": \"u\"}}, %.*s", names[i],
                    SP_STR_ARG(sp_str_sub(text, 1, text.len)));
        sp_buf_clear(&want);
        sp_buf_addf(&want,
                    "{\"servers\": {\"b\": {\"%s\": \"u\"}}, \"mcpServers\": {\"s\": {\"%s\": "
                    "\"http://x/\"}}}",
                    names[i], names[i]);
        wrapping_unwrap(sp_buf_str(&now), NULL, 0, &w);
        wrapping_assert_text(sp_buf_str(&w.text), sp_buf_str(&want));
        wrap_deinit(&w);
        sp_buf_deinit(&now);
        sp_buf_deinit(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwrapping_rebuilds_what_was_edited),
        cmocka_unit_test(unwrapping_leaves_what_it_does_not_understand),
        cmocka_unit_test(unwrapping_takes_the_newest_backup_that_fits),
        cmocka_unit_test(unwrapping_calls_a_url_as_the_file_does),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
