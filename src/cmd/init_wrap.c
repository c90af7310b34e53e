/* Edits a host's configuration file in place. */

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_file.h"
#include "cmd/cmd.h"
#include "cmd/init_wrap.h"
#include "config/linediff.h"
#include "config/wrap.h"

/* How many files are kept beside a configuration at most. */
#define MAX_BACKUPS 1000

/* ---- files ---- */

/* The name of backup `i` of a file. */
static const char *name_backup(struct sp_buf *b, const char *path, unsigned i)
{
    sp_buf_clear(b);
    sp_buf_addf(b, "%s.stretto-backup", path);
    if (i > 0)
        sp_buf_addf(b, ".%u", i);
    return sp_buf_cstr(b);
}

/* Gives a file the owner of another where that is possible; and a mode. */
static int give_owner(const char *path, const struct stat *like, mode_t mode)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return -errno;
    if (st.st_uid != like->st_uid || st.st_gid != like->st_gid)
        (void)!chown(path, like->st_uid, like->st_gid); /* left to whoever may not */
    return chmod(path, mode & 07777) < 0 ? -errno : 0;
}

/*
 * Finds where a backup with this text is, or is to be.
 *
 * ret_is_there: whether it is.
 */
static int find_place(const char *path, struct sp_str text, struct sp_buf *name, bool *ret_is_there)
{
    for (unsigned i = 0; i < MAX_BACKUPS; i++) {
        struct sp_buf old = {0};
        struct sp_err unread;
        bool is_free = access(name_backup(name, path, i), F_OK) < 0 && errno == ENOENT;
        bool is_same = !is_free && hostconfig_load(name->p, &old, &unread) == 0 &&
                       sp_str_eq(sp_buf_str(&old), text);

        sp_buf_deinit(&old);
        if (is_same || is_free) {
            *ret_is_there = is_same;
            return 0;
        }
    }
    return -EEXIST;
}

static int keep_backup(const char *path, struct sp_str text, const struct stat *like,
                       struct sp_err *ret_err)
{
    struct sp_buf name = {0};
    bool is_there;
    int err = find_place(path, text, &name, &is_there);

    if (err == 0 && !is_there) {
        err = sp_file_replace(sp_buf_cstr(&name), text);
        if (err == 0)
            err = give_owner(sp_buf_cstr(&name), like, 0600);
    }
    if (err < 0)
        sp_err_set(ret_err, "writing %s: %s", sp_buf_cstr(&name), sp_err_cause(err));
    else
        cmd_note("%s %s", is_there ? "a backup is there already:" : "kept", sp_buf_cstr(&name));
    sp_buf_deinit(&name);
    return err;
}

/* Whether a file still holds the text that was read: a host that runs may write it as well. */
static int check_unchanged(const char *path, struct sp_str old, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = hostconfig_load(path, &text, ret_err);

    if (err == 0 && !sp_str_eq(sp_buf_str(&text), old)) {
        sp_err_set(ret_err, "%s was changed by somebody else meanwhile; start again", path);
        err = -EAGAIN;
    }
    sp_buf_deinit(&text);
    return err;
}

/* Puts the changed text in the file's place, behind a backup of the old one. */
static int replace_file(const char *path, struct sp_str old, struct sp_str text,
                        struct sp_err *ret_err)
{
    struct stat st;
    int err = stat(path, &st) < 0 ? -errno : 0;

    if (err == 0) {
        err = keep_backup(path, old, &st, ret_err);
        if (err == 0)
            err = check_unchanged(path, old, ret_err);
        if (err < 0)
            return err;
        err = sp_file_write(path, text);
    }
    if (err == 0)
        err = give_owner(path, &st, st.st_mode);
    if (err < 0)
        sp_err_set(ret_err, "writing %s: %s", path, sp_err_cause(err));
    return err;
}

/* The backups of a file, newest first. */
struct backups {
    struct sp_buf *texts;
    struct sp_str *views;
    size_t n;
};

static void read_backups(const char *path, struct backups *ret)
{
    struct sp_buf name = {0};

    ret->texts = sp_calloc(MAX_BACKUPS, sizeof *ret->texts);
    ret->views = sp_calloc(MAX_BACKUPS, sizeof *ret->views);
    for (unsigned i = MAX_BACKUPS; i-- > 0;) { /* a user may have deleted some */
        struct sp_err unread;
        struct sp_buf *text = &ret->texts[ret->n];

        if (hostconfig_load(name_backup(&name, path, i), text, &unread) < 0)
            sp_buf_deinit(text);
        else
            ret->views[ret->n++] = sp_buf_str(text);
    }
    sp_buf_deinit(&name);
}

static void backups_deinit(struct backups *b)
{
    for (size_t i = 0; i < b->n; i++)
        sp_buf_deinit(&b->texts[i]);
    free(b->texts);
    free(b->views);
}

/* ---- telling ---- */

/* Appends how a note names a server; a project's may share its name with another's. */
static void put_server(struct sp_buf *b, const struct wrap_server *s)
{
    sp_buf_addf(b, "'%.*s'", SP_STR_ARG(s->name));
    if (sp_str_starts(s->table, SP_STR("projects.")))
        sp_buf_addf(b, " (%.*s)", SP_STR_ARG(s->table));
}

static void put_outcome(struct sp_buf *b, const struct wrap_server *s, bool is_wrapping,
                        bool is_dry)
{
    const char *would = is_dry ? "would be " : "";

    switch (s->outcome) {
    case WRAP_CHANGED:
        if (is_wrapping)
            sp_buf_addf(b, "%swrapped, recording to %.*s", would, SP_STR_ARG(s->record));
        else
            sp_buf_addf(b, "%sunwrapped, as it was", would);
        break;
    case WRAP_REBUILT:
        sp_buf_addf(b, "%sunwrapped, from its command line: no backup has what it was", would);
        break;
    case WRAP_AS_IT_IS:
        sp_buf_addf(b, "it is %s", is_wrapping ? "wrapped already" : "not wrapped");
        break;
    case WRAP_SKIPPED:
        sp_buf_addf(b, "skipped: %.*s", SP_STR_ARG(s->why));
        break;
    }
}

static void tell(const struct wrap *w, bool is_wrapping, bool is_dry)
{
    struct sp_buf name = {0}, outcome = {0};

    for (size_t i = 0; i < w->n; i++) {
        sp_buf_clear(&name);
        sp_buf_clear(&outcome);
        put_server(&name, &w->servers[i]);
        put_outcome(&outcome, &w->servers[i], is_wrapping, is_dry);
        cmd_note("%s: %s", sp_buf_cstr(&name), sp_buf_cstr(&outcome));
        if (w->servers[i].remark.len > 0)
            cmd_note("%s: %.*s", name.p, SP_STR_ARG(w->servers[i].remark));
    }
    if (w->n == 0)
        cmd_note("it has no servers");
    sp_buf_deinit(&name);
    sp_buf_deinit(&outcome);
}

/* ---- the commands ---- */

/* Delivers what was made of a file: prints the difference, or writes it. */
static int deliver(const struct init_wrap_options *o, struct sp_str old, const struct wrap *w,
                   bool is_wrapping)
{
    struct spool diff = {0};
    struct sp_err err;
    int status = 0;

    if (o->is_dry) {
        linediff_put(&diff.text, o->path, old, sp_buf_str(&w->text));
        status = cmd_print(&diff);
        spool_deinit(&diff);
    } else if (w->n_changed > 0 && replace_file(o->path, old, sp_buf_str(&w->text), &err) < 0) {
        status = cmd_fail("%s", err.text);
    }
    if (status != 0)
        return status;
    tell(w, is_wrapping, o->is_dry);
    if (w->n_changed == 0)
        cmd_note("nothing to change in %s", o->path);
    else if (!o->is_dry)
        cmd_note("wrote %s; the host reads it when it starts again", o->path);
    return 0;
}

int init_wrap(const struct init_wrap_options *o)
{
    struct wrap_how how = {sp_str_of(o->proxy),
                           o->record != NULL ? sp_str_of(o->record) : SP_STR("")};
    struct sp_buf text = {0};
    struct wrap w = {0};
    struct sp_err err;
    int status;

    if (hostconfig_load(o->path, &text, &err) < 0) {
        status = cmd_fail("%s", err.text);
    } else if (wrap_text(sp_buf_str(&text), &how, o->servers->v, o->servers->n, &w, &err) < 0) {
        status = cmd_fail("%s: %s", o->path, err.text);
    } else {
        status = deliver(o, sp_buf_str(&text), &w, true);
    }
    wrap_deinit(&w);
    sp_buf_deinit(&text);
    return status;
}

int init_wrap_undo(const struct init_wrap_options *o)
{
    struct backups backups = {0};
    struct sp_buf text = {0};
    struct wrap w = {0};
    struct sp_err err;
    int status;

    read_backups(o->path, &backups);
    if (hostconfig_load(o->path, &text, &err) < 0) {
        status = cmd_fail("%s", err.text);
    } else if (wrap_undo_text(sp_buf_str(&text), backups.views, backups.n, o->servers->v,
                              o->servers->n, &w, &err) < 0) {
        status = cmd_fail("%s: %s", o->path, err.text);
    } else {
        status = deliver(o, sp_buf_str(&text), &w, false);
    }
    wrap_deinit(&w);
    backups_deinit(&backups);
    sp_buf_deinit(&text);
    return status;
}
