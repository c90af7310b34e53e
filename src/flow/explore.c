/* Exploration: what draws are keyed by, the generator (splitmix64), and the choice. */

#include "flow/explore.h"
#include "json/jget.h"
#include "json/jput.h"

#define HASH_FACTOR UINT64_C(1099511628211)

uint64_t explore_hash(uint64_t hash, struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.p[i]) * HASH_FACTOR;
    return hash;
}

/* Appends canonical JSON without the members that name ids or what a turn cost. */
static void put_without_ids(struct sp_buf *b, struct sp_str value)
{
    static const struct sp_str dropped[] = {{"\"id\"", 4}, {"\"call_id\"", 9}, {"\"usage\"", 7}};
    enum jscan_type type = jget_type(value);
    bool is_first = true;

    if (type != JSCAN_OBJECT && type != JSCAN_ARRAY) {
        sp_buf_add(b, value);
        return;
    }
    sp_buf_add_char(b, type == JSCAN_OBJECT ? '{' : '[');
    for (struct jget_iter it = jget_iter(value); jget_next(&it);) {
        if (sp_str_eq(it.name, dropped[0]) || sp_str_eq(it.name, dropped[1]) ||
            sp_str_eq(it.name, dropped[2]))
            continue;
        if (!is_first)
            sp_buf_add_char(b, ',');
        is_first = false;
        if (type == JSCAN_OBJECT) {
            sp_buf_add(b, it.name);
            sp_buf_add_char(b, ':');
        }
        put_without_ids(b, it.value);
    }
    sp_buf_add_char(b, type == JSCAN_OBJECT ? '}' : ']');
}

static void put_calls(struct sp_buf *b, const struct episode_call *calls, size_t n)
{
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        sp_buf_add(b, i > 0 ? SP_STR(",{\"arguments\":") : SP_STR("{\"arguments\":"));
        put_without_ids(b, calls[i].arguments);
        sp_buf_add(b, SP_STR(",\"name\":"));
        jput_string(b, calls[i].name);
        sp_buf_add_char(b, '}');
    }
    sp_buf_add_char(b, ']');
}

/* Appends what the draws go by of an event. */
static void put_event(struct sp_buf *b, const struct episode_view *view, size_t i)
{
    const struct episode_event *event = &view->episode->events[i];
    const struct episode_call *calls;
    size_t n_calls;

    switch (event->kind) {
    case EPISODE_USER:
        sp_buf_add(b, SP_STR("{\"kind\":\"user\",\"text\":"));
        jput_string(b, event->text);
        break;
    case EPISODE_ASSISTANT:
        calls = episode_view_calls(view, i, &n_calls);
        sp_buf_add(b, SP_STR("{\"calls\":"));
        put_calls(b, calls, n_calls);
        sp_buf_add(b, SP_STR(",\"kind\":\"assistant\",\"text\":"));
        if (event->text.p != NULL)
            jput_string(b, event->text);
        else
            sp_buf_add(b, SP_STR("null"));
        break;
    case EPISODE_RESULT:
        sp_buf_add(b, SP_STR("{\"content\":"));
        jput_string(b, event->text);
        sp_buf_add(b, event->is_error ? SP_STR(",\"error\":true") : SP_STR(",\"error\":false"));
        sp_buf_add(b, SP_STR(",\"kind\":\"tool_result\",\"name\":"));
        jput_string(b, event->name);
        break;
    }
    sp_buf_add_char(b, '}');
}

/* Goes on with a hash from event `from` to before event `to`. */
static uint64_t hash_events(uint64_t hash, const struct episode_view *view, size_t from, size_t to)
{
    struct sp_buf b = {0};

    for (size_t i = from; i < to; i++) {
        sp_buf_clear(&b);
        if (i > 0)
            sp_buf_add_char(&b, ',');
        put_event(&b, view, i);
        hash = explore_hash(hash, sp_buf_str(&b));
    }
    sp_buf_deinit(&b);
    return hash;
}

/*
 * The number of events that change no more and are in this view as in any: those before the last
 * turn that has calls, which may get more, and before the turn that the view shows in part.
 */
static size_t n_settled(const struct episode_view *view)
{
    const struct episode *e = view->episode;
    size_t n = e->n_events;

    while (n > 0 && e->events[n - 1].n_calls == 0)
        n--;
    if (n > 0)
        n--;
    return view->turn < n ? view->turn : n;
}

uint64_t explore_hash_view(const struct episode_view *view, struct recall *recall)
{
    size_t settled = n_settled(view);
    size_t n = view->episode->n_events;
    uint64_t hash = explore_hash(EXPLORE_HASH_START, view->episode->task_id);

    hash = explore_hash(hash, SP_STR("/["));
    if (recall->n_hashed == 0 || recall->n_hashed > settled) {
        hash = hash_events(hash, view, 0, settled);
    } else {
        hash = hash_events(recall->hash, view, recall->n_hashed, settled);
    }
    if (settled >= recall->n_hashed) {
        recall->n_hashed = settled;
        recall->hash = hash;
    }
    hash = hash_events(hash, view, settled, n);
    return explore_hash(hash, SP_STR("]"));
}

uint64_t explore_scramble(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double explore_draw(struct explore_draws *draws)
{
    draws->state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(explore_scramble(draws->state) >> 11) / 0x1p53;
}

static bool is_alternative(const struct explore_option *option, bool is_greedy)
{
    return option->is_possible && option->p > 0 && !is_greedy;
}

struct explore_choice explore_choose(const struct explore_option *options, size_t n, size_t greedy,
                                     double epsilon, struct explore_draws *draws)
{
    struct explore_choice choice = {.propensity = 1};
    double total = 0;
    double x;

    for (size_t i = 0; i < n; i++) {
        if (is_alternative(&options[i], i == greedy))
            total += options[i].p;
    }
    if (!(total > 0) || !(epsilon > 0))
        return choice;
    if (explore_draw(draws) >= epsilon) {
        choice.propensity = 1 - epsilon;
        return choice;
    }
    choice.is_explored = true;
    x = explore_draw(draws) * total;
    for (size_t i = 0; i < n && x >= 0; i++) {
        if (!is_alternative(&options[i], i == greedy))
            continue;
        choice.option = i; /* the last of them if rounding leaves something of x */
        x -= options[i].p;
    }
    choice.propensity = epsilon * options[choice.option].p / total;
    return choice;
}
