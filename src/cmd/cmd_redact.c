/*
 * stretto redact: writes pseudonymised copies of a directory's session logs.
 *
 * The logs are read twice, so that one is in memory at a time. A copy that cannot be written whole
 * leaves nothing behind, and what has its name, were it a link to an original, is replaced and not
 * written to.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_file.h"
#include "base/sp_map.h"
#include "base/sp_utf8.h"
#include "cmd/cmd.h"
#include "trace/redact.h"
#include "trace/sessionset.h"

#define DEFAULT_SALT_ENV    "STRETTO_REDACT_SALT"
#define DEFAULT_KEEP_SHARED 3

struct redact_args {
    const char *sessions;
    const char *out;
    const char *salt_env;
    struct sp_opt_uint keep_shared;
    struct sp_opt_list hash_fields;
};

#define AT(field) .offset = offsetof(struct redact_args, field)

static const struct sp_opt table[] = {
    {"sessions", .kind = SP_OPT_PATH, AT(sessions), .arg = "DIR",
     .help = "the directory of the session logs"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "DIR",
     .help = "the directory of the copies; made if it is missing"},
    {"salt-env", .kind = SP_OPT_TEXT, AT(salt_env), .arg = "VAR", .fallback = DEFAULT_SALT_ENV,
     .help = "the environment variable that holds the secret salt"},
    {"keep-shared", .kind = SP_OPT_UINT, AT(keep_shared), .arg = "N", .fallback = "3",
     .help = "keep a value that at least N sessions contain"},
    {"hash-field", .kind = SP_OPT_LIST, AT(hash_fields), .arg = "NAME",
     .help = "replace every value of this field; may be repeated, or a list with commas"},
    CMD_HELP,
};

/* What is used up while the copies are written. */
struct copies {
    const char *dir;
    struct sp_map names; /* of the files written so far */
    struct sp_arena arena;
    struct sp_buf text;
};

/* The salt from the environment; NULL when it cannot be one, told in ret_err. */
static const char *read_salt(const char *variable, struct sp_err *ret_err)
{
    const char *salt = getenv(variable);

    if (salt != NULL && salt[0] != '\0' && sp_utf8_is_valid(sp_str_of(salt)))
        return salt;
    sp_err_set(ret_err, "set %s to a secret salt, a text in UTF-8, for the hashes to be made with",
               variable);
    return NULL;
}

/* Checks that there are sessions to read, and that the copies do not go where they are. */
static int check_dirs(const struct redact_args *args, struct sp_err *ret_err)
{
    struct stat from;
    struct stat to;
    int err = stat(args->sessions, &from) < 0 ? -errno : S_ISDIR(from.st_mode) ? 0 : -ENOTDIR;

    if (err < 0) {
        sp_err_set(ret_err, "reading %s: %s", args->sessions, sp_err_cause(err));
        return err;
    }
    if (stat(args->out, &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
        sp_err_set(ret_err, "--out must be another directory than --sessions");
        return -EINVAL;
    }
    return 0;
}

static int count_all(struct redact *r, const struct sessionset *set, struct sp_err *ret_err)
{
    for (size_t i = 0; i < set->n_logs; i++) {
        struct sessionlog log;
        int err = sessionlog_read(set->logs[i].path, &log, ret_err);

        if (err < 0)
            return err;
        redact_count(r, &log);
        sessionlog_deinit(&log);
    }
    redact_decide(r);
    return 0;
}

/* Appends a session's name as its file has it. */
static void put_name(struct sp_buf *b, struct sp_str session)
{
    while (session.len > 0) {
        uint32_t c = sp_utf8_next(&session);
        bool is_safe = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c == '-';

        sp_buf_add_char(b, is_safe ? (char)c : '_');
    }
}

/* Writes the copy of a log that is in `c->text`. */
static int write_copy(struct copies *c, struct sp_str session, struct sp_err *ret_err)
{
    struct sp_buf name = {0};
    struct sp_buf path = {0};
    bool is_new;
    int err;

    put_name(&name, session);
    sp_map_put(&c->names, sp_arena_copy(&c->arena, sp_buf_str(&name)), &is_new);
    if (is_new) {
        sp_buf_addf(&path, "%s/%s.jsonl", c->dir, sp_buf_cstr(&name));
        err = sp_file_replace(sp_buf_cstr(&path), sp_buf_str(&c->text));
        if (err < 0)
            sp_err_set(ret_err, "writing %s: %s", sp_buf_cstr(&path), sp_err_cause(err));
    } else {
        err = -EEXIST;
        sp_err_set(ret_err, "two logs share the session id %s", sp_buf_cstr(&name));
    }
    sp_buf_deinit(&name);
    sp_buf_deinit(&path);
    return err;
}

static int write_copies(struct redact *r, const struct sessionset *set, const char *dir,
                        struct sp_err *ret_err)
{
    struct copies c = {.dir = dir};
    int err = sp_file_make_dirs(dir);

    if (err < 0)
        sp_err_set(ret_err, "creating %s: %s", dir, sp_err_cause(err));
    for (size_t i = 0; err == 0 && i < set->n_logs; i++) {
        struct sessionlog log;

        err = sessionlog_read(set->logs[i].path, &log, ret_err);
        if (err < 0)
            break;
        sp_buf_clear(&c.text);
        redact_rewrite(r, &log, &c.text);
        err = write_copy(&c, log.header.session, ret_err);
        sessionlog_deinit(&log);
    }
    sp_map_deinit(&c.names);
    sp_arena_deinit(&c.arena);
    sp_buf_deinit(&c.text);
    return err;
}

static void put_tally(struct sp_buf *b, struct redact_tally t)
{
    sp_buf_addf(b, "%ju value%s %ju time%s", (uintmax_t)t.n_values, t.n_values == 1 ? "" : "s",
                (uintmax_t)t.n_times, t.n_times == 1 ? "" : "s");
}

/* Tells in one line what was done. */
static void report(const struct redact *r, const struct redact_args *args, size_t n_sessions,
                   uint64_t keep_shared)
{
    static const char *const places[REDACT_N_PLACES] = {
        [REDACT_ARGUMENTS] = "arguments",       [REDACT_RESULTS] = "results",
        [REDACT_CONVERSATION] = "conversation", [REDACT_ERRORS] = "errors",
        [REDACT_OTHER] = "other messages",
    };
    struct redact_summary s = redact_summary(r);
    struct sp_buf b = {0};
    const char *before = " (";

    sp_buf_addf(&b, "redacted %zu session%s into %s (--keep-shared %ju): replaced ", n_sessions,
                n_sessions == 1 ? "" : "s", args->out, (uintmax_t)keep_shared);
    put_tally(&b, s.replaced);
    for (size_t i = 0; i < REDACT_N_PLACES; i++) {
        if (s.replaced_at[i].n_times == 0)
            continue;
        sp_buf_addf(&b, "%s%s: ", before, places[i]);
        put_tally(&b, s.replaced_at[i]);
        before = ", ";
    }
    sp_buf_addf(&b, "%s; kept ", s.replaced.n_times > 0 ? ")" : "");
    put_tally(&b, s.kept_shared);
    sp_buf_addf(&b, " as shared, ");
    put_tally(&b, s.kept_declared);
    sp_buf_addf(&b, " as declared by tools");
    cmd_note("%s", sp_buf_cstr(&b));
    sp_buf_deinit(&b);
}

static int redact_dir(const struct redact_args *args, const struct redact_options *options,
                      struct sp_err *ret_err)
{
    struct sessionset set = {0};
    struct redact *r = NULL;
    int err = check_dirs(args, ret_err);

    if (err == 0)
        err = sessionset_add(&set, args->sessions, ret_err);
    if (err < 0)
        goto out;
    sessionset_sort(&set);
    r = redact_new(options, ret_err);
    if (r == NULL) {
        err = -ENOTSUP;
        goto out;
    }
    err = count_all(r, &set, ret_err);
    if (err == 0 && set.n_logs == 0) {
        sp_err_set(ret_err, "no session logs in %s (directories in it are not searched)",
                   args->sessions);
        err = -ENOENT;
    }
    if (err == 0)
        err = write_copies(r, &set, args->out, ret_err);
    if (err == 0)
        report(r, args, set.n_logs, options->keep_shared);
out:
    redact_free(r);
    sessionset_deinit(&set);
    return err;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct redact_args args = {.salt_env = DEFAULT_SALT_ENV};
    struct redact_options options;
    struct sp_err err;
    const char *salt;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &args, NULL, &status))
        goto out;
    if (args.sessions == NULL || args.out == NULL) {
        status = cmd_misused(cmd, "%s is missing", args.sessions == NULL ? "--sessions" : "--out");
        goto out;
    }
    salt = read_salt(args.salt_env, &err);
    if (salt == NULL) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    options = (struct redact_options){
        .salt = sp_str_of(salt),
        .keep_shared = args.keep_shared.is_given ? args.keep_shared.value : DEFAULT_KEEP_SHARED,
        .hash_fields = args.hash_fields.v,
        .n_hash_fields = args.hash_fields.n,
    };
    if (redact_dir(&args, &options, &err) < 0)
        status = cmd_fail("%s", err.text);
out:
    free(args.hash_fields.v);
    return status;
}

const struct cmd cmd_redact = {
    .name = "redact",
    .usage = "--sessions DIR --out DIR [--salt-env VAR] [--keep-shared N]\n"
             "                      [--hash-field NAME]...",
    .summary = "copy sessions with personal values replaced by salted hashes",
    .text = "Copies session logs, with every value that few sessions contain replaced by a\n"
            "salted hash, the same everywhere, so that flows can still be learned from the\n"
            "copies. It is pseudonymisation: one person's sessions stay linkable, and who\n"
            "knows the salt can hash guesses. The originals are not changed.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
