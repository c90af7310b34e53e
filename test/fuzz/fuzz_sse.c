/*
 * Feeds a stream of server-sent events in pieces whose sizes the input chooses, and once whole:
 * both must give the same events, ids, retry and outcome.
 *
 * Input: bytes up to the first 0xff are piece sizes, used in turn; the next byte's lowest bit says
 * whether the stream breaks off, its other bits are the longest event's length; the rest is the
 * stream.
 */

#include <stdlib.h>

#include "io/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What came of a stream, as text. */
struct run {
    struct sse sse;
    struct sp_buf events;
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool on_event(void *owner, struct sp_str data)
{
    struct run *run = owner;

    require(data.len <= run->sse.max_event && run->sse.id.len <= run->sse.max_event);
    require(data.len == 0 || data.p[data.len - 1] != '\n');
    require(sp_str_find(data, '\r') == data.len);
    require(run->sse.has_id == (run->sse.id.len > 0));
    sp_buf_addf(&run->events, "event %zu %zu ", run->sse.id.len, data.len);
    sp_buf_add(&run->events, sp_buf_str(&run->sse.id));
    sp_buf_add(&run->events, data);
    return true;
}

/* Feeds `stream` in pieces of the sizes given, each from memory of exactly that length. */
static void play(struct run *run, const uint8_t *sizes, size_t n_sizes, struct sp_str stream,
                 size_t max_event, bool is_broken)
{
    int outcome = 0;

    *run = (struct run){.events = {0}};
    sse_init(&run->sse, max_event, on_event, run);
    for (size_t i = 0; stream.len > 0 && outcome == 0; i++) {
        size_t n = n_sizes > 0 ? sizes[i % n_sizes] : stream.len;
        char *piece;

        n = n < stream.len ? n : stream.len;
        n = n > 0 || i % 2 == 0 ? n : 1; /* sizes that are all zero come to an end too */
        piece = sp_malloc(n);
        memcpy(piece, stream.p, n);
        outcome = sse_feed(&run->sse, (struct sp_str){piece, n});
        free(piece);
        stream = sp_str_sub(stream, n, stream.len);
    }
    if (outcome == 0)
        outcome = sse_finish(&run->sse, is_broken);
    sp_buf_addf(&run->events, "end %d", outcome);
    if (outcome == 0) {
        sp_buf_addf(&run->events, " %d %llu ", run->sse.has_retry,
                    (unsigned long long)run->sse.retry_ms);
        sp_buf_add(&run->events, sp_buf_str(&run->sse.id));
    }
}

static void run_deinit(struct run *run)
{
    sse_deinit(&run->sse);
    sp_buf_deinit(&run->events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t n_sizes = sp_str_find(input, (char)0xff);
    struct sp_str stream = sp_str_sub(input, n_sizes + 2 < size ? n_sizes + 2 : size, size);
    unsigned flags = n_sizes + 1 < size ? data[n_sizes + 1] : 0;
    struct run whole, pieces;

    play(&whole, NULL, 0, stream, flags >> 1, flags & 1);
    play(&pieces, data, n_sizes, stream, flags >> 1, flags & 1);
    require(sp_str_eq(sp_buf_str(&whole.events), sp_buf_str(&pieces.events)));
    run_deinit(&whole);
    run_deinit(&pieces);
    return 0;
}
