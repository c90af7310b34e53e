/* The files that learning takes beside session logs. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "flow/flowtable.h"
#include "learn/learnfile.h"

static int scan_object(struct sp_str text, struct sp_str *ret, struct sp_err *ret_err)
{
    struct jscan found;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found)) {
        sp_err_set(ret_err, "it is not JSON");
        return -EINVAL;
    }
    if (found.type != JSCAN_OBJECT) {
        sp_err_set(ret_err, "it is not an object");
        return -EINVAL;
    }
    *ret = found.value;
    return 0;
}

int learnfile_read_tools(struct sp_str text, struct flow *f, struct sp_err *ret_err)
{
    struct flowjson_at top = {.arena = &f->arena, .err = ret_err};
    struct sp_str object;
    int err = scan_object(text, &object, ret_err);

    return err < 0 ? err : flowjson_read(&top, object, &flowtable_tools, f);
}

/* Reads one reward into the next place. */
static int read_reward(const struct flowjson_at *top, const struct jget_iter *it,
                       struct learnfile_rewards *r)
{
    struct flowjson_at at = {.up = top, .arena = top->arena, .err = top->err};
    size_t n = r->by_session.n;
    size_t *index;
    bool is_new;

    at.name = flowjson_text(top, it->name);
    index = sp_map_put(&r->by_session, at.name, &is_new);
    if (is_new)
        *index = n;
    return flowjson_read(&at, it->value, &flowjson_real, &r->values[*index]);
}

int learnfile_read_rewards(struct sp_str text, struct sp_arena *arena,
                           struct learnfile_rewards *ret, struct sp_err *ret_err)
{
    struct flowjson_at top = {.arena = arena, .err = ret_err};
    struct sp_str object;
    int err = scan_object(text, &object, ret_err);

    if (err < 0)
        return err;
    ret->values = sp_calloc(jget_count(object), sizeof *ret->values);
    for (struct jget_iter it = jget_iter(object); err == 0 && jget_next(&it);)
        err = read_reward(&top, &it, ret);
    return err;
}

void learnfile_rewards_deinit(struct learnfile_rewards *r)
{
    sp_map_deinit(&r->by_session);
    free(r->values);
    *r = (struct learnfile_rewards){0};
}

static const struct flowjson_field predicates_fields[] = {
    {
        .name = "predicates",
        .rule = FLOWJSON_REQUIRED,
        .shape = FLOWJSON_ONE,
        .type = &flowtable_predicates,
        .offset = 0,
    },
};

static const struct flowjson_type predicates = {
    .form = FLOWJSON_OBJECT,
    .size = sizeof(struct flow_predicates),
    .fields = predicates_fields,
    .n_fields = 1,
};

/* The questions of a decision are named after their predicates. */
static int check_ids(const struct flow_predicates *p, struct sp_err *ret_err)
{
    struct sp_map ids = {0};
    int err = 0;

    for (size_t i = 0; err == 0 && i < p->n; i++) {
        bool is_new;

        sp_map_put(&ids, p->of[i].id, &is_new);
        if (!is_new || p->of[i].id.len == 0) {
            sp_err_set(ret_err, "predicates[%zu].id: %s", i,
                       is_new ? "it is empty" : "another predicate has it");
            err = -EINVAL;
        }
    }
    sp_map_deinit(&ids);
    return err;
}

int learnfile_read_predicates(struct sp_str text, struct sp_arena *arena,
                              struct flow_predicates *ret, struct sp_err *ret_err)
{
    struct flowjson_at top = {.arena = arena, .err = ret_err};
    struct sp_str object;
    int err = scan_object(text, &object, ret_err);

    if (err == 0)
        err = flowjson_read(&top, object, &predicates, ret);
    return err < 0 ? err : check_ids(ret, ret_err);
}
