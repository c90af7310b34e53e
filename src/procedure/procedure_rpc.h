#pragma once

/*
 * What a run says to its server and hears from it: JSON-RPC lines.
 *
 * Thread: any.
 */

#include <stdint.h>

#include "base/sp_buf.h"

/* Each appends one line, newline included. */
void procedure_rpc_put_initialize(struct sp_buf *ret, uint64_t id);
void procedure_rpc_put_initialized(struct sp_buf *ret);

/* arguments: a JSON object. */
void procedure_rpc_put_call(struct sp_buf *ret, uint64_t id, struct sp_str tool,
                            struct sp_str arguments);

enum procedure_rpc_kind {
    PROCEDURE_RPC_OTHER, /* not JSON, not an answer, or one to another request */
    PROCEDURE_RPC_RESULT,
    PROCEDURE_RPC_ERROR,
};

/*
 * Finds out what a line is to the request with this id.
 *
 * ret: the result's or error's span; its `p` is NULL when an answer has none.
 */
enum procedure_rpc_kind procedure_rpc_read(struct sp_str line, uint64_t id, struct sp_str *ret);

/*
 * Reads the result of a call.
 *
 * result:  a span; its `p` may be NULL.
 * ret:     gets the texts of the content, joined by newlines.
 * Returns: whether the tool has failed.
 */
bool procedure_rpc_result(struct sp_str result, struct sp_buf *ret);
