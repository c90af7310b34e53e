/* What changed in what a flow's arbiter asks and weighs. */

#include "flow/flowdiff_parts.h"
#include "flow/flowshow_parts.h"
#include "flow/markdown.h"

/* ---- predicates ---- */

/* The predicate of an id; of several the last, which is the one that is asked. NULL for none. */
static const struct flow_predicate *find(const struct flow *f, struct sp_str id)
{
    for (size_t i = f->predicates.n; i-- > 0;) {
        if (sp_str_eq(f->predicates.of[i].id, id))
            return &f->predicates.of[i];
    }
    return NULL;
}

static bool is_same_favors(const struct flow_favors *a, const struct flow_favors *b)
{
    return a->kind == b->kind && (a->kind != FLOW_ONE_LOOKUP || sp_str_eq(a->lookup, b->lookup));
}

static void put_favors(struct sp_buf *b, const struct flow_favors *favors)
{
    switch (favors->kind) {
    case FLOW_SAME_LOOKUP:
        sp_buf_add(b, SP_STR("the same lookup"));
        break;
    case FLOW_ANY_LOOKUP:
        sp_buf_add(b, SP_STR("any lookup"));
        break;
    case FLOW_HAND_BACK:
        sp_buf_add(b, SP_STR("handing back"));
        break;
    case FLOW_ONE_LOOKUP:
        markdown_put_code(b, favors->lookup);
        break;
    }
}

/* Appends a text of a predicate if it changed. */
static void put_reworded(struct sp_buf *b, const char *what, struct sp_str from, struct sp_str to)
{
    if (sp_str_eq(from, to))
        return;
    sp_buf_addf(b, "; %s: ", what);
    markdown_put_text(b, from);
    sp_buf_add(b, SP_STR(" → "));
    markdown_put_text(b, to);
}

static bool is_same_predicate(const struct flow_predicate *a, const struct flow_predicate *b)
{
    return sp_str_eq(a->question, b->question) && sp_str_eq(a->yes, b->yes) &&
           sp_str_eq(a->no, b->no) && is_same_favors(&a->favors, &b->favors);
}

static void list_reworded(struct flowdiff *d, const struct flow_predicate *from,
                          const struct flow_predicate *to)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("Predicate "));
    markdown_put_code(b, to->id);
    sp_buf_add(b, SP_STR(" reworded"));
    put_reworded(b, "question", from->question, to->question);
    put_reworded(b, "yes", from->yes, to->yes);
    put_reworded(b, "no", from->no, to->no);
    if (!is_same_favors(&from->favors, &to->favors)) {
        sp_buf_add(b, SP_STR("; favors: "));
        put_favors(b, &from->favors);
        sp_buf_add(b, SP_STR(" → "));
        put_favors(b, &to->favors);
    }
    flowdiff_end(d, FLOWDIFF_REVIEW);
}

static void list_predicate(struct flowdiff *d, const struct flow_predicate *p, const char *what,
                           enum flowdiff_need need)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("Predicate "));
    markdown_put_code(b, p->id);
    sp_buf_addf(b, " %s: ", what);
    markdown_put_text(b, p->question);
    flowdiff_end(d, need);
}

static void compare_predicate(struct flowdiff *d, struct sp_str id)
{
    const struct flow_predicate *from = find(d->old_flow, id);
    const struct flow_predicate *to = find(d->new_flow, id);

    if (from == NULL)
        list_predicate(d, to, "new", FLOWDIFF_REVIEW);
    else if (to == NULL)
        list_predicate(d, from, "dropped", FLOWDIFF_NOTE);
    else if (!is_same_predicate(from, to))
        list_reworded(d, from, to);
}

static void add_ids(struct flowdiff *d, struct flowdiff_names *names, const struct flow *f)
{
    for (size_t i = 0; i < f->predicates.n; i++)
        flowdiff_names_add(d, names, f->predicates.of[i].id);
}

static void compare_predicates(struct flowdiff *d)
{
    struct flowdiff_names ids = {0};

    add_ids(d, &ids, d->old_flow);
    add_ids(d, &ids, d->new_flow);
    flowdiff_names_sort(&ids);
    for (size_t i = 0; i < ids.n; i++)
        compare_predicate(d, ids.of[i]);
}

/* ---- weights ---- */

/* Whether the weights of two flows are of the same evidence. */
static bool has_same_weighed(const struct flow_predicates *a, const struct flow_predicates *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        if (!sp_str_eq(a->of[i].id, b->of[i].id) ||
            !is_same_favors(&a->of[i].favors, &b->of[i].favors))
            return false;
    }
    return true;
}

static void put_weighed(struct sp_buf *b, const struct flow_predicates *weighed)
{
    for (size_t i = 0; i < weighed->n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        markdown_put_code(b, weighed->of[i].id);
        sp_buf_add(b, SP_STR(" for "));
        put_favors(b, &weighed->of[i].favors);
    }
    if (weighed->n == 0)
        sp_buf_add(b, SP_STR("none"));
}

static void list_weighed(struct flowdiff *d)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("Weighed predicates: "));
    put_weighed(b, &d->old_flow->weighed);
    sp_buf_add(b, SP_STR(" → "));
    put_weighed(b, &d->new_flow->weighed);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_weight(struct flowdiff *d, size_t weight)
{
    double from = flowshow_mean_weight(d->old_flow, weight);
    double to = flowshow_mean_weight(d->new_flow, weight);
    struct sp_buf *b;

    if (!flowdiff_has_moved(d, from, to))
        return;
    b = flowdiff_begin(d);
    sp_buf_add(b, SP_STR("Weight of "));
    flowshow_put_weight_name(b, d->new_flow, weight);
    sp_buf_addf(b, " %.3f → %.3f", from, to);
    flowdiff_end(d, FLOWDIFF_NOTE);
}

static void compare_weights(struct flowdiff *d)
{
    if (!has_same_weighed(&d->old_flow->weighed, &d->new_flow->weighed)) {
        list_weighed(d);
        return;
    }
    for (size_t i = 0; i < d->new_flow->folds[0].n_weights; i++)
        compare_weight(d, i);
}

/* ---- the arbiter ---- */

static void list_added(struct flowdiff *d)
{
    struct sp_buf *b = flowdiff_begin(d);

    sp_buf_add(b, SP_STR("Arbiter added; it asks "));
    markdown_put_code(b, d->new_flow->model);
    flowdiff_end(d, FLOWDIFF_REVIEW);
}

static void compare_models(struct flowdiff *d)
{
    struct sp_buf *b;

    if (sp_str_eq(d->old_flow->model, d->new_flow->model))
        return;
    b = flowdiff_begin(d);
    sp_buf_add(b, SP_STR("System-One model: "));
    markdown_put_code(b, d->old_flow->model);
    sp_buf_add(b, SP_STR(" → "));
    markdown_put_code(b, d->new_flow->model);
    flowdiff_end(d, FLOWDIFF_REVIEW);
}

void flowdiff_arbiter(struct flowdiff *d)
{
    bool had = d->old_flow->n_folds > 0;
    bool has = d->new_flow->n_folds > 0;

    if (has && !had)
        list_added(d);
    if (has && had)
        compare_models(d);
    if (had && !has) {
        sp_buf_add(flowdiff_begin(d), SP_STR("Arbiter removed"));
        flowdiff_end(d, FLOWDIFF_NOTE);
    }
    compare_predicates(d);
    if (has && had)
        compare_weights(d);
}
