#pragma once

/*
 * A flow's tools by number, and what its program needs to know of them: 0 hands back, then come the
 * flow's lookups in the order of its file, then the manifest's other tools by name. One number more
 * stands for a tool that the flow does not know.
 *
 * Thread: any.
 */

#include "flow/flow.h"
#include "flow/program_run.h"

struct toolmodel {
    struct program_model base; /* for program_run_new() */
    const struct flow *flow;   /* private, as the rest */
    struct sp_str *names;      /* by number; 0 has none */
    struct sp_map numbers;
    struct sp_str unknown; /* the tool behind the last number */
};

/* flow: kept until toolmodel_deinit(). */
void toolmodel_init(struct toolmodel *t, const struct flow *flow);

void toolmodel_deinit(struct toolmodel *t);

/*
 * The number of a tool; base.n_tools when the flow does not know it, and then that number stands
 * for it from now on. The name is borrowed as long as it does.
 */
uint64_t toolmodel_number(struct toolmodel *t, struct sp_str tool);
