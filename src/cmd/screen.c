/* Recorded text on a terminal. */

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "cmd/screen.h"
#include "trace/sessionid.h"

#define MARK "\xe2\x80\xa6" /* U+2026, an ellipsis */

struct range {
    uint32_t first;
    uint32_t last;
};

/*
 * Blocks of wide characters, and those that stand alone between narrow ones. Where a block has
 * narrow characters they count as wide, so that no line gets longer than it may.
 */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1aff0, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f1e6, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Marks that join the character before them; one that is not here counts as a column too many. */
static const struct range joining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
    {0x2060, 0x2064}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

/* Controls, and what changes the direction or the lines of the text around it. */
static const struct range unsafe[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},   {0x2028, 0x202e},
    {0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

#define IS_IN(table, c) is_in(table, sizeof(table) / sizeof *(table), c)

static bool is_in(const struct range *table, size_t n, uint32_t c)
{
    size_t from = 0;

    while (from < n) {
        size_t middle = from + (n - from) / 2;

        if (c > table[middle].last)
            from = middle + 1;
        else if (c < table[middle].first)
            n = middle;
        else
            return true;
    }
    return false;
}

/* Appends a character as it may be shown; the columns that it takes. */
static size_t put_char(struct sp_buf *b, uint32_t c)
{
    char bytes[4];
    size_t len = b->len;

    if (c >= 0x20 && c < 0x7f) {
        sp_buf_add_char(b, (char)c);
        return 1;
    }
    if (IS_IN(unsafe, c)) {
        if (c > 0xffff)
            sp_buf_addf(b, "\\u{%" PRIx32 "}", c);
        else if (c == '\n' || c == '\r' || c == '\t')
            sp_buf_addf(b, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else
            sp_buf_addf(b, "\\u%04" PRIx32, c);
        return b->len - len;
    }
    sp_buf_add(b, (struct sp_str){bytes, sp_utf8_encode(c, bytes)});
    return IS_IN(wide, c) ? 2 : IS_IN(joining, c) ? 0 : 1;
}

size_t screen_put(struct sp_buf *b, struct sp_str text, size_t max)
{
    size_t start = b->len, width = 0;
    size_t cut_len = start, cut_width = 0; /* what still leaves room for the mark */
    bool is_space = false;

    while (text.len > 0) {
        uint32_t c = sp_utf8_next(&text);

        if (sp_unicode_is_space(c)) {
            is_space = b->len > start;
            continue;
        }
        if (is_space)
            width += put_char(b, ' ');
        is_space = false;
        width += put_char(b, c);
        if (width > max) {
            b->len = cut_len;
            if (max == 0)
                return 0;
            sp_buf_add(b, SP_STR(MARK));
            return cut_width + 1;
        }
        if (width < max) {
            cut_len = b->len;
            cut_width = width;
        }
    }
    return width;
}

static void put_spaces(struct sp_buf *b, size_t n)
{
    while (n-- > 0)
        sp_buf_add_char(b, ' ');
}

void screen_put_left(struct sp_buf *b, struct sp_str text, size_t width)
{
    put_spaces(b, width - screen_put(b, text, width));
}

void screen_put_right(struct sp_buf *b, struct sp_str text, size_t width)
{
    struct sp_buf shown = {0};

    put_spaces(b, width - screen_put(&shown, text, width));
    sp_buf_add(b, sp_buf_str(&shown));
    sp_buf_deinit(&shown);
}

void screen_put_block(struct sp_buf *b, struct sp_str text, size_t indent)
{
    while (text.len > 0) {
        uint32_t c = sp_utf8_next(&text);

        if (c == '\n') {
            sp_buf_add_char(b, '\n');
            if (text.len > 0 && text.p[0] != '\n')
                put_spaces(b, indent);
        } else {
            put_char(b, c);
        }
    }
}

void screen_put_instant(struct sp_buf *b, uint64_t unix_ms)
{
    char id[SESSIONID_SIZE]; /* YYYYMMDDTHHMMSS.mmmZ-PID */
    const char *day, *time;
    int year_len;

    sessionid_make(unix_ms, 0, id);
    time = strchr(id, 'T') + 1;
    day = time - 5;
    year_len = (int)(day - id);
    sp_buf_addf(b, "%.*s-%.2s-%.2s %.2s:%.2s:%.2s", year_len, id, day, day + 2, time, time + 2,
                time + 4);
}

void screen_put_duration(struct sp_buf *b, uint64_t ms)
{
    uint64_t s = ms / 1000;

    if (ms < 1000)
        sp_buf_addf(b, "%" PRIu64 "ms", ms);
    else if (s < 60)
        sp_buf_addf(b, "%" PRIu64 ".%" PRIu64 "s", s, ms % 1000 / 100);
    else if (s < 3600)
        sp_buf_addf(b, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
    else if (s < 86400)
        sp_buf_addf(b, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
    else
        sp_buf_addf(b, "%" PRIu64 "d%02" PRIu64 "h", s / 86400, s / 3600 % 24);
}

bool screen_has_colours(FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return isatty(fileno(out)) == 1 && (no_color == NULL || no_color[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0;
}
