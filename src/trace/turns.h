#pragma once

/*
 * Builds an episode from a session's messages as they come. MCP does not say which calls the agent
 * made in one turn; they are inferred: calls sent while one of the turn's is unanswered belong to
 * it, and so do calls sent within half a second of its last answer that pass on nothing which the
 * turn's own results brought.
 *
 * Feeding a message costs what the message is long, hardly more for a long session. The call that
 * opens a turn also pays for a copy of what the turn before it returned.
 *
 * Thread: any, one at a time.
 */

#include "trace/episode.h"
#include "trace/tracemsg.h"

struct turns;

/*
 * Begins a session without messages.
 *
 * session:     the episode's id; copied, as the next two.
 * domain:      p is NULL for none: "mcp".
 * agent_model: p is NULL for none: what the host's initialize names, or else "unknown".
 * Returns:     the caller's, freed by turns_free().
 */
struct turns *turns_new(struct sp_str session, struct sp_str domain, struct sp_str agent_model);

/* NULL is nothing. */
void turns_free(struct turns *t);

/*
 * Takes the next entry of the session.
 *
 * message: any JSON value nested at most 127 deep, a batch too; a `p` of NULL does nothing.
 */
void turns_feed(struct turns *t, enum line_from from, uint64_t t_ms, struct sp_str message);

/* The episode so far; the turns'. It grows with every message. Only the task id, the trial and the
 * reward are the caller's to set. */
struct episode *turns_episode(struct turns *t);

/*
 * How many answers the turn of a call had when the call was sent; of an id that is used again, the
 * last.
 *
 * Returns: whether there is such a call.
 */
bool turns_sent_after(const struct turns *t, struct sp_str call_id, uint64_t *ret);

/* Appends all of it as a canonical JSON object, call id to number. */
void turns_put_sent_after(const struct turns *t, struct sp_buf *b);
