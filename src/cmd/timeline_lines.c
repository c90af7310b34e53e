/* Lines of timelines, and what is gathered into one. */

#include <inttypes.h>

#include "cmd/screen.h"
#include "cmd/timeline_lines.h"
#include "json/jcanon.h"
#include "json/jget.h"

/* Columns of times, turns and labels, without the gaps behind them. */
#define TIME_WIDTH  10
#define TURN_WIDTH  4
#define LABEL_WIDTH 9

#define GAP 2

#define MAX_STRAYS 3 /* of a run, that are shown one by one */

#define DIM     "\x1b[2m"
#define BOLD    "\x1b[1m"
#define RED     "\x1b[31m"
#define GREEN   "\x1b[32m"
#define YELLOW  "\x1b[33m"
#define MAGENTA "\x1b[35m"
#define CYAN    "\x1b[36m"
#define PLAIN   "\x1b[0m"

static const struct {
    const char *name;
    const char *colour; /* NULL for none */
} labels[] = {
    [TIMELINE_USER] = {"user", GREEN},
    [TIMELINE_AGENT] = {"agent", CYAN},
    [TIMELINE_CONTEXT] = {"context", DIM},
    [TIMELINE_CALL] = {"call", BOLD},
    [TIMELINE_RESULT] = {"result", NULL},
    [TIMELINE_ERROR] = {"error", RED},
    [TIMELINE_REFUSED] = {"refused", RED},
    [TIMELINE_LOOKUP] = {"lookup", MAGENTA},
    [TIMELINE_COMMIT] = {"commit", MAGENTA},
    [TIMELINE_ADDED] = {"added", MAGENTA},
    [TIMELINE_CANCELLED] = {"cancelled", YELLOW},
    [TIMELINE_HOST] = {"host", DIM},
    [TIMELINE_SERVER] = {"server", DIM},
    [TIMELINE_PROXY] = {"proxy", MAGENTA},
    [TIMELINE_STRAY] = {"stray", YELLOW},
    [TIMELINE_RAW] = {"raw", YELLOW},
};

void timeline_lines_deinit(struct timeline_lines *l)
{
    sp_buf_deinit(&l->what);
}

const char *timeline_lines_side(enum line_from from)
{
    static const char *const names[] = {
        [LINE_CLIENT] = "host",
        [LINE_SERVER] = "server",
        [LINE_PROXY] = "proxy",
        [LINE_CONTEXT] = "conversation",
    };

    return names[from];
}

enum timeline_label timeline_lines_label(enum line_from from)
{
    return from == LINE_CLIENT   ? TIMELINE_HOST
           : from == LINE_SERVER ? TIMELINE_SERVER
                                 : TIMELINE_PROXY;
}

void timeline_lines_put_time(struct sp_buf *b, uint64_t t_ms)
{
    uint64_t s = t_ms / 1000;

    if (s >= 3600)
        sp_buf_addf(b, "%" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60);
    else
        sp_buf_addf(b, "%" PRIu64, s / 60);
    sp_buf_addf(b, ":%02" PRIu64 ".%03" PRIu64, s % 60, t_ms % 1000);
}

void timeline_lines_put(struct timeline_lines *l, struct sp_str text, size_t max)
{
    screen_put(&l->what, text, l->length == TIMELINE_FULL ? SIZE_MAX : max);
}

/* Appends what there is to say behind `width` columns, and ends the line. */
static void end_line(struct timeline_lines *l, size_t width)
{
    struct sp_buf *b = &l->spool->text;
    int err;

    if (l->what.len == 0)
        sp_buf_add(&l->what, SP_STR("(empty)"));
    if (l->length == TIMELINE_FULL)
        screen_put_block(b, sp_buf_str(&l->what), width);
    else
        screen_put(b, sp_buf_str(&l->what), SCREEN_COLUMNS - width);
    sp_buf_clear(&l->what);
    sp_buf_add_char(b, '\n');
    l->n_lines++;
    err = spool_added(l->spool);
    if (l->err == 0)
        l->err = err;
}

static void add_line(struct timeline_lines *l, uint64_t t_ms, size_t turn,
                     enum timeline_label label)
{
    struct sp_buf *b = &l->spool->text;
    const char *colour = l->colours == TIMELINE_COLOURED ? labels[label].colour : NULL;
    struct sp_buf cell = {0};
    size_t width = LABEL_WIDTH + 1;

    timeline_lines_put_time(&cell, t_ms);
    sp_buf_addf(b, "%*s%*s", TIME_WIDTH, sp_buf_cstr(&cell), GAP, "");
    width += (cell.len > TIME_WIDTH ? cell.len : TIME_WIDTH) + GAP;
    sp_buf_clear(&cell);
    if (turn != TIMELINE_NO_TURN)
        sp_buf_addf(&cell, "%zu", turn);
    sp_buf_addf(b, "%*s%*s", TURN_WIDTH, sp_buf_cstr(&cell), GAP, "");
    width += (cell.len > TURN_WIDTH ? cell.len : TURN_WIDTH) + GAP;
    sp_buf_deinit(&cell);

    sp_buf_addf(b, "%s%-*s%s ", colour != NULL ? colour : "", LABEL_WIDTH, labels[label].name,
                colour != NULL ? PLAIN : "");
    end_line(l, width);
}

static void say_strays(struct timeline_lines *l, const struct timeline_run *run)
{
    if (run->n <= MAX_STRAYS)
        return;
    sp_buf_addf(&l->what, "%s: %zu more like these", timeline_lines_side(run->from),
                run->n - MAX_STRAYS);
    add_line(l, run->t_ms, TIMELINE_NO_TURN, run->label);
}

static void say_notifications(struct timeline_lines *l, const struct timeline_run *run)
{
    for (size_t i = 0; i < run->n_kinds; i++) {
        sp_buf_add(&l->what, i > 0 ? SP_STR(", ") : SP_STR(""));
        jget_text(run->kinds[i].method, &l->what);
        if (run->kinds[i].n > 1)
            sp_buf_addf(&l->what, " \xc3\x97%zu", run->kinds[i].n);
    }
    if (run->n_others > 0)
        sp_buf_addf(&l->what, ", %zu more", run->n_others);
    add_line(l, run->t_ms, TIMELINE_NO_TURN, run->label);
}

void timeline_lines_end_run(struct timeline_lines *l)
{
    struct timeline_run run = l->run;
    struct sp_buf next = l->what;

    if (run.n == 0)
        return;
    l->run = (struct timeline_run){0};
    l->what = (struct sp_buf){0};
    if (run.label == TIMELINE_RAW || run.label == TIMELINE_STRAY)
        say_strays(l, &run);
    else
        say_notifications(l, &run);
    sp_buf_deinit(&l->what);
    l->what = next;
}

/* Begins a run or goes on with one of the same kind. */
static void join_run(struct timeline_lines *l, enum line_from from, uint64_t t_ms,
                     enum timeline_label label)
{
    if (l->run.n > 0 && (l->run.from != from || l->run.label != label))
        timeline_lines_end_run(l);
    if (l->run.n == 0)
        l->run = (struct timeline_run){.from = from, .label = label, .t_ms = t_ms};
    l->run.n++;
}

void timeline_lines_add(struct timeline_lines *l, uint64_t t_ms, size_t turn,
                        enum timeline_label label)
{
    timeline_lines_end_run(l);
    add_line(l, t_ms, turn, label);
}

void timeline_lines_add_stray(struct timeline_lines *l, enum line_from from, uint64_t t_ms,
                              enum timeline_label label)
{
    if (l->length == TIMELINE_FULL) {
        add_line(l, t_ms, TIMELINE_NO_TURN, label);
        return;
    }
    join_run(l, from, t_ms, label);
    if (l->run.n <= MAX_STRAYS)
        add_line(l, t_ms, TIMELINE_NO_TURN, label);
    else if (l->run.n == MAX_STRAYS + 1)
        l->run.t_ms = t_ms;
    sp_buf_clear(&l->what);
}

static void count_kind(struct timeline_run *run, struct sp_str method)
{
    size_t i = 0;

    while (i < run->n_kinds && !sp_str_eq(run->kinds[i].method, method))
        i++;
    if (i == TIMELINE_MAX_KINDS) {
        run->n_others++;
        return;
    }
    if (i == run->n_kinds)
        run->kinds[run->n_kinds++].method = method;
    run->kinds[i].n++;
}

void timeline_lines_add_notification(struct timeline_lines *l, enum line_from from, uint64_t t_ms,
                                     struct sp_str method, struct sp_str params)
{
    if (l->length == TIMELINE_BRIEF) {
        join_run(l, from, t_ms, timeline_lines_label(from));
        count_kind(&l->run, method);
        return;
    }
    jget_text(method, &l->what);
    if (params.p != NULL) {
        sp_buf_add_char(&l->what, ' ');
        jcanon(&l->what, params);
    }
    add_line(l, t_ms, TIMELINE_NO_TURN, timeline_lines_label(from));
}

void timeline_lines_add_fact(struct timeline_lines *l, const char *name)
{
    sp_buf_addf(&l->spool->text, "%-*s%*s", TIME_WIDTH, name, GAP, "");
    end_line(l, TIME_WIDTH + GAP);
}

void timeline_lines_add_titles(struct timeline_lines *l)
{
    sp_buf_addf(&l->spool->text, "%*s%*s%*s%*sWHAT\n", TIME_WIDTH, "TIME", GAP, "", TURN_WIDTH,
                "TURN", GAP, "");
}

void timeline_lines_add_gap(struct timeline_lines *l)
{
    sp_buf_add_char(&l->spool->text, '\n');
}
