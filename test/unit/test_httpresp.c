/* Tests of io/httpresp.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/httpresp.h"

/* What was read, and when to stop. */
struct reading {
    struct sp_buf seen; /* "STATUS|name=value|…|" and the body */
    bool stops;         /* each callback asks to stop */
    size_t n_stops;
};

static bool on_head(void *owner, const struct httpc_head *head)
{
    struct reading *g = owner;

    sp_buf_addf(&g->seen, "%u|", head->status);
    for (size_t i = 0; i < head->n_headers; i++)
        sp_buf_addf(&g->seen, "%.*s=%.*s|", SP_STR_ARG(head->headers[i].name),
                    SP_STR_ARG(head->headers[i].value));
    g->n_stops++;
    return !g->stops;
}

static bool on_body(void *owner, struct sp_str bytes)
{
    struct reading *g = owner;

    assert_true(bytes.len > 0);
    sp_buf_add(&g->seen, bytes);
    g->n_stops++;
    return !g->stops;
}

static const struct httpresp_callbacks callbacks = {on_head, on_body};

struct result {
    enum httpresp_outcome outcome;
    size_t n_left;
    bool is_kept_alive;
};

/* Feeds all of a piece, going on after each stop. */
static enum httpresp_outcome feed(struct httpresp *r, struct sp_str *piece)
{
    enum httpresp_outcome outcome;
    size_t n;

    do {
        outcome = httpresp_feed(r, *piece, &n);
        assert_true(n <= piece->len);
        *piece = sp_str_sub(*piece, n, piece->len);
    } while (outcome == HTTPRESP_STOPPED);
    if (outcome == HTTPRESP_MORE)
        assert_int_equal(piece->len, 0);
    return outcome;
}

/* Reads a text cut at two places, each piece in memory of its own. */
static struct result read_cut(struct httpresp *r, struct sp_str text, size_t a, size_t b)
{
    size_t cuts[] = {0, a, b, text.len};
    struct result result = {.outcome = HTTPRESP_MORE};

    for (size_t i = 0; i < 3 && result.outcome == HTTPRESP_MORE; i++) {
        struct sp_str part = sp_str_sub(text, cuts[i], cuts[i + 1]), piece;
        char *copy = sp_malloc(part.len);

        memcpy(copy, part.p, part.len);
        piece = (struct sp_str){copy, part.len};
        if (part.len > 0)
            result.outcome = feed(r, &piece);
        result.n_left = piece.len + (text.len - cuts[i + 1]);
        free(copy);
    }
    if (result.outcome == HTTPRESP_MORE)
        result.outcome = httpresp_finish(r);
    result.is_kept_alive = result.outcome == HTTPRESP_DONE && r->is_kept_alive;
    return result;
}

struct answer_case {
    const char *text;
    const char *seen;
    enum httpresp_outcome outcome;
    bool is_kept_alive;
    size_t n_left;
};

static const struct answer_case answer_cases[] = {
    /* Bodies by length, by chunks, by the end of the connection, and none. */
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200|Content-Length=5|hello",
     HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", "200|Content-Length=2|he", HTTPRESP_DONE,
     true, 3},
    {"HTTP/1.1 200\r\ncontent-length:0\r\n\r\n", "200|content-length=0|", HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n"
     "0\r\nTrailer: x\r\n\r\n",
     "200|Transfer-Encoding=chunked|abc0123456789", HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 200 OK\r\nA: b\r\n\r\nto the end", "200|A=b|to the end", HTTPRESP_DONE, false, 0},
    {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\nHTTP/1.1 200",
     "202|Content-Length=0|Connection=close|", HTTPRESP_DONE, false, 12},
    {"HTTP/1.1 204 No Content\r\n\r\n", "204|", HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc", "204|Content-Length=3|",
     HTTPRESP_DONE, true, 3},
    {"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
     "304|Transfer-Encoding=chunked|", HTTPRESP_DONE, true, 0},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "200|Content-Length=1|x", HTTPRESP_DONE,
     false, 0},
    {"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx",
     "200|Content-Length=1|Connection=keep-alive|x", HTTPRESP_DONE, true, 0},

    /* Headers: white space around values, empty values, any bytes above ASCII, repetition. */
    {"HTTP/1.1 204 \r\nA:\r\nB: \t x  y \t\r\nA: \xff\r\nC:z\r\n\r\n", "204|A=|B=x  y|A=\xff|C=z|",
     HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 204 \xc3\xa4\r\nEmpty:\r\n\r\n", "204|Empty=|", HTTPRESP_DONE, true, 0},

    /* Interim answers, even such as end the connection or claim a body. */
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n", "204|", HTTPRESP_DONE, true, 0},
    {"HTTP/1.1 103 Early\r\nLink: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
     "HTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny",
     "200|Content-Length=1|y", HTTPRESP_DONE, true, 0},

    /* No answer. */
    {"SSH-2.0-OpenSSH_9.2\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"<html>\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/2.0 200 OK\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/0.9 200 OK\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 99 OK\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\n: c\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nA: b\r\n: c\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "",
     HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "",
     HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "",
     HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "", HTTPRESP_E_BAD, false,
     0},
    {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n", "", HTTPRESP_E_BAD, false,
     0},

    /* Bodies that are not well-formed, or end early. */
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
     "200|Transfer-Encoding=chunked|", HTTPRESP_E_BAD, false, 0},
    {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
     "200|Transfer-Encoding=chunked|abc", HTTPRESP_E_CUT, false, 0},
    {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", "200|Content-Length=6|hello",
     HTTPRESP_E_CUT, false, 0},
    {"HTTP/1.1 200 OK\r\nContent-Le", "", HTTPRESP_E_CUT, false, 0},
    {"HTTP/1.1 100 Continue\r\n\r\n", "", HTTPRESP_E_CUT, false, 0},
};

static void check(const struct answer_case *c, struct httpresp *r, struct reading *g, size_t a,
                  size_t b)
{
    struct sp_str text = sp_str_of(c->text);
    struct result got;

    httpresp_start(r, false);
    sp_buf_clear(&g->seen);
    got = read_cut(r, text, a, b);
    if (got.outcome != c->outcome || strcmp(sp_buf_cstr(&g->seen), c->seen) != 0)
        fail_msg("cut at %zu and %zu: outcome %d, seen \"%s\" of:\n%s", a, b, got.outcome,
                 sp_buf_cstr(&g->seen), c->text);
    assert_int_equal(got.is_kept_alive, c->is_kept_alive);
    if (got.outcome == HTTPRESP_DONE)
        assert_int_equal(got.n_left, c->n_left);
}

static void check_cuts(bool stops)
{
    struct reading g = {.stops = stops};
    struct httpresp r;

    httpresp_init(&r, &callbacks, &g);
    for (size_t i = 0; i < sizeof answer_cases / sizeof *answer_cases; i++) {
        size_t len = strlen(answer_cases[i].text);

        for (size_t a = 0; a <= len; a++)
            for (size_t b = a; b <= len; b += b + 8 < len && b > a + 2 ? 7 : 1)
                check(&answer_cases[i], &r, &g, a, b);
    }
    httpresp_deinit(&r);
    sp_buf_deinit(&g.seen);
}

static void httpresp_reads_answers_in_any_pieces(void **state)
{
    (void)state;
    check_cuts(false);
}

static void httpresp_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    check_cuts(true);
}

static void httpresp_stops_at_every_callback_when_asked(void **state)
{
    struct reading g = {.stops = true};
    struct sp_str text = SP_STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    struct httpresp r;
    size_t n;

    (void)state;
    httpresp_init(&r, &callbacks, &g);
    httpresp_start(&r, false);
    assert_int_equal(httpresp_feed(&r, text, &n), HTTPRESP_STOPPED);
    assert_int_equal(g.n_stops, 1);
    text = sp_str_sub(text, n, text.len);
    assert_int_equal(httpresp_feed(&r, text, &n), HTTPRESP_STOPPED);
    assert_int_equal(g.n_stops, 2);
    text = sp_str_sub(text, n, text.len);
    assert_int_equal(text.len, 0);
    assert_int_equal(httpresp_feed(&r, text, &n), HTTPRESP_DONE);
    httpresp_deinit(&r);
    sp_buf_deinit(&g.seen);
}

static void httpresp_takes_an_answer_to_connect_as_bodiless(void **state)
{
    struct reading g = {0};
    struct sp_str text = SP_STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    struct httpresp r;
    size_t n;

    (void)state;
    httpresp_init(&r, &callbacks, &g);
    httpresp_start(&r, true);
    assert_int_equal(httpresp_feed(&r, text, &n), HTTPRESP_DONE);
    assert_int_equal(text.len - n, 5);
    httpresp_deinit(&r);
    sp_buf_deinit(&g.seen);
}

/* An answer whose head has `n_head` bytes, by one long header. */
static void put_answer(struct sp_buf *b, size_t n_head)
{
    static const char start[] = "HTTP/1.1 204 No\r\nA: ", end[] = "\r\n\r\n";
    size_t n = n_head - (sizeof start - 1) - (sizeof end - 1);

    sp_buf_add(b, SP_STR(start));
    memset(sp_buf_reserve(b, n), 'a', n);
    b->len += n;
    sp_buf_add(b, SP_STR(end));
}

static void httpresp_limits_the_head_to_the_byte(void **state)
{
    static const size_t pieces[] = {SIZE_MAX, 65536, 1000, 7};

    (void)state;
    for (size_t over = 0; over < 2; over++) {
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            enum httpresp_outcome outcome = HTTPRESP_MORE;
            struct reading g = {0};
            struct sp_buf b = {0};
            struct httpresp r;
            size_t n;

            put_answer(&b, HTTPC_MAX_HEAD + over);
            httpresp_init(&r, &callbacks, &g);
            httpresp_start(&r, false);
            for (size_t at = 0; at < b.len && outcome == HTTPRESP_MORE; at += pieces[i]) {
                size_t len = b.len - at < pieces[i] ? b.len - at : pieces[i];

                outcome = httpresp_feed(&r, (struct sp_str){b.p + at, len}, &n);
                if (len == b.len - at)
                    break;
            }
            assert_int_equal(outcome, over > 0 ? HTTPRESP_E_TOO_LARGE : HTTPRESP_DONE);
            httpresp_deinit(&r);
            sp_buf_deinit(&g.seen);
            sp_buf_deinit(&b);
        }
    }
}

static void httpresp_limits_white_space_in_a_head_too(void **state)
{
    struct reading g = {0};
    struct sp_buf b = {0};
    struct httpresp r;
    size_t n;

    (void)state;
    sp_buf_add(&b, SP_STR("HTTP/1.1 204 No\r\nA: "));
    memset(sp_buf_reserve(&b, HTTPC_MAX_HEAD), ' ', HTTPC_MAX_HEAD);
    b.len += HTTPC_MAX_HEAD;
    httpresp_init(&r, &callbacks, &g);
    httpresp_start(&r, false);
    assert_int_equal(httpresp_feed(&r, sp_buf_str(&b), &n), HTTPRESP_E_TOO_LARGE);
    httpresp_deinit(&r);
    sp_buf_deinit(&b);
}

static void httpresp_limits_interim_answers(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        struct reading g = {0};
        struct sp_buf b = {0};
        struct httpresp r;
        size_t n;

        for (size_t i = 0; i < HTTPC_MAX_INTERIM + over; i++)
            sp_buf_add(&b, SP_STR("HTTP/1.1 103 Early\r\nA: b\r\n\r\n"));
        sp_buf_add(&b, SP_STR("HTTP/1.1 204 No\r\n\r\n"));
        httpresp_init(&r, &callbacks, &g);
        httpresp_start(&r, false);
        assert_int_equal(httpresp_feed(&r, sp_buf_str(&b), &n),
                         over > 0 ? HTTPRESP_E_TOO_LARGE : HTTPRESP_DONE);
        httpresp_deinit(&r);
        sp_buf_deinit(&g.seen);
        sp_buf_deinit(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(httpresp_reads_answers_in_any_pieces),
        cmocka_unit_test(httpresp_goes_on_where_it_was_stopped),
        cmocka_unit_test(httpresp_stops_at_every_callback_when_asked),
        cmocka_unit_test(httpresp_takes_an_answer_to_connect_as_bodiless),
        cmocka_unit_test(httpresp_limits_the_head_to_the_byte),
        cmocka_unit_test(httpresp_limits_white_space_in_a_head_too),
        cmocka_unit_test(httpresp_limits_interim_answers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
