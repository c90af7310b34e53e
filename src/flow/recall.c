/* What is remembered of a session. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "flow/recall.h"

void recall_deinit(struct recall *r)
{
    free(r->users);
    *r = (struct recall){0};
}

static void add_user(struct recall *r, size_t event)
{
    if (r->n_users == r->max_users) {
        r->max_users = r->max_users > 0 ? 2 * r->max_users : 8;
        r->users = sp_realloc(r->users, r->max_users * sizeof *r->users);
    }
    r->users[r->n_users++] = event;
}

void recall_update(struct recall *r, const struct episode *e)
{
    for (; r->n_events < e->n_events; r->n_events++) {
        const struct episode_event *event = &e->events[r->n_events];

        if (event->kind == EPISODE_USER)
            add_user(r, r->n_events);
        else if (event->kind == EPISODE_ASSISTANT && event->n_calls == 0 && event->text.p != NULL &&
                 sp_unicode_trim(event->text).len > 0)
            r->n_message_past = r->n_events + 1;
    }
}
