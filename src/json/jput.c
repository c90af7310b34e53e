/* The JSON writer: strings and doubles. */

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sp_utf8.h"
#include "json/jbytes.h"
#include "json/jput.h"

/* As many digits tell any two doubles apart. */
#define MAX_DIGITS 17

/* A positive decimal: d.ddd times ten to the power of `exponent`. */
struct decimal {
    char digits[MAX_DIGITS + 1]; /* NUL-terminated, the first not 0 */
    size_t n_digits;
    int exponent;
};

static void put_escaped(struct sp_buf *b, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char controls[] = "\b\t\n\f\r\"\\";
    static const char letters[] = "btnfr\"\\";
    const char *control = c != '\0' ? strchr(controls, c) : NULL;

    if (control != NULL) {
        sp_buf_add_char(b, '\\');
        sp_buf_add_char(b, letters[control - controls]);
    } else {
        sp_buf_add(b, SP_STR("\\u00"));
        sp_buf_add_char(b, hex[c >> 4]);
        sp_buf_add_char(b, hex[c & 0xf]);
    }
}

/* Appends the characters of valid UTF-8. */
static void put_text(struct sp_buf *b, struct sp_str text)
{
    const char *p = text.p;
    const char *end;

    if (text.len == 0)
        return;
    for (end = p + text.len; p < end;) {
        const char *start = p;

        do {
            p = jbytes_plain_end(p, end);
            while (p < end && (unsigned char)*p >= 0x80)
                p++;
        } while (p < end && jbytes_is_plain((unsigned char)*p));
        sp_buf_add(b, (struct sp_str){start, (size_t)(p - start)});
        if (p < end)
            put_escaped(b, (unsigned char)*p++);
    }
}

void jput_string(struct sp_buf *b, struct sp_str text)
{
    sp_buf_add_char(b, '"');
    if (sp_utf8_is_valid(text)) {
        put_text(b, text);
    } else {
        struct sp_buf repaired = {0};

        sp_utf8_repair(&repaired, text);
        put_text(b, sp_buf_str(&repaired));
        sp_buf_deinit(&repaired);
    }
    sp_buf_add_char(b, '"');
}

/* The decimal of `n_digits` digits that is nearest to `x`. */
static struct decimal decimal_nearest(double x, size_t n_digits)
{
    struct decimal d = {.n_digits = n_digits};
    char text[MAX_DIGITS + 16]; /* d.ddde-308 */
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", (int)n_digits - 1, x);
    for (size_t i = 0; i < n_digits; p++) {
        if (*p != '.')
            d.digits[i++] = *p;
    }
    d.exponent = (int)strtol(p + 1, NULL, 10);
    return d;
}

/* Adds one to the last digit. */
static void decimal_increment(struct decimal *d)
{
    size_t i = d->n_digits;

    while (i > 0 && d->digits[i - 1] == '9')
        d->digits[--i] = '0';
    if (i > 0) {
        d->digits[i - 1]++;
    } else {
        d->digits[0] = '1';
        d->exponent++;
    }
}

static bool decimal_is(const struct decimal *d, double x)
{
    char text[MAX_DIGITS + 16];

    snprintf(text, sizeof text, "%c.%se%d", d->digits[0], d->digits + 1, d->exponent);
    return strtod(text, NULL) == x;
}

/*
 * The shortest decimal that reads back as `x`, of several the nearest.
 *
 * Every decimal of up to 15 digits survives the way through a normal double, so if the shortest is
 * one of these, it is the nearest of 15 digits less its trailing zeros. Subnormal doubles have
 * fewer bits, and every length is tried. The nearest decimal of some length is the one to try, but
 * for powers of two: numbers round to these from twice as far above as below, so the decimal next
 * above may be one when the nearest, below, is not.
 */
static struct decimal decimal_shortest(double x)
{
    int binary_exponent;
    bool is_power_of_two = frexp(x, &binary_exponent) == 0.5;
    struct decimal d;

    for (size_t n = fpclassify(x) == FP_SUBNORMAL ? 1 : 15;; n++) {
        d = decimal_nearest(x, n);
        if (n == MAX_DIGITS || decimal_is(&d, x))
            break;
        if (is_power_of_two) {
            decimal_increment(&d);
            if (decimal_is(&d, x))
                break;
        }
    }
    while (d.n_digits > 1 && d.digits[d.n_digits - 1] == '0')
        d.digits[--d.n_digits] = '\0';
    return d;
}

static void put_zeros(struct sp_buf *b, int n)
{
    for (; n > 0; n--)
        sp_buf_add_char(b, '0');
}

void jput_double(struct sp_buf *b, double x)
{
    struct decimal d;
    struct sp_str digits;
    size_t n_whole; /* digits before the point */

    assert(isfinite(x));
    if (signbit(x) != 0)
        sp_buf_add_char(b, '-');
    if (x == 0) {
        sp_buf_add(b, SP_STR("0.0"));
        return;
    }
    d = decimal_shortest(fabs(x));
    digits = (struct sp_str){d.digits, d.n_digits};
    if (d.exponent < -5 || d.exponent > 15) {
        n_whole = 1;
    } else if (d.exponent < 0) {
        sp_buf_add(b, SP_STR("0."));
        put_zeros(b, -d.exponent - 1);
        sp_buf_add(b, digits);
        return;
    } else {
        n_whole = (size_t)d.exponent + 1;
    }
    if (n_whole < digits.len) {
        sp_buf_add(b, sp_str_sub(digits, 0, n_whole));
        sp_buf_add_char(b, '.');
        sp_buf_add(b, sp_str_sub(digits, n_whole, digits.len));
    } else {
        sp_buf_add(b, digits);
        put_zeros(b, (int)(n_whole - digits.len));
    }
    if (d.exponent < -5 || d.exponent > 15)
        sp_buf_addf(b, "e%d", d.exponent);
    else if (n_whole >= digits.len)
        sp_buf_add(b, SP_STR(".0"));
}
