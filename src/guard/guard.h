#pragma once

/*
 * Policy guards: the rules of a domain's written policy as checks of a call that is about to be
 * made. They see what the session has shown so far (guard_facts.h) and nothing else.
 *
 * A domain is one file guard_NAME.c, listed in guard.c: a table of rules, each a few facts about
 * the rule and a function.
 *
 * Thread: any.
 */

#include "base/sp_arena.h"
#include "guard/guard_facts.h"

enum guard_outcome {
    GUARD_PASS,
    GUARD_FAIL,
    GUARD_UNKNOWN, /* the session has not shown what the rule needs; it never refuses */
};

struct guard_call; /* guard_rule.h */

typedef enum guard_outcome (*guard_rule_fn)(struct guard_call *call);

struct guard_rule {
    const char *id;           /* DOMAIN.NAME */
    const char *policy;       /* what the policy asks for, one line */
    const char *const *tools; /* those it looks at, ended by NULL */
    bool is_enforced;         /* whether its fail refuses; otherwise it is only logged */
    guard_rule_fn check;
};

struct guard_domain {
    const char *name;
    const struct guard_rule *rules;
    size_t n_rules;
};

/* The domain of that name; NULL when there are no guards for it. */
const struct guard_domain *guard_domain_find(struct sp_str name);

/* The domains one after the other; NULL past the last. */
const struct guard_domain *guard_domain_at(size_t i);

/* Whether any rule of the domain names the tool; no other tool is checked. */
bool guard_names(const struct guard_domain *domain, struct sp_str tool);

struct guard_verdict {
    const struct guard_rule *rule;
    enum guard_outcome outcome;
    struct sp_str reason; /* empty for a pass */
};

/* What the rules say of one call. */
struct guard_checked {
    struct guard_verdict *verdicts; /* of each rule that names the tool, in the table's order */
    size_t n_verdicts;
    struct sp_arena arena; /* private */
};

/*
 * Checks a call. All rules that name its tool are asked; none stops the others.
 *
 * facts:     of the session before the call.
 * tool:      its name, unescaped.
 * arguments: the span of any JSON value nested at most JSCAN_MAX_DEPTH deep; of a member that
 *            occurs twice the last counts.
 * ret:       the caller's, ended by guard_checked_deinit(); it borrows nothing.
 */
void guard_check(const struct guard_domain *domain, const struct guard_facts *facts,
                 struct sp_str tool, struct sp_str arguments, struct guard_checked *ret);

void guard_checked_deinit(struct guard_checked *c);

/*
 * Appends the reasons to refuse the call: of each enforced rule that fails "REASON (policy check
 * RULE_ID)", in order, joined by "; ".
 *
 * Returns: whether there is one.
 */
bool guard_put_reasons(const struct guard_checked *c, struct sp_buf *ret);

/* Appends what the agent is told of a refused call. */
void guard_put_refusal(struct sp_str tool, struct sp_str reasons, struct sp_buf *ret);

/*
 * The verdict of the rule that asks for the customer's explicit yes; NULL when the domain asks for
 * none before a call of this tool.
 */
const struct guard_verdict *guard_confirmed(const struct guard_checked *c);
