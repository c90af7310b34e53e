/*
 * Feeds the framer a stream in pieces whose sizes the input chooses, and holds what it gives
 * against the stream: the lines are the stream, each but the last ends at its only LF.
 *
 * Input: bytes up to the first 0xff are piece sizes, used in turn; the rest is the stream.
 */

#include <stdlib.h>

#include "mcp/framer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Checks one line against the front of what is left of the stream, and moves on. */
static void check_line(struct line *line, struct sp_str *stream, bool is_last)
{
    size_t end = sp_str_find(*stream, '\n');

    require(line->len > 0 && line->from == LINE_SERVER && line->t_ms == 7);
    require(line->len == (is_last ? stream->len : end + 1));
    require(memcmp(line->bytes, stream->p, line->len) == 0);
    *stream = sp_str_sub(*stream, line->len, stream->len);
    line_unref(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t n_sizes = sp_str_find(input, (char)0xff), i = 0;
    struct sp_str stream = sp_str_sub(input, n_sizes < size ? n_sizes + 1 : size, size);
    struct sp_str rest = stream;
    struct framer framer;
    struct line *line;

    framer_init(&framer, LINE_SERVER);
    while (rest.len > 0) {
        size_t n = n_sizes > 0 ? data[i++ % n_sizes] + 1u : rest.len;
        struct sp_str piece = sp_str_sub(rest, 0, n < rest.len ? n : rest.len);

        rest = sp_str_sub(rest, piece.len, rest.len);
        while ((line = framer_next(&framer, &piece, 7)) != NULL)
            check_line(line, &stream, false);
        require(piece.len == 0);
    }
    line = framer_finish(&framer, 7);
    if (line != NULL)
        check_line(line, &stream, true);
    require(stream.len == 0);
    framer_deinit(&framer);
    return 0;
}
