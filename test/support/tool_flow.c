/* Flows of tools alone. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tool_flow.h"

struct flow *tool_flow(const struct tool_flow_tool *tools, size_t n)
{
    struct flow *f = flow_new();

    f->provenance.stretto = SP_STR("0.1.0");
    f->domain = SP_STR("tickets");
    f->model = SP_STR("");
    f->n_actions = n + 1;
    f->actions = sp_arena_alloc(&f->arena, f->n_actions * sizeof *f->actions);
    f->n_kinds = n;
    f->kinds = sp_arena_alloc(&f->arena, f->n_kinds * sizeof *f->kinds);
    for (size_t i = 0; i < n; i++) {
        f->actions[i + 1] = sp_str_of(tools[i].name);
        f->kinds[i] = (struct flow_kind){sp_str_of(tools[i].name), tools[i].kind};
    }
    flow_index(f);
    return f;
}

void tool_flow_check_has(const struct flow *f, const char *part)
{
    struct sp_buf b = {0};

    flow_put(&b, f);
    if (strstr(sp_buf_cstr(&b), part) == NULL)
        fail_msg("%s\nis not in\n%s", part, sp_buf_cstr(&b));
    sp_buf_deinit(&b);
}
