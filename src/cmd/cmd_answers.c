/* stretto export-answers and import-answers: cached answers as lines of JSON. */

#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "io/oracle_cache.h"
#include "io/oracle_cachelist.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"

struct answers_args {
    const char *cache;
};

static const struct sp_opt table[] = {
    {"oracle-cache", .kind = SP_OPT_PATH, .offset = offsetof(struct answers_args, cache),
     .arg = "DIR", .fallback = ORACLE_CACHE_STRETTO, .help = "the cached answers"},
    CMD_HELP,
};

/* ---- export ---- */

/*
 * Appends the line of an answer; one that cannot be read is told of, and one that has gone
 * meanwhile is nothing. Returns whether it was readable, or gone.
 */
static bool put_answer(const char *cache, const char *key, struct sp_buf *b)
{
    struct oracle_response response;
    struct sp_buf text = {0};
    struct sp_err err;
    int code = oracle_cache_read(cache, key, &response, &err);

    if (code < 0)
        cmd_note("%s", err.text);
    if (code != 0)
        return code > 0;
    oracle_put_response(&text, &response);
    oracle_response_deinit(&response);
    sp_buf_addf(b, "{\"key\":\"%s\",\"response\":", key);
    jcanon(b, sp_buf_str(&text));
    sp_buf_add(b, SP_STR("}\n"));
    sp_buf_deinit(&text);
    return true;
}

static int export_keys(const char *cache, const struct oracle_cachelist *keys)
{
    struct spool spool = {0};
    size_t n_bad = 0;
    int err = 0;
    int status;

    for (size_t i = 0; err == 0 && i < keys->n; i++) {
        n_bad += !put_answer(cache, keys->of[i], &spool.text);
        err = spool_added(&spool);
    }
    if (err < 0)
        status = cmd_fail("keeping the output: %s", sp_err_cause(err));
    else
        status = cmd_print(&spool);
    if (status == 0 && n_bad > 0)
        status = cmd_fail("%zu of %zu answers could not be read", n_bad, keys->n);
    spool_deinit(&spool);
    return status;
}

static int run_export(const struct cmd *cmd, int argc, char **argv)
{
    struct answers_args args = {0};
    struct oracle_cachelist keys = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        return status;
    if (args.cache == NULL)
        args.cache = ORACLE_CACHE_STRETTO;
    if (oracle_cachelist_read(args.cache, &keys, &err) < 0)
        status = cmd_fail("%s", err.text);
    else
        status = export_keys(args.cache, &keys);
    oracle_cachelist_deinit(&keys);
    return status;
}

/* ---- import ---- */

/* Says that the answer which is to be replaced could not be read. */
static void tell_replaced(const char *cache, const char *key)
{
    struct oracle_response old;
    struct sp_err err;
    int code = oracle_cache_read(cache, key, &old, &err);

    if (code == 0)
        oracle_response_deinit(&old);
    else if (code < 0)
        cmd_note("replacing an answer: %s", err.text);
}

static int import_answer(const char *cache, struct sp_str key, struct sp_str value,
                         struct sp_err *ret_err)
{
    struct oracle_response response;
    struct sp_buf name = {0};
    int err;

    if (!oracle_cache_is_key(key)) {
        sp_err_set(ret_err, "the key must be 3 or more hexadecimal digits");
        return -EINVAL;
    }
    err = oracle_parse_response(value, &response, ret_err);
    if (err < 0) {
        sp_err_prefix(ret_err, "response");
        return err;
    }
    sp_buf_add(&name, key);
    tell_replaced(cache, sp_buf_cstr(&name));
    err = oracle_cache_store(cache, sp_buf_cstr(&name), &response, ret_err);
    oracle_response_deinit(&response);
    sp_buf_deinit(&name);
    return err;
}

static int import_line(const char *cache, struct sp_str line, struct sp_err *ret_err)
{
    struct sp_str names[2] = {SP_STR("key"), SP_STR("response")}, found[2];
    struct sp_buf key = {0};
    struct jscan scan;
    int err;

    if (!jscan(line, JSCAN_MAX_DEPTH, &scan) || scan.type != JSCAN_OBJECT) {
        sp_err_set(ret_err, "it is not a JSON object");
        return -EINVAL;
    }
    jget_members(scan.value, names, 2, found);
    if (found[0].p == NULL || jget_type(found[0]) != JSCAN_STRING || found[1].p == NULL) {
        sp_err_set(ret_err, "it needs a key, a string, and a response");
        return -EINVAL;
    }
    jget_text(found[0], &key);
    err = import_answer(cache, sp_buf_str(&key), found[1], ret_err);
    sp_buf_deinit(&key);
    return err;
}

static int import_lines(const char *cache)
{
    char *text = NULL;
    size_t max = 0, n_line = 0, n_stored = 0;
    ssize_t len;
    struct sp_err err;
    int status = 0;

    while (status == 0 && (len = getline(&text, &max, stdin)) >= 0) {
        struct sp_str line = {text, (size_t)len};

        n_line++;
        if (sp_str_is_blank(line))
            continue;
        if (import_line(cache, line, &err) < 0)
            status = cmd_fail("line %zu: %s (%zu answers before it are stored)", n_line, err.text,
                              n_stored);
        else
            n_stored++;
    }
    if (status == 0 && ferror(stdin))
        status = cmd_fail("reading standard input failed");
    free(text);
    if (status == 0)
        cmd_note("stored %zu answer%s in %s", n_stored, n_stored == 1 ? "" : "s", cache);
    return status;
}

static int run_import(const struct cmd *cmd, int argc, char **argv)
{
    struct answers_args args = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        return status;
    return import_lines(args.cache != NULL ? args.cache : ORACLE_CACHE_STRETTO);
}

const struct cmd cmd_export_answers = {
    .name = "export-answers",
    .usage = "[--oracle-cache DIR]",
    .summary = "print cached answers as JSON lines",
    .text = "Prints every cached answer of a System-One model as a line {\"key\",\"response\"} of\n"
            "canonical JSON, sorted by key.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run_export,
};

const struct cmd cmd_import_answers = {
    .name = "import-answers",
    .usage = "[--oracle-cache DIR] <LINES",
    .summary = "put such lines into a cache",
    .text = "Reads lines as export-answers prints them from standard input, and stores each.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run_import,
};
