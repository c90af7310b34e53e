/* Domains, checks, and the texts of refusals. */

#include "guard/guard_rule.h"

static const struct guard_domain *const domains[] = {
    &guard_retail,
    &guard_airline,
};

#define N_DOMAINS (sizeof domains / sizeof domains[0])

const struct guard_domain *guard_domain_at(size_t i)
{
    return i < N_DOMAINS ? domains[i] : NULL;
}

const struct guard_domain *guard_domain_find(struct sp_str name)
{
    for (size_t i = 0; i < N_DOMAINS; i++) {
        if (sp_str_eq(name, sp_str_of(domains[i]->name)))
            return domains[i];
    }
    return NULL;
}

static bool rule_names(const struct guard_rule *rule, struct sp_str tool)
{
    for (const char *const *name = rule->tools; *name != NULL; name++) {
        if (sp_str_eq(tool, sp_str_of(*name)))
            return true;
    }
    return false;
}

bool guard_names(const struct guard_domain *domain, struct sp_str tool)
{
    for (size_t i = 0; i < domain->n_rules; i++) {
        if (rule_names(&domain->rules[i], tool))
            return true;
    }
    return false;
}

void guard_check(const struct guard_domain *domain, const struct guard_facts *facts,
                 struct sp_str tool, struct sp_str arguments, struct guard_checked *ret)
{
    struct guard_call call = {
        .facts = facts, .tool = tool, .arguments = arguments, .arena = &ret->arena};

    *ret = (struct guard_checked){0};
    ret->verdicts = sp_arena_alloc(&ret->arena, domain->n_rules * sizeof *ret->verdicts);
    for (size_t i = 0; i < domain->n_rules; i++) {
        struct guard_verdict verdict = {.rule = &domain->rules[i]};

        if (!rule_names(verdict.rule, tool))
            continue;
        sp_buf_clear(&call.reason);
        verdict.outcome = verdict.rule->check(&call);
        verdict.reason = sp_arena_copy(&ret->arena, sp_buf_str(&call.reason));
        ret->verdicts[ret->n_verdicts++] = verdict;
    }
    sp_buf_deinit(&call.reason);
}

void guard_checked_deinit(struct guard_checked *c)
{
    sp_arena_deinit(&c->arena);
    *c = (struct guard_checked){0};
}

bool guard_put_reasons(const struct guard_checked *c, struct sp_buf *ret)
{
    bool is_refused = false;

    for (size_t i = 0; i < c->n_verdicts; i++) {
        const struct guard_verdict *v = &c->verdicts[i];

        if (v->outcome != GUARD_FAIL || !v->rule->is_enforced)
            continue;
        if (is_refused)
            sp_buf_add(ret, SP_STR("; "));
        sp_buf_add(ret, v->reason);
        sp_buf_addf(ret, " (policy check %s)", v->rule->id);
        is_refused = true;
    }
    return is_refused;
}

void guard_put_refusal(struct sp_str tool, struct sp_str reasons, struct sp_buf *ret)
{
    sp_buf_add(ret, SP_STR("Refused by the policy check, so "));
    sp_buf_add(ret, tool);
    sp_buf_add(ret, SP_STR(" was not run and nothing changed: "));
    sp_buf_add(ret, reasons);
    sp_buf_add_char(ret, '.');
}

const struct guard_verdict *guard_confirmed(const struct guard_checked *c)
{
    for (size_t i = 0; i < c->n_verdicts; i++) {
        if (sp_str_ends(sp_str_of(c->verdicts[i].rule->id), SP_STR(".confirmed")))
            return &c->verdicts[i];
    }
    return NULL;
}
