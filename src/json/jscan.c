/*
 * The strict JSON scanner.
 *
 * scan() walks the text once, value by value. The brackets that are still open stand on a stack of
 * their closing halves, so that nothing recurses. Strings take most of a message's bytes: their
 * plain runs are skipped by vectors or machine words (jbytes.h), and what is left, escapes and
 * sequences of UTF-8, is checked one by one. scan() is compiled once
 * for each set of rules.
 */

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_utf8_seq.h"
#include "json/jbytes.h"
#include "json/jget.h"
#include "json/jscan.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What ends a value, or NULL where it is malformed. `p` is before `end` in each. */
typedef const char *(*string_end_fn)(const char *p, const char *end);
typedef const char *(*number_end_fn)(const char *p, const char *end);
typedef const char *(*plain_end_fn)(const char *p, const char *end);

/* What one way of scanning is made of; constant, so that the compiler puts it in its place. */
struct rules {
    string_end_fn string_end;
    number_end_fn number_end;
    bool grows; /* brackets may nest deeper than the stack that is there at first */
};

/* The members of the outermost object that a caller may want. */
struct members {
    struct jscan found;
    struct sp_str *slot; /* where the value under way belongs; NULL when nobody wants it */
    const char *start;   /* of the value under way */
};

/*
 * The significant digits of 2^1024 - 2^970, which lies halfway between the largest double and the
 * next power of two: the smallest number that rounds to infinity, 1.79...e308.
 */
static const char infinity_digits[] =
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
    "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845"
    "817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559"
    "699508093042880177904174497792";

/*
 * Whether a number rounds to a finite double.
 *
 * digits:       the number without its sign.
 * point:        the end of its whole part.
 * mantissa_end: the end of its fraction, or `point` if it has none.
 * exponent:     0 if it has none.
 */
static bool is_finite(const char *digits, const char *point, const char *mantissa_end,
                      int64_t exponent)
{
    const char *lead = digits;
    const char *limit = infinity_digits;
    int64_t magnitude = exponent; /* the decimal exponent of the first digit that is not 0 */

    if (*lead != '0') {
        magnitude += point - lead - 1;
    } else {
        for (lead = point; lead < mantissa_end && (*lead == '.' || *lead == '0'); lead++)
            ;
        magnitude -= lead - point;
    }
    if (lead == mantissa_end || magnitude != 308)
        return lead == mantissa_end || magnitude < 308;

    for (; lead < mantissa_end && *limit != '\0'; lead++) {
        if (*lead == '.')
            continue;
        if (*lead != *limit)
            return *lead < *limit;
        limit++;
    }
    /* The limit's last digit is not 0, so a number that stops short of it is less. */
    return *limit != '\0';
}

static ALWAYS_INLINE const char *number_end(const char *p, const char *end, bool must_be_finite)
{
    const char *digits = *p == '-' ? p + 1 : p;
    const char *point;
    const char *mantissa_end;
    int64_t exponent = 0;

    point = digits < end && *digits == '0' ? digits + 1 : jbytes_digits_end(digits, end);
    if (point == digits)
        return NULL;
    p = point;
    if (p < end && *p == '.') {
        p = jbytes_digits_end(point + 1, end);
        if (p == point + 1)
            return NULL;
    }
    mantissa_end = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool is_negative = false;
        const char *exponent_start;

        p++;
        if (p < end && (*p == '-' || *p == '+'))
            is_negative = *p++ == '-';
        exponent_start = p;
        for (; p < end && *p >= '0' && *p <= '9'; p++) {
            if (exponent < INT64_MAX / 100) /* far beyond what the length of any text evens out */
                exponent = exponent * 10 + (*p - '0');
        }
        if (p == exponent_start)
            return NULL;
        if (is_negative)
            exponent = -exponent;
    }
    /* Without an exponent 308 digits stay below 1e308. */
    if (must_be_finite && (p != mantissa_end || point - digits > 308) &&
        !is_finite(digits, point, mantissa_end, exponent))
        return NULL;
    return p;
}

static const char *finite_number_end(const char *p, const char *end)
{
    return number_end(p, end, true);
}

static const char *any_number_end(const char *p, const char *end)
{
    return number_end(p, end, false);
}

static const char *word_end(const char *p, const char *end, struct sp_str word)
{
    if ((size_t)(end - p) < word.len || memcmp(p, word.p, word.len) != 0)
        return NULL;
    return p + word.len;
}

/* `p` is at the backslash of a \u escape; where pairs must be whole, both halves are taken. */
static ALWAYS_INLINE const char *unicode_escape_end(const char *p, const char *end,
                                                    bool must_be_paired)
{
    int unit = end - p >= 6 ? jbytes_hex4(p + 2) : -1;

    if (unit < 0)
        return NULL;
    if (!must_be_paired || unit < 0xd800 || unit > 0xdfff)
        return p + 6;
    if (unit > 0xdbff || end - p < 12 || p[6] != '\\' || p[7] != 'u')
        return NULL;
    unit = jbytes_hex4(p + 8);
    return unit >= 0xdc00 && unit <= 0xdfff ? p + 12 : NULL;
}

static ALWAYS_INLINE const char *escape_end(const char *p, const char *end, bool must_be_paired)
{
    if (end - p < 2)
        return NULL;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return p + 2;
    case 'u':
        return unicode_escape_end(p, end, must_be_paired);
    default:
        return NULL;
    }
}

/* Takes all the non-ASCII characters that follow one another; a control character is refused. */
static ALWAYS_INLINE const char *non_ascii_end(const char *p, const char *end)
{
    do {
        size_t len = sp_utf8_seq_len((const unsigned char *)p, (size_t)(end - p));

        if (len == 0)
            return NULL;
        p += len;
    } while (p < end && (unsigned char)*p >= 0x80);
    return p;
}

static ALWAYS_INLINE const char *string_end(const char *p, const char *end, plain_end_fn plain_end,
                                            bool must_be_paired)
{
    for (p++; p != NULL;) {
        p = plain_end(p, end);
        if (p == end)
            return NULL;
        if (*p == '"')
            return p + 1;
        p = *p == '\\' ? escape_end(p, end, must_be_paired) : non_ascii_end(p, end);
    }
    return NULL;
}

static const char *string_end_fast(const char *p, const char *end)
{
    return string_end(p, end, jbytes_plain_end, true);
}

static const char *string_end_unpaired(const char *p, const char *end)
{
    return string_end(p, end, jbytes_plain_end, false);
}

static const char *string_end_portable(const char *p, const char *end)
{
    return string_end(p, end, jbytes_plain_end_portable, true);
}

/* The end of a value that is no array and no object. */
static ALWAYS_INLINE const char *scalar_end(const char *p, const char *end,
                                            const struct rules *rules)
{
    switch (*p) {
    case '"':
        return rules->string_end(p, end);
    case 't':
        return word_end(p, end, SP_STR("true"));
    case 'f':
        return word_end(p, end, SP_STR("false"));
    case 'n':
        return word_end(p, end, SP_STR("null"));
    default:
        return rules->number_end(p, end);
    }
}

/* The place of the member called `text`, if `name` (quotes included) is that. */
static struct sp_str *slot_if(struct sp_str name, struct sp_str text, struct sp_str *slot)
{
    return jget_is_text(name, text) ? slot : NULL;
}

/* Where the value of the member `name` goes; NULL if nowhere. */
static struct sp_str *slot_of(struct jscan *found, struct sp_str name)
{
    struct sp_str *slot = NULL;

    /* The first character tells the five apart, unless it is escaped. */
    switch (name.p[1]) {
    case 'i':
        return slot_if(name, SP_STR("id"), &found->id);
    case 'm':
        return slot_if(name, SP_STR("method"), &found->method);
    case 'p':
        return slot_if(name, SP_STR("params"), &found->params);
    case 'r':
        return slot_if(name, SP_STR("result"), &found->result);
    case 'e':
        return slot_if(name, SP_STR("error"), &found->error);
    case '\\':
        slot = slot_if(name, SP_STR("id"), &found->id);
        slot = slot != NULL ? slot : slot_if(name, SP_STR("method"), &found->method);
        slot = slot != NULL ? slot : slot_if(name, SP_STR("params"), &found->params);
        slot = slot != NULL ? slot : slot_if(name, SP_STR("result"), &found->result);
        return slot != NULL ? slot : slot_if(name, SP_STR("error"), &found->error);
    default:
        return NULL;
    }
}

/* The member's name is `name`, and its value begins at `value`. */
static void members_begin(struct members *m, struct sp_str name, const char *value)
{
    struct sp_str *slot = slot_of(&m->found, name);

    m->slot = slot != NULL && slot->p == NULL ? slot : NULL; /* the first of a name counts */
    m->start = value;
}

static void members_end(struct members *m, const char *value_end)
{
    if (m->slot == NULL)
        return;
    *m->slot = (struct sp_str){m->start, (size_t)(value_end - m->start)};
    m->slot = NULL;
}

/* Takes a member's name and colon, and gives the beginning of its value. */
static ALWAYS_INLINE const char *name_end(const char *p, const char *end, struct members *m,
                                          bool is_outermost, const struct rules *rules)
{
    struct sp_str name = {p, 0};

    if (p == end || *p != '"')
        return NULL;
    p = rules->string_end(p, end);
    if (p == NULL)
        return NULL;
    name.len = (size_t)(p - name.p);
    p = jbytes_space_end(p, end);
    if (p == end || *p != ':')
        return NULL;
    p = jbytes_space_end(p + 1, end);
    if (is_outermost)
        members_begin(m, name, p);
    return p;
}

/* The closing halves of the brackets that may be open. */
struct closers {
    char *p;
    size_t max;
    char *heap; /* `p` when it has grown; NULL before */
};

static void closers_grow(struct closers *c)
{
    char *p = sp_malloc(2 * c->max);

    memcpy(p, c->p, c->max);
    free(c->heap);
    c->heap = p;
    c->p = p;
    c->max *= 2;
}

/* Scans the value at `p`; gives its end, or NULL if it is malformed. */
static ALWAYS_INLINE const char *value_end(const char *p, const char *end, struct closers *closers,
                                           struct members *m, const struct rules *rules)
{
    size_t depth = 0;

    for (;;) {
        /* A value begins at p. */
        if (p == end)
            return NULL;
        if (*p == '{' || *p == '[') {
            char closer = *p == '{' ? '}' : ']';

            if (depth == closers->max) {
                if (!rules->grows)
                    return NULL;
                closers_grow(closers);
            }
            closers->p[depth++] = closer;
            p = jbytes_space_end(p + 1, end);
            if (p == end)
                return NULL;
            if (*p != closer) {
                if (closer == '}')
                    p = name_end(p, end, m, depth == 1, rules);
                if (p == NULL)
                    return NULL;
                continue;
            }
        } else {
            p = scalar_end(p, end, rules);
            if (p == NULL)
                return NULL;
        }

        /* A value ended at p, or it is an empty one's closing bracket that stands there. */
        for (;;) {
            if (depth <= 1) {
                if (depth == 0)
                    return p;
                members_end(m, p);
            }
            p = jbytes_space_end(p, end);
            if (p == end)
                return NULL;
            if (*p == ',')
                break;
            if (*p != closers->p[depth - 1])
                return NULL;
            p++;
            depth--;
        }
        p = jbytes_space_end(p + 1, end);
        if (closers->p[depth - 1] == '}')
            p = name_end(p, end, m, depth == 1, rules);
        if (p == NULL)
            return NULL;
    }
}

static ALWAYS_INLINE bool scan(struct sp_str text, unsigned max_depth, struct jscan *ret,
                               const struct rules *rules)
{
    char first_closers[JSCAN_MAX_DEPTH];
    struct closers closers = {.p = first_closers, .max = max_depth};
    const char *start;
    const char *stop;
    const char *end;
    struct members m = {0};

    assert(max_depth >= 1 && max_depth <= JSCAN_MAX_DEPTH);
    if (text.len == 0)
        return false;
    end = text.p + text.len;
    start = jbytes_space_end(text.p, end);
    stop = value_end(start, end, &closers, &m, rules);
    free(closers.heap);
    if (stop == NULL || jbytes_space_end(stop, end) != end)
        return false;
    m.found.value = (struct sp_str){start, (size_t)(stop - start)};
    m.found.type = jget_type(m.found.value);
    *ret = m.found;
    return true;
}

bool jscan(struct sp_str text, unsigned max_depth, struct jscan *ret)
{
    static const struct rules rules = {string_end_fast, finite_number_end, false};

    return scan(text, max_depth, ret, &rules);
}

bool jscan_portable(struct sp_str text, unsigned max_depth, struct jscan *ret)
{
    static const struct rules rules = {string_end_portable, finite_number_end, false};

    return scan(text, max_depth, ret, &rules);
}

bool jscan_grammar(struct sp_str text, struct jscan *ret)
{
    static const struct rules rules = {string_end_unpaired, any_number_end, true};

    return scan(text, JSCAN_MAX_DEPTH, ret, &rules);
}
