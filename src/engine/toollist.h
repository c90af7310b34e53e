#pragma once

/*
 * What a server has said of its tools in this session: whether each only reads, and what its input
 * has to look like. A later listing of a tool replaces what was known of it; none is forgotten.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_arena.h"
#include "base/sp_map.h"

enum toollist_hint { TOOLLIST_NO_HINT, TOOLLIST_READS, TOOLLIST_WRITES };

struct toollist_tool {
    enum toollist_hint hint;
    struct sp_str contract; /* as in manifest_put_contract(); p is NULL for none */
};

/* A zeroed struct is an empty list. */
struct toollist {
    struct toollist_tool *tools; /* private, as the rest */
    size_t n_tools;
    size_t max_tools;
    struct sp_map by_name;
    struct sp_arena arena;
};

/* Learns from the result of a tools/list, a span; any other value says nothing. */
void toollist_learn(struct toollist *l, struct sp_str result);

/* What is known of a tool; NULL for nothing. Good until more is learned. */
const struct toollist_tool *toollist_find(const struct toollist *l, struct sp_str name);

void toollist_deinit(struct toollist *l);
