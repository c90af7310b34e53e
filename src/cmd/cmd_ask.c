/* stretto ask: puts questions from a file. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_file.h"
#include "cmd/batch.h"
#include "cmd/cmd.h"
#include "cmd/report.h"
#include "io/oracle_cache.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"

#define DEFAULT_BUDGET      1.0
#define DEFAULT_CONCURRENCY 8
#define MAX_CONCURRENCY     1024

struct ask_args {
    const char *requests;
    const char *out;
    int oracle;
    const char *cache;
    struct sp_opt_number budget;
    struct sp_opt_uint concurrency;
};

#define AT(field) .offset = offsetof(struct ask_args, field)

static const struct sp_opt table[] = {
    {"requests", .kind = SP_OPT_PATH, .is_required = true, AT(requests), .arg = "FILE",
     .help = "requests as JSON lines, bare or as {\"key\",\"request\"}"},
    {"out", .kind = SP_OPT_PATH, .is_required = true, AT(out), .arg = "FILE",
     .help = "where the answers go, a line {\"key\",\"response\"} each"},
    {"oracle", .kind = SP_OPT_CHOICE, AT(oracle), .arg = "KIND",
     .choices = {"jev", "replay", "mock"}, .fallback = "replay",
     .help = "who answers: the service, cached answers, or a mock"},
    {"oracle-cache", .kind = SP_OPT_PATH, AT(cache), .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO,
     .help = "the cached answers"},
    {"oracle-budget", .kind = SP_OPT_NUMBER, AT(budget), .arg = "DOLLARS", .fallback = "1",
     .help = "ask nothing if it may cost more than this"},
    {"oracle-concurrency", .kind = SP_OPT_UINT, AT(concurrency), .arg = "N", .fallback = "8",
     .help = "questions that are out at once"},
    CMD_HELP,
};

/* given: the key that the request came with; p is NULL for none. */
typedef int (*request_fn)(void *data, const struct oracle_request *request, struct sp_str given,
                          struct sp_err *ret_err);

/*
 * Reads a line.
 *
 * key:       gets the text of the line's key.
 * ret_given: a view of it; p is NULL for none.
 */
static int read_line(struct sp_str line, struct sp_buf *key, struct sp_str *ret_given,
                     struct oracle_request *ret, struct sp_err *ret_err)
{
    struct sp_str names[2] = {SP_STR("key"), SP_STR("request")}, found[2];
    struct jscan scan;

    if (!jscan(line, JSCAN_MAX_DEPTH, &scan) || scan.type != JSCAN_OBJECT) {
        sp_err_set(ret_err, "it is not a JSON object");
        return -EINVAL;
    }
    jget_members(scan.value, names, 2, found);
    if (found[1].p == NULL)
        return oracle_read_request(scan.value, ret, ret_err);
    if (found[0].p != NULL) {
        if (jget_type(found[0]) != JSCAN_STRING) {
            sp_err_set(ret_err, "the key must be a string");
            return -EINVAL;
        }
        jget_text(found[0], key);
        *ret_given = (struct sp_str){sp_buf_cstr(key), key->len};
    }
    return oracle_read_request(found[1], ret, ret_err);
}

/* Gives the requests of all lines in order. */
static int each_request(struct sp_str text, const char *path, request_fn fn, void *data,
                        struct sp_err *ret_err)
{
    size_t n_line = 0;
    int err = 0;

    while (err == 0 && text.len > 0) {
        size_t end = sp_str_find(text, '\n');
        struct sp_str line = sp_str_sub(text, 0, end);
        struct oracle_request request;
        struct sp_buf key = {0};
        struct sp_str given = {0};

        text = sp_str_sub(text, end < text.len ? end + 1 : end, text.len);
        n_line++;
        if (sp_str_is_blank(line))
            continue;
        err = read_line(line, &key, &given, &request, ret_err);
        if (err == 0) {
            err = fn(data, &request, given, ret_err);
            oracle_request_deinit(&request);
        }
        if (err < 0)
            sp_err_prefix(ret_err, "%s:%zu", path, n_line);
        sp_buf_deinit(&key);
    }
    return err;
}

/* Adds a request to the batch. */
static int gather(void *data, const struct oracle_request *request, struct sp_str given,
                  struct sp_err *ret_err)
{
    struct oracle_response response;
    struct sp_err why;
    struct sp_str key;

    (void)batch_ask(data, request, &key, &response, &why); /* nothing is answered yet */
    if (given.p == NULL || sp_str_eq(given, key))
        return 0;
    sp_err_set(ret_err, "the key is not the request's, %.*s", SP_STR_ARG(key));
    return -EINVAL;
}

struct output {
    struct batch *batch;
    struct spool spool;
};

/* Appends the line of a request's answer. */
static int put_answer(void *data, const struct oracle_request *request, struct sp_str given,
                      struct sp_err *ret_err)
{
    struct output *out = data;
    struct sp_buf *b = &out->spool.text;
    struct oracle_response response;
    struct sp_buf text = {0};
    struct sp_err why;
    struct sp_str key;

    (void)given;
    (void)ret_err; /* nothing here fails */
    if (batch_ask(out->batch, request, &key, &response, &why) < 0) {
        sp_buf_add(b, SP_STR("{\"error\":"));
        jput_string(b, sp_str_of(why.text));
        sp_buf_addf(b, ",\"key\":\"%.*s\"}\n", SP_STR_ARG(key));
    } else {
        oracle_put_response(&text, &response);
        oracle_response_deinit(&response);
        sp_buf_addf(b, "{\"key\":\"%.*s\",\"response\":", SP_STR_ARG(key));
        jcanon(b, sp_buf_str(&text));
        sp_buf_add(b, SP_STR("}\n"));
        sp_buf_deinit(&text);
    }
    return 0;
}

static int ask_all(const struct ask_args *args, struct sp_str text, struct output *out,
                   struct sp_err *ret_err)
{
    struct batch_counts counts;
    int err = each_request(text, args->requests, gather, out->batch, ret_err);

    if (err == 0)
        err = batch_run(out->batch, &counts, ret_err);
    return err < 0 ? err : each_request(text, args->requests, put_answer, out, ret_err);
}

static int ask(const struct ask_args *args)
{
    struct batch_options options = {
        .kind = args->oracle > 0 ? (enum oracle_client_kind)args->oracle : ORACLE_CLIENT_REPLAY,
        .cache = args->cache,
        .budget = args->budget.is_given ? args->budget.value : DEFAULT_BUDGET,
        .concurrency =
            args->concurrency.is_given ? (unsigned)args->concurrency.value : DEFAULT_CONCURRENCY,
    };
    struct output out = {0};
    struct sp_buf text = {0};
    struct sp_err err;
    int status;
    int code = sp_file_read(args->requests, SIZE_MAX, &text);

    if (code < 0) {
        status = cmd_fail("reading %s: %s", args->requests, sp_err_cause(code));
    } else {
        out.batch = batch_new(&options, &err);
        if (out.batch == NULL || ask_all(args, sp_buf_str(&text), &out, &err) < 0)
            status = cmd_fail("%s", err.text);
        else
            status = report_deliver(&out.spool, args->out);
    }
    batch_free(out.batch);
    spool_deinit(&out.spool);
    sp_buf_deinit(&text);
    return status;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct ask_args args = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        return status;
    if (args.budget.is_given && !(args.budget.value >= 0))
        return cmd_misused(cmd, "--oracle-budget must be a number of 0 or more");
    if (args.concurrency.is_given &&
        (args.concurrency.value == 0 || args.concurrency.value > MAX_CONCURRENCY))
        return cmd_misused(cmd, "--oracle-concurrency must be from 1 to %d", MAX_CONCURRENCY);
    return ask(&args);
}

const struct cmd cmd_ask = {
    .name = "ask",
    .usage = "--requests FILE --out FILE [--oracle KIND] [--oracle-cache DIR]\n"
             "                   [--oracle-budget DOLLARS] [--oracle-concurrency N]",
    .summary = "put questions from a file to a System-One model",
    .text = "Puts every distinct request of a file once, and writes a line for each line of it:\n"
            "the response, or the error in its place.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
