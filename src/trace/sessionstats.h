#pragma once

/*
 * Figures of one session: how long it took, who talked to whom, what was called and how fast the
 * answers were.
 *
 * Thread: any.
 */

#include "trace/exchanges.h"
#include "trace/sessionlog.h"

struct sessionstats_tool {
    struct sp_str name;
    size_t n_calls;
    size_t n_errors;
};

/* A program as `initialize` names it; p is NULL for what is not told. */
struct sessionstats_program {
    struct sp_str name;
    struct sp_str version;
};

/* All views look into its own memory. */
struct sessionstats {
    uint64_t duration_ms; /* until the last entry */
    size_t n_raw;         /* lines that are not JSON */
    size_t n_user;        /* messages of the conversation */
    size_t n_agent;
    struct sessionstats_program host;
    struct sessionstats_program server;
    struct sp_str protocol; /* the version that the server chose; p is NULL for none */

    size_t n_calls;       /* calls of tools, of the host and the proxy */
    size_t n_proxy_calls; /* of these, the proxy's own */
    size_t n_errors;      /* whose first answer tells of a failure */
    size_t n_refused;     /* of these, by the proxy, without the server's being asked */
    size_t n_cancelled;
    size_t n_unanswered;
    uint64_t *latencies_ms; /* of calls, from the request to its first answer; ascending */
    size_t n_latencies;
    struct sessionstats_tool *tools; /* the most called first, equals by name */
    size_t n_tools;

    struct exchanges exchanges; /* of the whole session */
    struct sp_arena arena;      /* private */
};

/* ret: the caller's, ended by sessionstats_deinit(). */
void sessionstats_read(const struct sessionlog *log, struct sessionstats *ret);

void sessionstats_deinit(struct sessionstats *s);

/*
 * The latency that a share of the calls do not exceed, by the nearest rank.
 *
 * percent: 1 to 100.
 * Returns: whether there is one; `ret_ms` stays untouched if no call was answered.
 */
bool sessionstats_percentile(const struct sessionstats *s, unsigned percent, uint64_t *ret_ms);

/* Orders tools: the most called first, equals by name. */
void sessionstats_sort_tools(struct sessionstats_tool *tools, size_t n);
