/* The settings of the Jev service. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sp_file.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "io/oracle_jev_config.h"

#define MAX_KEY_FILE ((size_t)64 * 1024)
#define MAX_LINE     1000
#define MIN_SECRET   8

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

static char *copy_if_set(const char *value)
{
    return is_set(value) ? sp_strdup(value) : NULL;
}

static char *copy_error(const struct sp_err *err)
{
    return sp_strdup(err->text);
}

static bool has_control(struct sp_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return true;
    }
    return false;
}

/* Takes a key if it is usable. `source` says where it is from. */
static void take_key(struct oracle_jev_config *c, struct sp_str key, const char *source)
{
    struct sp_err err;

    if (has_control(key)) {
        sp_err_set(&err, "%s holds a control character", source);
        c->key_error = copy_error(&err);
        return;
    }
    c->key = sp_malloc(key.len + 1);
    memcpy(c->key, key.p, key.len);
    c->key[key.len] = '\0';
}

/* The buffer gets its full size at once, so that growing leaves no copy of the key behind. */
static void read_key_file(struct oracle_jev_config *c, const char *path)
{
    struct sp_buf source = {0}, text = {0};
    struct sp_str key;
    struct sp_err err;
    int code;

    sp_buf_addf(&source, "TYPESAFE_API_KEY_FILE %s", path);
    sp_buf_reserve(&text, MAX_KEY_FILE + 1);
    code = sp_file_read(path, MAX_KEY_FILE + 1, &text);
    key = sp_buf_str(&text);
    if (code < 0) {
        sp_err_set(&err, "reading %s: %s", sp_buf_cstr(&source), sp_err_cause(code));
        c->key_error = copy_error(&err);
    } else if (key.len > MAX_KEY_FILE || !sp_utf8_is_valid(key)) {
        sp_err_set(&err, "reading %s: it holds no key", sp_buf_cstr(&source));
        c->key_error = copy_error(&err);
    } else {
        key = sp_unicode_trim(key);
        if (key.len == 0) {
            sp_err_set(&err, "%s is empty", sp_buf_cstr(&source));
            c->key_error = copy_error(&err);
        } else {
            take_key(c, key, sp_buf_cstr(&source));
        }
    }
    explicit_bzero(text.p, text.cap);
    sp_buf_deinit(&text);
    sp_buf_deinit(&source);
}

static void read_key(struct oracle_jev_config *c, const struct oracle_jev_settings *s)
{
    if (is_set(s->key))
        take_key(c, sp_str_of(s->key), "TYPESAFE_API_KEY");
    else if (is_set(s->key_file))
        read_key_file(c, s->key_file);
    else
        c->key_error = sp_strdup("no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE");
}

/* Without a scheme libcurl would guess one, and send the key unencrypted. */
static bool is_http(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

static char *make_url(struct sp_str base)
{
    struct sp_buf url = {0};

    while (sp_str_ends(base, SP_STR("/")))
        base.len--;
    sp_buf_add(&url, base);
    sp_buf_add(&url, SP_STR("/v1/systemone"));
    return (char *)sp_buf_cstr(&url);
}

/* Whether a file can be read at all; what it holds is for TLS to judge. */
static int check_file(const char *path, struct sp_err *ret_err)
{
    struct sp_buf first = {0};
    int err = sp_file_read(path, 1, &first);

    sp_buf_deinit(&first);
    if (err < 0)
        sp_err_set(ret_err, "reading SSL_CERT_FILE %s: %s", path, sp_err_cause(err));
    return err;
}

int oracle_jev_config_init(struct oracle_jev_config *ret,
                           const struct oracle_jev_settings *settings, struct sp_err *ret_err)
{
    const char *base = is_set(settings->base_url) ? settings->base_url : ORACLE_JEV_BASE_URL;
    struct oracle_jev_config c = {
        .wait_ms = settings->wait_ms > 0 ? settings->wait_ms : ORACLE_JEV_WAIT_MS,
        .timeout_ms = settings->timeout_ms > 0 ? settings->timeout_ms : ORACLE_JEV_TIMEOUT_MS,
    };
    int err;

    if (!is_http(base)) {
        sp_err_set(ret_err, "TYPESAFE_BASE_URL is no http or https URL");
        return -EINVAL;
    }
    if (is_set(settings->ssl_cert_file)) {
        err = check_file(settings->ssl_cert_file, ret_err);
        if (err < 0)
            return err;
    }
    c.url = make_url(sp_str_of(base));
    c.ssl_cert_file = copy_if_set(settings->ssl_cert_file);
    c.ssl_cert_dir = copy_if_set(settings->ssl_cert_dir);
    read_key(&c, settings);
    *ret = c;
    return 0;
}

void oracle_jev_config_deinit(struct oracle_jev_config *config)
{
    if (config->key != NULL)
        explicit_bzero(config->key, strlen(config->key));
    free(config->key);
    free(config->key_error);
    free(config->url);
    free(config->ssl_cert_file);
    free(config->ssl_cert_dir);
    *config = (struct oracle_jev_config){0};
}

/* The key's first place in a text that is not empty; NULL when it is not there. */
static const char *find_key(const struct oracle_jev_config *config, struct sp_str text)
{
    size_t len = config->key != NULL ? strlen(config->key) : 0;

    return len >= MIN_SECRET && text.len > 0 ? memmem(text.p, text.len, config->key, len) : NULL;
}

bool oracle_jev_config_is_told(const struct oracle_jev_config *config, struct sp_str text)
{
    return find_key(config, text) != NULL;
}

static void put_without_key(const struct oracle_jev_config *config, struct sp_buf *b,
                            struct sp_str text)
{
    const char *key;

    while ((key = find_key(config, text)) != NULL) {
        size_t at = (size_t)(key - text.p);

        sp_buf_add(b, sp_str_sub(text, 0, at));
        sp_buf_add(b, SP_STR("[key]"));
        text = sp_str_sub(text, at + strlen(config->key), text.len);
    }
    sp_buf_add(b, text);
}

void oracle_jev_config_put_line(const struct oracle_jev_config *config, struct sp_buf *b,
                                struct sp_str text)
{
    struct sp_buf safe = {0}, valid = {0};
    struct sp_str rest;

    put_without_key(config, &safe, text);
    sp_utf8_repair(&valid, sp_buf_str(&safe));
    rest = sp_unicode_trim(sp_buf_str(&valid));
    for (size_t n = 0; rest.len > 0; n++) {
        struct sp_str before = rest;
        uint32_t c = sp_utf8_next(&rest);

        if (n == MAX_LINE) {
            sp_buf_add(b, SP_STR("..."));
            break;
        }
        if (sp_unicode_is_control(c) || c == 0x2028 || c == 0x2029)
            sp_buf_add_char(b, ' ');
        else
            sp_buf_add(b, sp_str_sub(before, 0, before.len - rest.len));
    }
    sp_buf_deinit(&safe);
    sp_buf_deinit(&valid);
}
