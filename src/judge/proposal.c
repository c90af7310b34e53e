/*
 * The proposal check.
 *
 *  1. A list in a result, as an array of orders, has records. A value that the write passes is
 *     judged by the last list of the session in which it is a field of some record.
 *  2. In that list the customer's message, or else the agent's, names records by values that only
 *     one record has: they are the chosen ones.
 *  3. The value is flagged when there are such and no field of theirs is passed. (That no chosen
 *     record has the value itself is then so too, since the value is passed.) So a list flags all
 *     values that it judges, or none.
 *
 * Most results of a long session have none of the values, which their text mostly shows without
 * being read as JSON: see may_have().
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "judge/proposal.h"
#include "judge/said.h"
#include "judge/scalars.h"

/* How deep a result's text may nest to be read as JSON. */
#define MAX_DEPTH 127

/* Characters of a value that names a record. */
#define MIN_NAMING_CHARS 4

/* So many values are looked for in a result's text before it is read. */
#define MAX_SOUGHT 8

/* Digits and points in a row of which at most 15 are a double's digits. */
#define MAX_NUMBER_LEN 16

#define NONE SIZE_MAX

/* A value that the write passes, with a digit: ids carry digits, a reason or a cabin does not. */
struct wanted {
    struct sp_str digits; /* the first run of them */
    size_t list;          /* the index of the one that judges it; NONE while none is found */
    size_t event;         /* the result which that is in */
};

enum verdict {
    UNREAD,
    FLAGS_ITS_VALUES,
    FLAGS_NOTHING,
};

struct list {
    struct sp_str value; /* within one of the texts */
    enum verdict verdict;
};

struct check {
    const struct exchange *exchange;
    struct sp_map passed; /* scalar of the arguments -> its index in `wanted`, or NONE */
    struct wanted *wanted;
    size_t n_wanted;
    size_t max_wanted;
    size_t n_found; /* that have a list */

    struct list *lists; /* in which a value was found */
    size_t n_lists;
    size_t max_lists;
    struct sp_buf *texts; /* of results with such lists, in canonical JSON */
    size_t n_texts;
    size_t max_texts;

    bool is_said_read; /* the next two are ready */
    struct said customer;
    struct said proposal;
    struct sp_arena arena;
};

/* Makes room for one more element in an array. */
static void *grown(void *array, size_t n, size_t *max, size_t size)
{
    if (n < *max)
        return array;
    *max = *max > 0 ? 2 * *max : 8;
    return sp_realloc(array, *max * size);
}

static void check_deinit(struct check *c)
{
    sp_map_deinit(&c->passed);
    free(c->wanted);
    free(c->lists);
    for (size_t i = 0; i < c->n_texts; i++)
        sp_buf_deinit(&c->texts[i]);
    free(c->texts);
    if (c->is_said_read) {
        said_deinit(&c->customer);
        said_deinit(&c->proposal);
    }
    sp_arena_deinit(&c->arena);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct sp_str first_digits(struct sp_str scalar)
{
    size_t from = 0, to;

    while (from < scalar.len && !is_digit(scalar.p[from]))
        from++;
    for (to = from; to < scalar.len && is_digit(scalar.p[to]);)
        to++;
    return sp_str_sub(scalar, from, to);
}

static void take_passed(void *data, struct sp_str scalar)
{
    struct check *c = data;
    struct sp_str digits;
    size_t wanted = NONE;

    if (sp_map_find(&c->passed, scalar) != NULL)
        return;
    scalar = sp_arena_copy(&c->arena, scalar);
    digits = first_digits(scalar);
    if (digits.len > 0) {
        c->wanted = grown(c->wanted, c->n_wanted, &c->max_wanted, sizeof *c->wanted);
        c->wanted[c->n_wanted] = (struct wanted){.digits = digits, .list = NONE};
        wanted = c->n_wanted++;
    }
    *sp_map_put(&c->passed, scalar, NULL) = wanted;
}

/*
 * Whether a JSON text may have a scalar whose first digits it does not show: one with an escaped
 * digit, or a number that canonical JSON may write with other digits, as it has an exponent or more
 * of them than a double surely holds.
 */
static bool may_hide_digits(struct sp_str text)
{
    size_t run = 0; /* digits and points just before */

    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        if (is_digit(c) || c == '.') {
            if (++run > MAX_NUMBER_LEN)
                return true;
            continue;
        }
        if (run > 0 && (c == 'e' || c == 'E'))
            return true;
        if (c == '\\' && sp_str_starts(sp_str_sub(text, i, text.len), SP_STR("\\u003")))
            return true;
        run = 0;
    }
    return false;
}

/* Whether a JSON text may have one of the values that are not found yet. */
static bool may_have(const struct check *c, struct sp_str text)
{
    if (c->n_wanted - c->n_found > MAX_SOUGHT)
        return true;
    for (size_t i = 0; i < c->n_wanted; i++) {
        struct sp_str digits = c->wanted[i].digits;

        if (c->wanted[i].list == NONE && memmem(text.p, text.len, digits.p, digits.len) != NULL)
            return true;
    }
    return may_hide_digits(text);
}

/* What a result is searched with. */
struct search {
    struct check *check;
    size_t event;         /* the result's */
    struct sp_str value;  /* the list whose records are being read */
    size_t list;          /* its index; NONE as long as nothing was found in it */
    struct scalars reads; /* the records */
};

/* A field of a record in the list: a later list of the same result takes the value over. */
static void take_field(void *data, struct sp_str scalar)
{
    struct search *s = data;
    struct check *c = s->check;
    const size_t *at = sp_map_find(&c->passed, scalar);
    struct wanted *wanted;

    if (at == NULL || *at == NONE)
        return;
    wanted = &c->wanted[*at];
    if (wanted->list != NONE && wanted->event != s->event)
        return;
    if (s->list == NONE) {
        c->lists = grown(c->lists, c->n_lists, &c->max_lists, sizeof *c->lists);
        c->lists[c->n_lists] = (struct list){.value = s->value};
        s->list = c->n_lists++;
    }
    if (wanted->list == NONE)
        c->n_found++;
    wanted->list = s->list;
    wanted->event = s->event;
}

/* Whether a value is an array of two or more, or an object of two or more objects. */
static bool is_list(struct sp_str value)
{
    size_t n = 0;

    for (struct jget_iter it = jget_iter(value); jget_next(&it) && (it.is_object || n < 2); n++) {
        if (it.is_object && jget_type(it.value) != JSCAN_OBJECT)
            return false;
    }
    return n >= 2;
}

/* Visits a value and then its members. */
static void search_value(struct search *s, struct sp_str value)
{
    if (is_list(value)) {
        s->value = value;
        s->list = NONE;
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            scalars_own(&s->reads, it.value);
    }
    for (struct jget_iter it = jget_iter(value); jget_next(&it);)
        search_value(s, it.value);
}

static void search_result(struct search *s, const struct episode_event *event)
{
    struct check *c = s->check;
    size_t n_lists = c->n_lists;
    struct sp_buf text = {0};
    struct jscan found;

    if (event->text.len == 0 || !may_have(c, event->text) || !jscan(event->text, MAX_DEPTH, &found))
        return;
    if (found.type != JSCAN_ARRAY && found.type != JSCAN_OBJECT)
        return;
    jcanon(&text, found.value);
    search_value(s, sp_buf_str(&text));
    if (c->n_lists == n_lists) {
        sp_buf_deinit(&text);
        return;
    }
    c->texts = grown(c->texts, c->n_texts, &c->max_texts, sizeof *c->texts);
    c->texts[c->n_texts++] = text;
}

static void search_results(struct check *c, const struct episode *e, size_t n)
{
    struct search search = {.check = c, .reads = {.fn = take_field, .data = &search}};

    for (size_t i = n; i-- > 0 && c->n_found < c->n_wanted;) {
        search.event = i;
        if (e->events[i].kind == EPISODE_RESULT && !e->events[i].is_error)
            search_result(&search, &e->events[i]);
    }
    scalars_deinit(&search.reads);
}

/* What a list's records are told apart by. */
struct choice {
    struct check *check;
    struct sp_str list;
    size_t n_records;
    bool *is_chosen;       /* a record each */
    struct sp_map holders; /* scalar -> the index of the only record that has it, or NONE */
    size_t record;         /* being read, as the next */
    struct scalars reads;
    bool passes_chosen; /* a field of a chosen record is passed */
    struct sp_arena arena;
};

static void take_holder(void *data, struct sp_str scalar)
{
    struct choice *choice = data;
    size_t *holder = sp_map_find(&choice->holders, scalar);

    if (holder == NULL) {
        holder = sp_map_put(&choice->holders, sp_arena_copy(&choice->arena, scalar), NULL);
        *holder = choice->record;
    } else if (*holder != choice->record) {
        *holder = NONE;
    }
}

static void take_chosen_field(void *data, struct sp_str scalar)
{
    struct choice *choice = data;

    if (sp_map_find(&choice->check->passed, scalar) != NULL)
        choice->passes_chosen = true;
}

/* A member that is an array, true, false or null is no record, but has no part in anything. */
static void read_holders(struct choice *choice)
{
    choice->reads.fn = take_holder;
    for (struct jget_iter it = jget_iter(choice->list); jget_next(&it); choice->n_records++) {
        choice->record = choice->n_records;
        if (jget_type(it.value) != JSCAN_ARRAY)
            scalars_all(&choice->reads, it.value);
    }
    choice->is_chosen =
        sp_arena_alloc(&choice->arena, choice->n_records * sizeof *choice->is_chosen);
}

static bool is_naming(struct sp_str scalar)
{
    size_t n_chars = 0;

    for (size_t i = 0; i < scalar.len && n_chars < MIN_NAMING_CHARS; i++)
        n_chars += ((unsigned char)scalar.p[i] & 0xc0) != 0x80;
    return n_chars == MIN_NAMING_CHARS;
}

/* Marks the records that a message names as chosen, and returns how many they are. */
static size_t choose_named(struct choice *choice, const struct said *message)
{
    struct sp_str scalar;
    size_t holder, n = 0;

    for (size_t at = 0; sp_map_next(&choice->holders, &at, &scalar, &holder);) {
        if (holder == NONE || choice->is_chosen[holder] || !is_naming(scalar) ||
            !said_has(message, scalar))
            continue;
        choice->is_chosen[holder] = true;
        n++;
    }
    return n;
}

static bool passes_chosen(struct choice *choice)
{
    size_t i = 0;

    choice->reads.fn = take_chosen_field;
    for (struct jget_iter it = jget_iter(choice->list); jget_next(&it); i++) {
        if (choice->is_chosen[i])
            scalars_own(&choice->reads, it.value);
    }
    return choice->passes_chosen;
}

static void read_said(struct check *c)
{
    if (c->is_said_read)
        return;
    c->is_said_read = true;
    said_init(&c->customer, c->exchange->customer);
    said_init(&c->proposal, c->exchange->proposal);
}

static enum verdict verdict_of(struct check *c, struct sp_str list)
{
    struct choice choice = {.check = c, .list = list, .reads = {.data = &choice}};
    bool is_chosen, flags;

    read_said(c);
    read_holders(&choice);
    is_chosen = choose_named(&choice, &c->customer) > 0 || choose_named(&choice, &c->proposal) == 1;
    flags = is_chosen && !passes_chosen(&choice);
    scalars_deinit(&choice.reads);
    sp_map_deinit(&choice.holders);
    sp_arena_deinit(&choice.arena);
    return flags ? FLAGS_ITS_VALUES : FLAGS_NOTHING;
}

/* What the values of one argument are flagged with. */
struct flagging {
    struct check *check;
    struct sp_str argument; /* its name as written */
    struct proposal_flags *flags;
};

static void flag_value(void *data, struct sp_str scalar)
{
    struct flagging *f = data;
    struct check *c = f->check;
    size_t wanted = *sp_map_find(&c->passed, scalar);
    struct sp_buf name = {0};
    struct list *list;

    if (wanted == NONE || c->wanted[wanted].list == NONE)
        return;
    list = &c->lists[c->wanted[wanted].list];
    if (list->verdict == UNREAD)
        list->verdict = verdict_of(c, list->value);
    if (list->verdict == FLAGS_NOTHING)
        return;
    jget_text(f->argument, &name);
    f->flags->of = grown(f->flags->of, f->flags->n, &f->flags->max, sizeof *f->flags->of);
    f->flags->of[f->flags->n++] = (struct proposal_flag){
        .argument = sp_arena_copy(&f->flags->arena, sp_buf_str(&name)),
        .value = sp_arena_copy(&f->flags->arena, scalar),
    };
    sp_buf_deinit(&name);
}

void proposal_check(const struct episode *e, size_t n, const struct exchange *exchange,
                    struct sp_str arguments, struct proposal_flags *ret)
{
    struct check c = {.exchange = exchange};
    struct flagging flagging = {.check = &c, .flags = ret};
    struct scalars passed = {.fn = take_passed, .data = &c};
    struct scalars values = {.fn = flag_value, .data = &flagging};
    struct sp_buf sorted = {0};

    *ret = (struct proposal_flags){0};
    if (jget_type(arguments) != JSCAN_OBJECT)
        return;
    jcanon(&sorted, arguments);
    scalars_all(&passed, sp_buf_str(&sorted));
    search_results(&c, e, n);
    for (struct jget_iter it = jget_iter(sp_buf_str(&sorted)); jget_next(&it);) {
        flagging.argument = it.name;
        scalars_all(&values, it.value);
    }
    scalars_deinit(&passed);
    scalars_deinit(&values);
    sp_buf_deinit(&sorted);
    check_deinit(&c);
}

void proposal_flags_deinit(struct proposal_flags *flags)
{
    free(flags->of);
    sp_arena_deinit(&flags->arena);
    *flags = (struct proposal_flags){0};
}
