/*
 * The table of values: what they are known by, what replaces them, and what became of them.
 */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "trace/redact_impl.h"

/* A hash is "h_" and this many bytes of SHA-256 in hexadecimal. */
#define HASH_BYTES ((size_t)6)

/* A text that nests deeper is no JSON, as nowhere in recorded sessions. */
#define TEXT_DEPTH (JSCAN_LOG_DEPTH + 1)

void redact_key(struct sp_str text, struct sp_buf *ret)
{
    struct sp_str rest = sp_unicode_trim(text);
    bool is_ahead = true; /* nothing but number signs so far */

    sp_buf_clear(ret);
    while (rest.len > 0) {
        uint32_t c = sp_unicode_lower(sp_utf8_next(&rest));
        char bytes[4];

        if (is_ahead && c == '#')
            continue;
        is_ahead = false;
        sp_buf_add(ret, (struct sp_str){bytes, sp_utf8_encode(c, bytes)});
    }
}

size_t redact_find_key(struct redact *r, struct sp_str key)
{
    const size_t *found = sp_map_find(&r->by_key, key);
    size_t value = r->n_values;

    if (found != NULL)
        return *found;
    if (r->n_values == r->max_values) {
        r->max_values = r->max_values > 0 ? 2 * r->max_values : 256;
        r->values = sp_realloc(r->values, r->max_values * sizeof *r->values);
    }
    key = sp_arena_copy(&r->arena, key);
    r->values[r->n_values++] = (struct redact_value){.key = key};
    *sp_map_put(&r->by_key, key, NULL) = value;
    return value;
}

size_t redact_find(struct redact *r, struct sp_str text)
{
    redact_key(text, &r->key);
    return r->key.len > 0 ? redact_find_key(r, sp_buf_str(&r->key)) : REDACT_NONE;
}

static const char *hash_of(struct redact *r, struct sp_str key)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[EVP_MAX_MD_SIZE];
    char *text = sp_arena_alloc(&r->arena, 2 + 2 * HASH_BYTES + 1);
    char *p = text;
    bool is_done;

    is_done = EVP_MD_CTX_copy_ex(r->digest, r->salted) == 1 &&
              EVP_DigestUpdate(r->digest, key.p, key.len) == 1 &&
              EVP_DigestFinal_ex(r->digest, bytes, NULL) == 1;
    assert(is_done); /* these fail only without memory */
    *p++ = 'h';
    *p++ = '_';
    for (size_t i = 0; i < HASH_BYTES; i++) {
        *p++ = hex[bytes[i] >> 4];
        *p++ = hex[bytes[i] & 0xf];
    }
    return text;
}

struct sp_str redact_pseudonym(struct redact *r, size_t value)
{
    struct redact_value *v;

    if (value == REDACT_NONE)
        return (struct sp_str){NULL, 0};
    v = &r->values[value];
    if (!v->is_forced && (v->is_declared || v->n_sessions >= r->options->keep_shared))
        return (struct sp_str){NULL, 0};
    if (v->hash == NULL)
        v->hash = hash_of(r, v->key);
    return sp_str_of(v->hash);
}

static void tally(struct redact_tally *t, bool is_new)
{
    t->n_values += is_new;
    t->n_times++;
}

struct sp_str redact_replace(struct redact *r, size_t value, enum redact_place place)
{
    struct sp_str pseudonym = redact_pseudonym(r, value);
    struct redact_value *v;

    if (value == REDACT_NONE)
        return pseudonym;
    v = &r->values[value];
    if (pseudonym.p != NULL) {
        tally(&r->summary.replaced, v->replaced_at == 0);
        tally(&r->summary.replaced_at[place], (v->replaced_at & 1U << place) == 0);
        v->replaced_at |= 1U << place;
    } else {
        tally(v->is_declared ? &r->summary.kept_declared : &r->summary.kept_shared, !v->is_kept);
        v->is_kept = true;
    }
    return pseudonym;
}

struct sp_str redact_text(struct sp_str string, struct sp_buf *scratch)
{
    if (sp_str_find(string, '\\') == string.len)
        return sp_str_sub(string, 1, string.len - 1);
    sp_buf_clear(scratch);
    jget_text(string, scratch);
    return sp_buf_str(scratch);
}

bool redact_text_is_json(struct sp_str text, struct jscan *ret)
{
    struct jscan found;

    if (!jscan(text, TEXT_DEPTH, &found) ||
        (found.type != JSCAN_OBJECT && found.type != JSCAN_ARRAY))
        return false;
    *ret = found;
    return true;
}

/* Starts the hash that all the others continue. */
static bool salt_init(struct redact *r)
{
    r->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    r->salted = EVP_MD_CTX_new();
    r->digest = EVP_MD_CTX_new();
    return r->sha256 != NULL && r->salted != NULL && r->digest != NULL &&
           EVP_DigestInit_ex2(r->salted, r->sha256, NULL) == 1 &&
           EVP_DigestUpdate(r->salted, r->options->salt.p, r->options->salt.len) == 1 &&
           EVP_DigestUpdate(r->salted, "", 1) == 1;
}

struct redact *redact_new(const struct redact_options *options, struct sp_err *ret_err)
{
    struct redact *r = sp_calloc(1, sizeof *r);

    r->options = options;
    if (!salt_init(r)) {
        sp_err_set(ret_err, "OpenSSL has no SHA-256");
        redact_free(r);
        return NULL;
    }
    for (size_t i = 0; i < options->n_hash_fields; i++) {
        redact_key(options->hash_fields[i], &r->key);
        if (r->key.len > 0)
            sp_map_put(&r->fields, sp_arena_copy(&r->arena, sp_buf_str(&r->key)), NULL);
    }
    return r;
}

void redact_free(struct redact *r)
{
    if (r == NULL)
        return;
    EVP_MD_CTX_free(r->salted);
    EVP_MD_CTX_free(r->digest);
    EVP_MD_free(r->sha256);
    free(r->values);
    free(r->nodes);
    free(r->words);
    sp_map_deinit(&r->by_key);
    sp_map_deinit(&r->fields);
    sp_map_deinit(&r->edges);
    sp_arena_deinit(&r->arena);
    sp_buf_deinit(&r->key);
    sp_buf_deinit(&r->message);
    sp_buf_deinit(&r->text);
    sp_buf_deinit(&r->json);
    sp_buf_deinit(&r->leaf);
    sp_buf_deinit(&r->out);
    sp_buf_deinit(&r->rewritten);
    sp_buf_deinit(&r->canonical);
    sp_buf_deinit(&r->raw);
    free(r);
}

void redact_decide(struct redact *r)
{
    redact_phrases_build(r);
}

struct redact_summary redact_summary(const struct redact *r)
{
    return r->summary;
}
