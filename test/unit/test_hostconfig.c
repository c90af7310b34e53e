/* Tests of config/hostconfig.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/hostconfig.h"
#include "wrapping.h"

static void hostconfig_finds_servers_in_the_files_of_all_hosts(void **state)
{
    struct sp_str text =
        SP_STR("{\"mcpServers\": {\"a\": 1}, \"servers\": {\"b\": 2}, \"mcp\": {\"servers\": "
               "{\"c\": 3}}, \"context_servers\": {\"\\u0064\": 4}, \"projects\": {\"/p\": "
               "{\"mcpServers\": {\"e\": 5}}, \"/q\": {}, \"/r\": 1}}");
    static const char *const tables[] = {"mcpServers", "servers", "mcp.servers", "context_servers",
                                         "projects./p.mcpServers"};
    struct hostconfig h;
    struct jsonc c;
    struct sp_err err;

    (void)state;
    assert_int_equal(jsonc_read(text, &c, &err), 0);
    hostconfig_read(&c, &h);
    assert_int_equal(h.n, 5);
    assert_int_equal(h.n_tables, 5);
    for (size_t i = 0; i < 5; i++) {
        wrapping_assert_text(h.servers[i].table, sp_str_of(tables[i]));
        wrapping_assert_text(h.servers[i].name, (struct sp_str){(char[]){(char)('a' + i)}, 1});
        assert_int_equal(h.servers[i].value.p[0], '1' + (int)i);
        assert_int_equal(h.servers[i].has_type, i == 1 || i == 2);
    }
    hostconfig_deinit(&h);
    jsonc_deinit(&c);
}

static void hostconfig_knows_the_hosts(void **state)
{
    (void)state;
    assert_string_equal(hostconfig_host("zed")->key, "context_servers");
    assert_true(hostconfig_host("vscode")->has_type);
    assert_null(hostconfig_host("vim"));
    assert_string_equal(hostconfig_by_file("/a/claude_desktop_config.json")->name,
                        "claude-desktop");
    assert_string_equal(hostconfig_by_file("claude_desktop_config.json")->name, "claude-desktop");
    assert_null(hostconfig_by_file("/claude_desktop_config.json/mcp.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostconfig_finds_servers_in_the_files_of_all_hosts),
        cmocka_unit_test(hostconfig_knows_the_hosts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
