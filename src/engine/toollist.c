/* The tools that a server listed. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "engine/toollist.h"
#include "json/jget.h"
#include "trace/manifest.h"

static struct toollist_tool *put(struct toollist *l, struct sp_str name)
{
    const size_t *known = sp_map_find(&l->by_name, name);

    if (known != NULL)
        return &l->tools[*known];
    if (l->n_tools == l->max_tools) {
        l->max_tools = l->max_tools > 0 ? 2 * l->max_tools : 16;
        l->tools = sp_realloc(l->tools, l->max_tools * sizeof *l->tools);
    }
    *sp_map_put(&l->by_name, sp_arena_copy(&l->arena, name), NULL) = l->n_tools;
    l->tools[l->n_tools] = (struct toollist_tool){0};
    return &l->tools[l->n_tools++];
}

static enum toollist_hint hint_of(struct sp_str item)
{
    struct sp_str annotations, hint;

    if (!jget_member(item, SP_STR("annotations"), &annotations) ||
        !jget_member(annotations, SP_STR("readOnlyHint"), &hint))
        return TOOLLIST_NO_HINT;
    switch (jget_type(hint)) {
    case JSCAN_TRUE:
        return TOOLLIST_READS;
    case JSCAN_FALSE:
        return TOOLLIST_WRITES;
    default:
        return TOOLLIST_NO_HINT;
    }
}

static void learn_tool(struct toollist *l, struct sp_str item)
{
    struct sp_str name, schema;
    struct sp_buf text = {0};
    struct toollist_tool *tool;

    if (!jget_member(item, SP_STR("name"), &name) || jget_type(name) != JSCAN_STRING)
        return;
    jget_text(name, &text);
    tool = put(l, sp_buf_str(&text));
    tool->hint = hint_of(item);
    sp_buf_clear(&text);
    if (jget_member(item, SP_STR("inputSchema"), &schema)) {
        manifest_put_contract(&text, schema);
        /* Listings repeat: the same text is not kept again. */
        if (tool->contract.p == NULL || !sp_str_eq(tool->contract, sp_buf_str(&text)))
            tool->contract = sp_arena_copy(&l->arena, sp_buf_str(&text));
    } else {
        tool->contract = (struct sp_str){0};
    }
    sp_buf_deinit(&text);
}

void toollist_learn(struct toollist *l, struct sp_str result)
{
    struct sp_str tools;

    if (!jget_member(result, SP_STR("tools"), &tools) || jget_type(tools) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(tools); jget_next(&it);)
        learn_tool(l, it.value);
}

const struct toollist_tool *toollist_find(const struct toollist *l, struct sp_str name)
{
    const size_t *i = sp_map_find(&l->by_name, name);

    return i != NULL ? &l->tools[*i] : NULL;
}

void toollist_deinit(struct toollist *l)
{
    free(l->tools);
    sp_map_deinit(&l->by_name);
    sp_arena_deinit(&l->arena);
    *l = (struct toollist){0};
}
