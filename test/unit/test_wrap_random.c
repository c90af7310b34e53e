/* Tests of config/wrap.h on random configurations. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/hostconfig.h"
#include "config/wrap.h"
#include "hosts_gen.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "wrapping.h"

/* Whether a member is one that says nothing when it is empty, and it is. */
static bool is_idle(struct jget_iter member)
{
    struct jget_iter inner = jget_iter(member.value);

    if (!jget_is_text(member.name, SP_STR("args")) && !jget_is_text(member.name, SP_STR("env")) &&
        !jget_is_text(member.name, SP_STR("headers")))
        return false;
    return !jget_next(&inner);
}

/* A hash of what a member says, 0 for what unwrapping cannot know. */
static uint64_t hash_member(struct jget_iter member)
{
    struct sp_buf b = {0};
    uint64_t hash = 5381;

    if (jget_is_text(member.name, SP_STR("type")) || is_idle(member))
        return 0;
    if (jget_is_text(member.name, SP_STR("serverUrl")))
        sp_buf_add(&b, SP_STR("\"url\""));
    else
        jcanon(&b, member.name);
    jcanon(&b, member.value);
    for (size_t i = 0; i < b.len; i++)
        hash = hash * 33 + (unsigned char)b.p[i];
    sp_buf_deinit(&b);
    return hash;
}

/* Appends what the servers of a file say, whatever the order of their members. */
static void put_meanings(struct sp_buf *b, struct sp_str text)
{
    struct hostconfig h;
    struct jsonc c;
    struct sp_err err;

    if (jsonc_read(text, &c, &err) < 0)
        fail_msg("%s: %.*s", err.text, SP_STR_ARG(text));
    hostconfig_read(&c, &h);
    for (size_t i = 0; i < h.n; i++) {
        uint64_t sum = 0;

        for (struct jget_iter it = jget_iter(h.servers[i].value); jget_next(&it);)
            sum += hash_member(it);
        sp_buf_addf(b, "%.*s/%.*s %016jx\n", SP_STR_ARG(h.servers[i].table),
                    SP_STR_ARG(h.servers[i].name), (uintmax_t)sum);
    }
    hostconfig_deinit(&h);
    jsonc_deinit(&c);
}

/* A file without comments or trailing commas stays one, for hosts that read no others. */
static void assert_as_strict(struct sp_str before, struct sp_str after)
{
    struct jscan scan;

    if (jscan_grammar(before, &scan) && !jscan_grammar(after, &scan))
        fail_msg("%.*s\nbecame %.*s", SP_STR_ARG(before), SP_STR_ARG(after));
}

/* Every comment of a text, in any order, is in the other. */
static void assert_comments_kept(struct sp_buf *before, struct sp_buf *after, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char block[32];
        char line[32];

        snprintf(block, sizeof block, "/*%u*/", i);
        snprintf(line, sizeof line, "//%u.", i);
        if (strstr(sp_buf_cstr(before), block) != NULL && strstr(sp_buf_cstr(after), block) == NULL)
            fail_msg("%s is lost: %s\nbecame %s", block, before->p, after->p);
        if (strstr(sp_buf_cstr(before), line) != NULL && strstr(sp_buf_cstr(after), line) == NULL)
            fail_msg("%s is lost: %s\nbecame %s", line, before->p, after->p);
    }
}

static void wrapping_and_unwrapping_gives_the_same_bytes(void **state)
{
    struct hosts_gen h = {.g = {30}};
    unsigned n_changed = 0;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct sp_buf before = {0};
        struct wrap w;
        struct wrap again;
        struct wrap undone;
        struct sp_str text;
        struct sp_str wrong = SP_STR("{}");

        h.n_comments = 0;
        hosts_gen_put(&h, &before);
        text = sp_buf_str(&before);
        wrapping_wrap(text, NULL, &w);
        n_changed += w.n_changed;
        wrapping_wrap(sp_buf_str(&w.text), NULL, &again);
        assert_int_equal(again.n_changed, 0);
        wrapping_assert_text(sp_buf_str(&again.text), sp_buf_str(&w.text));
        wrapping_unwrap(sp_buf_str(&w.text), (struct sp_str[]){wrong, text}, 2, &undone);
        wrapping_assert_text(sp_buf_str(&undone.text), text);
        assert_int_equal(undone.n_changed, w.n_changed);
        wrap_deinit(&again);
        wrapping_unwrap(text, &text, 1, &again);
        assert_int_equal(again.n_changed, 0);
        wrap_deinit(&again);
        wrap_deinit(&undone);
        wrap_deinit(&w);
        sp_buf_deinit(&before);
    }
    assert_true(n_changed > 4000);
}

static void unwrapping_without_a_backup_gives_the_same_servers(void **state)
{
    struct hosts_gen h = {.g = {31}};

    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct sp_buf before = {0};
        struct sp_buf want = {0};
        struct sp_buf got = {0};
        struct wrap w;
        struct wrap undone;

        h.n_comments = 0;
        hosts_gen_put(&h, &before);
        wrapping_wrap(sp_buf_str(&before), NULL, &w);
        wrapping_unwrap(sp_buf_str(&w.text), NULL, 0, &undone);
        assert_int_equal(undone.n_changed, w.n_changed);
        assert_as_strict(sp_buf_str(&before), sp_buf_str(&w.text));
        assert_as_strict(sp_buf_str(&before), sp_buf_str(&undone.text));
        put_meanings(&want, sp_buf_str(&before));
        put_meanings(&got, sp_buf_str(&undone.text));
        if (!sp_str_eq(sp_buf_str(&want), sp_buf_str(&got)))
            fail_msg("%s\nwrapped %s\nbecame %s", sp_buf_cstr(&before), sp_buf_cstr(&w.text),
                     sp_buf_cstr(&undone.text));
        wrap_deinit(&undone);
        wrap_deinit(&w);
        sp_buf_deinit(&before);
        sp_buf_deinit(&want);
        sp_buf_deinit(&got);
    }
}

static void unwrapping_keeps_what_was_edited_meanwhile(void **state)
{
    struct hosts_gen h = {.g = {32}};

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct sp_buf entries[2] = {{0}, {0}};
        struct sp_buf before = {0};
        struct sp_buf now = {0};
        struct sp_buf want = {0};
        struct sp_str text;
        struct hostconfig config;
        struct jsonc c;
        struct sp_err err;
        struct wrap w;
        struct wrap undone;

        hosts_gen_put_entry(&h, &entries[0]);
        hosts_gen_put_entry(&h, &entries[1]);
        sp_buf_addf(&before, "{\"mcpServers\":{\"a\":%s,\"b\":{\"command\":\"x\"}}}",
                    sp_buf_cstr(&entries[0]));
        text = sp_buf_str(&before);
        wrapping_wrap(text, NULL, &w);
        assert_int_equal(jsonc_read(sp_buf_str(&w.text), &c, &err), 0);
        hostconfig_read(&c, &config);
        /* Another server comes before it, and the file is laid out anew around it. */
        sp_buf_addf(&now, "// new\n{ \"mcpServers\" : {\n\"n\" : %s,\n \"a\" : %.*s } }\n", "7",
                    SP_STR_ARG(jsonc_source(&c, config.servers[0].value)));
        sp_buf_addf(&want, "// new\n{ \"mcpServers\" : {\n\"n\" : %s,\n \"a\" : %s } }\n", "7",
                    sp_buf_cstr(&entries[0]));
        wrapping_unwrap(sp_buf_str(&now), &text, 1, &undone);
        wrapping_assert_text(sp_buf_str(&undone.text), sp_buf_str(&want));
        wrap_deinit(&undone);
        hostconfig_deinit(&config);
        jsonc_deinit(&c);
        wrap_deinit(&w);
        sp_buf_deinit(&entries[0]);
        sp_buf_deinit(&entries[1]);
        sp_buf_deinit(&before);
        sp_buf_deinit(&now);
        sp_buf_deinit(&want);
    }
}

/* Whether a file has an entry with both headers and an environment, whose headers move. */
static bool has_moving_headers(struct sp_str text)
{
    bool has = false;
    struct hostconfig h;
    struct jsonc c;
    struct sp_err err;
    struct sp_str value;

    assert_int_equal(jsonc_read(text, &c, &err), 0);
    hostconfig_read(&c, &h);
    for (size_t i = 0; i < h.n; i++)
        has |= jget_member(h.servers[i].value, SP_STR("headers"), &value) &&
               jget_member(h.servers[i].value, SP_STR("env"), &value);
    hostconfig_deinit(&h);
    jsonc_deinit(&c);
    return has;
}

static void wrapping_keeps_comments(void **state)
{
    struct hosts_gen h = {.g = {33}};
    unsigned n = 0;

    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct sp_buf before = {0};
        struct wrap w;

        h.n_comments = 0;
        hosts_gen_put(&h, &before);
        wrapping_wrap(sp_buf_str(&before), NULL, &w);
        if (!has_moving_headers(sp_buf_str(&before))) {
            assert_comments_kept(&before, &w.text, h.n_comments);
            n++;
        }
        wrap_deinit(&w);
        sp_buf_deinit(&before);
    }
    assert_true(n > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrapping_and_unwrapping_gives_the_same_bytes),
        cmocka_unit_test(unwrapping_without_a_backup_gives_the_same_servers),
        cmocka_unit_test(unwrapping_keeps_what_was_edited_meanwhile),
        cmocka_unit_test(wrapping_keeps_comments),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
