/* Flows that differ a little from one of flow_example.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow_edit.h"
#include "flow_example.h"

static struct sp_buf replace(struct sp_buf *text, const struct flow_edit *edit)
{
    const char *start = sp_buf_cstr(text);
    const char *at = strstr(start, edit->from);
    struct sp_buf changed = {0};

    if (at == NULL) {
        fail_msg("nothing to change: '%s'", edit->from);
        return changed;
    }
    sp_buf_add(&changed, (struct sp_str){start, (size_t)(at - start)});
    sp_buf_add(&changed, sp_str_of(edit->to));
    sp_buf_add(&changed, sp_str_of(at + strlen(edit->from)));
    sp_buf_deinit(text);
    return changed;
}

struct sp_buf flow_edited(const char *text, const struct flow_edit *edits, size_t n)
{
    struct sp_buf edited = {0};

    sp_buf_add(&edited, sp_str_of(text));
    for (size_t i = 0; i < n; i++) {
        if (edits[i].from != NULL)
            edited = replace(&edited, &edits[i]);
    }
    return edited;
}

struct flow *flow_parsed(const char *text, const struct flow_edit *edits, size_t n)
{
    struct sp_buf edited = flow_edited(text, edits, n);
    struct flow *f = NULL;
    struct sp_err err;

    if (flow_parse(sp_buf_str(&edited), &f, &err) < 0)
        fail_msg("%s", err.text);
    sp_buf_deinit(&edited);
    return f;
}

void flow_check_written(const struct flow *f, struct sp_str text)
{
    struct sp_buf b = {0};

    flow_put(&b, f);
    if (!sp_str_eq(sp_buf_str(&b), text))
        fail_msg("written:\n%s\nexpected:\n%.*s", sp_buf_cstr(&b), SP_STR_ARG(text));
    sp_buf_deinit(&b);
}

void flow_check_error(struct sp_str text, const char *error)
{
    struct flow *f = NULL;
    struct sp_err err = {0};

    if (flow_parse(text, &f, &err) == 0)
        fail_msg("read without '%s'", error);
    assert_null(f);
    assert_string_equal(err.text, error);
}

void flow_check_errors(const struct flow_error_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct sp_buf text = flow_edited(FLOW_EXAMPLE, &cases[i].edit, 1);

        flow_check_error(sp_buf_str(&text), cases[i].error);
        sp_buf_deinit(&text);
    }
}
