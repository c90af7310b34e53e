/* Wraps and unwraps the servers of a configuration. */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/sp_utf8.h"
#include "config/wrap_entry.h"
#include "json/jget.h"

/* A file as it is read. */
struct file {
    struct jsonc c;
    struct hostconfig config;
};

/* One from before, for unwrapping. */
struct before {
    struct file file;
    bool is_read;
};

/* What is done with a server that is chosen. */
struct job {
    const struct wrap_how *how; /* NULL: unwrap */
    struct before *befores;
    size_t n_befores;
    const char *url_name;
    struct file file;
    struct splice splice; /* of the file */
    struct wrap *ret;
};

/* ---- files ---- */

static int open_file(struct file *f, struct sp_str text, struct sp_err *ret_err)
{
    int err = jsonc_read(text, &f->c, ret_err);

    if (err == 0)
        hostconfig_read(&f->c, &f->config);
    return err;
}

static void close_file(struct file *f)
{
    hostconfig_deinit(&f->config);
    jsonc_deinit(&f->c);
}

static bool uses_server_url(const struct file *f)
{
    for (size_t i = 0; i < f->config.n; i++) {
        struct sp_str url;

        if (jget_member(f->config.servers[i].value, SP_STR("serverUrl"), &url))
            return true;
    }
    return false;
}

/* ---- one server ---- */

static struct sp_str keep_text(struct job *job, const char *text)
{
    return sp_arena_copy(&job->ret->arena, sp_str_of(text));
}

/* Appends the entry with the proxy in. */
static bool put_wrapped(struct sp_buf *b, const struct wrap_entry *e, const struct wrap_how *how,
                        const char **ret_why)
{
    struct splice s = {0};
    size_t from = jsonc_at(e->c, e->server->value.p);
    bool is_done = wrap_put(e, how, &s, ret_why);

    if (is_done)
        splice_apply(&s, e->c->source, from, from + e->server->value.len, b);
    splice_deinit(&s);
    return is_done;
}

/* Takes the second of the arguments, where the first is "--record"; else leaves an empty text. */
static void read_record(const struct wrap_entry *e, struct sp_buf *ret)
{
    struct jget_iter it;

    if (!wrap_entry_has(e, WRAP_ARGS) || jget_type(e->of[WRAP_ARGS].value) != JSCAN_ARRAY)
        return;
    it = jget_iter(e->of[WRAP_ARGS].value);
    if (jget_next(&it) && jget_is_text(it.value, SP_STR("--record")) && jget_next(&it) &&
        jget_type(it.value) == JSCAN_STRING)
        jget_text(it.value, ret);
}

static void wrap_one(struct job *job, const struct wrap_entry *e, struct wrap_server *ret)
{
    const char *why = "";
    struct sp_buf b = {0};
    bool is_done;

    if (wrap_entry_is_wrapped(e)) {
        ret->outcome = WRAP_AS_IT_IS;
        return;
    }
    is_done = put_wrapped(&b, e, job->how, &why);
    ret->outcome = is_done ? WRAP_CHANGED : WRAP_SKIPPED;
    ret->why = keep_text(job, why);
    if (is_done) {
        wrap_entry_replace(e, &job->splice, e->server->value, sp_buf_str(&b));
        if (wrap_entry_has(e, WRAP_URL) && !wrap_entry_has(e, WRAP_HEADERS))
            ret->remark = keep_text(job, "if the host has you sign in to it, unwrap it again: the "
                                         "proxy cannot");
        if (job->how->record.len > 0) {
            ret->record = sp_arena_copy(&job->ret->arena, job->how->record);
        } else {
            sp_buf_clear(&b);
            sp_buf_add(&b, SP_STR("~/.stretto/logs/"));
            wrap_put_domain(&b, e->server->name);
            ret->record = sp_arena_copy(&job->ret->arena, sp_buf_str(&b));
        }
    }
    sp_buf_deinit(&b);
}

/* The bytes of an entry from before that give this one when wrapped as it is; `p` NULL for none. */
static struct sp_str find_before(const struct file *before, const struct wrap_entry *e,
                                 const struct wrap_how *how)
{
    struct sp_str found = {0};

    for (size_t i = 0; i < before->config.n && found.p == NULL; i++) {
        const struct hostconfig_server *server = &before->config.servers[i];
        struct wrap_entry old;
        const char *why;
        struct sp_buf b = {0};

        if (!sp_str_eq(server->table, e->server->table) ||
            !sp_str_eq(server->name, e->server->name))
            continue;
        old = wrap_entry_read(&before->c, server);
        if (put_wrapped(&b, &old, how, &why) && sp_str_eq(sp_buf_str(&b), wrap_entry_source(e)))
            found = wrap_entry_source(&old);
        sp_buf_deinit(&b);
    }
    return found;
}

/* Gives a server back the bytes that it had. Returns whether they are known. */
static bool restore(struct job *job, const struct wrap_entry *e)
{
    struct sp_buf proxy = {0};
    struct sp_buf record = {0};
    struct sp_str found = {0};
    struct wrap_how how;

    jget_text(e->of[WRAP_COMMAND].value, &proxy);
    read_record(e, &record);
    how = (struct wrap_how){sp_buf_str(&proxy), sp_buf_str(&record)};
    for (size_t i = 0; i < job->n_befores && found.p == NULL; i++) {
        if (job->befores[i].is_read)
            found = find_before(&job->befores[i].file, e, &how);
    }
    if (found.p != NULL)
        wrap_entry_replace(e, &job->splice, e->server->value, found);
    sp_buf_deinit(&proxy);
    sp_buf_deinit(&record);
    return found.p != NULL;
}

static void unwrap_one(struct job *job, const struct wrap_entry *e, struct wrap_server *ret)
{
    const char *why = "";

    if (!wrap_entry_is_wrapped(e))
        ret->outcome = WRAP_AS_IT_IS;
    else if (restore(job, e))
        ret->outcome = WRAP_CHANGED;
    else
        ret->outcome =
            wrap_undo(e, job->url_name, &job->splice, &why) ? WRAP_REBUILT : WRAP_SKIPPED;
    ret->why = keep_text(job, why);
}

/* ---- all of them ---- */

static bool is_chosen(struct sp_str name, const struct sp_str *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++) {
        if (sp_str_eq(name, names[i]))
            return true;
    }
    return n_names == 0;
}

/* Appends the names of servers, for a message. */
static void put_names(struct sp_buf *b, const struct hostconfig *config)
{
    for (size_t i = 0; i < config->n; i++)
        sp_buf_addf(b, "%s'%.*s'", i > 0 ? ", " : "", SP_STR_ARG(config->servers[i].name));
}

static int check_names(const struct hostconfig *config, const struct sp_str *names, size_t n_names,
                       struct sp_err *ret_err)
{
    if (config->n_tables == 0) {
        sp_err_set(ret_err, "it lists no servers: there is no \"mcpServers\", \"servers\" or "
                            "\"context_servers\"");
        return -ENOENT;
    }
    for (size_t i = 0; i < n_names; i++) {
        bool is_there = false;
        struct sp_buf list = {0};

        for (size_t k = 0; k < config->n; k++)
            is_there |= sp_str_eq(config->servers[k].name, names[i]);
        if (is_there)
            continue;
        put_names(&list, config);
        sp_err_set(ret_err, "it has no server '%.*s', but %s", SP_STR_ARG(names[i]),
                   config->n > 0 ? sp_buf_cstr(&list) : "none at all");
        sp_buf_deinit(&list);
        return -ENOENT;
    }
    return 0;
}

/* Remarks that a server, just wrapped, records to where one before it does. */
static void find_shared(struct job *job, struct wrap_server *one)
{
    struct wrap *w = job->ret;

    for (size_t i = 0; i < w->n; i++) {
        struct sp_buf b = {0};

        if (w->servers[i].outcome != WRAP_CHANGED || !sp_str_eq(w->servers[i].record, one->record))
            continue;
        sp_buf_addf(&b,
                    "its domain and its directory are those of '%.*s' as well: change them by hand "
                    "if the two have different tools",
                    SP_STR_ARG(w->servers[i].name));
        one->remark = sp_arena_copy(&w->arena, sp_buf_str(&b));
        sp_buf_deinit(&b);
        return;
    }
}

/* Goes through the chosen servers of a file that is open. */
static int run_job(struct job *job, const struct sp_str *names, size_t n_names,
                   struct sp_err *ret_err)
{
    const struct hostconfig *config = &job->file.config;
    struct wrap *w = job->ret;
    int err = check_names(config, names, n_names, ret_err);

    if (err < 0)
        return err;
    w->servers = sp_calloc(config->n, sizeof *w->servers);
    for (size_t i = 0; i < config->n; i++) {
        const struct hostconfig_server *server = &config->servers[i];
        struct wrap_entry e = wrap_entry_read(&job->file.c, server);
        struct wrap_server *one = &w->servers[w->n];

        if (!is_chosen(server->name, names, n_names))
            continue;
        one->table = sp_arena_copy(&w->arena, server->table);
        one->name = sp_arena_copy(&w->arena, server->name);
        if (job->how != NULL)
            wrap_one(job, &e, one);
        else
            unwrap_one(job, &e, one);
        if (one->outcome == WRAP_CHANGED && job->how != NULL && job->how->record.len == 0)
            find_shared(job, one);
        if (one->outcome == WRAP_SKIPPED && n_names > 0) {
            sp_err_set(ret_err, "server '%.*s': %.*s", SP_STR_ARG(one->name), SP_STR_ARG(one->why));
            return -ENOTSUP;
        }
        w->n_changed += one->outcome == WRAP_CHANGED || one->outcome == WRAP_REBUILT;
        w->n++;
    }
    return 0;
}

static int finish(struct job *job, struct sp_str text, const struct sp_str *names, size_t n_names,
                  struct sp_err *ret_err)
{
    struct jsonc check;
    struct sp_err err_text;
    int err = run_job(job, names, n_names, ret_err);
    bool is_good;

    if (err == 0) {
        splice_apply(&job->splice, text, 0, text.len, &job->ret->text);
        is_good = jsonc_read(sp_buf_str(&job->ret->text), &check, &err_text) == 0;
        assert(is_good); /* the edits keep a file readable */
        if (is_good)
            jsonc_deinit(&check);
    } else {
        wrap_deinit(job->ret);
    }
    splice_deinit(&job->splice);
    close_file(&job->file);
    return err;
}

int wrap_text(struct sp_str text, const struct wrap_how *how, const struct sp_str *names,
              size_t n_names, struct wrap *ret, struct sp_err *ret_err)
{
    struct job job = {.how = how, .ret = ret};
    int err = open_file(&job.file, text, ret_err);

    *ret = (struct wrap){0};
    return err < 0 ? err : finish(&job, text, names, n_names, ret_err);
}

int wrap_undo_text(struct sp_str text, const struct sp_str *befores, size_t n_befores,
                   const struct sp_str *names, size_t n_names, struct wrap *ret,
                   struct sp_err *ret_err)
{
    struct job job = {.n_befores = n_befores, .url_name = "url", .ret = ret};
    struct sp_err unread;
    int err = open_file(&job.file, text, ret_err);

    *ret = (struct wrap){0};
    if (err < 0)
        return err;
    job.befores = sp_calloc(n_befores, sizeof *job.befores);
    if (uses_server_url(&job.file))
        job.url_name = "serverUrl";
    for (size_t i = 0; i < n_befores; i++) {
        job.befores[i].is_read = open_file(&job.befores[i].file, befores[i], &unread) == 0;
        if (job.befores[i].is_read && uses_server_url(&job.befores[i].file))
            job.url_name = "serverUrl";
    }
    err = finish(&job, text, names, n_names, ret_err);
    for (size_t i = 0; i < n_befores; i++)
        close_file(&job.befores[i].file);
    free(job.befores);
    return err;
}

void wrap_deinit(struct wrap *w)
{
    sp_buf_deinit(&w->text);
    free(w->servers);
    sp_arena_deinit(&w->arena);
    *w = (struct wrap){0};
}

/* ---- domains ---- */

static bool is_domain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

bool wrap_is_domain(struct sp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!is_domain_char(name.p[i]))
            return false;
    }
    return name.len > 0 && name.p[0] != '.' && name.p[0] != '-';
}

void wrap_put_domain(struct sp_buf *b, struct sp_str name)
{
    size_t before = b->len;

    for (size_t i = 0; i < name.len; i++) {
        char c = is_domain_char(name.p[i]) ? name.p[i] : '-';

        if (((unsigned char)name.p[i] & 0xc0) == 0x80) /* not the first byte of its character */
            continue;
        if (b->len > before || (c != '.' && c != '-'))
            sp_buf_add_char(b, c);
    }
    if (b->len == before)
        sp_buf_add(b, SP_STR("server"));
}

bool wrap_proxy_of(const struct jsonc *c, const struct hostconfig_server *server,
                   struct sp_buf *ret)
{
    struct wrap_entry e = wrap_entry_read(c, server);
    bool is_wrapped = wrap_entry_is_wrapped(&e);

    if (is_wrapped)
        jget_text(e.of[WRAP_COMMAND].value, ret);
    return is_wrapped;
}
