/*
 * Answers by llhttp.
 *
 * The parser is stopped at the end of each message, so that where an answer ends is known exactly:
 * after an interim answer it is reset and goes on with the bytes behind it, whatever that answer
 * said about the connection. Until a head is complete it gets no more bytes than a head may have.
 */

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#include "io/httpresp.h"

#define KEPT_TEXT   4096 /* what an idle reader keeps allocated: bytes of text */
#define KEPT_FIELDS 64

static int on_header_field(llhttp_t *parser, const char *at, size_t len);
static int on_header_value(llhttp_t *parser, const char *at, size_t len);
static int on_header_value_complete(llhttp_t *parser);
static int on_headers_complete(llhttp_t *parser);
static int on_body(llhttp_t *parser, const char *at, size_t len);
static int on_message_complete(llhttp_t *parser);

static const llhttp_settings_t settings = {
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void httpresp_init(struct httpresp *r, const struct httpresp_callbacks *callbacks, void *owner)
{
    *r = (struct httpresp){.callbacks = callbacks, .owner = owner};
    llhttp_init(&r->parser, HTTP_RESPONSE, &settings);
}

void httpresp_deinit(struct httpresp *r)
{
    sp_buf_deinit(&r->text);
    free(r->fields);
    r->fields = NULL;
    r->n_fields = r->max_fields = 0;
}

static void start_message(struct httpresp *r)
{
    llhttp_reset(&r->parser);
    sp_buf_clear(&r->text);
    r->n_fields = 0;
    r->n_head = 0;
    r->is_in_field = false;
    r->is_complete = false;
}

void httpresp_start(struct httpresp *r, bool is_bodiless)
{
    start_message(r);
    r->n_interim = 0;
    r->is_begun = false;
    r->has_head = false;
    r->is_bodiless = is_bodiless;
}

/* Fields after the head are trailers, and are passed over. */
static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
    struct httpresp *r = sp_container_of(parser, struct httpresp, parser);

    if (r->has_head)
        return 0;
    if (!r->is_in_field) {
        if (r->n_fields == r->max_fields) {
            r->max_fields = r->max_fields > 0 ? 2 * r->max_fields : 16;
            r->fields = sp_realloc(r->fields, r->max_fields * sizeof *r->fields);
        }
        r->fields[r->n_fields++] = (struct httpresp_field){.name = r->text.len};
        r->is_in_field = true;
    }
    sp_buf_add(&r->text, (struct sp_str){at, len});
    r->fields[r->n_fields - 1].name_len += len;
    return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
    struct httpresp *r = sp_container_of(parser, struct httpresp, parser);
    struct httpresp_field *f;

    if (r->has_head)
        return 0;
    if (!r->is_in_field)
        return -1; /* llhttp 8 lets an empty name pass, and may not tell it */
    f = &r->fields[r->n_fields - 1];
    if (f->value_len == 0)
        f->value = r->text.len;
    sp_buf_add(&r->text, (struct sp_str){at, len});
    f->value_len += len;
    return 0;
}

static int on_header_value_complete(llhttp_t *parser)
{
    sp_container_of(parser, struct httpresp, parser)->is_in_field = false;
    return 0;
}

static struct sp_str trim(struct sp_str s)
{
    while (s.len > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = sp_str_sub(s, 1, s.len);
    while (s.len > 0 && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static bool is_word(struct sp_str s, struct sp_str word)
{
    return s.len == word.len && strncasecmp(s.p, word.p, word.len) == 0;
}

/* Whether a header says that the body comes in a coding that this client never asks for. */
static bool is_unknown_coding(const struct httpc_header *h)
{
    return is_word(h->name, SP_STR("transfer-encoding")) && !is_word(h->value, SP_STR("chunked"));
}

static int on_headers_complete(llhttp_t *parser)
{
    struct httpresp *r = sp_container_of(parser, struct httpresp, parser);
    struct sp_str text = sp_buf_str(&r->text);
    struct httpc_head head = {.status = llhttp_get_status_code(parser)};
    struct httpc_header *headers;
    bool goes_on = false, is_good = true;

    if (llhttp_get_http_major(parser) != 1 || head.status < 100 || head.status == 101)
        return -1;
    if (head.status < 200)
        return 1;

    headers = sp_malloc(r->n_fields * sizeof *headers);
    for (size_t i = 0; i < r->n_fields; i++) {
        struct httpresp_field f = r->fields[i];

        headers[i].name = sp_str_sub(text, f.name, f.name + f.name_len);
        headers[i].value = trim(sp_str_sub(text, f.value, f.value + f.value_len));
        /* llhttp 8 lets spaces in names pass. */
        is_good = is_good && sp_str_is_token(headers[i].name) && !is_unknown_coding(&headers[i]);
    }
    head.headers = headers;
    head.n_headers = r->n_fields;
    if (is_good) {
        r->has_head = true;
        goes_on = r->callbacks->on_head(r->owner, &head);
    }
    free(headers);
    if (!is_good)
        return -1;

    /* What has no body is complete in any case, whether the owner wants to stop or not. */
    if (r->is_bodiless || head.status == 204 || head.status == 304)
        return 1;
    return goes_on ? 0 : HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct httpresp *r = sp_container_of(parser, struct httpresp, parser);

    /* A body that is gone on with where it was stopped may begin with nothing. */
    if (len == 0)
        return 0;
    return r->callbacks->on_body(r->owner, (struct sp_str){at, len}) ? 0 : HPE_PAUSED;
}

static int on_message_complete(llhttp_t *parser)
{
    struct httpresp *r = sp_container_of(parser, struct httpresp, parser);

    r->is_complete = true;
    r->is_kept_alive = llhttp_should_keep_alive(parser) != 0;
    return HPE_PAUSED;
}

/* Forgets the head of a complete answer, and the memory of a large one. */
static void clear_head(struct httpresp *r)
{
    if (r->text.cap > KEPT_TEXT)
        sp_buf_deinit(&r->text);
    if (r->max_fields > KEPT_FIELDS) {
        free(r->fields);
        r->fields = NULL;
        r->max_fields = 0;
    }
    sp_buf_clear(&r->text);
    r->n_fields = 0;
}

/* Runs the parser over bytes that are within the limit of a head or behind it. */
static enum httpresp_outcome run(struct httpresp *r, struct sp_str bytes, size_t *ret_taken)
{
    llhttp_errno_t err;

    llhttp_resume(&r->parser);
    err = llhttp_execute(&r->parser, bytes.p, bytes.len);
    *ret_taken = bytes.len;
    if (err == HPE_OK)
        return HTTPRESP_MORE;
    if (err != HPE_PAUSED)
        return HTTPRESP_E_BAD;
    *ret_taken = (size_t)(llhttp_get_error_pos(&r->parser) - bytes.p);
    return r->is_complete ? HTTPRESP_DONE : HTTPRESP_STOPPED;
}

enum httpresp_outcome httpresp_feed(struct httpresp *r, struct sp_str bytes, size_t *ret_taken)
{
    enum httpresp_outcome outcome = HTTPRESP_MORE;
    struct sp_str rest = bytes;

    r->is_begun = r->is_begun || bytes.len > 0;
    do {
        size_t len = rest.len, n;

        if (!r->has_head) {
            if (r->n_head == HTTPC_MAX_HEAD && len > 0) {
                outcome = HTTPRESP_E_TOO_LARGE;
                break;
            }
            if (len > HTTPC_MAX_HEAD - r->n_head)
                len = HTTPC_MAX_HEAD - r->n_head;
        }
        outcome = run(r, sp_str_sub(rest, 0, len), &n);
        r->n_head += n; /* counts no longer once there is a head */
        rest = sp_str_sub(rest, n, rest.len);
        if (outcome == HTTPRESP_DONE && !r->has_head) {
            outcome = ++r->n_interim > HTTPC_MAX_INTERIM ? HTTPRESP_E_TOO_LARGE : HTTPRESP_MORE;
            start_message(r);
        }
    } while (outcome == HTTPRESP_MORE && rest.len > 0);

    *ret_taken = bytes.len - rest.len;
    if (outcome == HTTPRESP_DONE)
        clear_head(r);
    return outcome;
}

enum httpresp_outcome httpresp_finish(struct httpresp *r)
{
    /* An answer that has a head and whose body ends with the connection ends by this. */
    if (r->has_head && !r->is_complete) {
        llhttp_resume(&r->parser);
        (void)llhttp_finish(&r->parser); /* on_message_complete() tells whether it is complete */
    }
    return r->is_complete ? HTTPRESP_DONE : HTTPRESP_E_CUT;
}
