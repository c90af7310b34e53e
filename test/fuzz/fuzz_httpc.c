/*
 * Feeds answers to the HTTP client's reader in pieces whose sizes the input chooses, with stops,
 * and whole; both must see the same.
 *
 * Input: bytes up to the first 0xff are piece sizes, used in turn; an odd one makes the callbacks
 * during that piece ask to stop. The rest is what the server sends before it closes.
 */

#include <stdlib.h>

#include "io/httpresp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the reader told. */
struct view {
    struct sp_buf text; /* status, headers and body */
    bool stops;
    bool has_head;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool on_head(void *owner, const struct httpc_head *head)
{
    struct view *v = owner;

    require(!v->has_head && head->status >= 200);
    v->has_head = true;
    sp_buf_addf(&v->text, "%u\n", head->status);
    for (size_t i = 0; i < head->n_headers; i++) {
        require(head->headers[i].name.len > 0);
        sp_buf_add(&v->text, head->headers[i].name);
        sp_buf_add_char(&v->text, ':');
        sp_buf_add(&v->text, head->headers[i].value);
        sp_buf_add_char(&v->text, '\n');
    }
    return !v->stops;
}

static bool on_body(void *owner, struct sp_str bytes)
{
    struct view *v = owner;

    require(v->has_head && bytes.len > 0);
    sp_buf_add(&v->text, bytes);
    return !v->stops;
}

static const struct httpresp_callbacks callbacks = {on_head, on_body};

/* Reads an answer; gives its outcome, and how many bytes were taken when it is complete. */
static enum httpresp_outcome read_all(struct view *v, struct sp_str stream, const uint8_t *sizes,
                                      size_t n_sizes, size_t *ret_taken)
{
    enum httpresp_outcome outcome = HTTPRESP_MORE;
    struct sp_str rest = stream;
    struct httpresp r;
    size_t i = 0;

    httpresp_init(&r, &callbacks, v);
    httpresp_start(&r, false);
    while (outcome == HTTPRESP_MORE && rest.len > 0) {
        size_t size = n_sizes > 0 ? sizes[i % n_sizes] + 1u : rest.len, n;

        v->stops = n_sizes > 0 && sizes[i % n_sizes] % 2 == 1;
        i++;
        size = size < rest.len ? size : rest.len;
        do {
            outcome = httpresp_feed(&r, sp_str_sub(rest, 0, size), &n);
            require(n <= size && (outcome != HTTPRESP_MORE || n == size));
            require(outcome != HTTPRESP_STOPPED || v->stops);
            rest = sp_str_sub(rest, n, rest.len);
            size -= n;
        } while (outcome == HTTPRESP_STOPPED);
    }
    if (outcome == HTTPRESP_MORE)
        outcome = httpresp_finish(&r);
    *ret_taken = outcome == HTTPRESP_DONE ? stream.len - rest.len : 0;
    httpresp_deinit(&r);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t n_sizes = sp_str_find(input, (char)0xff), n_pieces, n_whole;
    struct sp_str stream = sp_str_sub(input, n_sizes < size ? n_sizes + 1 : size, size);
    struct view pieces = {0}, whole = {0};
    enum httpresp_outcome outcome = read_all(&whole, stream, NULL, 0, &n_whole);

    require(outcome == read_all(&pieces, stream, data, n_sizes, &n_pieces));
    require(n_pieces == n_whole);
    require(sp_str_eq(sp_buf_str(&pieces.text), sp_buf_str(&whole.text)));
    sp_buf_deinit(&pieces.text);
    sp_buf_deinit(&whole.text);
    return 0;
}
