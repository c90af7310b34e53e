#pragma once

/*
 * Many questions asked at once: each distinct one once, in the order of their keys, several at a
 * time; answers are then found by key, so that their order never matters.
 *
 * What is kept of a question is its key and the text of its answer. Only one that is to be sent or
 * dumped is kept itself, until that is done.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_alloc.h"
#include "base/sp_err.h"
#include "io/oracle_client.h"

struct batch_options {
    enum oracle_client_kind kind;
    const char *cache;    /* the directory of cached answers; NULL: ORACLE_CACHE_STRETTO */
    double budget;        /* dollars that asking the service may cost by the estimate */
    unsigned concurrency; /* questions out at once, at least 1 */
    const char *dump;     /* the file where requests are kept; NULL: none */
};

struct batch;

/*
 * Makes a batch.
 *
 * options: copied; its strings are borrowed until batch_run() returns.
 * Returns: the caller's, ended by batch_free(); NULL, told in ret_err, when the service is to be
 *          asked and there is no usable key, or a setting is of no use.
 */
struct batch *batch_new(const struct batch_options *options, struct sp_err *ret_err);

/* NULL is nothing. */
void batch_free(struct batch *b);

/*
 * Adds a question before batch_run(), and looks it up behind that; as learn/ask.h has it. Before,
 * and where it has no answer, it fails.
 *
 * data: the batch.
 */
int batch_ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
              struct oracle_response *ret, struct sp_err *ret_why);

struct batch_counts {
    size_t questions; /* distinct ones */
    size_t failed;    /* of these, that have no answer */
};

/*
 * Writes the dump, tells the estimate on stderr and asks everything that was added; called once.
 * Progress is told on stderr.
 *
 * The dump has a line {"key":KEY,"request":REQUEST} for each question, in canonical JSON and in
 * the order of the keys.
 *
 * Returns: 0, some questions perhaps without an answer; negative when nothing was asked, as the
 *          estimate is over the budget or the dump cannot be written, or when most questions fail;
 *          told in ret_err.
 */
int batch_run(struct batch *b, struct batch_counts *ret, struct sp_err *ret_err) SP_MUST_CHECK;
