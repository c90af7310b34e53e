/*
 * Reads a flow, or an arbiter, from any bytes. One that is read is written, and what is written
 * reads back and is written the same; and it can be asked for anything that it lists.
 */

#include <stdint.h>
#include <stdlib.h>

#include "flow/arbiterfile.h"
#include "flow/flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_model(const struct flow_model *m)
{
    for (size_t j = 0; j < m->n_levels; j++) {
        for (size_t i = 0; i < m->levels[j].n; i++) {
            const struct flow_context *context = &m->levels[j].contexts[i];

            require(flow_counts_of(m, context->history, j) == &context->counts);
        }
    }
}

static void check_finders(const struct flow *f)
{
    for (size_t i = 1; i < f->n_actions; i++)
        require(flow_action(f, f->actions[i]) == i);
    for (size_t i = 0; i < f->n_features; i++) {
        const struct flow_feature *feature = &f->features[i];

        require(flow_feature_of(f, feature->tool, feature->values, feature->n_values) ==
                feature->id);
    }
    for (size_t i = 0; i < f->sites.n_next; i++) {
        const struct flow_next *next = &f->sites.next[i];

        require(flow_next_of(f, next->tool, next->failed) == next);
    }
    for (size_t i = 0; i < f->bindings.sources.n; i++) {
        const struct flow_traced *traced = &f->bindings.sources.of[i];

        require(flow_traced_of(&f->bindings.sources, traced->lookup, traced->arg) == traced);
    }
    for (size_t i = 0; i < f->n_contracts; i++)
        require(flow_contract_of(f, f->contracts[i].tool) == &f->contracts[i]);
    check_model(&f->habit);
    check_model(&f->reach);
}

static void check_flow(struct sp_str text)
{
    struct sp_buf first = {0};
    struct sp_buf second = {0};
    struct sp_err err;
    struct flow *f;

    if (flow_parse(text, &f, &err) < 0)
        return;
    check_finders(f);
    flow_put(&first, f);
    flow_free(f);
    require(flow_parse(sp_buf_str(&first), &f, &err) == 0);
    flow_put(&second, f);
    require(sp_str_eq(sp_buf_str(&first), sp_buf_str(&second)));
    flow_free(f);
    sp_buf_deinit(&second);
    sp_buf_deinit(&first);
}

static void check_arbiter(struct sp_str text)
{
    struct arbiterfile a = {0};
    struct sp_buf first = {0};
    struct sp_buf second = {0};
    struct sp_err err;

    if (arbiterfile_parse(text, &a, &err) < 0)
        return;
    require(arbiterfile_is(text));
    arbiterfile_put(&first, &a);
    arbiterfile_deinit(&a);
    require(arbiterfile_parse(sp_buf_str(&first), &a, &err) == 0);
    arbiterfile_put(&second, &a);
    require(sp_str_eq(sp_buf_str(&first), sp_buf_str(&second)));
    arbiterfile_deinit(&a);
    sp_buf_deinit(&second);
    sp_buf_deinit(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str text = {(const char *)data, size};

    check_flow(text);
    check_arbiter(text);
    return 0;
}
