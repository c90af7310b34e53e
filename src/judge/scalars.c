/* The scalars of JSON values. */

#include "base/sp_unicode.h"
#include "json/jget.h"
#include "judge/scalars.h"

/* From this many digits on a whole double is no longer below 10^15. */
#define MAX_DIGITS 15

void scalars_deinit(struct scalars *s)
{
    sp_buf_deinit(&s->text);
    sp_buf_deinit(&s->lower);
}

/* A number in canonical JSON, where a whole double below 1e16 ends in ".0". */
static struct sp_str number_scalar(struct sp_str number)
{
    struct sp_str whole;
    size_t n_digits;

    if (!sp_str_ends(number, SP_STR(".0")))
        return number;
    whole = sp_str_sub(number, 0, number.len - 2);
    if (sp_str_eq(whole, SP_STR("-0")))
        return SP_STR("0");
    n_digits = whole.len - (whole.p[0] == '-' ? 1 : 0);
    return n_digits <= MAX_DIGITS ? whole : number;
}

static bool is_container(struct sp_str value)
{
    return jget_type(value) == JSCAN_ARRAY || jget_type(value) == JSCAN_OBJECT;
}

static void give_one(struct scalars *s, struct sp_str value)
{
    if (jget_type(value) == JSCAN_STRING) {
        sp_buf_clear(&s->text);
        sp_buf_clear(&s->lower);
        jget_text(value, &s->text);
        sp_unicode_put_lower(&s->lower, sp_unicode_trim(sp_buf_str(&s->text)));
        s->fn(s->data, sp_buf_str(&s->lower));
    } else if (jget_type(value) == JSCAN_NUMBER) {
        s->fn(s->data, number_scalar(value));
    }
}

void scalars_all(struct scalars *s, struct sp_str value)
{
    if (!is_container(value)) {
        give_one(s, value);
        return;
    }
    for (struct jget_iter it = jget_iter(value); jget_next(&it);)
        scalars_all(s, it.value);
}

void scalars_own(struct scalars *s, struct sp_str value)
{
    if (!is_container(value)) {
        give_one(s, value);
        return;
    }
    if (jget_type(value) == JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
        if (!is_container(it.value))
            give_one(s, it.value);
    }
}
