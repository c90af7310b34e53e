/*
 * The libraries under the loadable modules are there, fit their headers, and do the few things that
 * the design counts on.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <jansson.h>
#include <llhttp.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

static void jansson_reads_nul_and_scalars_when_asked(void **state)
{
    json_t *value = json_loads("\"a\\u0000b\"", JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

    (void)state;
    assert_non_null(value);
    assert_int_equal(json_string_length(value), 3);
    json_decref(value);
}

static void openssl_hashes_in_one_call(void **state)
{
    static const unsigned char want[] = {0xba, 0x78, 0x16, 0xbf};
    unsigned char digest[EVP_MAX_MD_SIZE];
    size_t len;

    (void)state;
    assert_int_equal(EVP_Q_digest(NULL, "SHA256", NULL, "abc", 3, digest, &len), 1);
    assert_int_equal(len, 32);
    assert_memory_equal(digest, want, sizeof want);
}

static void openssl_makes_a_client_context(void **state)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

    (void)state;
    assert_non_null(ctx);
    SSL_CTX_free(ctx);
}

static int on_complete(llhttp_t *parser)
{
    *(int *)parser->data = parser->status_code;
    return 0;
}

static void llhttp_parses_a_response_in_fragments(void **state)
{
    static const char response[] = "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n";
    llhttp_settings_t settings;
    llhttp_t parser;
    int status = 0;

    (void)state;
    llhttp_settings_init(&settings);
    settings.on_message_complete = on_complete;
    llhttp_init(&parser, HTTP_RESPONSE, &settings);
    parser.data = &status;
    for (size_t i = 0; i + 1 < sizeof response; i++)
        assert_int_equal(llhttp_execute(&parser, response + i, 1), HPE_OK);
    assert_int_equal(status, 204);
}

static void libcurl_fits_its_header(void **state)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

    (void)state;
    assert_true(info->version_num >= 0x075500);
    assert_true((info->features & CURL_VERSION_SSL) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jansson_reads_nul_and_scalars_when_asked),
        cmocka_unit_test(openssl_hashes_in_one_call),
        cmocka_unit_test(openssl_makes_a_client_context),
        cmocka_unit_test(llhttp_parses_a_response_in_fragments),
        cmocka_unit_test(libcurl_fits_its_header),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
