/* Session ids and the file names made of them. */

#include <inttypes.h>
#include <stdio.h>

#include "trace/sessionid.h"

/*
 * The civil date of a day count since 1970-01-01. Years are counted from 1 March, so that the leap
 * day is the last of its year, in eras of 400 years, which all have 146,097 days.
 */
static void civil_date(uint64_t days, uint64_t *ret_year, unsigned *ret_month, unsigned *ret_day)
{
    uint64_t since_era = days + 719468; /* from 0000-03-01 */
    uint64_t era = since_era / 146097;
    unsigned day = (unsigned)(since_era % 146097);
    unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    unsigned day_of_year = day - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * day_of_year + 2) / 153; /* 0 is March */

    *ret_day = day_of_year - (153 * month + 2) / 5 + 1;
    *ret_month = month < 10 ? month + 3 : month - 9;
    *ret_year = era * 400 + year + (*ret_month <= 2);
}

void sessionid_make(uint64_t unix_ms, uint64_t pid, char ret_id[SESSIONID_SIZE])
{
    uint64_t seconds = unix_ms / 1000, year;
    unsigned of_day = (unsigned)(seconds % 86400), month, day;

    civil_date(seconds / 86400, &year, &month, &day);
    snprintf(ret_id, SESSIONID_SIZE, "%04" PRIu64 "%02u%02uT%02u%02u%02u.%03uZ-%" PRIu64, year,
             month, day, of_day / 3600, of_day / 60 % 60, of_day % 60, (unsigned)(unix_ms % 1000),
             pid);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool sessionid_names_file(struct sp_str name)
{
    static const char form[] = "00000000T000000.000Z-0";
    size_t i;

    for (i = 0; form[i] != '\0'; i++)
        if (i >= name.len || (form[i] == '0' ? !is_digit(name.p[i]) : name.p[i] != form[i]))
            return false;
    while (i < name.len && is_digit(name.p[i]))
        i++;
    name = sp_str_sub(name, i, name.len);
    return sp_str_eq(name, SP_STR(".jsonl")) || sp_str_eq(name, SP_STR(".flow.jsonl")) ||
           sp_str_eq(name, SP_STR(".confirm.jsonl"));
}
