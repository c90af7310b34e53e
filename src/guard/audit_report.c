/* An audit as JSON and as Markdown. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "guard/audit_tally.h"
#include "json/jindent.h"
#include "json/jput.h"

static int compare_rules(const void *a, const void *b)
{
    const struct audit_rule *const *x = a;
    const struct audit_rule *const *y = b;

    return strcmp((*x)->rule->id, (*y)->rule->id);
}

/* The rules in order of their ids; the caller frees the array. */
static const struct audit_rule **sorted_rules(const struct audit *a)
{
    const struct audit_rule **rules = sp_calloc(a->domain->n_rules, sizeof *rules);

    for (size_t i = 0; i < a->domain->n_rules; i++)
        rules[i] = &a->rules[i];
    qsort(rules, a->domain->n_rules, sizeof *rules, compare_rules);
    return rules;
}

static int compare_tasks(const void *a, const void *b)
{
    const struct audit_task *const *x = a;
    const struct audit_task *const *y = b;

    return sp_str_cmp((*x)->id, (*y)->id);
}

/* The tasks in byte order of their ids; the caller frees the array. */
static const struct audit_task **sorted_tasks(const struct audit *a)
{
    const struct audit_task **tasks = sp_calloc(a->n_tasks, sizeof *tasks);

    for (size_t i = 0; i < a->n_tasks; i++)
        tasks[i] = &a->tasks[i];
    qsort(tasks, a->n_tasks, sizeof *tasks, compare_tasks);
    return tasks;
}

/* Appends a member with an array of numbers, and a comma behind it. */
static void put_counts(struct sp_buf *b, const char *name, const size_t *counts, size_t n)
{
    sp_buf_addf(b, "\"%s\":[", name);
    for (size_t i = 0; i < n; i++)
        sp_buf_addf(b, i > 0 ? ",%zu" : "%zu", counts[i]);
    sp_buf_add(b, SP_STR("],"));
}

static void put_alarms(struct sp_buf *b, const struct audit_rule *r)
{
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < r->n_alarms; i++) {
        sp_buf_add(b, i > 0 ? SP_STR(",[") : SP_STR("["));
        jput_string(b, r->alarms[i].episode);
        sp_buf_add_char(b, ',');
        jput_string(b, r->alarms[i].task);
        sp_buf_add_char(b, ',');
        jput_string(b, r->alarms[i].reason);
        sp_buf_add_char(b, ']');
    }
    sp_buf_add_char(b, ']');
}

static void put_rule(struct sp_buf *b, const struct audit_rule *r)
{
    sp_buf_add(b, SP_STR("{\"rule\":"));
    jput_string(b, sp_str_of(r->rule->id));
    sp_buf_add(b, SP_STR(",\"policy\":"));
    jput_string(b, sp_str_of(r->rule->policy));
    sp_buf_addf(b, ",\"enforced\":%s,", r->rule->is_enforced ? "true" : "false");
    put_counts(b, "successful", r->verdicts[AUDIT_SUCCESSFUL], AUDIT_N_OUTCOMES);
    put_counts(b, "failed", r->verdicts[AUDIT_FAILED], AUDIT_N_OUTCOMES);
    put_counts(b, "refused_by_tool", r->verdicts[AUDIT_REFUSED_BY_TOOL], AUDIT_N_OUTCOMES);
    put_counts(b, "episodes_failed", r->episodes_failed, AUDIT_N_SIDES);
    sp_buf_add(b, SP_STR("\"false_alarms\":"));
    put_alarms(b, r);
    sp_buf_add_char(b, '}');
}

static void put_task(struct sp_buf *b, const struct audit_task *t)
{
    jput_string(b, t->id);
    sp_buf_addf(b, ":[%zu,%zu,%zu,%zu]", t->episodes[AUDIT_SUCCESSFUL], t->episodes[AUDIT_FAILED],
                t->refused[AUDIT_SUCCESSFUL], t->refused[AUDIT_FAILED]);
}

static void put_audit(struct sp_buf *b, const struct audit *a)
{
    const struct audit_rule **rules = sorted_rules(a);
    const struct audit_task **tasks = sorted_tasks(a);
    const size_t writes[] = {a->n_accepted, a->n_refused};

    sp_buf_add(b, SP_STR("{\"domain\":"));
    jput_string(b, sp_str_of(a->domain->name));
    sp_buf_add_char(b, ',');
    put_counts(b, "episodes", a->episodes, AUDIT_N_SIDES);
    put_counts(b, "writes", writes, 2);
    put_counts(b, "refused", a->refused, AUDIT_N_SIDES);
    sp_buf_add(b, SP_STR("\"rules\":["));
    for (size_t i = 0; i < a->domain->n_rules; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_rule(b, rules[i]);
    }
    sp_buf_add(b, SP_STR("],\"tasks\":{"));
    for (size_t i = 0; i < a->n_tasks; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_task(b, tasks[i]);
    }
    sp_buf_add(b, SP_STR("}}"));
    free(rules);
    free(tasks);
}

void audit_put_json(struct sp_buf *b, const struct audit *const *audits, size_t n)
{
    struct sp_buf compact = {0};

    sp_buf_add_char(&compact, '[');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(&compact, ',');
        put_audit(&compact, audits[i]);
    }
    sp_buf_add_char(&compact, ']');
    jindent(b, sp_buf_str(&compact));
    sp_buf_add_char(b, '\n');
    sp_buf_deinit(&compact);
}

/* Appends a recorded text with a space for each control character, so that its line stays one. */
static void put_inline(struct sp_buf *b, struct sp_str text)
{
    while (text.len > 0) {
        uint32_t c = sp_utf8_next(&text);
        char encoded[4];

        if (sp_unicode_is_control(c))
            c = ' ';
        sp_buf_add(b, (struct sp_str){encoded, sp_utf8_encode(c, encoded)});
    }
}

static void put_row(struct sp_buf *b, const struct audit_rule *r)
{
    sp_buf_addf(b, "| `%s` | %s |", r->rule->id, r->rule->is_enforced ? "yes" : "logged");
    for (size_t i = 0; i < AUDIT_N_GROUPS; i++)
        sp_buf_addf(b, " %zu / %zu / %zu |", r->verdicts[i][GUARD_PASS], r->verdicts[i][GUARD_FAIL],
                    r->verdicts[i][GUARD_UNKNOWN]);
    sp_buf_addf(b, " %zu / %zu |\n", r->episodes_failed[AUDIT_SUCCESSFUL],
                r->episodes_failed[AUDIT_FAILED]);
}

static void put_alarm_list(struct sp_buf *b, const struct audit_rule *const *rules, size_t n)
{
    bool is_first = true;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < rules[i]->n_alarms; k++) {
            const struct audit_alarm *alarm = &rules[i]->alarms[k];

            if (is_first)
                sp_buf_add(b, SP_STR("\nFails on accepted writes of successful episodes, the first "
                                     "five of each rule:\n\n"));
            is_first = false;
            sp_buf_addf(b, "- `%s`, task ", rules[i]->rule->id);
            put_inline(b, alarm->task);
            sp_buf_add(b, SP_STR(" ("));
            put_inline(b, alarm->episode);
            sp_buf_add(b, SP_STR("): "));
            put_inline(b, alarm->reason);
            sp_buf_add_char(b, '\n');
        }
    }
}

static void put_section(struct sp_buf *b, const struct audit *a)
{
    const struct audit_rule **rules = sorted_rules(a);
    const size_t *episodes = a->episodes;

    sp_buf_addf(b, "\n## %s\n\n", a->domain->name);
    sp_buf_addf(b, "%zu episodes: %zu successful, %zu failed. ",
                episodes[AUDIT_SUCCESSFUL] + episodes[AUDIT_FAILED], episodes[AUDIT_SUCCESSFUL],
                episodes[AUDIT_FAILED]);
    sp_buf_addf(b, "Writes: %zu accepted by the tool, %zu refused by it. ", a->n_accepted,
                a->n_refused);
    sp_buf_addf(b,
                "Accepted writes an enforced rule would refuse: in **%zu of %zu** successful "
                "episodes and **%zu of %zu** failed ones.\n\n",
                a->refused[AUDIT_SUCCESSFUL], episodes[AUDIT_SUCCESSFUL], a->refused[AUDIT_FAILED],
                episodes[AUDIT_FAILED]);
    sp_buf_add(b, SP_STR("| Rule | Enforced | Successful: pass / fail / unknown "
                         "| Failed: pass / fail / unknown "
                         "| Refused by the tool: pass / fail / unknown "
                         "| Episodes: successful / failed |\n"
                         "|---|---|---|---|---|---|\n"));
    for (size_t i = 0; i < a->domain->n_rules; i++)
        put_row(b, rules[i]);
    put_alarm_list(b, rules, a->domain->n_rules);
    free(rules);
}

void audit_put_markdown(struct sp_buf *b, const struct audit *const *audits, size_t n)
{
    sp_buf_add(b, SP_STR("# Guards on recorded episodes\n\n"
                         "Each call that a rule looks at is checked against what its episode had "
                         "shown before the call's turn. Verdicts are counted apart for calls the "
                         "tool accepted in episodes that did their task, in episodes that did "
                         "not, and for calls the tool refused. A fail on an accepted call of a "
                         "successful episode is likely a false alarm; one in a failed episode may "
                         "be what went wrong. Only enforced rules refuse calls; the others are "
                         "logged. The last column counts the episodes in which a rule fails an "
                         "accepted call.\n"));
    for (size_t i = 0; i < n; i++)
        put_section(b, audits[i]);
}
