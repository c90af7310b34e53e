/* Tests of trace/servername.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/servername.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define MAX_ARGS    12

static void servername_tells_what_is_started(void **state)
{
    static const struct {
        const char *command[MAX_ARGS];
        const char *name;
    } cases[] = {
        {{NULL}, ""},
        {{"airline-server"}, "airline-server"},
        {{"/opt/shop/bin/shop-server", "--port", "80"}, "shop-server"},
        {{"C:\\tools\\shop.exe", "x"}, "shop.exe"},
        {{"bin/"}, "bin/"},
        {{""}, ""},
        {{"npx", "-y", "@scope/server-files@1.2", "/home"}, "npx @scope/server-files@1.2"},
        {{"npx.cmd", "-y", "pkg"}, "npx.cmd pkg"},
        {{"/usr/bin/npx", "--package", "pkg", "tool"}, "npx pkg"},
        {{"npx", "-y"}, "npx"},
        {{"npm", "exec", "pkg"}, "npm pkg"},
        {{"node", "--require", "./x.js", "/srv/shop/build/index.js", "a"}, "node index.js"},
        {{"node", "dist/index.js"}, "node index.js"},
        {{"python3", "-u", "-m", "shop.server", "--x"}, "python3 shop.server"},
        {{"python", "-X", "utf8", "server.py"}, "python server.py"},
        {{"uv", "--directory", "/srv/shop", "run", "server.py"}, "uv server.py"},
        {{"uvx", "--from", "git+https://h/x", "shop"}, "uvx shop"},
        {{"docker", "run", "-i", "--rm", "-e", "KEY=<redacted>", "mcp/github:1", "stdio"},
         "docker mcp/github:1"},
        {{"docker", "run", "--rm", "-i", "--mount", "type=bind,src=/a", "mcp/fs"}, "docker mcp/fs"},
        {{"env", "A=/b", "shop"}, "env shop"},
        {{"java", "-cp", "x", "-jar", "/opt/shop.jar"}, "java shop.jar"},
        {{"sh", "-c", "exec shop --now"}, "sh exec shop --now"},
        {{"deno", "run", "-A", "npm:shop"}, "deno npm:shop"},
        {{"https://shop.test/mcp"}, "shop.test"},
        {{"http://[::1]:8080/mcp?x=1"}, "[::1]:8080"},
        {{"https://user@shop.test:8443"}, "shop.test:8443"},
        {{"https://user:p@ss@shop.test"}, "shop.test"},
        {{"https://shop.test?a=/b@c"}, "shop.test"},
        {{"https://shop.test/mcp", "x"}, "mcp"},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct sp_str command[MAX_ARGS];
        struct sp_buf b = {0};
        size_t n = 0;

        for (; cases[i].command[n] != NULL; n++)
            command[n] = sp_str_of(cases[i].command[n]);
        servername_put(&b, command, n);
        assert_string_equal(sp_buf_cstr(&b), cases[i].name);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servername_tells_what_is_started),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
