#pragma once

/* Flows that know their tools and nothing else. */

#include "flow/flow.h"

struct tool_flow_tool {
    const char *name;
    enum manifest_kind kind;
};

/* tools: sorted by name, kept as long as the flow. Gives an indexed flow; the caller's. */
struct flow *tool_flow(const struct tool_flow_tool *tools, size_t n);

/* Fails the test unless the text of a flow's file has a part. */
void tool_flow_check_has(const struct flow *f, const char *part);
