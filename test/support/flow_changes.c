/* What flowdiff.h lists of the changes from one flow to another. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "flow_changes.h"
#include "flow_example.h"

const struct flowdiff_options flow_changes_defaults = {.tolerance = 0.05, .threshold = 0.3};

struct sp_buf flow_changes_below(const char *report, const char *line)
{
    const char *at = strstr(report, line);
    struct sp_buf bullets = {0};

    if (at == NULL)
        return bullets;
    at += strlen(line);
    while (*at == '-') {
        const char *end = strchr(at, '\n') + 1;

        sp_buf_add(&bullets, (struct sp_str){at, (size_t)(end - at)});
        at = end;
    }
    return bullets;
}

static size_t count_lines(const struct sp_buf *text)
{
    size_t n = 0;

    for (size_t i = 0; i < text->len; i++)
        n += text->p[i] == '\n';
    return n;
}

static void check_bullets(const char *report, const char *line, const char *expected)
{
    struct sp_buf bullets = flow_changes_below(report, line);

    if (strcmp(sp_buf_cstr(&bullets), expected) != 0)
        fail_msg("below '%s' there is\n%sand not\n%sin\n%s", line, sp_buf_cstr(&bullets), expected,
                 report);
    sp_buf_deinit(&bullets);
}

/* Checks a group's changes and all changes that need review; none of either is NULL. */
static void check_diff(const struct flow *from, const struct flow *to, const char *group,
                       const struct flowdiff_options *options, const char *changes,
                       const char *review)
{
    struct sp_buf b = {0};
    size_t n_review = flowdiff_put(&b, from, to, options);
    struct sp_buf listed = flow_changes_below(sp_buf_cstr(&b), FLOW_CHANGES_REVIEW);
    char heading[64];

    (void)snprintf(heading, sizeof heading, "\n## %s\n\n", group);
    check_bullets(sp_buf_cstr(&b), heading, changes != NULL ? changes : "");
    check_bullets(sp_buf_cstr(&b), FLOW_CHANGES_REVIEW, review != NULL ? review : "");
    assert_int_equal(n_review, count_lines(&listed));
    assert_true((strstr(sp_buf_cstr(&b), "\nNothing needs review") != NULL) == (review == NULL));
    sp_buf_deinit(&listed);
    sp_buf_deinit(&b);
}

#define N_EDITS(of) (sizeof(of) / sizeof *(of))

void flow_changes_check_at(const char *group, const struct flowdiff_options *options,
                           const struct flow_changes_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct flow_changes_case *c = &cases[i];
        struct sp_buf text = flow_edited(FLOW_EXAMPLE, c->both, N_EDITS(c->both));
        struct flow *from = flow_parsed(sp_buf_cstr(&text), NULL, 0);
        struct flow *to = flow_parsed(sp_buf_cstr(&text), c->edits, N_EDITS(c->edits));

        check_diff(from, to, group, options, c->there, c->there_review);
        check_diff(to, from, group, options, c->back, c->back_review);
        check_diff(from, from, group, options, NULL, NULL);
        check_diff(to, to, group, options, NULL, NULL);
        flow_free(from);
        flow_free(to);
        sp_buf_deinit(&text);
    }
}

void flow_changes_check(const char *group, const struct flow_changes_case *cases, size_t n)
{
    flow_changes_check_at(group, &flow_changes_defaults, cases, n);
}
