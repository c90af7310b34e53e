/*
 * stretto sessions: a table of recorded sessions.
 *
 * Sessions are read one after the other in the order of their starts. What a table's row shows is
 * kept until all are read, since the columns are as wide as their widest cell.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_map.h"
#include "cmd/cmd.h"
#include "cmd/screen.h"
#include "cmd/sources.h"
#include "json/jput.h"
#include "trace/servername.h"
#include "trace/sessionstats.h"

/* How narrow a column of names may get for the sake of the tools, and what these want. */
#define MIN_NAME  12
#define MIN_TOOLS 24

enum column { START, LENGTH, WHO, DOMAIN, SERVER, CALLS, ERRORS, P50, P95, TOOLS, N_COLUMNS };

static const struct {
    const char *title;
    int gap;         /* columns in front of it */
    bool is_right;   /* aligned */
    bool may_shrink; /* the column; cells are cut off */
} columns[N_COLUMNS] = {
    [START] = {.title = "START (UTC)"},
    [LENGTH] = {.title = "LENGTH", .gap = 1, .is_right = true},
    [WHO] = {.title = "AGENT", .gap = 2, .may_shrink = true},
    [DOMAIN] = {.title = "DOMAIN", .gap = 2, .may_shrink = true},
    [SERVER] = {.title = "SERVER", .gap = 2, .may_shrink = true},
    [CALLS] = {.title = "CALLS", .gap = 2, .is_right = true},
    [ERRORS] = {.title = "ERR", .gap = 1, .is_right = true},
    [P50] = {.title = "P50", .gap = 1, .is_right = true},
    [P95] = {.title = "P95", .gap = 1, .is_right = true},
    [TOOLS] = {.title = "TOOLS", .gap = 2},
};

struct sessions_options {
    bool json;
    struct sp_opt_list sessions;
};

#define AT(field) .offset = offsetof(struct sessions_options, field)

static const struct sp_opt table[] = {
    {"SESSIONS", .kind = SP_OPT_ARGS, AT(sessions), .is_required = true,
     .help = "directories of session logs, and session logs"},
    {"json", .kind = SP_OPT_FLAG, AT(json),
     .help = "print all figures of each session as canonical JSON"},
    CMD_HELP,
};

/* One log in the order of starts. */
struct place {
    uint64_t started_unix_ms;
    size_t index; /* in the set */
};

/* A row's cells, fit for the screen. */
struct row {
    struct sp_buf cells[N_COLUMNS];
};

struct totals {
    uint64_t duration_ms;
    size_t n_calls;
    size_t n_errors;
    struct sessionstats_tool *tools;
    size_t n_tools;
    struct sp_map index; /* name -> its place in `tools` */
    struct sp_arena arena;
};

struct report {
    struct row *rows;
    size_t n_rows;
    struct totals totals;
};

static void report_deinit(struct report *r)
{
    for (size_t i = 0; i < r->n_rows; i++) {
        for (size_t k = 0; k < N_COLUMNS; k++)
            sp_buf_deinit(&r->rows[i].cells[k]);
    }
    free(r->rows);
    free(r->totals.tools);
    sp_map_deinit(&r->totals.index);
    sp_arena_deinit(&r->totals.arena);
}

static int place_cmp(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->started_unix_ms != y->started_unix_ms)
        return x->started_unix_ms > y->started_unix_ms ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The logs by their starts; logs of one instant stay in the set's order. The caller's. */
static struct place *sort_by_start(const struct sessionset *set)
{
    struct place *places = sp_calloc(set->n_logs, sizeof *places);

    for (size_t i = 0; i < set->n_logs; i++)
        places[i] = (struct place){set->logs[i].started_unix_ms, i};
    qsort(places, set->n_logs, sizeof *places, place_cmp);
    return places;
}

static void put_text_or_null(struct sp_buf *b, const char *name, struct sp_str text)
{
    sp_buf_addf(b, "\"%s\":", name);
    if (text.p != NULL)
        jput_string(b, text);
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_program(struct sp_buf *b, const char *name,
                        const struct sessionstats_program *program)
{
    sp_buf_addf(b, ",\"%s\":", name);
    if (program->name.p == NULL) {
        sp_buf_add(b, SP_STR("null"));
        return;
    }
    sp_buf_add_char(b, '{');
    put_text_or_null(b, "name", program->name);
    sp_buf_add_char(b, ',');
    put_text_or_null(b, "version", program->version);
    sp_buf_add_char(b, '}');
}

static void put_percentile(struct sp_buf *b, const struct sessionstats *s, unsigned percent)
{
    uint64_t ms;

    sp_buf_addf(b, ",\"p%u_ms\":", percent);
    if (sessionstats_percentile(s, percent, &ms))
        sp_buf_addf(b, "%" PRIu64, ms);
    else
        sp_buf_add(b, SP_STR("null"));
}

/* A session as an object, its members in byte order as canonical JSON has them. */
static void put_object(struct sp_buf *b, const char *path, const struct sessionlog_header *header,
                       const struct sessionstats *s)
{
    sp_buf_addf(b, "{\"agent_messages\":%zu,", s->n_agent);
    put_text_or_null(b, "agent_model", header->agent_model);
    sp_buf_addf(b, ",\"calls\":%zu,\"cancelled\":%zu,", s->n_calls, s->n_cancelled);
    put_text_or_null(b, "domain", header->domain);
    sp_buf_addf(b, ",\"duration_ms\":%" PRIu64 ",\"errors\":%zu", s->duration_ms, s->n_errors);
    put_program(b, "host", &s->host);
    put_percentile(b, s, 50);
    put_percentile(b, s, 95);
    sp_buf_add_char(b, ',');
    put_text_or_null(b, "path", sp_str_of(path));
    sp_buf_add_char(b, ',');
    put_text_or_null(b, "protocol", s->protocol);
    sp_buf_addf(b, ",\"proxy_calls\":%zu,\"raw_lines\":%zu,\"refused\":%zu", s->n_proxy_calls,
                s->n_raw, s->n_refused);
    put_program(b, "server", &s->server);
    sp_buf_add(b, SP_STR(",\"server_command\":["));
    for (size_t i = 0; i < header->n_command; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, header->command[i]);
    }
    sp_buf_add(b, SP_STR("],"));
    put_text_or_null(b, "session", header->session);
    sp_buf_addf(b, ",\"started_unix_ms\":%" PRIu64 ",\"tools\":[", header->started_unix_ms);
    for (size_t i = 0; i < s->n_tools; i++) {
        sp_buf_addf(b, "%s{\"calls\":%zu,\"errors\":%zu,", i > 0 ? "," : "", s->tools[i].n_calls,
                    s->tools[i].n_errors);
        put_text_or_null(b, "name", s->tools[i].name);
        sp_buf_add_char(b, '}');
    }
    sp_buf_addf(b, "],\"unanswered\":%zu,\"user_messages\":%zu}", s->n_unanswered, s->n_user);
}

/* Appends tools with their counts, as many as fit into one line. */
static void put_tools(struct sp_buf *b, const struct sessionstats_tool *tools, size_t n)
{
    struct sp_buf text = {0};

    for (size_t i = 0; i < n && text.len < 8 * (size_t)SCREEN_COLUMNS; i++) {
        sp_buf_addf(&text, i > 0 ? ", " : "");
        sp_buf_add(&text, tools[i].name);
        sp_buf_addf(&text, " %zu", tools[i].n_calls);
    }
    screen_put(b, sp_buf_str(&text), SCREEN_COLUMNS);
    sp_buf_deinit(&text);
}

static void put_name(struct sp_buf *b, struct sp_str text)
{
    if (screen_put(b, text, SCREEN_COLUMNS) == 0)
        sp_buf_add_char(b, '-');
}

static void put_latency(struct sp_buf *b, const struct sessionstats *s, unsigned percent)
{
    uint64_t ms;

    if (sessionstats_percentile(s, percent, &ms))
        screen_put_duration(b, ms);
    else
        sp_buf_add_char(b, '-');
}

static void fill_row(struct row *row, const struct sessionlog_header *header,
                     const struct sessionstats *s)
{
    struct sp_buf name = {0};

    screen_put_instant(&row->cells[START], header->started_unix_ms);
    row->cells[START].len -= strlen(":00"); /* the seconds */
    screen_put_duration(&row->cells[LENGTH], s->duration_ms);
    put_name(&row->cells[WHO], header->agent_model.p != NULL ? header->agent_model : s->host.name);
    put_name(&row->cells[DOMAIN], header->domain);
    servername_put(&name, header->command, header->n_command);
    put_name(&row->cells[SERVER], sp_buf_str(&name));
    sp_buf_addf(&row->cells[CALLS], "%zu", s->n_calls);
    sp_buf_addf(&row->cells[ERRORS], "%zu", s->n_errors);
    put_latency(&row->cells[P50], s, 50);
    put_latency(&row->cells[P95], s, 95);
    put_tools(&row->cells[TOOLS], s->tools, s->n_tools);
    sp_buf_deinit(&name);
}

/* The total of a tool, which is new or not. */
static struct sessionstats_tool *total_of(struct totals *t, struct sp_str name)
{
    size_t *at = sp_map_find(&t->index, name);

    if (at == NULL) {
        name = sp_arena_copy(&t->arena, name);
        t->tools = sp_realloc(t->tools, (t->n_tools + 1) * sizeof *t->tools);
        t->tools[t->n_tools] = (struct sessionstats_tool){.name = name};
        at = sp_map_put(&t->index, name, NULL);
        *at = t->n_tools++;
    }
    assert(t->tools != NULL);
    return &t->tools[*at];
}

static void add_to_totals(struct totals *t, const struct sessionstats *s)
{
    t->duration_ms += s->duration_ms;
    t->n_calls += s->n_calls;
    t->n_errors += s->n_errors;
    for (size_t i = 0; i < s->n_tools; i++)
        total_of(t, s->tools[i].name)->n_calls += s->tools[i].n_calls;
}

static int read_session(const char *path, const struct sessions_options *o, struct report *report,
                        struct spool *spool, struct sp_err *ret_err)
{
    struct sessionlog log;
    struct sessionstats stats;
    int err = sessionlog_read(path, &log, ret_err);

    if (err < 0)
        return err;
    sessionstats_read(&log, &stats);
    if (o->json) {
        put_object(&spool->text, path, &log.header, &stats);
        sp_buf_add_char(&spool->text, '\n');
        err = spool_added(spool);
        if (err < 0)
            sp_err_set(ret_err, "keeping the output: %s", sp_err_cause(err));
    } else {
        fill_row(&report->rows[report->n_rows++], &log.header, &stats);
        add_to_totals(&report->totals, &stats);
    }
    sessionstats_deinit(&stats);
    sessionlog_deinit(&log);
    return err;
}

static int read_sessions(const struct sessions_options *o, struct report *report,
                         struct spool *spool, struct sp_err *ret_err)
{
    struct sources sources = {0};
    struct place *places = NULL;
    size_t n = 0;
    int err = sources_open(&sources, &o->sessions, &(struct sp_opt_list){0}, ret_err);

    if (err == 0) {
        n = sources.set.n_logs;
        places = sort_by_start(&sources.set);
        report->rows = sp_calloc(n, sizeof *report->rows);
    }
    for (size_t i = 0; err == 0 && i < n; i++)
        err = read_session(sources.set.logs[places[i].index].path, o, report, spool, ret_err);
    if (err == 0 && n == 0) {
        struct sp_buf paths = {0};

        sources_put_paths(&paths, &o->sessions);
        sp_err_set(ret_err, "no session logs in %s (directories in it are not searched)",
                   sp_buf_cstr(&paths));
        sp_buf_deinit(&paths);
        err = -ENOENT;
    }
    free(places);
    sources_deinit(&sources);
    return err;
}

static size_t width_of(struct sp_str shown)
{
    struct sp_buf scratch = {0};
    size_t width = screen_put(&scratch, shown, SIZE_MAX);

    sp_buf_deinit(&scratch);
    return width;
}

/*
 * Makes every column as wide as its widest cell; then the widest of those that may shrink gives
 * way, one by one, until the tools have what they want or nothing more can be had. The tools get
 * the rest of the line.
 */
static void choose_widths(const struct report *report, size_t ret[N_COLUMNS])
{
    size_t sum = 0;
    size_t wanted;

    for (size_t k = 0; k < N_COLUMNS; k++) {
        ret[k] = strlen(columns[k].title);
        for (size_t i = 0; i < report->n_rows; i++) {
            size_t width = width_of(sp_buf_str(&report->rows[i].cells[k]));

            if (width > ret[k])
                ret[k] = width;
        }
        sum += (size_t)columns[k].gap + (k != TOOLS ? ret[k] : 0);
    }
    wanted = ret[TOOLS] < MIN_TOOLS ? ret[TOOLS] : MIN_TOOLS;
    while (sum + wanted > SCREEN_COLUMNS) {
        size_t widest = WHO;

        for (size_t k = 0; k < N_COLUMNS; k++) {
            if (columns[k].may_shrink && ret[k] > ret[widest])
                widest = k;
        }
        if (ret[widest] <= MIN_NAME)
            break;
        ret[widest]--;
        sum--;
    }
    ret[TOOLS] = SCREEN_COLUMNS;
    for (size_t k = 0, left = SCREEN_COLUMNS; k < N_COLUMNS; k++) {
        size_t gap = (size_t)columns[k].gap;

        left -= left < gap ? left : gap;
        if (ret[k] > left)
            ret[k] = left;
        left -= ret[k];
    }
}

/* Appends a line of the table, without spaces at its end. */
static void put_row(struct sp_buf *b, const struct sp_str cells[N_COLUMNS],
                    const size_t widths[N_COLUMNS])
{
    for (size_t k = 0; k < N_COLUMNS; k++) {
        sp_buf_addf(b, "%*s", columns[k].gap, "");
        if (columns[k].is_right)
            screen_put_right(b, cells[k], widths[k]);
        else
            screen_put_left(b, cells[k], widths[k]);
    }
    while (b->p[b->len - 1] == ' ')
        b->len--;
    sp_buf_add_char(b, '\n');
}

static void put_totals(struct totals *t, size_t n_sessions, struct sp_buf *b)
{
    struct sp_buf line = {0};

    sp_buf_addf(&line, "%zu session%s, ", n_sessions, n_sessions == 1 ? "" : "s");
    screen_put_duration(&line, t->duration_ms);
    sp_buf_addf(&line, ", %zu call%s, %zu error%s", t->n_calls, t->n_calls == 1 ? "" : "s",
                t->n_errors, t->n_errors == 1 ? "" : "s");
    if (t->n_tools > 0) {
        sp_buf_add(&line, SP_STR(": "));
        sessionstats_sort_tools(t->tools, t->n_tools);
        put_tools(&line, t->tools, t->n_tools);
    }
    screen_put(b, sp_buf_str(&line), SCREEN_COLUMNS);
    sp_buf_add_char(b, '\n');
    sp_buf_deinit(&line);
}

static void put_report(struct report *report, struct sp_buf *b)
{
    size_t widths[N_COLUMNS];
    struct sp_str cells[N_COLUMNS];

    choose_widths(report, widths);
    for (size_t k = 0; k < N_COLUMNS; k++)
        cells[k] = sp_str_of(columns[k].title);
    put_row(b, cells, widths);
    for (size_t i = 0; i < report->n_rows; i++) {
        for (size_t k = 0; k < N_COLUMNS; k++)
            cells[k] = sp_buf_str(&report->rows[i].cells[k]);
        put_row(b, cells, widths);
    }
    put_totals(&report->totals, report->n_rows, b);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct sessions_options o = {0};
    struct report report = {0};
    struct spool spool = {0};
    struct sp_err err;
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        goto out;
    if (read_sessions(&o, &report, &spool, &err) < 0) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    if (!o.json)
        put_report(&report, &spool.text);
    status = cmd_print(&spool);
out:
    report_deinit(&report);
    spool_deinit(&spool);
    free(o.sessions.v);
    return status;
}

const struct cmd cmd_sessions = {
    .name = "sessions",
    .usage = "[--json] SESSIONS...",
    .summary = "list recorded sessions: when, who, which tools, errors, latencies",
    .text = "Prints a table of sessions by their start, and a last line with the totals. A call's\n"
            "latency is the time from its request to its first answer; P50 and P95 are what half\n"
            "of the calls, and 95 of 100, did not exceed. AGENT is the model, or else the host.\n"
            "\n"
            "With --json each line is an object: session, path, started_unix_ms, duration_ms,\n"
            "agent_model, domain, server_command, host and server (name and version), protocol,\n"
            "calls, and of these errors, refused (by the proxy), cancelled, unanswered and\n"
            "proxy_calls (made by the proxy), p50_ms, p95_ms, tools (name, calls, errors),\n"
            "user_messages, agent_messages, and raw_lines, which are no JSON.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
