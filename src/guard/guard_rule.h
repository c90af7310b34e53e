#pragma once

/*
 * What the rules of the domains share: the call they look at, reads of arguments and records, and
 * reasons. For the files of this folder.
 *
 * Thread: any.
 */

#include "guard/guard.h"
#include "json/jget.h"

/* The call that is checked. */
struct guard_call {
    const struct guard_facts *facts;
    struct sp_str tool;
    struct sp_str arguments; /* a span */
    struct sp_arena *arena;  /* of the verdicts; texts are unescaped into it */
    struct sp_buf reason;    /* empty when a rule is asked */
};

/* The domains, each in its own file. */
extern const struct guard_domain guard_retail;
extern const struct guard_domain guard_airline;

/* Sets the reason to the three texts after one another; returns the outcome. */
enum guard_outcome guard_rule_fail(struct guard_call *call, const char *before, struct sp_str text,
                                   const char *after);
enum guard_outcome guard_rule_unknown(struct guard_call *call, const char *before,
                                      struct sp_str text, const char *after);

/* An object's member as a text; returns whether it has one that is a string. */
bool guard_rule_text(struct guard_call *call, struct sp_str object, const char *name,
                     struct sp_str *ret);

/* Whether an object's member is the string `text`. */
bool guard_rule_is(struct sp_str object, const char *name, const char *text);

/* The record whose id is the call's argument `name`; returns whether it has been read. */
bool guard_rule_record(struct guard_call *call, const struct guard_records *records,
                       const char *name, struct sp_str *ret);

/* Walks an object's member that is an array; nothing of any other. */
struct jget_iter guard_rule_array(struct sp_str object, const char *name);

/* Goes to the next element that is a string, or to the next whose member `name` is one. */
bool guard_rule_next_text(struct guard_call *call, struct jget_iter *it, struct sp_str *ret);
bool guard_rule_next_member(struct guard_call *call, struct jget_iter *it, const char *name,
                            struct sp_str *ret);

/* Whether an object's member is an object that has a member called `key`. */
bool guard_rule_has_key(struct sp_str object, const char *name, struct sp_str key);

/* The rule that asks for an explicit yes in the customer's last message. */
enum guard_outcome guard_rule_confirmed(struct guard_call *call);
