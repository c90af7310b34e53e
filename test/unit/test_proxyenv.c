/* Tests of io/proxyenv.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "io/proxyenv.h"

/* An environment: names and values in turn, up to a NULL. */
static const char *const *env;

static char *get(const char *name)
{
    for (size_t i = 0; env[i] != NULL; i += 2) {
        if (strcmp(env[i], name) == 0)
            return (char *)env[i + 1];
    }
    return NULL;
}

/* Which proxy a URL gets: "", "HOST:PORT", "HOST:PORT AUTHORIZATION" or "!CAUSE". */
static void find(const struct proxyenv *e, const char *text, char *ret, size_t size)
{
    const struct proxyenv_proxy *proxy = NULL;
    struct sp_err err;
    struct url url;

    assert_int_equal(url_parse(sp_str_of(text), &url, &err), 0);
    if (proxyenv_find(e, &url, &proxy, &err) < 0)
        snprintf(ret, size, "!%.200s", err.text);
    else if (proxy == NULL)
        ret[0] = '\0';
    else
        snprintf(ret, size, "%s:%u%s%s", proxy->host, proxy->port,
                 proxy->authorization != NULL ? " " : "",
                 proxy->authorization != NULL ? proxy->authorization : "");
    url_deinit(&url);
}

struct proxy_case {
    const char *env[7];
    const char *http;  /* for http://a.example/ */
    const char *https; /* for https://a.example/ */
};

static void proxyenv_reads_the_variables(void **state)
{
    static const struct proxy_case cases[] = {
        {{NULL}, "", ""},
        {{"http_proxy", "p"}, "p:80", ""},
        {{"https_proxy", "p:1"}, "", "p:1"},
        {{"all_proxy", "http://p:1/"}, "p:1", "p:1"},
        {{"HTTP_PROXY", "p"}, "", ""},
        {{"HTTPS_PROXY", "p"}, "", "p:80"},
        {{"ALL_PROXY", "p"}, "p:80", "p:80"},
        {{"http_proxy", "a", "all_proxy", "b"}, "a:80", "b:80"},
        {{"https_proxy", "a", "HTTPS_PROXY", "b"}, "", "a:80"},
        {{"https_proxy", "", "HTTPS_PROXY", "b"}, "", "b:80"},
        {{"http_proxy", "", "all_proxy", "", "ALL_PROXY", "c"}, "c:80", "c:80"},
        {{"all_proxy", "HTTP://[::1]:3128"}, "::1:3128", "::1:3128"},
        {{"http_proxy", "user@p"}, "p:80 Basic dXNlcjo=", ""},
        {{"http_proxy", "http://Aladdin:open%20sesame@p"},
         "p:80 Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
         ""},
        {{"http_proxy", "user:a:b@p"}, "p:80 Basic dXNlcjphOmI=", ""},
        {{"http_proxy", "socks5://u:s3@p"}, "!the value of http_proxy is not an http proxy", ""},
        {{"http_proxy", "https://p"}, "!the value of http_proxy is not an http proxy", ""},
        {{"HTTPS_PROXY", "p:0"}, "", "!the value of HTTPS_PROXY is not an http proxy"},
        {{"all_proxy", "::::"},
         "!the value of all_proxy is not an http proxy",
         "!the value of all_proxy is not an http proxy"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proxyenv *e;
        char got[256];

        env = cases[i].env;
        e = proxyenv_new(get);
        find(e, "http://a.example/", got, sizeof got);
        assert_string_equal(got, cases[i].http);
        find(e, "https://a.example/", got, sizeof got);
        assert_string_equal(got, cases[i].https);
        proxyenv_free(e);
    }
    proxyenv_free(NULL);
}

struct direct_case {
    const char *no_proxy;
    const char *url;
    bool is_direct;
};

static void proxyenv_leaves_out_what_no_proxy_names(void **state)
{
    static const struct direct_case cases[] = {
        {"", "http://a/", false},
        {"*", "http://a/", true},
        {" * ", "http://1.2.3.4/", true},
        {"b,*", "http://a/", true},
        {"**", "http://a/", false},

        {"example.com", "http://example.com/", true},
        {"example.com", "http://www.example.com:81/", true},
        {"example.com", "http://a.b.example.com/", true},
        {"example.com", "http://badexample.com/", false},
        {"example.com", "http://example.com.evil/", false},
        {".example.com", "http://example.com/", true},
        {".example.com", "http://www.example.com/", true},
        {".example.com", "http://badexample.com/", false},
        {"EXAMPLE.com", "http://www.Example.COM/", true},
        {"example.com.", "http://www.example.com/", true},
        {"example.com", "http://www.example.com./", true},
        {"www.example.com", "http://example.com/", false},
        {"x, example.com ,y", "http://example.com/", true},
        {"x,,.,y", "http://example.com/", false},
        {"localhost", "http://localhost:3000/", true},
        {"com", "http://example.com/", true},
        {"*.example.com", "http://www.example.com/", false},

        {"127.0.0.1", "http://127.0.0.1:81/", true},
        {"127.0.0.1", "http://127.0.0.2/", false},
        {"0.0.1", "http://127.0.0.1/", false},
        {"10.0.0.0/8", "http://10.255.0.1/", true},
        {"10.0.0.0/8", "http://11.0.0.1/", false},
        {"10.1.2.3/8", "http://10.9.9.9/", true},
        {"192.168.128.0/17", "http://192.168.255.1/", true},
        {"192.168.128.0/17", "http://192.168.127.1/", false},
        {"1.2.3.4/32", "http://1.2.3.4/", true},
        {"1.2.3.4/32", "http://1.2.3.5/", false},
        {"0.0.0.0/0", "http://9.9.9.9/", true},
        {"0.0.0.0/0", "http://[::1]/", false},
        {"0.0.0.0/0", "http://example.com/", false},
        {"10.0.0.0/33", "http://10.0.0.0/", false},
        {"10.0.0.0/", "http://10.0.0.0/", false},
        {"10.0.0.0/8x", "http://10.0.0.0/", false},
        {"10.0.0.0/0008", "http://10.0.0.0/", false},

        {"::1", "http://[::1]/", true},
        {"[::1]", "http://[::1]:81/", true},
        {"0:0:0:0:0:0:0:1", "http://[::1]/", true},
        {"::2", "http://[::1]/", false},
        {"fd00::/8", "http://[fdff::1]/", true},
        {"fd00::/8", "http://[fe00::1]/", false},
        {"2001:db8::/33", "http://[2001:db8:7fff::1]/", true},
        {"2001:db8::/33", "http://[2001:db8:8000::1]/", false},
        {"::/128", "http://[::1]/", false},
        {"::/129", "http://[::]/", false},
        {"127.0.0.1", "http://[::ffff:127.0.0.1]/", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const variables[] = {"http_proxy", "p", "no_proxy", cases[i].no_proxy, NULL};
        struct proxyenv *e;
        char got[256];

        env = variables;
        e = proxyenv_new(get);
        find(e, cases[i].url, got, sizeof got);
        if (strcmp(got, cases[i].is_direct ? "" : "p:80") != 0)
            fail_msg("no_proxy '%s', %s: '%s'", cases[i].no_proxy, cases[i].url, got);
        proxyenv_free(e);
    }
}

static void proxyenv_reads_no_proxy_in_upper_case_too(void **state)
{
    static const char *const upper[] = {"all_proxy", "p", "no_proxy", "", "NO_PROXY", "a", NULL};
    static const char *const both[] = {"all_proxy", "p", "no_proxy", "b", "NO_PROXY", "a", NULL};
    struct proxyenv *e;
    char got[256];

    (void)state;
    env = upper;
    e = proxyenv_new(get);
    find(e, "https://a/", got, sizeof got);
    assert_string_equal(got, "");
    proxyenv_free(e);

    env = both;
    e = proxyenv_new(get);
    find(e, "https://a/", got, sizeof got);
    assert_string_equal(got, "p:80");
    proxyenv_free(e);
}

static void proxyenv_reaches_directly_despite_a_bad_proxy(void **state)
{
    static const char *const variables[] = {"http_proxy", "socks5://p", "no_proxy", "a", NULL};
    struct proxyenv *e;
    char got[256];

    (void)state;
    env = variables;
    e = proxyenv_new(get);
    find(e, "http://a/", got, sizeof got);
    assert_string_equal(got, "");
    proxyenv_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxyenv_reads_the_variables),
        cmocka_unit_test(proxyenv_leaves_out_what_no_proxy_names),
        cmocka_unit_test(proxyenv_reads_no_proxy_in_upper_case_too),
        cmocka_unit_test(proxyenv_reaches_directly_despite_a_bad_proxy),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
