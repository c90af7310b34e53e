/* The desk's flow as it is served. */

#include "desk_session.h"
#include "flow_example.h"

struct engine_flow desk_session_flow(const struct flow_edit *edits, size_t n)
{
    return (struct engine_flow){
        .flow = flow_parsed(FLOW_DESK, edits, n),
        .decide = {.decider = DECIDE_REACH, .threshold = 0.3},
        .per_call = 8,
        .per_session = 40,
        .questions = 300,
    };
}
