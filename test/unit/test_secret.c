/* Tests of trace/secret.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/secret.h"

#define X "<redacted>"

/* What follows the program "srv" in a command, and what is shown of it; both end at NULL. */
struct command_case {
    const char *args[8];
    const char *shown[8];
};

struct url_case {
    const char *url;
    const char *shown;
};

static const struct command_case commands[] = {
    {{"-y", "some-mcp-server", "--api-key", "sk-123", "--token=abc", "GITHUB_TOKEN=ghp_456"},
     {"-y", "some-mcp-server", "--api-key", X, "--token=" X, "GITHUB_TOKEN=" X}},
    {{"--header", "Authorization: Bearer xyz"}, {"--header", X}},
    {{"--no-auth", "--port", "8080"}, {"--no-auth", "--port", "8080"}},
    {{"--no-auth", "8080"}, {"--no-auth", X}},
    {{"https://example.com/mcp?access_token=789"}, {"https://example.com/mcp?access_token=" X}},
    {{"https://h/p?region=eu&access_token=789"}, {"https://h/p?region=eu&access_token=789"}},
    {{"--token", "--verbose", "x"}, {"--token", "--verbose", "x"}},
    {{"--token", "-abc"}, {"--token", "-abc"}},
    {{"--token", "--secret", "abc"}, {"--token", "--secret", X}},
    {{"--API-KEY", "a", "b"}, {"--API-KEY", X, "b"}},
    {{"--password", ""}, {"--password", X}},
    {{"--token", "Authorization: Basic q", "next"}, {"--token", X, "next"}},
    {{"--header=Authorization: Bearer x"}, {X}},
    {{"-H", "authorization:Basic abc"}, {"-H", X}},
    {{"-H", "Proxy-Authorization: Basic abc"}, {"-H", "Proxy-Authorization: Basic abc"}},
    {{"-H", "X-Api-Key: abc"}, {"-H", "X-Api-Key: abc"}},
    {{"--keyfile=/a=b"}, {"--keyfile=" X}},
    {{"--api-key=", "tail"}, {"--api-key=" X, "tail"}},
    {{"--monkey", "banana", "--tokenizer=bert", "--author", "Ann"},
     {"--monkey", X, "--tokenizer=" X, "--author", X}},
    {{"-p", "secret", "key", "value"}, {"-p", "secret", "key", "value"}},
    /* Every name, in any case of letters, and none that only resembles one. */
    {{"--KEYS", "v", "--My-Token", "v"}, {"--KEYS", X, "--My-Token", X}},
    {{"-sEcReT", "v", "--PassWord", "v"}, {"-sEcReT", X, "--PassWord", X}},
    {{"--x-passwd-y", "v", "--CREDENTIALS", "v"}, {"--x-passwd-y", X, "--CREDENTIALS", X}},
    {{"--OAuth", "v", "--ke-y", "v", "--pass", "v"}, {"--OAuth", X, "--ke-y", "v", "--pass", "v"}},
    {{"BEARER x", "a bEaReR ", "bearer", "bearer:x"}, {X, X, "bearer", "bearer:x"}},
    {{"AUTHORIZATION:", "authorization", " authorization:"},
     {X, "authorization", " authorization:"}},
    /* Only what is before the first "=" is a name. */
    {{"x=token=y", "=token", "token=", "-k=token", "v"},
     {"x=token=y", "=token", "token=" X, "-k=token", "v"}},
    /* A value that is shown in part or not at all is no name of a secret. */
    {{"--token", "--key=x", "v"}, {"--token", "--key=" X, "v"}},
    {{"--bearer token", "v"}, {X, "v"}},
    {{"--token", "-", "v"}, {"--token", "-", "v"}},
    {{"--key\xc3\xa4", "v"}, {"--key\xc3\xa4", X}},
};

static const struct url_case urls[] = {
    {"https://me:pa55@example.com:8443/mcp?token=abc&region=eu#x",
     "https://example.com:8443/mcp?token=" X "&region=eu#x"},
    {"http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp"},
    {"https://example.com", "https://example.com"},
    {"example.com/mcp?api_key=1", "example.com/mcp?api_key=" X},
    {"http://h/mcp?", "http://h/mcp"},
    {"http://h/mcp?#f", "http://h/mcp#f"},
    {"http://h/p#a?token=x", "http://h/p#a?token=" X},
    {"http://a@b@h/p", "http://h/p"},
    {"http://h/p@q", "http://h/p@q"},
    {"user:pw@h/x", "h/x"},
    {"http://h?auth=1", "http://h?auth=" X},
    {"http://h/p?Token&key=", "http://h/p?Token&key=" X},
    {"http://h/p?a=1&&API_KEY=b=c", "http://h/p?a=1&&API_KEY=" X},
    /* By the rules beyond the vectors. */
    {"", ""},
    {"://", "://"},
    {"@", ""},
    {"http://u:p@", "http://"},
    {"http://u:p@h?x=a@b#c@d", "http://h?x=a@b#c@d"},
    {"http://u:p@h#secret", "http://h#secret"},
    {"http://h/p#", "http://h/p#"},
    {"http://h/p?a#", "http://h/p?a"},
    {"http://h/p?a#b#c", "http://h/p?a#b#c"},
    {"http://h/p?a?token=1", "http://h/p?a?token=" X},
    {"http://h/p?&token=1&", "http://h/p?&token=" X "&"},
    {"http://h/p?x=1#token=2", "http://h/p?x=1#token=2"},
    {"http://h/p?to%6ben=1", "http://h/p?to%6ben=1"},
    {"http://h/p?next=http://u:p@g/", "http://h/p?next=http://u:p@g/"},
    {"h/p?next=http://u:p@g/", "h/p?next=http://g/"},
};

static void secret_shows_of_a_command_what_may_be_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct secret_args args = {0};
        struct sp_buf shown = {0};

        secret_show_arg(&args, SP_STR("srv"), &shown);
        assert_string_equal(sp_buf_cstr(&shown), "srv");
        for (size_t k = 0; commands[i].args[k] != NULL; k++) {
            sp_buf_clear(&shown);
            secret_show_arg(&args, sp_str_of(commands[i].args[k]), &shown);
            assert_string_equal(sp_buf_cstr(&shown), commands[i].shown[k]);
        }
        sp_buf_deinit(&shown);
    }
}

static void secret_takes_the_program_for_an_argument_too(void **state)
{
    struct secret_args args = {0};
    struct sp_buf shown = {0};

    (void)state;
    secret_show_arg(&args, SP_STR("--token"), &shown);
    secret_show_arg(&args, SP_STR("x"), &shown);
    assert_string_equal(sp_buf_cstr(&shown), "--token" X);
    sp_buf_deinit(&shown);
}

static void secret_shows_of_a_url_what_may_be_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct sp_buf shown = {0};

        sp_buf_add(&shown, SP_STR("before "));
        secret_show_url(sp_str_of(urls[i].url), &shown);
        assert_string_equal(sp_buf_cstr(&shown) + 7, urls[i].shown);
        assert_memory_equal(shown.p, "before ", 7);
        sp_buf_deinit(&shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secret_shows_of_a_command_what_may_be_shown),
        cmocka_unit_test(secret_takes_the_program_for_an_argument_too),
        cmocka_unit_test(secret_shows_of_a_url_what_may_be_shown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
