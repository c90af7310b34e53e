/* A session to try guards on. */

#include <assert.h>

#include "guard_session.h"

void guard_session_init(struct guard_session *s, const char *domain)
{
    *s = (struct guard_session){.domain = guard_domain_find(sp_str_of(domain))};
    assert(s->domain != NULL);
}

void guard_session_deinit(struct guard_session *s)
{
    guard_checked_deinit(&s->checked);
    guard_facts_deinit(&s->facts);
    episode_deinit(&s->episode);
    sp_buf_deinit(&s->text);
}

void guard_session_says(struct guard_session *s, const char *text)
{
    episode_add_user(&s->episode, sp_str_of(text));
}

static void call(struct guard_session *s, const char *tool, const char *arguments,
                 const char *result, bool is_error)
{
    size_t turn = episode_add_turn(&s->episode, (struct sp_str){0});
    struct sp_buf id = {0};

    sp_buf_addf(&id, "c%zu", s->n_ids++);
    episode_add_call(&s->episode, turn,
                     (struct episode_call){
                         .id = sp_buf_str(&id),
                         .name = sp_str_of(tool),
                         .arguments = sp_str_of(arguments),
                     });
    episode_add_result(&s->episode, sp_buf_str(&id), sp_str_of(tool), is_error, sp_str_of(result));
    sp_buf_deinit(&id);
}

void guard_session_calls(struct guard_session *s, const char *tool, const char *arguments,
                         const char *result)
{
    call(s, tool, arguments, result, false);
}

void guard_session_fails(struct guard_session *s, const char *tool, const char *arguments,
                         const char *result)
{
    call(s, tool, arguments, result, true);
}

void guard_session_check(struct guard_session *s, const char *tool, const char *arguments)
{
    guard_checked_deinit(&s->checked);
    guard_facts_update(&s->facts, &s->episode, s->episode.n_events);
    guard_check(s->domain, &s->facts, sp_str_of(tool), sp_str_of(arguments), &s->checked);
}

const char *guard_session_verdict(struct guard_session *s, const char *rule)
{
    static const char *const outcomes[] = {"pass", "fail: ", "unknown: "};
    struct sp_buf id = {0};

    sp_buf_addf(&id, "%s.%s", s->domain->name, rule);
    sp_buf_clear(&s->text);
    for (size_t i = 0; i < s->checked.n_verdicts; i++) {
        const struct guard_verdict *v = &s->checked.verdicts[i];

        if (!sp_str_eq(sp_str_of(v->rule->id), sp_buf_str(&id)))
            continue;
        sp_buf_add(&s->text, sp_str_of(outcomes[v->outcome]));
        sp_buf_add(&s->text, v->reason);
    }
    sp_buf_deinit(&id);
    return sp_buf_cstr(&s->text);
}

const char *guard_session_reasons(struct guard_session *s)
{
    sp_buf_clear(&s->text);
    (void)guard_put_reasons(&s->checked, &s->text);
    return sp_buf_cstr(&s->text);
}
