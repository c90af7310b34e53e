/* Tests of io/url.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/url.h"

struct parse_case {
    const char *text;
    struct url url;
    const char *host_header;
    const char *put; /* NULL: the text itself */
};

static const struct parse_case parses[] = {
    {"http://example.com/mcp",
     {URL_HTTP, NULL, NULL, "example.com", URL_HOST_NAME, 80, "/mcp"},
     "example.com",
     NULL},
    {"https://example.com/mcp",
     {URL_HTTPS, NULL, NULL, "example.com", URL_HOST_NAME, 443, "/mcp"},
     "example.com",
     NULL},
    {"HTTPS://EXAMPLE.Com/MCP",
     {URL_HTTPS, NULL, NULL, "example.com", URL_HOST_NAME, 443, "/MCP"},
     "example.com",
     "https://example.com/MCP"},

    /* Ports. */
    {"http://h:1", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 1, "/"}, "h:1", "http://h:1/"},
    {"http://h:65535/", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 65535, "/"}, "h:65535", NULL},
    {"http://h:80/", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://h:443/", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 443, "/"}, "h:443", NULL},
    {"https://h:443/", {URL_HTTPS, NULL, NULL, "h", URL_HOST_NAME, 443, "/"}, "h", "https://h/"},
    {"https://h:80/", {URL_HTTPS, NULL, NULL, "h", URL_HOST_NAME, 80, "/"}, "h:80", NULL},
    {"http://h:/", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"https://h:?q", {URL_HTTPS, NULL, NULL, "h", URL_HOST_NAME, 443, "/?q"}, "h", "https://h/?q"},
    {"http://h:000000081/",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 81, "/"},
     "h:81",
     "http://h:81/"},

    /* Path, query, fragment. */
    {"http://h", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://h?a=b", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/?a=b"}, "h", "http://h/?a=b"},
    {"http://h#f", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://h/p?q#f?x/y",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/p?q"},
     "h",
     "http://h/p?q"},
    {"http://h/p?", {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/p?"}, "h", NULL},
    {"http://h/?a?b/c@d:e",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/?a?b/c@d:e"},
     "h",
     NULL},
    {"http://h/a/./b/../c//%7e%",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/a/./b/../c//%7e%"},
     "h",
     NULL},
    {"http://h/{a}|\"<>^`\\[]",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/{a}|\"<>^`\\[]"},
     "h",
     NULL},
    {"http://h/http://x@y:z/",
     {URL_HTTP, NULL, NULL, "h", URL_HOST_NAME, 80, "/http://x@y:z/"},
     "h",
     NULL},

    /* User information. */
    {"http://u@h/", {URL_HTTP, "u", NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://u:p@h:8/", {URL_HTTP, "u", "p", "h", URL_HOST_NAME, 8, "/"}, "h:8", "http://h:8/"},
    {"http://u:@h/", {URL_HTTP, "u", "", "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://:p@h/", {URL_HTTP, "", "p", "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://@h/", {URL_HTTP, "", NULL, "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://u:p:q@h/", {URL_HTTP, "u", "p:q", "h", URL_HOST_NAME, 80, "/"}, "h", "http://h/"},
    {"http://U%3a%40:%2F%c3%A9@h/",
     {URL_HTTP, "U:@", "/\xc3\xa9", "h", URL_HOST_NAME, 80, "/"},
     "h",
     "http://h/"},

    /* Hosts. */
    {"http://127.0.0.1:3000/mcp",
     {URL_HTTP, NULL, NULL, "127.0.0.1", URL_HOST_IPV4, 3000, "/mcp"},
     "127.0.0.1:3000",
     NULL},
    {"http://127.1/", {URL_HTTP, NULL, NULL, "127.1", URL_HOST_NAME, 80, "/"}, "127.1", NULL},
    {"http://1.2.3.256/",
     {URL_HTTP, NULL, NULL, "1.2.3.256", URL_HOST_NAME, 80, "/"},
     "1.2.3.256",
     NULL},
    {"http://[::1]/", {URL_HTTP, NULL, NULL, "::1", URL_HOST_IPV6, 80, "/"}, "[::1]", NULL},
    {"https://[2001:DB8::A]:8443/x",
     {URL_HTTPS, NULL, NULL, "2001:db8::a", URL_HOST_IPV6, 8443, "/x"},
     "[2001:db8::a]:8443",
     "https://[2001:db8::a]:8443/x"},
    {"http://u:p@[::ffff:1.2.3.4]:80",
     {URL_HTTP, "u", "p", "::ffff:1.2.3.4", URL_HOST_IPV6, 80, "/"},
     "[::ffff:1.2.3.4]",
     "http://[::ffff:1.2.3.4]/"},
    {"http://my_host-1.x./",
     {URL_HTTP, NULL, NULL, "my_host-1.x.", URL_HOST_NAME, 80, "/"},
     "my_host-1.x.",
     NULL},
};

static void assert_text_equal(const char *got, const char *wanted)
{
    if (wanted == NULL)
        assert_null(got);
    else
        assert_non_null(got);
    if (wanted != NULL)
        assert_string_equal(got, wanted);
}

static void url_parse_gives_the_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parses / sizeof *parses; i++) {
        const struct parse_case *c = &parses[i];
        struct sp_buf text = {0};
        struct sp_err err;
        struct url u;

        assert_int_equal(url_parse(sp_str_of(c->text), &u, &err), 0);
        assert_int_equal(u.scheme, c->url.scheme);
        assert_text_equal(u.user, c->url.user);
        assert_text_equal(u.password, c->url.password);
        assert_text_equal(u.host, c->url.host);
        assert_int_equal(u.host_kind, c->url.host_kind);
        assert_int_equal(u.port, c->url.port);
        assert_text_equal(u.target, c->url.target);
        url_put_host(&u, &text);
        assert_string_equal(sp_buf_cstr(&text), c->host_header);
        sp_buf_clear(&text);
        url_put(&u, &text);
        assert_string_equal(sp_buf_cstr(&text), c->put != NULL ? c->put : c->text);
        sp_buf_deinit(&text);
        url_deinit(&u);
        url_deinit(&u); /* nothing is left, and nothing happens */
    }
}

static const struct sp_str bad_urls[] = {
    SP_STR(""),
    SP_STR("example.com/mcp"),
    SP_STR("example.com:8080/mcp"),
    SP_STR("/mcp"),
    SP_STR("//example.com/mcp"),
    SP_STR("file:///x"),
    SP_STR("ftp://h/"),
    SP_STR("httpss://h/"),
    SP_STR("ws://h/"),
    SP_STR("http"),
    SP_STR("http:"),
    SP_STR("http:/h/"),
    SP_STR("http:h"),
    SP_STR("http//h/"),
    SP_STR(":http://h/"),
    SP_STR("1http://h/"),
    SP_STR("http://"),
    SP_STR("http:///mcp"),
    SP_STR("http://?q"),
    SP_STR("http://#f"),
    SP_STR("http://:80/"),
    SP_STR("http://u@/"),
    SP_STR("http://u:p@:80/"),
    SP_STR("http://[]/"),

    /* Ports. */
    SP_STR("http://h:0/"),
    SP_STR("http://h:00/"),
    SP_STR("http://h:65536/"),
    SP_STR("http://h:4294967376/"),
    SP_STR("http://h:99999999999999999999/"),
    SP_STR("http://h:-1/"),
    SP_STR("http://h:+1/"),
    SP_STR("http://h:80a/"),
    SP_STR("http://h:0x50/"),
    SP_STR("http://h:80:80/"),
    SP_STR("http://[::1]:x/"),

    /* Characters. */
    SP_STR(" http://h/"),
    SP_STR("http://h/ "),
    SP_STR("http://h/a b"),
    SP_STR("http://h h/"),
    SP_STR("http://h/\n"),
    SP_STR("http://h/\r\nX: y"),
    SP_STR("http://h/\ta"),
    SP_STR("http://h/\0"),
    SP_STR("http://h\0/"),
    SP_STR("http://h/\x7f"),
    SP_STR("http://h/#\x01"),
    SP_STR("http://h/caf\xc3\xa9"),
    SP_STR("http://h\xc3\xa9/"),
    SP_STR("http://h/\xff"),

    /* Hosts. */
    SP_STR("http://h|h/"),
    SP_STR("http://a\\b/"),
    SP_STR("http://good\\@evil/"),
    SP_STR("http://%68/"),
    SP_STR("http://h%00/"),
    SP_STR("http://a,b\"/"),
    SP_STR("http://::1/"),
    SP_STR("http://[::1"),
    SP_STR("http://[::1/"),
    SP_STR("http://::1]/"),
    SP_STR("http://[::1]8080/"),
    SP_STR("http://[::1]x/"),
    SP_STR("http://x[::1]/"),
    SP_STR("http://[1.2.3.4]/"),
    SP_STR("http://[::g]/"),
    SP_STR("http://[::1%25lo]/"),
    SP_STR("http://[v1.x]/"),
    SP_STR("http://[1:2:3:4:5:6:7:8:9]/"),

    /* User information. */
    SP_STR("http://a@b@c/"),
    SP_STR("http://a|b@c/"),
    SP_STR("http://a:[b]@c/"),
    SP_STR("http://u%@h/"),
    SP_STR("http://u%4@h/"),
    SP_STR("http://u%4g@h/"),
    SP_STR("http://u:%zz@h/"),
    SP_STR("http://u%00@h/"),
    SP_STR("http://u:p%00@h/"),
    SP_STR("http://u:secret@h:0/"),
};

static void url_parse_refuses_what_is_no_http_url(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_urls / sizeof *bad_urls; i++) {
        struct url u = {.port = 7};
        struct sp_err err = {{0}};

        if (url_parse(bad_urls[i], &u, &err) >= 0)
            fail_msg("'%.*s' was accepted", SP_STR_ARG(bad_urls[i]));
        assert_int_equal(u.port, 7); /* untouched */
        assert_null(u.host);
        assert_true(err.text[0] != '\0');
        assert_null(strstr(err.text, "secret"));
    }
}

static const struct {
    const char *base;
    const char *reference;
    const char *result; /* NULL: an error */
} resolutions[] = {
    /* RFC 3986, section 5.4.1. */
    {"http://a/b/c/d;p?q", "g:h", NULL},
    {"http://a/b/c/d;p?q", "g", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "./g", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"},
    {"http://a/b/c/d;p?q", "/g", "http://a/g"},
    {"http://a/b/c/d;p?q", "//g", "http://g/"},
    {"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"},
    {"http://a/b/c/d;p?q", "g?y", "http://a/b/c/g?y"},
    {"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q"},
    {"http://a/b/c/d;p?q", "g#s", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "g?y#s", "http://a/b/c/g?y"},
    {"http://a/b/c/d;p?q", ";x", "http://a/b/c/;x"},
    {"http://a/b/c/d;p?q", "g;x", "http://a/b/c/g;x"},
    {"http://a/b/c/d;p?q", "g;x?y#s", "http://a/b/c/g;x?y"},
    {"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"},
    {"http://a/b/c/d;p?q", ".", "http://a/b/c/"},
    {"http://a/b/c/d;p?q", "./", "http://a/b/c/"},
    {"http://a/b/c/d;p?q", "..", "http://a/b/"},
    {"http://a/b/c/d;p?q", "../", "http://a/b/"},
    {"http://a/b/c/d;p?q", "../g", "http://a/b/g"},
    {"http://a/b/c/d;p?q", "../..", "http://a/"},
    {"http://a/b/c/d;p?q", "../../", "http://a/"},
    {"http://a/b/c/d;p?q", "../../g", "http://a/g"},

    /* Section 5.4.2. */
    {"http://a/b/c/d;p?q", "../../../g", "http://a/g"},
    {"http://a/b/c/d;p?q", "../../../../g", "http://a/g"},
    {"http://a/b/c/d;p?q", "/./g", "http://a/g"},
    {"http://a/b/c/d;p?q", "/../g", "http://a/g"},
    {"http://a/b/c/d;p?q", "g.", "http://a/b/c/g."},
    {"http://a/b/c/d;p?q", ".g", "http://a/b/c/.g"},
    {"http://a/b/c/d;p?q", "g..", "http://a/b/c/g.."},
    {"http://a/b/c/d;p?q", "..g", "http://a/b/c/..g"},
    {"http://a/b/c/d;p?q", "./../g", "http://a/b/g"},
    {"http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"},
    {"http://a/b/c/d;p?q", "g/./h", "http://a/b/c/g/h"},
    {"http://a/b/c/d;p?q", "g/../h", "http://a/b/c/h"},
    {"http://a/b/c/d;p?q", "g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {"http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y"},
    {"http://a/b/c/d;p?q", "g?y/./x", "http://a/b/c/g?y/./x"},
    {"http://a/b/c/d;p?q", "g?y/../x", "http://a/b/c/g?y/../x"},
    {"http://a/b/c/d;p?q", "g#s/./x", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "g#s/../x", "http://a/b/c/g"},
    {"http://a/b/c/d;p?q", "http:g", NULL}, /* for strict parsers */

    /* Whole URLs and authorities. */
    {"http://a/b", "https://x:8/y?z#f", "https://x:8/y?z"},
    {"http://a/b", "HTTP://X/a/../b", "http://x/b"},
    {"http://a/b", "https://u:p@a/y", "https://a/y"},
    {"http://u:p@a/b", "y", "http://a/y"},
    {"http://u:p@a/b", "//v:w@c/y", "http://c/y"},
    {"https://a:8/b", "//c/y", "https://c/y"},
    {"https://a:8/b", "/y", "https://a:8/y"},
    {"https://[::1]:8/b", "y", "https://[::1]:8/y"},
    {"http://a/b", "//[::1]:9?x/..", "http://[::1]:9/?x/.."},
    {"http://a/b", "//1.2.3.4/..", "http://1.2.3.4/"},
    {"http://a", "y", "http://a/y"},
    {"http://a?q", "", "http://a/?q"},
    {"http://a?q/r", "y", "http://a/y"},
    {"http://a/b/../c", "", "http://a/b/../c"},
    {"http://a/b/../c", "d", "http://a/d"},
    {"http://a/b?q", "?", "http://a/b?"},
    {"http://a/b", "/a//../b/./", "http://a/a/b/"},
    {"http://a/b", "/a/%2e%2e/b", "http://a/a/%2e%2e/b"},
    {"http://a/b", "/.//x", "http://a//x"},
    {"http://a/b", "/x:y", "http://a/x:y"},
    {"http://a/b", "1x:y", "http://a/1x:y"},

    /* Bad ones. */
    {"http://a/b", "file:///x", NULL},
    {"http://a/b", "javascript:x", NULL},
    {"http://a/b", "http:///x", NULL},
    {"http://a/b", "//", NULL},
    {"http://a/b", "///x", NULL},
    {"http://a/b", "//:80", NULL},
    {"http://a/b", "//h:0/", NULL},
    {"http://a/b", "//h:65536/", NULL},
    {"http://a/b", "//good\\@evil/", NULL},
    {"http://a/b", "/a b", NULL},
    {"http://a/b", "/a\r\nX: y", NULL},
    {"http://a/b", "/caf\xc3\xa9", NULL},
};

static void url_resolve_follows_rfc_3986(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        struct url base, u = {0};
        struct sp_buf text = {0};
        struct sp_err err = {{0}};
        int outcome;

        assert_int_equal(url_parse(sp_str_of(resolutions[i].base), &base, &err), 0);
        outcome = url_resolve(&base, sp_str_of(resolutions[i].reference), &u, &err);
        if (resolutions[i].result == NULL) {
            if (outcome >= 0)
                fail_msg("'%s' was accepted", resolutions[i].reference);
            assert_null(u.host); /* untouched */
            assert_true(err.text[0] != '\0');
        } else {
            assert_int_equal(outcome, 0);
            url_put(&u, &text);
            assert_string_equal(sp_buf_cstr(&text), resolutions[i].result);
            assert_null(u.user);
            assert_null(u.password);
        }
        sp_buf_deinit(&text);
        url_deinit(&u);
        url_deinit(&base);
    }
}

static void url_resolve_keeps_the_kind_of_host(void **state)
{
    struct url base, u;
    struct sp_err err;

    (void)state;
    assert_int_equal(url_parse(SP_STR("http://[::1]:9/a"), &base, &err), 0);
    assert_int_equal(url_resolve(&base, SP_STR("b"), &u, &err), 0);
    assert_int_equal(u.host_kind, URL_HOST_IPV6);
    assert_int_equal(u.port, 9);
    url_deinit(&u);
    assert_int_equal(url_resolve(&base, SP_STR("//1.2.3.4"), &u, &err), 0);
    assert_int_equal(u.host_kind, URL_HOST_IPV4);
    assert_int_equal(u.port, 80);
    url_deinit(&u);
    url_deinit(&base);
}

static const struct {
    const char *a;
    const char *b;
    bool is_same;
} origins[] = {
    {"http://a/x", "http://a/y?z", true},       {"http://a/", "http://A:80/", true},
    {"https://a/", "https://u:p@a:443/", true}, {"http://a/", "https://a/", false},
    {"http://a:443/", "https://a:443/", false}, {"http://a/", "http://a:81/", false},
    {"http://a/", "http://b/", false},          {"http://a/", "http://a./", false},
};

static void url_same_origin_compares_scheme_host_and_port(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        struct sp_err err;
        struct url a, b;

        assert_int_equal(url_parse(sp_str_of(origins[i].a), &a, &err), 0);
        assert_int_equal(url_parse(sp_str_of(origins[i].b), &b, &err), 0);
        assert_int_equal(url_same_origin(&a, &b), origins[i].is_same);
        url_deinit(&a);
        url_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(url_parse_gives_the_parts),
        cmocka_unit_test(url_parse_refuses_what_is_no_http_url),
        cmocka_unit_test(url_resolve_follows_rfc_3986),
        cmocka_unit_test(url_resolve_keeps_the_kind_of_host),
        cmocka_unit_test(url_same_origin_compares_scheme_host_and_port),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
