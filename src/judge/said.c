/* Whether a message states a value. */

#include "base/sp_unicode.h"
#include "judge/said.h"
#include "judge/scalars.h"

#define DIGITS "0123456789"

/* Digits that name something without the words before them. */
#define MIN_ID_DIGITS 4

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How much of `s` from its beginning is made of the characters in `set`. */
static size_t span_of(struct sp_str s, struct sp_str set)
{
    size_t n = 0;

    while (n < s.len && sp_str_find(set, s.p[n]) < set.len)
        n++;
    return n;
}

static void add_without_commas(struct saidtext *ret, struct sp_str text)
{
    while (text.len > 0) {
        size_t end = sp_str_find(text, ',');

        saidtext_add(ret, sp_str_sub(text, 0, end));
        text = sp_str_sub(text, end < text.len ? end + 1 : end, text.len);
    }
}

void said_init(struct said *ret, struct sp_str message)
{
    struct sp_buf lower = {0};
    struct sp_str text;

    sp_unicode_put_lower(&lower, message);
    text = sp_buf_str(&lower);
    *ret = (struct said){.has_commas = sp_str_find(text, ',') < text.len};
    saidtext_add(&ret->text, text);
    if (ret->has_commas)
        add_without_commas(&ret->plain, text);
    sp_buf_deinit(&lower);
}

void said_deinit(struct said *s)
{
    saidtext_deinit(&s->text);
    saidtext_deinit(&s->plain);
}

/*
 * Whether `part`, which is not empty, occurs with no digit right after it and none of the
 * characters in `barred`, which has all digits, right before it.
 */
static bool stands_alone(const struct saidtext *t, struct sp_str part, struct sp_str barred)
{
    struct sp_str text = saidtext_str(t);
    size_t from = 0;
    const char *hit;

    if (!saidtext_has(t, part))
        return false;
    while ((hit = memmem(text.p + from, text.len - from, part.p, part.len)) != NULL) {
        size_t at = (size_t)(hit - text.p), end = at + part.len;

        if ((at == 0 || sp_str_find(barred, text.p[at - 1]) == barred.len) &&
            (end == text.len || !is_digit(text.p[end])))
            return true;
        /* Within a run of digits there is no other place for a number to begin. */
        from = at + 1;
        if (is_digit(*hit))
            from += span_of(sp_str_sub(text, from, text.len), SP_STR(DIGITS));
    }
    return false;
}

static bool is_number(struct sp_str value)
{
    size_t from = sp_str_starts(value, SP_STR("-")) ? 1 : 0;
    struct sp_str rest = sp_str_sub(value, from, value.len);

    return rest.len > 0 && span_of(rest, SP_STR(DIGITS ".,")) == rest.len;
}

static bool has_number(const struct said *s, struct sp_str number)
{
    if (sp_str_find(number, '.') < number.len) {
        while (sp_str_ends(number, SP_STR("0")))
            number.len--;
        while (sp_str_ends(number, SP_STR(".")))
            number.len--;
    }
    return number.len > 0 &&
           stands_alone(s->has_commas ? &s->plain : &s->text, number, SP_STR(DIGITS "."));
}

/* The digits of an id of lower-case words and digits ("gift_card_1234567"); empty for others. */
static struct sp_str id_digits(struct sp_str value)
{
    size_t words = span_of(value, SP_STR("abcdefghijklmnopqrstuvwxyz_"));
    struct sp_str digits = sp_str_sub(value, words, value.len);
    bool is_id = words >= 2 && value.p[words - 1] == '_' && digits.len >= MIN_ID_DIGITS &&
                 span_of(digits, SP_STR(DIGITS)) == digits.len;

    return is_id ? digits : SP_STR("");
}

bool said_has(const struct said *s, struct sp_str value)
{
    struct sp_str digits;

    if (value.len == 0)
        return true;
    if (is_number(value))
        return has_number(s, value);
    digits = id_digits(value);
    if (digits.len > 0 && stands_alone(&s->text, digits, SP_STR(DIGITS)))
        return true;
    /* A text that holds the value holds it without its number signs too. */
    return saidtext_has(&s->text, sp_str_sub(value, span_of(value, SP_STR("#")), value.len));
}
