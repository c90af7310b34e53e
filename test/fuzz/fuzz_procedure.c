/*
 * Loads a procedure and runs it against made-up results. The input is in parts that lines "---"
 * separate: the procedure, the ticket, then what the tools return, one after the other and from the
 * beginning again; a text that begins with "!" is a failure.
 *
 * A run's calls have arguments that are canonical JSON objects, its report is JSON, it makes no
 * more calls than it may, and the same input gives the same report.
 */

#include <stdint.h>
#include <stdlib.h>

#include "base/sp_utf8.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "procedure/procedure_report.h"

/* More results than these are not given: a run that never ends of itself has its limit so high. */
#define MAX_ANSWERS 64

#define SEPARATOR SP_STR("\n---\n")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static struct sp_str next_part(struct sp_str *rest)
{
    const char *at = rest->len > 0 ? memmem(rest->p, rest->len, SEPARATOR.p, SEPARATOR.len) : NULL;
    size_t end = at != NULL ? (size_t)(at - rest->p) : rest->len;
    struct sp_str part = sp_str_sub(*rest, 0, end);

    *rest = sp_str_sub(*rest, at != NULL ? end + SEPARATOR.len : end, rest->len);
    return part;
}

static void check_arguments(struct sp_str arguments)
{
    struct sp_buf canonical = {0};
    struct jscan found;

    require(jscan(arguments, JSCAN_MAX_DEPTH, &found) && found.type == JSCAN_OBJECT);
    jcanon_exact(&canonical, found.value);
    require(sp_str_eq(arguments, sp_buf_str(&canonical)));
    sp_buf_deinit(&canonical);
}

static void check_report(struct sp_str report, uint64_t max_calls)
{
    struct sp_str calls;
    struct jscan found;
    uint64_t n = 0;

    require(jscan(report, JSCAN_MAX_DEPTH, &found));
    require(jget_member(found.value, SP_STR("calls"), &calls));
    for (struct jget_iter it = jget_iter(calls); jget_next(&it);)
        n++;
    require(n <= max_calls);
}

/* Appends the report of a run that came to its end. */
static void play(const struct procedure *p, struct sp_str ticket, struct sp_str results,
                 struct sp_buf *ret)
{
    struct procedure_run *run = procedure_run_new(p, ticket);
    struct procedure_run_record record;
    struct procedure_run_call call;
    struct sp_str rest = results;
    struct sp_err err = {0};
    int outcome, n = 0;

    while ((outcome = procedure_run_next(run, &call, &err)) == PROCEDURE_RUN_CALL &&
           n++ < MAX_ANSWERS) {
        struct sp_str text = next_part(&rest);

        check_arguments(call.arguments);
        if (rest.len == 0)
            rest = results;
        if (sp_str_starts(text, SP_STR("!")))
            procedure_run_fail(run, text);
        else
            procedure_run_answer(run, text);
    }
    if (outcome == 0) {
        record = procedure_run_record(run);
        procedure_report_put(ret, &record);
    } else if (outcome < 0) {
        require(err.text[0] != '\0');
    }
    procedure_run_free(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str rest = {(const char *)data, size};
    struct sp_str text = next_part(&rest);
    struct sp_buf once = {0}, twice = {0};
    struct procedure *p = NULL;
    struct sp_err err = {0};
    struct sp_str ticket;

    if (procedure_parse(text, &p, &err) < 0) {
        require(err.text[0] != '\0' && p == NULL);
        return 0;
    }
    if (sp_utf8_is_valid(rest)) {
        ticket = next_part(&rest);
        play(p, ticket, rest, &once);
        play(p, ticket, rest, &twice);
        require(sp_str_eq(sp_buf_str(&once), sp_buf_str(&twice)));
        if (once.len > 0)
            check_report(sp_buf_str(&once), p->max_calls);
    }
    procedure_free(p);
    sp_buf_deinit(&once);
    sp_buf_deinit(&twice);
    return 0;
}
