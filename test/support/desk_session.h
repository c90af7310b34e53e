#pragma once

/*
 * A session behind whose call the desk's flow of flow_example.h looks a customer and then an order
 * up. Texts are lines without LF.
 */

#include "engine/engine.h"
#include "flow_edit.h"

/*
 * That flow as it is served by default: decided by reach, 8 lookups a call, 40 a session.
 *
 * edits:   n changes of its text.
 * Returns: for engine_fixture_init_flow(), which takes the flow.
 */
struct engine_flow desk_session_flow(const struct flow_edit *edits, size_t n);

#define DESK_CALL(id, tool, arguments)                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"" tool "\",\"arguments\":" arguments "}}"

#define DESK_RESULT(id, text)                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\"," \
    "\"text\":\"" text "\"}],\"isError\":false}}"

/* What the agent asks for, and gets of the server. */
#define DESK_FIND  DESK_CALL("3", "find_customer", "{\"email\":\"ana@example.com\"}")
#define DESK_FOUND DESK_RESULT("3", "cust_7")

/* The first lookup as the proxy's own request of a number, and an answer's result. */
#define DESK_ASK_CUSTOMER(n)                                                              \
    "{\"id\":\"stretto-" n "\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":" \
    "{\"arguments\":{\"customer_id\":\"cust_7\"},\"name\":\"get_customer\"}}"
#define DESK_CUSTOMER                                                                    \
    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"id\\\":\\\"cust_7\\\"," \
    "\\\"orders\\\":[\\\"o-1\\\"]}\"}]}"

/* The second. */
#define DESK_ASK_ORDER(n)                                                                 \
    "{\"id\":\"stretto-" n "\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":" \
    "{\"arguments\":{\"order_id\":\"o-1\"},\"name\":\"get_order\"}}"
#define DESK_NO_ORDER                                                             \
    "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Order not found\"}]," \
    "\"isError\":true}"

#define DESK_ANSWER(n, answer) "{\"jsonrpc\":\"2.0\",\"id\":\"stretto-" n "\"," answer "}"

/* What the agent is told of each lookup, inside a string. */
#define DESK_HEAD \
    "--- Also looked up automatically (current results; no need to repeat these calls) ---"
#define DESK_TOLD_CUSTOMER                                                                   \
    "\\n\\nget_customer {\\\"customer_id\\\":\\\"cust_7\\\"}:\\n{\\\"id\\\":\\\"cust_7\\\"," \
    "\\\"orders\\\":[\\\"o-1\\\"]}"
#define DESK_TOLD_NO_ORDER \
    "\\n\\nget_order {\\\"order_id\\\":\\\"o-1\\\"} (error):\\nOrder not found"

/* The response to the agent's call with what was told. */
#define DESK_ANSWERED(told)                                                                 \
    "{\"id\":3,\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"cust_7\",\"type\":" \
    "\"text\"},{\"text\":\"" DESK_HEAD told "\",\"type\":\"text\"}],\"isError\":false}}"

/* Decisions of the flow's log. */
#define DESK_DECIDED_CUSTOMER_IF(shadow)                                                          \
    "{\"action\":\"lookup\",\"address\":\"decide#0\",\"after\":3,\"arguments\":{\"customer_id\":" \
    "\"cust_7\"},\"binding\":0.9,\"key\":null,\"ms\":0,\"oracle\":{},\"predicates\":{},\"prob\":" \
    "0.9917275552196188,\"probs\":{\"get_customer\":0.9917275552196188,\"respond\":0.0}," shadow  \
    "\"site\":\"find_customer\",\"tool\":\"get_customer\"}"
#define DESK_DECIDED_CUSTOMER DESK_DECIDED_CUSTOMER_IF("")
#define DESK_DECIDED_ORDER                                                                      \
    "{\"action\":\"lookup\",\"address\":\"decide#1\",\"after\":3,\"arguments\":{\"order_id\":"  \
    "\"o-1\"},\"binding\":0.9,\"key\":null,\"ms\":0,\"oracle\":{},\"predicates\":{},\"prob\":"  \
    "0.9937431762828588,\"probs\":{\"get_order\":0.9937431762828588,\"respond\":0.0},\"site\":" \
    "\"get_customer\",\"tool\":\"get_order\"}"
#define DESK_HANDED_BACK(address, site, reason)                                                   \
    "{\"action\":\"hand_back\",\"address\":\"" address "\",\"after\":3,\"binding\":null,\"key\":" \
    "null,\"ms\":0,\"oracle\":{},\"predicates\":{},\"prob\":null,\"probs\":{},\"reason\":"        \
    "\"" reason "\",\"site\":" site "}"
#define DESK_NOTHING_FOLLOWED "no lookups followed here in training"

/* A run of the flow's log. */
#define DESK_RUN(call, failed, max, sites, surprise)                                         \
    "{\"after\":3,\"run\":{\"call\":\"" call "\",\"failed\":" failed ",\"max_lookups\":" max \
    ",\"sites\":[" sites "],\"surprise\":" surprise "}}"
