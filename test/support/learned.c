/* Bindings that are learned from sessions. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/jget.h"
#include "learn/tracebook.h"
#include "learn/trybook.h"
#include "learned.h"

static struct flow_kind kind_of(struct sp_str word)
{
    switch (word.p[0]) {
    case '!':
        return (struct flow_kind){sp_str_sub(word, 1, word.len), MANIFEST_WRITE};
    case '?':
        return (struct flow_kind){sp_str_sub(word, 1, word.len), MANIFEST_GENERIC};
    default:
        return (struct flow_kind){word, MANIFEST_READ};
    }
}

struct flow *learned_tools(const char *tools)
{
    struct flow *f = flow_new();
    struct sp_str rest = sp_arena_copy(&f->arena, sp_str_of(tools));

    f->kinds = sp_arena_alloc(&f->arena, rest.len * sizeof *f->kinds);
    while (rest.len > 0) {
        size_t end = sp_str_find(rest, ' ');

        f->kinds[f->n_kinds++] = kind_of(sp_str_sub(rest, 0, end));
        rest = sp_str_sub(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    flow_index(f);
    return f;
}

void learned_trace(struct flow *f, const struct flow_session_event *const *sessions)
{
    struct tracebook *t = tracebook_new(f);

    for (; *sessions != NULL; sessions++) {
        struct episode e = {0};

        flow_session_add_all(&e, *sessions);
        tracebook_add(t, &e);
        episode_deinit(&e);
    }
    tracebook_set(t, f);
    tracebook_free(t);
    flow_index(f);
}

void learned_try(struct flow *f, const struct flow_session_event *const *sessions)
{
    struct trybook *t = trybook_new(f);

    for (; *sessions != NULL; sessions++) {
        struct episode e = {0};

        flow_session_add_all(&e, *sessions);
        trybook_add(t, &e);
        episode_deinit(&e);
    }
    trybook_set(t, f);
    trybook_free(t);
    flow_index(f);
}

void learned_check(const struct flow *f, const char *bindings)
{
    struct sp_buf file = {0}, got = {0};
    struct sp_str span = {0};

    flow_put(&file, f);
    assert_true(jget_member(sp_buf_str(&file), SP_STR("bindings"), &span));
    sp_buf_add(&got, span);
    assert_string_equal(sp_buf_cstr(&got), bindings);
    sp_buf_deinit(&file);
    sp_buf_deinit(&got);
}

static void check_pick(const struct flow *f, const struct learned_pick *want)
{
    struct bind *b = bind_new(f);
    struct episode e = {0};
    struct episode_view view;
    struct bind_result got;

    flow_session_add_all(&e, want->session);
    bind_update(b, &e);
    view = episode_view_whole(&e);
    bind_lookup(b, &view, sp_str_of(want->tool), &got);
    if (want->arguments != NULL) {
        assert_string_equal(sp_buf_cstr(&got.why), "");
        assert_string_equal(sp_buf_cstr(&got.arguments), want->arguments);
        assert_int_equal(got.class, want->class);
        assert_true(got.chance - want->chance < 1e-12 && want->chance - got.chance < 1e-12);
    } else {
        assert_false(got.is_bound);
        assert_string_equal(sp_buf_cstr(&got.why), want->why);
    }
    bind_result_deinit(&got);
    bind_free(b);
    episode_deinit(&e);
}

void learned_check_picks(const struct flow *f, const struct learned_pick *picks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_pick(f, &picks[i]);
}
