/* Decisions for tests: what they are made from ends before they are looked at. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decided.h"

void decided_begin(struct decided *d, struct flow *flow, const char *task_id,
                   const struct flow_session_event *events, const char *after,
                   const struct decide_options *options)
{
    struct episode e = {.task_id = sp_str_of(task_id)};
    struct episode_view view = episode_view_whole(&e);
    struct bind *bind = bind_new(flow);

    flow_session_add_all(&e, events);
    if (after != NULL)
        episode_view_after(&e, sp_str_of(after), &view);
    bind_update(bind, &e);
    d->flow = flow;
    d->outcome = decide_begin(flow, options, bind, &view, &d->decide);
    episode_view_deinit(&view);
    bind_free(bind);
    episode_deinit(&e);
}

void decided_end(struct decided *d)
{
    decide_free(d->decide);
    flow_free(d->flow);
}

void decided_check(const struct decided *d, const char *tool, const char *arguments,
                   const char *reason)
{
    enum decide_outcome outcome = reason != NULL ? DECIDE_HAND_BACK : DECIDE_LOOKUP;

    if (d->outcome != outcome)
        fail_msg("outcome %d, reason '%.*s' instead of '%s'", d->outcome,
                 SP_STR_ARG(decide_reason(d->decide)), reason != NULL ? reason : arguments);
    if (reason != NULL) {
        if (!sp_str_eq(decide_reason(d->decide), sp_str_of(reason)))
            fail_msg("'%.*s' instead of '%s'", SP_STR_ARG(decide_reason(d->decide)), reason);
        return;
    }
    assert_true(sp_str_eq(decide_tool(d->decide), sp_str_of(tool)));
    assert_true(sp_str_eq(decide_arguments(d->decide), sp_str_of(arguments)));
}

void decided_put_record(struct sp_buf *b, const struct decided *d, const char *key)
{
    struct decide_context context = {.ms = 5, .is_shadow = true}; /* for the log only */

    if (key != NULL)
        context.key = sp_str_of(key);
    sp_buf_add_char(b, '{');
    decide_put_record(d->decide, &context, b);
    sp_buf_add_char(b, '}');
}

void decided_check_record(const struct decided *d, const char *key, const char *want)
{
    struct sp_buf b = {0};

    decided_put_record(&b, d, key);
    assert_string_equal(sp_buf_cstr(&b), want);
    sp_buf_deinit(&b);
}
