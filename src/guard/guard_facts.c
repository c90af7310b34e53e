/* The facts of a session. */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "guard/guard_facts.h"
#include "json/jget.h"
#include "json/jput.h"

/* How deep a result's text may nest to be read as JSON. */
#define MAX_DEPTH 127

static void records_deinit(struct guard_records *r)
{
    sp_map_deinit(&r->by_id);
    free(r->values);
}

void guard_facts_deinit(struct guard_facts *f)
{
    sp_map_deinit(&f->authenticated);
    records_deinit(&f->users);
    records_deinit(&f->products);
    records_deinit(&f->orders);
    records_deinit(&f->reservations);
    records_deinit(&f->flights);
    free(f->writes);
    free(f->calls);
    sp_map_deinit(&f->calls_by_id);
    sp_map_deinit(&f->results);
    sp_arena_deinit(&f->arena);
    *f = (struct guard_facts){0};
}

struct sp_str guard_facts_text(struct sp_str string, struct sp_arena *arena)
{
    struct sp_str text = sp_str_sub(string, 1, string.len - 1);
    struct sp_buf unescaped = {0};

    if (sp_str_find(text, '\\') == text.len)
        return text;
    jget_text(string, &unescaped);
    text = sp_arena_copy(arena, sp_buf_str(&unescaped));
    sp_buf_deinit(&unescaped);
    return text;
}

bool guard_facts_member(struct sp_str object, struct sp_str name, struct sp_arena *arena,
                        struct sp_str *ret)
{
    struct sp_str value;

    if (!jget_member(object, name, &value) || jget_type(value) != JSCAN_STRING)
        return false;
    *ret = guard_facts_text(value, arena);
    return true;
}

bool guard_facts_find(const struct guard_records *records, struct sp_str id, struct sp_str *ret)
{
    const size_t *at = sp_map_find(&records->by_id, id);

    if (at != NULL)
        *ret = records->values[*at];
    return at != NULL;
}

static void records_set(struct guard_records *r, struct sp_str id, struct sp_str value)
{
    bool is_new;
    size_t *at = sp_map_put(&r->by_id, id, &is_new);

    if (!is_new) {
        r->values[*at] = value;
        return;
    }
    if (r->n_values == r->max_values) {
        r->max_values = r->max_values > 0 ? 2 * r->max_values : 8;
        r->values = sp_realloc(r->values, r->max_values * sizeof *r->values);
    }
    *at = r->n_values;
    r->values[r->n_values++] = value;
}

/* Two JSON strings after one another are told from any other two. */
static void put_flight_key(struct sp_buf *b, struct sp_str number, struct sp_str date)
{
    jput_string(b, number);
    jput_string(b, date);
}

bool guard_facts_flight(const struct guard_facts *f, struct sp_str number, struct sp_str date,
                        struct sp_str *ret_status)
{
    struct sp_buf key = {0};
    bool is_known;

    put_flight_key(&key, number, date);
    is_known = guard_facts_find(&f->flights, sp_buf_str(&key), ret_status);
    sp_buf_deinit(&key);
    return is_known;
}

/* A result: its value when its text is JSON, and its text when it is none or a string. */
struct result {
    struct sp_str tool;
    const struct episode_call *call; /* NULL when it is not known */
    struct sp_str value;             /* p is NULL for none, as in the next */
    struct sp_str text;
};

/* An event's text; an empty one has an address too, as NULL means that there is none. */
static struct sp_str text_of(const struct episode_event *event)
{
    return event->text.p != NULL ? event->text : SP_STR("");
}

static struct result result_read(struct guard_facts *f, const struct episode_event *event)
{
    const size_t *call = sp_map_find(&f->calls_by_id, event->call_id);
    struct result r = {.tool = event->name, .call = call != NULL ? &f->calls[*call] : NULL};
    struct sp_str text = text_of(event);
    struct jscan found;

    if (!jscan(text, MAX_DEPTH, &found)) {
        r.text = sp_unicode_trim(text);
        return r;
    }
    r.value = found.value;
    if (found.type == JSCAN_STRING)
        r.text = guard_facts_text(found.value, &f->arena);
    return r;
}

static void take_user_id(struct guard_facts *f, struct sp_str id)
{
    while (sp_str_starts(id, SP_STR("\"")))
        id = sp_str_sub(id, 1, id.len);
    while (sp_str_ends(id, SP_STR("\"")))
        id = sp_str_sub(id, 0, id.len - 1);
    sp_map_put(&f->authenticated, id, NULL);
}

static void take_flight(struct guard_facts *f, const struct episode_call *call,
                        struct sp_str status)
{
    struct sp_buf key = {0};
    struct sp_str number;
    struct sp_str date;

    if (!guard_facts_member(call->arguments, SP_STR("flight_number"), &f->arena, &number) ||
        !guard_facts_member(call->arguments, SP_STR("date"), &f->arena, &date))
        return;
    put_flight_key(&key, number, date);
    records_set(&f->flights, sp_arena_copy(&f->arena, sp_buf_str(&key)), status);
    sp_buf_deinit(&key);
}

static void take_record(struct guard_facts *f, struct guard_records *records, struct sp_str value,
                        struct sp_str id_name)
{
    struct sp_str id;

    if (guard_facts_member(value, id_name, &f->arena, &id))
        records_set(records, id, value);
}

static bool is_read(struct sp_str tool)
{
    return sp_str_starts(tool, SP_STR("get_")) || sp_str_starts(tool, SP_STR("find_")) ||
           sp_str_starts(tool, SP_STR("list_")) || sp_str_starts(tool, SP_STR("search_")) ||
           sp_str_eq(tool, SP_STR("calculate"));
}

static void take_write(struct guard_facts *f, const struct episode_call *call)
{
    if (f->n_writes == f->max_writes) {
        f->max_writes = f->max_writes > 0 ? 2 * f->max_writes : 8;
        f->writes = sp_realloc(f->writes, f->max_writes * sizeof *f->writes);
    }
    f->writes[f->n_writes++] = (struct guard_write){call->name, call->arguments};
}

static void take_result(struct guard_facts *f, const struct episode_event *event, size_t index)
{
    struct result r;

    if (event->is_error)
        return;
    r = result_read(f, event);
    *sp_map_put(&f->results, event->call_id, NULL) = index;
    if (r.text.p != NULL && (sp_str_eq(r.tool, SP_STR("find_user_id_by_email")) ||
                             sp_str_eq(r.tool, SP_STR("find_user_id_by_name_zip"))))
        take_user_id(f, r.text);
    if (r.text.p != NULL && r.call != NULL && sp_str_eq(r.tool, SP_STR("get_flight_status")))
        take_flight(f, r.call, r.text);
    if (r.value.p != NULL) {
        if (sp_str_eq(r.tool, SP_STR("get_user_details")))
            take_record(f, &f->users, r.value, SP_STR("user_id"));
        if (sp_str_eq(r.tool, SP_STR("get_product_details")))
            take_record(f, &f->products, r.value, SP_STR("product_id"));
        take_record(f, &f->orders, r.value, SP_STR("order_id"));
        take_record(f, &f->reservations, r.value, SP_STR("reservation_id"));
    }
    if (r.call != NULL && !is_read(r.call->name))
        take_write(f, r.call);
}

/* A call replaces the one that had its id before. */
static void take_call(struct guard_facts *f, const struct episode_call *call)
{
    bool is_new;
    size_t *at = sp_map_put(&f->calls_by_id, call->id, &is_new);

    if (!is_new) {
        f->calls[*at] = *call;
        return;
    }
    if (f->n_calls == f->max_calls) {
        f->max_calls = f->max_calls > 0 ? 2 * f->max_calls : 16;
        f->calls = sp_realloc(f->calls, f->max_calls * sizeof *f->calls);
    }
    *at = f->n_calls;
    f->calls[f->n_calls++] = *call;
}

/* Takes the calls of a turn from its call `from` on. */
static void take_calls(struct guard_facts *f, const struct episode *e, size_t turn, size_t from)
{
    const struct episode_event *event = &e->events[turn];

    for (size_t i = from; i < event->n_calls; i++)
        take_call(f, &event->calls[i]);
    if (event->n_calls > 0) {
        f->last_turn = turn;
        f->n_last_calls = event->n_calls;
    }
}

/* How many calls of an event that was taken in were taken in with it; see last_turn. */
static size_t n_taken(const struct guard_facts *f, size_t turn)
{
    return turn == f->last_turn ? f->n_last_calls : 0;
}

/* Whether a result that was taken in has the id of a call that has joined an earlier turn. */
static bool is_rewritten(const struct guard_facts *f, const struct episode *e)
{
    for (size_t turn = f->last_turn; turn < f->n_events; turn++) {
        const struct episode_event *event = &e->events[turn];

        for (size_t i = n_taken(f, turn); i < event->n_calls; i++) {
            const size_t *result = sp_map_find(&f->results, event->calls[i].id);

            if (result != NULL && *result > turn)
                return true;
        }
    }
    return false;
}

void guard_facts_update(struct guard_facts *f, const struct episode *e, size_t n_events)
{
    assert(n_events >= f->n_events && n_events <= e->n_events);
    if (is_rewritten(f, e))
        guard_facts_deinit(f);
    for (size_t turn = f->last_turn; turn < f->n_events; turn++)
        take_calls(f, e, turn, n_taken(f, turn));
    for (; f->n_events < n_events; f->n_events++) {
        const struct episode_event *event = &e->events[f->n_events];

        switch (event->kind) {
        case EPISODE_USER:
            f->last_said = text_of(event);
            break;
        case EPISODE_ASSISTANT:
            take_calls(f, e, f->n_events, 0);
            break;
        case EPISODE_RESULT:
            take_result(f, event, f->n_events);
            break;
        }
    }
}
