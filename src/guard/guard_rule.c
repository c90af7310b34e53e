/* What the rules of the domains share. */

#include "guard/guard_rule.h"
#include "guard/guard_words.h"

static enum guard_outcome say(struct guard_call *call, enum guard_outcome outcome,
                              const char *before, struct sp_str text, const char *after)
{
    sp_buf_clear(&call->reason);
    sp_buf_add(&call->reason, sp_str_of(before));
    sp_buf_add(&call->reason, text);
    sp_buf_add(&call->reason, sp_str_of(after));
    return outcome;
}

enum guard_outcome guard_rule_fail(struct guard_call *call, const char *before, struct sp_str text,
                                   const char *after)
{
    return say(call, GUARD_FAIL, before, text, after);
}

enum guard_outcome guard_rule_unknown(struct guard_call *call, const char *before,
                                      struct sp_str text, const char *after)
{
    return say(call, GUARD_UNKNOWN, before, text, after);
}

bool guard_rule_text(struct guard_call *call, struct sp_str object, const char *name,
                     struct sp_str *ret)
{
    return guard_facts_member(object, sp_str_of(name), call->arena, ret);
}

bool guard_rule_is(struct sp_str object, const char *name, const char *text)
{
    struct sp_str value;

    return jget_member(object, sp_str_of(name), &value) && jget_is_text(value, sp_str_of(text));
}

bool guard_rule_record(struct guard_call *call, const struct guard_records *records,
                       const char *name, struct sp_str *ret)
{
    struct sp_str id;

    return guard_rule_text(call, call->arguments, name, &id) && guard_facts_find(records, id, ret);
}

struct jget_iter guard_rule_array(struct sp_str object, const char *name)
{
    struct sp_str value;

    if (!jget_member(object, sp_str_of(name), &value) || jget_type(value) != JSCAN_ARRAY)
        return jget_iter(SP_STR("[]"));
    return jget_iter(value);
}

bool guard_rule_next_text(struct guard_call *call, struct jget_iter *it, struct sp_str *ret)
{
    while (jget_next(it)) {
        if (jget_type(it->value) == JSCAN_STRING) {
            *ret = guard_facts_text(it->value, call->arena);
            return true;
        }
    }
    return false;
}

bool guard_rule_next_member(struct guard_call *call, struct jget_iter *it, const char *name,
                            struct sp_str *ret)
{
    while (jget_next(it)) {
        if (guard_rule_text(call, it->value, name, ret))
            return true;
    }
    return false;
}

bool guard_rule_has_key(struct sp_str object, const char *name, struct sp_str key)
{
    struct sp_str value;

    return jget_member(object, sp_str_of(name), &value) && jget_member(value, key, &value);
}

enum guard_outcome guard_rule_confirmed(struct guard_call *call)
{
    struct sp_str last_said = call->facts->last_said;

    if (last_said.p == NULL)
        return guard_rule_fail(call, "the customer has not said anything yet", SP_STR(""), "");
    if (!guard_words_confirm(last_said))
        return guard_rule_fail(
            call, "nothing in the customer's last message reads as a confirmation", SP_STR(""), "");
    return GUARD_PASS;
}
