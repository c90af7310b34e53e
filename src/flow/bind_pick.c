/*
 * Picks the arguments of a lookup.
 *
 * What is kept of the session is that of all its calls. A view may have fewer: further calls with
 * the id of the one that returned are not in it, and pending calls give nothing yet. So before the
 * picking these few are taken back, and put in again behind it.
 */

#include <assert.h>

#include "base/sp_alloc.h"
#include "flow/bind_state.h"
#include "json/jput.h"

/* There is nothing to pass; why is in the result. */
#define BIND_PICK_E_NONE 1

/* The call after which a view stands. */
struct returned {
    size_t turn; /* SIZE_MAX: none */
    size_t call; /* its number, if there is one */
    const struct bind_id *id;
};

/* One lookup that is bound. */
struct pick {
    struct bind *b;
    struct bind_tool *tool;
    struct returned returned;
    struct bind_result *ret;
    bool are_mentioned; /* all values so far */
    bool is_other;
    bool is_described;
};

static struct returned find_returned(const struct bind *b, const struct episode_view *view)
{
    struct returned r = {.turn = view->turn};

    if (view->turn != SIZE_MAX) {
        r.id = bind_take_id(b, view->calls[view->n_calls - 1].id);
        assert(r.id != NULL);    /* bind_update() has seen the episode */
        r.call = r.id->calls[0]; /* the turn is the first that has the id */
    }
    return r;
}

enum change { TAKE_BACK, PUT_AGAIN };

static void change_given(struct bind *b, size_t number, enum change change)
{
    const struct bind_made *call = &b->calls[number];

    for (size_t i = 0; i < call->n_given; i++)
        call->given[i]->n_given += change == PUT_AGAIN ? 1 : (size_t)-1;
}

static void change_made(struct bind *b, size_t number, enum change change)
{
    const struct bind_made *call = &b->calls[number];
    struct bind_tool *tool = call->tool;

    if (tool == NULL)
        return;
    tool->n_made += change == PUT_AGAIN ? 1 : (size_t)-1;
    for (size_t i = 0; i < tool->n_args; i++) {
        if (call->used[i] == NULL)
            continue;
        if (change == PUT_AGAIN)
            bind_rank_use(b, &tool->args[i], call->used[i]);
        else
            bind_rank_unuse(b, &tool->args[i], call->used[i]);
    }
}

/* Calls of the turn that the view has dropped as they have the id of the one that returned. */
static void change_dropped(const struct pick *p, const struct episode_view *view,
                           enum change change)
{
    const struct returned *r = &p->returned;

    if (view->n_calls + view->n_pending == view->episode->events[view->turn].n_calls)
        return;
    for (size_t i = 0; i < r->id->n_calls; i++) {
        size_t number = r->id->calls[i];

        if (number == r->call || p->b->calls[number].turn != r->turn)
            continue;
        change_given(p->b, number, change);
        change_made(p->b, number, change);
    }
}

/* Pending calls of the turn; of one id all are. */
static void change_pending(const struct pick *p, const struct episode_view *view,
                           enum change change)
{
    struct bind *b = p->b;

    b->mark++;
    for (size_t i = 0; i < view->n_pending; i++) {
        struct bind_id *id = bind_take_id(b, view->pending[i].id);

        if (id->mark == b->mark)
            continue;
        id->mark = b->mark;
        for (size_t k = 0; k < id->n_calls; k++) {
            if (b->calls[id->calls[k]].turn == p->returned.turn)
                change_given(b, id->calls[k], change);
        }
    }
}

/* Pending calls that the episode does not have: to be made for the lookup, then unmade. */
static void change_ahead(const struct pick *p, const struct episode_view *view, enum change change)
{
    struct bind *b = p->b;
    struct bind_tool *tool = p->tool;

    for (size_t i = 0; i < view->n_pending; i++) {
        const struct episode_call *call = &view->pending[i];

        if (!sp_str_eq(call->name, tool->name))
            continue;
        tool->n_made += change == TAKE_BACK ? 1 : (size_t)-1;
        for (size_t k = 0; k < tool->n_args; k++) {
            struct bind_arg *arg = &tool->args[k];
            struct bind_entry *entry;

            if (arg->n_rules == 0 || !bind_take_value(b, call->arguments, arg->name))
                continue;
            entry = bind_rank_entry(b, arg, sp_buf_str(&b->text));
            if (change == TAKE_BACK)
                bind_rank_use(b, arg, entry);
            else
                bind_rank_unuse(b, arg, entry);
        }
    }
}

/* Makes what is kept that of the view, or again that of the session. */
static void change_to_view(const struct pick *p, const struct episode_view *view,
                           enum change change)
{
    if (view->turn == SIZE_MAX) {
        change_ahead(p, view, change);
    } else {
        change_pending(p, view, change);
        change_dropped(p, view, change);
    }
}

/*
 * The output of the first call of the view that passed a value and succeeded; NULL for none. Of its
 * turn, the call that returned is the last one.
 */
static const struct bind_output *read_of(const struct pick *p, const struct bind_entry *entry)
{
    const struct returned *r = &p->returned;
    const struct bind *b = p->b;
    const struct bind_made *returned = NULL;

    for (size_t i = 0; i < entry->n_reads; i++) {
        const struct bind_made *call = &b->calls[entry->reads[i]];

        if (call->turn != r->turn)
            return returned != NULL ? returned->id->output : call->id->output;
        if (entry->reads[i] == r->call)
            returned = call;
        else if (call->id != r->id)
            return call->id->output;
    }
    return returned != NULL ? returned->id->output : NULL;
}

static bool is_from_customer(const struct bind *b, const struct bind_text *text)
{
    return text->n_given > 0 || mentions_has(b->mentions, text->mention);
}

/* Marks the texts from the customer in a record; returns how many there are. */
static size_t mark_texts(struct bind *b, const struct bind_output *output)
{
    size_t n = 0;

    b->mark++;
    for (size_t i = 0; i < output->n_known; i++) {
        if (!is_from_customer(b, output->known[i]))
            continue;
        output->known[i]->mark = b->mark;
        n++;
    }
    return n;
}

/* Whether a record has exactly the `n_marked` texts from the customer that are marked. */
static bool has_marked(const struct bind *b, const struct bind_output *output, size_t n_marked)
{
    size_t n = 0;

    for (size_t i = 0; i < output->n_known; i++) {
        if (!is_from_customer(b, output->known[i]))
            continue;
        if (output->known[i]->mark != b->mark)
            return false;
        n++;
    }
    return n == n_marked;
}

/*
 * Whether, of the records of a list's values that were read, some hold a text from the customer
 * that others lack: whether they differ in such texts.
 */
static bool is_described(const struct pick *p, struct bind_entry *const *entries, size_t n)
{
    const struct bind_output *first = NULL;
    size_t n_marked = 0;

    for (size_t i = 0; i < n && p->b->n_known > 0; i++) {
        const struct bind_output *output = entries[i]->n_used > 0 ? read_of(p, entries[i]) : NULL;

        if (output == NULL)
            continue;
        if (first == NULL) {
            first = output;
            n_marked = mark_texts(p->b, first);
        } else if (output != first && !has_marked(p->b, output, n_marked)) {
            return true;
        }
    }
    return false;
}

/* These three pick one argument: the JSON of its value goes behind the arguments. */
static int pick_list(struct pick *p, const struct bind_arg *arg)
{
    const struct bind_entry *entry = bind_rank_first(arg, 0, BIND_HEAP_ALL);
    const struct bind_list *list;

    if (arg->n_rules == 0) {
        sp_buf_addf(&p->ret->why, "no source for the list `%.*s`, so it is left to the agent",
                    SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    }
    if (entry == NULL) {
        sp_buf_addf(&p->ret->why, "no list left to pass as `%.*s`", SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    }
    list = entry->spots[entry->places[0].rule].list;
    for (size_t i = 0; i < list->n; i++)
        p->are_mentioned = p->are_mentioned && mentions_of(p->b->mentions, list->values[i].text);
    sp_buf_add(&p->ret->arguments, entry->text);
    return 0;
}

static int pick_value(struct pick *p, const struct bind_arg *arg)
{
    size_t order;
    struct bind_entry *entry;
    const struct bind_spot *spot;
    size_t rule;

    if (arg->n_rules == 0) {
        sp_buf_addf(&p->ret->why, "no source for `%.*s`, so it is left to the agent",
                    SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    }
    order = bind_rank_order(arg, p->b->last_tool);
    entry = bind_rank_first(arg, order, BIND_HEAP_MENTIONED);
    if (entry == NULL)
        entry = bind_rank_first(arg, order, BIND_HEAP_ALL);
    if (entry == NULL) {
        sp_buf_addf(&p->ret->why, "nothing left to pass as `%.*s`", SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    }
    jput_string(&p->ret->arguments, entry->text);
    rule = entry->places[order].rule;
    spot = &entry->spots[rule];
    if (spot->list->values[spot->pos].is_mentioned)
        return 0;
    p->are_mentioned = false;
    p->is_other = p->is_other || arg->has_mentioned;
    if (!p->is_described)
        p->is_described =
            is_described(p, spot->list->entries[arg->rules[rule].user], spot->list->n);
    return 0;
}

static int pick_named(struct pick *p, const struct bind_arg *arg)
{
    const struct bind_entry *entry = bind_rank_first(arg, 0, BIND_HEAP_MENTIONED);

    if (entry == NULL) {
        p->are_mentioned = false;
        entry = bind_rank_first(arg, 0, BIND_HEAP_ALL);
    }
    if (entry == NULL) {
        sp_buf_addf(&p->ret->why, "no `%.*s` in the results so far", SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    }
    jput_string(&p->ret->arguments, entry->text);
    return 0;
}

static int pick_arg(struct pick *p, const struct bind_arg *arg)
{
    switch (arg->kind) {
    case BIND_ARG_LIST:
        return pick_list(p, arg);
    case BIND_ARG_VALUE:
        return pick_value(p, arg);
    case BIND_ARG_NAMED:
        return pick_named(p, arg);
    case BIND_ARG_UNSEEN:
        sp_buf_addf(&p->ret->why, "training never saw `%.*s` as a string", SP_STR_ARG(arg->name));
        return BIND_PICK_E_NONE;
    case BIND_ARG_CONSTANT:
        sp_buf_add(&p->ret->arguments, arg->constant->value);
        break;
    }
    return 0;
}

static void put_name(struct sp_buf *b, struct sp_str name)
{
    sp_buf_add_char(b, b->len > 0 ? ',' : '{');
    jput_string(b, name);
    sp_buf_add_char(b, ':');
}

/* Puts the constants from the k-th on that come before an argument; returns the next one. */
static size_t put_constants(struct pick *p, size_t k, const struct bind_arg *before)
{
    const struct bind_tool *tool = p->tool;

    for (; k < tool->n_constants; k++) {
        const struct flow_constant *constant = &tool->constants[k];

        if (before != NULL && sp_str_cmp(constant->arg, before->name) >= 0)
            break;
        put_name(&p->ret->arguments, constant->arg);
        sp_buf_add(&p->ret->arguments, constant->value);
    }
    return k;
}

/* Picks the arguments in byte order, the constants among them. */
static int pick_args(struct pick *p)
{
    const struct bind_tool *tool = p->tool;
    struct sp_buf *b = &p->ret->arguments;
    size_t k = 0;

    for (size_t i = 0; i < tool->n_args; i++) {
        const struct bind_arg *arg = &tool->args[i];
        int r;

        k = put_constants(p, k, arg);
        k += arg->kind == BIND_ARG_CONSTANT;
        put_name(b, arg->name);
        r = pick_arg(p, arg);
        if (r != 0)
            return r;
    }
    (void)put_constants(p, k, NULL); /* to the last one */
    sp_buf_add(b, b->len > 0 ? SP_STR("}") : SP_STR("{}"));
    return 0;
}

static double ratio(const struct flow_ratio *r)
{
    return ((double)r->hits + 1) / ((double)r->n + 2);
}

/* The chance of a class whose picks were counted apart; `c0` if they were not. */
static double used_chance(const struct flow_useds *useds, struct sp_str tool, double c0)
{
    const struct flow_used *used = flow_used_of(useds, tool);

    if (used == NULL)
        return c0;
    return ((double)used->ratio.hits + 2 * c0) / ((double)used->ratio.n + 2);
}

static double class_chance(const struct flow *f, struct sp_str tool, enum bind_class class)
{
    static const struct flow_agreed none = {0};
    const struct flow_agreed *agreed = flow_agreed_of(f, tool);
    double c0;

    if (agreed == NULL)
        agreed = &none;
    c0 = ratio(&agreed->unmentioned);
    switch (class) {
    case BIND_NONE:
        break;
    case BIND_PICKED:
        return ratio(&agreed->mentioned);
    case BIND_OTHER:
        return used_chance(&f->bindings.named_other, tool, c0);
    case BIND_DESCRIBED:
        return used_chance(&f->bindings.described_read, tool, c0);
    }
    return c0;
}

static double bare_chance(const struct flow *f, const struct bind_tool *tool)
{
    const struct flow_tally *bare = flow_tally_of(&f->bindings.bare, tool->name);

    if (tool->trained == NULL || bare == NULL)
        return 1;
    return ((double)bare->n + 1) / ((double)tool->trained->calls + 2);
}

static void set_chance(struct pick *p)
{
    const struct flow *f = p->b->flow;
    struct bind_result *ret = p->ret;

    if (p->are_mentioned)
        ret->class = BIND_PICKED;
    else if (p->is_other)
        ret->class = BIND_OTHER;
    else if (p->is_described)
        ret->class = BIND_DESCRIBED;
    if (p->tool->n_args == 0 && p->tool->n_constants == 0)
        ret->chance = bare_chance(f, p->tool);
    else if (p->tool->trained == NULL)
        ret->chance = p->tool->n_args > 0 ? 0.5 : 1;
    else
        ret->chance = class_chance(f, p->tool->name, ret->class);
}

static int pick(struct pick *p)
{
    if (p->tool->trained == NULL && !p->tool->is_documented) {
        sp_buf_add(&p->ret->why, BIND_UNKNOWN);
        return BIND_PICK_E_NONE;
    }
    if (p->tool->n_args == 0 && p->tool->n_made > 0) {
        sp_buf_add(&p->ret->why, SP_STR("already looked up"));
        return BIND_PICK_E_NONE;
    }
    return pick_args(p);
}

void bind_pick(struct bind *b, const struct episode_view *view, struct bind_tool *tool,
               struct bind_result *ret)
{
    struct pick p = {
        .b = b,
        .tool = tool,
        .returned = find_returned(b, view),
        .ret = ret,
        .are_mentioned = true,
    };

    change_to_view(&p, view, TAKE_BACK);
    ret->is_bound = pick(&p) == 0;
    change_to_view(&p, view, PUT_AGAIN);
    if (ret->is_bound)
        set_chance(&p);
    else
        sp_buf_clear(&ret->arguments);
}
