/* How headers write values. */

#include <stdint.h>

#include "base/sp_base64.h"
#include "base/sp_utf8.h"
#include "json/jget.h"
#include "mcp/paramvalue.h"

/* The sentinel around base64. */
#define SENTINEL_START SP_STR("=?base64?")
#define SENTINEL_END   SP_STR("?=")

/* The digits of the largest double; a number with an exponent is not written out any further. */
#define MAX_DIGITS 309

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_plain_value(struct sp_str text)
{
    if (text.len == 0)
        return true;
    for (size_t i = 0; i < text.len; i++) {
        if ((text.p[i] < 0x20 || text.p[i] > 0x7e) && text.p[i] != '\t')
            return false;
    }
    if (is_blank(text.p[0]) || is_blank(text.p[text.len - 1]))
        return false;
    return !sp_str_starts(text, SENTINEL_START) || !sp_str_ends(text, SENTINEL_END);
}

void paramvalue_put(struct sp_buf *ret, struct sp_str text)
{
    if (is_plain_value(text)) {
        sp_buf_add(ret, text);
        return;
    }
    sp_buf_add(ret, SENTINEL_START);
    sp_base64_put(ret, text);
    sp_buf_add(ret, SENTINEL_END);
}

/* Adds the exponent that `text` holds, if it holds any; what no text can even out stays huge. */
static int64_t exponent_of(struct sp_str text)
{
    int64_t exponent = 0;
    bool is_negative = sp_str_starts(text, SP_STR("-"));

    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] >= '0' && text.p[i] <= '9' && exponent < INT64_MAX / 100)
            exponent = exponent * 10 + (text.p[i] - '0');
    }
    return is_negative ? -exponent : exponent;
}

/*
 * Appends a whole number in decimal, if it is one.
 *
 * JSON Schema counts 5.0 and 1e2 as integers, and a server wants a header for each value that it
 * gets and compares the two as numbers. So they are written out, as 5 and 100, and a plain number
 * keeps its digits. The protocol asks for values within 2^53 only; beyond, a header that agrees is
 * still what a server is likeliest to take. A fraction or an exponent that makes a number larger
 * than any double gives no header.
 */
static bool put_whole(struct sp_buf *ret, struct sp_str number)
{
    struct sp_buf digits = {0};
    int64_t scale = 0; /* how many zeros follow the digits; below 0 some of them are a fraction */
    size_t n_mantissa = 0;
    bool is_plain;
    bool is_whole;

    while (n_mantissa < number.len && (number.p[n_mantissa] | 0x20) != 'e')
        n_mantissa++;
    is_plain = n_mantissa == number.len && sp_str_find(number, '.') == number.len;
    if (n_mantissa < number.len)
        scale = exponent_of(sp_str_sub(number, n_mantissa + 1, number.len));
    for (size_t i = 0, fraction = 0; i < n_mantissa; i++) {
        char c = number.p[i];

        scale -= (int64_t)fraction;
        if (c == '.')
            fraction = 1;
        else if (c != '-' && (digits.len > 0 || c != '0'))
            sp_buf_add_char(&digits, c);
    }
    while (!is_plain && digits.len > 0 && digits.p[digits.len - 1] == '0') {
        digits.len--;
        scale++;
    }
    is_whole =
        digits.len == 0 || is_plain ||
        (scale >= 0 && digits.len <= MAX_DIGITS && scale <= MAX_DIGITS - (int64_t)digits.len);
    if (digits.len == 0) {
        sp_buf_add_char(ret, '0');
    } else if (is_whole) {
        if (*number.p == '-')
            sp_buf_add_char(ret, '-');
        sp_buf_add(ret, sp_buf_str(&digits));
        for (; scale > 0; scale--)
            sp_buf_add_char(ret, '0');
    }
    sp_buf_deinit(&digits);
    return is_whole;
}

bool paramvalue_put_json(struct sp_buf *ret, struct sp_str value)
{
    struct sp_buf text = {0};
    bool is_text;

    switch (jget_type(value)) {
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        sp_buf_add(ret, value);
        return true;
    case JSCAN_NUMBER:
        return put_whole(ret, value);
    case JSCAN_STRING:
        jget_text(value, &text);
        is_text = sp_utf8_is_valid(sp_buf_str(&text));
        if (is_text)
            paramvalue_put(ret, sp_buf_str(&text));
        sp_buf_deinit(&text);
        return is_text;
    case JSCAN_NULL:
    case JSCAN_ARRAY:
    case JSCAN_OBJECT:
        break;
    }
    return false;
}
