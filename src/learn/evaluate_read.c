/*
 * Reading labelled decisions. A line is scanned once; what is read then are spans of it. All
 * members that a decision has are checked, those of no use for estimates too.
 */

#include <errno.h>
#include <stdlib.h>

#include "json/jtable.h"
#include "learn/evaluate_state.h"

struct line {
    struct sp_str action;
    struct sp_str tool;
    struct sp_str site;
    struct sp_str episode;
    struct sp_str policy;
    struct sp_str labels;
};

static const struct jtable_field line_fields[] = {
    {"action", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct line, action)},
    {"tool", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct line, tool)},
    {"site", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct line, site)},
    {"episode", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct line, episode)},
    {"policy", JTABLE_OBJECT, JTABLE_REQUIRED, offsetof(struct line, policy)},
    {"labels", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct line, labels)},
};

struct policy {
    struct sp_str decider;
    struct sp_str threshold;
    struct sp_str epsilon;
    struct sp_str propensity;
    struct sp_str explored;
    struct sp_str greedy;
    struct sp_str task_id;
    struct sp_str events;
    struct sp_str options;
};

static const struct jtable_field policy_fields[] = {
    {"decider", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct policy, decider)},
    {"threshold", JTABLE_NUMBER, JTABLE_REQUIRED, offsetof(struct policy, threshold)},
    {"epsilon", JTABLE_NUMBER, JTABLE_REQUIRED, offsetof(struct policy, epsilon)},
    {"propensity", JTABLE_NUMBER, JTABLE_REQUIRED, offsetof(struct policy, propensity)},
    {"explored", JTABLE_BOOL, JTABLE_REQUIRED, offsetof(struct policy, explored)},
    {"greedy", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct policy, greedy)},
    {"task_id", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct policy, task_id)},
    {"events", JTABLE_UINT, JTABLE_REQUIRED, offsetof(struct policy, events)},
    {"options", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct policy, options)},
};

struct option {
    struct sp_str tool;
    struct sp_str p;
    struct sp_str habit;
    struct sp_str binding;
    struct sp_str arguments;
    struct sp_str unbound;
};

static const struct jtable_field option_fields[] = {
    {"tool", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct option, tool)},
    {"p", JTABLE_NUMBER, JTABLE_REQUIRED, offsetof(struct option, p)},
    {"habit", JTABLE_NUMBER, JTABLE_REQUIRED, offsetof(struct option, habit)},
    {"binding", JTABLE_NUMBER, JTABLE_OPTIONAL, offsetof(struct option, binding)},
    {"arguments", JTABLE_ANY, JTABLE_OPTIONAL, offsetof(struct option, arguments)},
    {"unbound", JTABLE_TEXT, JTABLE_OPTIONAL, offsetof(struct option, unbound)},
};

struct label {
    struct sp_str used;
    struct sp_str detour;
    struct sp_str turn;
};

static const struct jtable_field label_fields[] = {
    {"used", JTABLE_BOOL, JTABLE_REQUIRED, offsetof(struct label, used)},
    {"detour", JTABLE_BOOL, JTABLE_REQUIRED, offsetof(struct label, detour)},
    {"turn", JTABLE_NUMBER, JTABLE_OPTIONAL, offsetof(struct label, turn)},
};

struct reader {
    struct evaluate *evaluate;
    struct sp_err *err;
    struct sp_buf text; /* scratch */
    struct line line;
    struct policy policy;
    struct jtable_place policy_place;
};

/* A number's span has a character behind it, as it is a member's value. */
static double to_double(struct sp_str number)
{
    return number.p != NULL ? strtod(number.p, NULL) : 0.0;
}

static bool is_true(struct sp_str value)
{
    return jget_type(value) == JSCAN_TRUE;
}

/* The number of a string's text; no string is the empty text. */
static size_t to_name(struct reader *r, struct evaluate_names *names, struct sp_str string)
{
    sp_buf_clear(&r->text);
    if (string.p != NULL)
        jget_text(string, &r->text);
    return evaluate_name(r->evaluate, names, sp_buf_str(&r->text));
}

/* Reads an option and its label. */
static int read_option(struct reader *r, size_t index, struct sp_str value, struct sp_str label)
{
    struct jtable_place options_place = {.up = &r->policy_place, .name = "options"};
    struct jtable_place option_place = {.up = &options_place, .index = index};
    struct jtable_place document = {0};
    struct jtable_place labels_place = {.up = &document, .name = "labels"};
    struct jtable_place label_place = {.up = &labels_place, .index = index};
    struct option o = {0};
    struct label l = {0};
    int err =
        jtable_read(&option_place, value, option_fields, JTABLE_LEN(option_fields), &o, r->err);

    if (err == 0)
        err = jtable_read(&label_place, label, label_fields, JTABLE_LEN(label_fields), &l, r->err);
    if (err < 0)
        return err;
    evaluate_add_option(r->evaluate, &(struct evaluate_option){
                                         .tool = to_name(r, &r->evaluate->tools, o.tool),
                                         .p = to_double(o.p),
                                         .habit = to_double(o.habit),
                                         .binding = to_double(o.binding),
                                         .is_bound = o.binding.p != NULL,
                                         .has_arguments = o.arguments.p != NULL,
                                         .values =
                                             {
                                                 [EVALUATE_LOOKUPS] = 1,
                                                 [EVALUATE_USED] = is_true(l.used),
                                                 [EVALUATE_DETOURS] = is_true(l.detour),
                                                 [EVALUATE_TURNS] = to_double(l.turn),
                                             },
                                     });
    return 0;
}

static int read_options(struct reader *r, size_t *ret_n)
{
    size_t n_options = jget_count(r->policy.options);
    size_t n_labels = jget_count(r->line.labels);
    struct jget_iter option = jget_iter(r->policy.options);
    struct jget_iter label = jget_iter(r->line.labels);

    if (n_labels != n_options) {
        sp_err_set(r->err, "%zu label%s for %zu option%s", n_labels, n_labels == 1 ? "" : "s",
                   n_options, n_options == 1 ? "" : "s");
        return -EINVAL;
    }
    for (size_t i = 0; jget_next(&option) && jget_next(&label); i++) {
        int err = read_option(r, i, option.value, label.value);

        if (err < 0)
            return err;
    }
    *ret_n = n_options;
    return 0;
}

/* The first option of the decision's with a tool, whose name is a string's text or missing. */
static size_t option_of(struct reader *r, const struct evaluate_decision *d, struct sp_str tool)
{
    const struct evaluate *e = r->evaluate;
    const size_t *name;

    if (tool.p == NULL)
        return EVALUATE_NONE;
    sp_buf_clear(&r->text);
    jget_text(tool, &r->text);
    name = sp_map_find(&e->tools.map, sp_buf_str(&r->text));
    for (size_t i = 0; name != NULL && i < d->n_options; i++) {
        if (e->options[d->first + i].tool == *name)
            return i;
    }
    return EVALUATE_NONE;
}

/* Reads the members outside of the options. */
static int read_members(struct reader *r, struct sp_str value, bool *ret_is_lookup)
{
    struct jtable_place document = {0};
    struct jtable_place action = {.up = &document, .name = "action"};
    struct jtable_place tool = {.up = &document, .name = "tool"};
    int err = jtable_read(&document, value, line_fields, JTABLE_LEN(line_fields), &r->line, r->err);

    if (err < 0)
        return err;
    *ret_is_lookup = jget_is_text(r->line.action, SP_STR("lookup"));
    if (!*ret_is_lookup && !jget_is_text(r->line.action, SP_STR("hand_back")))
        return jtable_fail(&action, "must be 'lookup' or 'hand_back'", r->err);
    if (*ret_is_lookup && r->line.tool.p == NULL)
        return jtable_fail(&tool, "is missing", r->err);
    return jtable_read(&r->policy_place, r->line.policy, policy_fields, JTABLE_LEN(policy_fields),
                       &r->policy, r->err);
}

static int read_decision(struct reader *r, struct sp_str value, const char *place)
{
    struct evaluate *e = r->evaluate;
    struct evaluate_decision d = {.first = e->n_options};
    bool is_lookup;
    int err = read_members(r, value, &is_lookup);

    if (err == 0)
        err = read_options(r, &d.n_options);
    if (err < 0)
        return err;
    d.site = to_name(r, &e->sites, r->line.site);
    d.taken = is_lookup ? option_of(r, &d, r->line.tool) : EVALUATE_NONE;
    d.greedy = option_of(r, &d, r->policy.greedy);
    d.epsilon = to_double(r->policy.epsilon);
    d.propensity = to_double(r->policy.propensity);
    evaluate_add_decision(e, &d);
    if (e->stray.p == NULL && !jget_is_text(r->policy.decider, SP_STR("arbiter")))
        e->stray = sp_arena_copy(&e->arena, sp_str_of(place));
    return 0;
}

int evaluate_read_line(struct evaluate *e, struct sp_str line, const char *place,
                       struct sp_err *ret_err)
{
    struct jtable_place document = {0};
    struct reader r = {
        .evaluate = e,
        .err = ret_err,
        .policy_place = {.up = &document, .name = "policy"},
    };
    struct jscan found;
    int err;

    /* The arguments of an option may nest as deep as a message, and they stand within a line. */
    if (!jscan(line, JSCAN_MAX_DEPTH, &found)) {
        sp_err_set(ret_err, "not JSON");
        return -EINVAL;
    }
    if (found.type != JSCAN_OBJECT) {
        sp_err_set(ret_err, "not an object");
        return -EINVAL;
    }
    err = read_decision(&r, found.value, place);
    sp_buf_deinit(&r.text);
    return err;
}
