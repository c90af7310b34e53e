/*
 * Checks the data directory.
 *
 * Its files are found first, three levels deep; flows are sorted by their paths, logs by their
 * directories first. Then each flow is loaded, and of each log the header read. What cannot be read
 * at all is a problem; a file that is no flow, or no log, is told of beside the others.
 */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "cmd/doctor_data.h"
#include "cmd/served.h"
#include "flow/flow.h"
#include "io/oracle_cache.h"
#include "io/oracle_cachelist.h"
#include "trace/sessionlog.h"
#include "trace/sessionset.h"

#define MAX_LEVELS 3

#define CACHE_NAME "oracle-cache"

struct paths {
    const char **p; /* texts of the arena */
    size_t n;
};

struct data {
    struct findings *findings;
    const char *dir;
    const char *home;
    struct paths flows;
    struct paths logs;
    struct findings unread; /* files and directories that cannot be read */
    struct sp_arena arena;
};

/* ---- finding files ---- */

static void add_path(struct data *d, struct paths *paths, struct sp_str path)
{
    char *copy = sp_arena_alloc(&d->arena, path.len + 1);

    memcpy(copy, path.p, path.len);
    if ((paths->n & (paths->n - 1)) == 0)
        paths->p = sp_realloc(paths->p, (paths->n > 0 ? paths->n * 2 : 1) * sizeof *paths->p);
    paths->p[paths->n++] = copy;
}

/* Tells an error, whose text has a path below the data directory in full. */
static void cannot_read(struct data *d, const char *text)
{
    const char *dir = strstr(text, d->dir);
    struct sp_buf shown = {0};

    if (dir != NULL) {
        sp_buf_add(&shown, (struct sp_str){text, (size_t)(dir - text)});
        findings_put_path(&shown, dir, d->home);
        text = sp_buf_cstr(&shown);
    }
    findings_add(&d->unread, FINDINGS_PROBLEM, "%s", text);
    sp_buf_deinit(&shown);
}

/* A directory that is being looked through, in one that is as well. */
struct place {
    const struct place *parent; /* NULL: there is none */
    unsigned level;             /* of its entries */
    dev_t dev;
    ino_t ino;
};

/* Whether a directory is one of these: a link has led back to it. */
static bool is_inside(const struct place *place, const struct stat *dir)
{
    for (; place != NULL; place = place->parent) {
        if (place->dev == dir->st_dev && place->ino == dir->st_ino)
            return true;
    }
    return false;
}

static void find_files(struct data *d, struct sp_buf *path, const struct place *place);

/* Looks at a directory's entry, whose path that is. */
static void look_at(struct data *d, struct sp_buf *path, struct sp_str name,
                    const struct place *parent)
{
    struct place place = {.parent = parent, .level = parent->level + 1};
    struct stat st;

    if (stat(sp_buf_cstr(path), &st) < 0)
        return; /* it has gone, or leads nowhere */
    place.dev = st.st_dev;
    place.ino = st.st_ino;
    if (S_ISDIR(st.st_mode) && place.level <= MAX_LEVELS && !is_inside(parent, &st) &&
        !sp_str_eq(name, SP_STR(CACHE_NAME)))
        find_files(d, path, &place);
    else if (S_ISREG(st.st_mode) && sp_str_ends(name, SP_STR(".flow.json")))
        add_path(d, &d->flows, sp_buf_str(path));
    else if (S_ISREG(st.st_mode) && sessionset_is_log(name))
        add_path(d, &d->logs, sp_buf_str(path));
}

/* Finds the files below the directory `path`. */
static void find_files(struct data *d, struct sp_buf *path, const struct place *place)
{
    DIR *dir = opendir(sp_buf_cstr(path));
    size_t len = path->len;
    struct dirent *entry;
    struct sp_err err;

    if (dir == NULL) {
        sp_err_set(&err, "listing %s: %s", path->p, sp_err_cause(-errno));
        cannot_read(d, err.text);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        sp_buf_addf(path, "/%s", entry->d_name);
        look_at(d, path, sp_str_of(entry->d_name), place);
        path->len = len;
    }
    (void)closedir(dir);
}

/* A path's directory. */
static struct sp_str dir_of(const char *path)
{
    return (struct sp_str){path, (size_t)(strrchr(path, '/') - path)};
}

static int compare_dirs(const void *a, const void *b)
{
    int order = sp_str_cmp(dir_of(*(const char *const *)a), dir_of(*(const char *const *)b));

    return order != 0 ? order : sp_str_cmp_cstrs(a, b);
}

static void sort(struct paths *paths, int (*compare)(const void *a, const void *b))
{
    if (paths->n > 0)
        qsort(paths->p, paths->n, sizeof *paths->p, compare);
}

/* ---- what they hold ---- */

/* Adds a flow to a list. Returns whether it can be read. */
static bool add_flow(const struct data *d, struct findings *list, const char *path)
{
    struct sp_buf shown = {0};
    struct flow *flow;
    struct sp_err err;
    bool is_read = flow_load(path, &flow, &err) == 0;

    findings_put_path(&shown, path, d->home);
    if (!is_read) {
        /* The path is there already: "PATH: WHY", or "reading PATH: WHY". */
        const char *named = strstr(err.text, path);
        const char *why = named != NULL ? strstr(named + strlen(path), ": ") : NULL;

        findings_add_item(list, "%s: this version cannot read it: %s", sp_buf_cstr(&shown),
                          why != NULL ? why + 2 : err.text);
    } else {
        uint64_t n = flow->provenance.habit_episodes;

        findings_add_item(list, "%s: domain %.*s, learned from %ju session%s, by %s%s",
                          sp_buf_cstr(&shown), SP_STR_ARG(flow->domain), (uintmax_t)n,
                          n == 1 ? "" : "s", served_decider_name(decide_default(flow)),
                          flow->is_promoted ? ", promoted" : "");
        flow_free(flow);
    }
    sp_buf_deinit(&shown);
    return is_read;
}

static void add_flows(struct data *d)
{
    struct findings list = {0};
    bool are_read = true;

    for (size_t i = 0; i < d->flows.n; i++)
        are_read &= add_flow(d, &list, d->flows.p[i]);
    if (d->flows.n == 0)
        findings_add(d->findings, FINDINGS_NOTE, "no flows ('stretto learn' makes them)");
    else
        findings_add(d->findings, are_read ? FINDINGS_OK : FINDINGS_NOTE, "flows");
    sp_buf_add(&d->findings->text, sp_buf_str(&list.text));
    findings_deinit(&list);
}

/* The logs of one directory. */
struct group {
    size_t n;
    size_t n_bad;
    struct sp_str *domains; /* each once; texts of the arena */
    size_t n_domains;
    struct sp_map by_domain;
};

static void add_domain(struct data *d, struct group *g, struct sp_str domain)
{
    if (sp_map_find(&g->by_domain, domain) != NULL)
        return;
    domain = sp_arena_copy(&d->arena, domain);
    (void)sp_map_put(&g->by_domain, domain, NULL);
    if ((g->n_domains & (g->n_domains - 1)) == 0)
        g->domains =
            sp_realloc(g->domains, (g->n_domains > 0 ? g->n_domains * 2 : 1) * sizeof *g->domains);
    g->domains[g->n_domains++] = domain;
}

static int compare_domains(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

static void add_log(struct data *d, struct group *g, const char *path)
{
    struct sessionlog log;
    struct sp_err err;
    int status = sessionlog_read_header(path, &log, &err);

    if (status == 0) {
        g->n++;
        add_domain(d, g, log.header.domain.p != NULL ? log.header.domain : SP_STR("none"));
        sessionlog_deinit(&log);
    } else {
        g->n_bad++;
        if (status != -EINVAL && status != -EILSEQ)
            cannot_read(d, err.text);
    }
}

/* Adds the logs of the directory of log `i`. Returns the first log of the next. */
static size_t add_group(struct data *d, size_t i)
{
    struct sp_str dir = dir_of(d->logs.p[i]);
    struct sp_buf path = {0}, shown = {0};
    struct group g = {0};

    for (; i < d->logs.n && sp_str_eq(dir_of(d->logs.p[i]), dir); i++)
        add_log(d, &g, d->logs.p[i]);
    sp_buf_add(&path, dir);
    findings_put_path(&shown, sp_buf_cstr(&path), d->home);
    sp_buf_addf(&shown, ": %zu session%s", g.n, g.n == 1 ? "" : "s");
    if (g.n_domains > 0)
        qsort(g.domains, g.n_domains, sizeof *g.domains, compare_domains);
    for (size_t k = 0; k < g.n_domains; k++)
        sp_buf_addf(&shown, "%s%.*s", k == 0 ? " of " : ", ", SP_STR_ARG(g.domains[k]));
    if (g.n_bad > 0)
        sp_buf_addf(&shown, "; %zu other file%s", g.n_bad, g.n_bad == 1 ? "" : "s");
    findings_add_item(d->findings, "%s", sp_buf_cstr(&shown));
    sp_buf_deinit(&path);
    sp_buf_deinit(&shown);
    free(g.domains);
    sp_map_deinit(&g.by_domain);
    return i;
}

static void add_logs(struct data *d)
{
    if (d->logs.n == 0)
        findings_add(d->findings, FINDINGS_NOTE,
                     "no recorded sessions ('stretto-proxy --record DIR' makes them)");
    else
        findings_add(d->findings, FINDINGS_OK, "recorded sessions");
    for (size_t i = 0; i < d->logs.n;)
        i = add_group(d, i);
}

/* ---- cached answers ---- */

static void check_answer(struct data *d, const char *cache, const char *key)
{
    struct oracle_response response;
    struct sp_err err;
    int status = oracle_cache_read(cache, key, &response, &err);

    if (status == 0)
        oracle_response_deinit(&response);
    else if (status < 0)
        cannot_read(d, err.text);
}

static void add_cache(struct data *d)
{
    struct oracle_cachelist keys = {0};
    struct sp_buf path = {0}, shown = {0};
    struct sp_err err;

    sp_buf_addf(&path, "%s/" CACHE_NAME, d->dir);
    findings_put_path(&shown, sp_buf_cstr(&path), d->home);
    if (oracle_cachelist_read(path.p, &keys, &err) < 0)
        cannot_read(d, err.text);
    else if (keys.n > 0)
        findings_add(d->findings, FINDINGS_OK, "%s: %zu cached answer%s of a model",
                     sp_buf_cstr(&shown), keys.n, keys.n == 1 ? "" : "s");
    for (size_t i = 0; i < keys.n; i++)
        check_answer(d, path.p, keys.of[i]);
    oracle_cachelist_deinit(&keys);
    sp_buf_deinit(&path);
    sp_buf_deinit(&shown);
}

/* ---- the directory ---- */

/* Creates a file in it and removes that. Returns 0 or a negative errno. */
static int probe(const char *dir)
{
    struct sp_buf path = {0};
    int err = 0;
    int fd;

    sp_buf_addf(&path, "%s/.stretto-doctor-XXXXXX", dir);
    (void)sp_buf_cstr(&path); /* for its NUL */
    fd = mkstemp(path.p);
    if (fd < 0 || close(fd) < 0 || unlink(path.p) < 0)
        err = -errno;
    sp_buf_deinit(&path);
    return err;
}

/* Checks what is a directory: whether it can be written, and by whom read. */
static void check_use(struct findings *f, const char *dir, const char *shown, mode_t mode)
{
    int err = probe(dir);

    if (err < 0)
        findings_add(f, FINDINGS_PROBLEM, "no file can be created and removed in %s: %s", shown,
                     sp_err_cause(err));
    else
        findings_add(f, FINDINGS_OK, "%s can be written", shown);
    if ((mode & 077) != 0)
        findings_add(f, FINDINGS_NOTE,
                     "%s is open to other users, and sessions hold all that tools handle; its mode "
                     "should be 700",
                     shown);
}

void doctor_data_dir(struct findings *f, const char *dir, const char *home)
{
    struct sp_buf shown = {0};
    const char *name;
    struct stat st;
    int err;

    if (dir == NULL) {
        findings_add(f, FINDINGS_PROBLEM,
                     "there is no data directory: HOME is not set, and --data is not given");
        return;
    }
    findings_put_path(&shown, dir, home);
    name = sp_buf_cstr(&shown);
    err = stat(dir, &st) < 0 ? -errno : 0;
    if (err == -ENOENT)
        findings_add(f, FINDINGS_NOTE, "%s is not there yet; the proxy creates it", name);
    else if (err < 0)
        findings_add(f, FINDINGS_PROBLEM, "%s cannot be looked at: %s", name, sp_err_cause(err));
    else if (!S_ISDIR(st.st_mode))
        findings_add(f, FINDINGS_PROBLEM, "%s is not a directory", name);
    else
        check_use(f, dir, name, st.st_mode);
    sp_buf_deinit(&shown);
}

void doctor_data_files(struct findings *f, const char *dir, const char *home)
{
    struct data d = {.findings = f, .dir = dir, .home = home};
    struct sp_buf path = {0};
    struct stat st;
    bool is_there = dir != NULL && stat(dir, &st) == 0 && S_ISDIR(st.st_mode);

    if (is_there) {
        sp_buf_add(&path, sp_str_of(dir));
        find_files(&d, &path, &(struct place){.level = 1, .dev = st.st_dev, .ino = st.st_ino});
        sp_buf_deinit(&path);
        sort(&d.flows, sp_str_cmp_cstrs);
        sort(&d.logs, compare_dirs);
    }
    add_flows(&d);
    add_logs(&d);
    if (is_there)
        add_cache(&d);
    sp_buf_add(&f->text, sp_buf_str(&d.unread.text));
    f->n_problems += d.unread.n_problems;
    findings_deinit(&d.unread);
    free(d.flows.p);
    free(d.logs.p);
    sp_arena_deinit(&d.arena);
}
