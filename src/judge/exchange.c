/* The exchange that a confirmation rests on. */

#include <assert.h>

#include "base/sp_unicode.h"
#include "judge/exchange.h"

void exchange_update(struct exchange *x, const struct episode *e, size_t n)
{
    assert(n >= x->n_events && n <= e->n_events);
    for (; x->n_events < n; x->n_events++) {
        const struct episode_event *event = &e->events[x->n_events];

        switch (event->kind) {
        case EPISODE_USER:
            x->customer = event->text;
            x->proposal = x->said;
            break;
        case EPISODE_ASSISTANT:
            if (sp_unicode_trim(event->text).len > 0)
                x->said = event->text;
            break;
        case EPISODE_RESULT:
            break;
        }
    }
}
