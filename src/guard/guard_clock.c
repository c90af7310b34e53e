/* Times as the airline's records write them. */

#include <stdint.h>

#include "guard/guard_clock.h"

#define DAY_S 86400.0

/* As many digits a part of a date has at most, so that nothing overflows. */
#define MAX_DIGITS 9

/* Takes what stands before the next `c`, or everything, from `rest`. */
static struct sp_str next_part(struct sp_str *rest, char c)
{
    size_t n = sp_str_find(*rest, c);
    struct sp_str part = sp_str_sub(*rest, 0, n);

    *rest = sp_str_sub(*rest, n < rest->len ? n + 1 : n, rest->len);
    return part;
}

static bool read_whole(struct sp_str text, int64_t *ret)
{
    int64_t n = 0;

    if (text.len == 0 || text.len > MAX_DIGITS)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        n = n * 10 + (text.p[i] - '0');
    }
    *ret = n;
    return true;
}

/* Digits with or without a fraction. */
static bool read_number(struct sp_str text, double *ret)
{
    double n = 0;
    double unit = 1; /* of the last digit */
    bool is_fraction = false;
    bool has_digit = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        if (c == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        has_digit = true;
        if (is_fraction)
            unit /= 10;
        n = is_fraction ? n + unit * (c - '0') : n * 10 + (c - '0');
    }
    if (has_digit)
        *ret = n;
    return has_digit;
}

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The days from the first of January of the year 0 to a date; whether the calendar has it. */
static bool count_days(int64_t year, int64_t month, int64_t day, int64_t *ret)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t years =
        year > 0 ? year - 1 : 0; /* whole years after the year 0, which is a leap year */
    int64_t days = year > 0 ? 366 + 365 * years + years / 4 - years / 100 + years / 400 : 0;

    if (month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    for (int64_t i = 1; i < month; i++)
        days += lengths[i - 1] + (i == 2 && is_leap(year));
    *ret = days + day - 1;
    return true;
}

/* The seconds from the first of January of the year 0; whether the text is a time. */
static bool read_time(struct sp_str text, double *ret)
{
    struct sp_str date = next_part(&text, 'T');
    int64_t parts[3];
    int64_t days;
    double hours;
    double minutes;
    double seconds = 0;

    for (size_t i = 0; i < 3; i++) {
        if (!read_whole(next_part(&date, '-'), &parts[i]))
            return false;
    }
    if (!count_days(parts[0], parts[1], parts[2], &days) ||
        !read_number(next_part(&text, ':'), &hours) ||
        !read_number(next_part(&text, ':'), &minutes))
        return false;
    (void)read_number(next_part(&text, ':'), &seconds); /* 0 when it is none */
    *ret = (double)days * DAY_S + hours * 3600 + minutes * 60 + seconds;
    return true;
}

bool guard_clock_is_within_day(struct sp_str then, struct sp_str now)
{
    double from;
    double to;

    return read_time(then, &from) && read_time(now, &to) && to - from >= 0 && to - from <= DAY_S;
}
