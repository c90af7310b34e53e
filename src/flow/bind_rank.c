/*
 * Candidates in the orders in which they are visited.
 *
 * A value becomes a candidate where it is visited first, so of all its spots one counts in each
 * order. Entries that no call has passed stand in two heaps of the order, all of them and those
 * whose spot is mentioned.
 */

#include "flow/bind_state.h"
#include "json/jput.h"

struct bind_entry *bind_rank_entry(struct bind *b, struct bind_arg *arg, struct sp_str text)
{
    const size_t *known = sp_map_find(&arg->by_text, text);
    struct bind_entry *entry;

    if (known != NULL)
        return arg->entries[*known];
    entry = sp_arena_alloc(&b->arena, sizeof *entry);
    entry->text = sp_arena_copy(&b->arena, text);
    entry->spots = sp_arena_alloc(&b->arena, arg->n_rules * sizeof *entry->spots);
    entry->places = sp_arena_alloc(&b->arena, arg->n_orders * sizeof *entry->places);
    *sp_map_put(&arg->by_text, entry->text, NULL) = arg->n_entries;
    BIND_ROOM(&b->arena, arg->entries, arg->n_entries, arg->max_entries);
    arg->entries[arg->n_entries++] = entry;
    return entry;
}

static struct bind_key key_of(const struct bind_order *order, const struct bind_spot *spot,
                              size_t rule)
{
    size_t age = SIZE_MAX - spot->list->output;

    if (order->ranks != NULL)
        return (struct bind_key){{order->ranks[rule], age, spot->pos}};
    return (struct bind_key){{age, rule, spot->pos}};
}

static bool precedes(const struct bind_key *x, const struct bind_key *y)
{
    for (size_t i = 0; i < 2; i++) {
        if (x->of[i] != y->of[i])
            return x->of[i] < y->of[i];
    }
    return x->of[2] < y->of[2];
}

/* Finds the rule whose spot counts; returns whether there is one. */
static bool find_front(const struct bind_arg *arg, const struct bind_order *order,
                       const struct bind_entry *entry, size_t *ret_rule, struct bind_key *ret_key)
{
    bool is_found = false;

    for (size_t i = 0; i < arg->n_rules; i++) {
        struct bind_key key;

        if (entry->spots[i].list == NULL)
            continue;
        key = key_of(order, &entry->spots[i], i);
        if (is_found && !precedes(&key, ret_key))
            continue;
        *ret_rule = i;
        *ret_key = key;
        is_found = true;
    }
    return is_found;
}

/* One of the heaps of one of an argument's orders. */
struct ranking {
    struct bind_heap *heap;
    size_t order;
    enum bind_heap_kind kind;
};

static struct ranking ranking(struct bind_arg *arg, size_t order, enum bind_heap_kind kind)
{
    return (struct ranking){&arg->orders[order].heaps[kind], order, kind};
}

/* One more than the index of an entry in the heap; 0: it is not in it. */
static size_t *slot_of(const struct ranking *r, const struct bind_entry *entry)
{
    return &entry->places[r->order].in[r->kind];
}

static void set(const struct ranking *r, size_t i, struct bind_ranked ranked)
{
    r->heap->of[i] = ranked;
    *slot_of(r, ranked.entry) = i + 1;
}

static size_t sift_up(const struct ranking *r, size_t i, const struct bind_key *key)
{
    for (; i > 0; i = (i - 1) / 2) {
        const struct bind_ranked *parent = &r->heap->of[(i - 1) / 2];

        if (!precedes(key, &parent->key))
            break;
        set(r, i, *parent);
    }
    return i;
}

static size_t sift_down(const struct ranking *r, size_t i, const struct bind_key *key)
{
    const struct bind_heap *heap = r->heap;

    for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && precedes(&heap->of[child + 1].key, &heap->of[child].key))
            child++;
        if (!precedes(&heap->of[child].key, key))
            break;
        set(r, i, heap->of[child]);
    }
    return i;
}

/* Puts an entry in its place in the heap from index `i` on, where there is room for it. */
static void settle(const struct ranking *r, size_t i, struct bind_ranked ranked)
{
    i = sift_up(r, i, &ranked.key);
    set(r, sift_down(r, i, &ranked.key), ranked);
}

static void put(struct bind *b, const struct ranking *r, struct bind_ranked ranked)
{
    size_t slot = *slot_of(r, ranked.entry);

    if (slot == 0) {
        BIND_ROOM(&b->arena, r->heap->of, r->heap->n, r->heap->max);
        slot = ++r->heap->n;
    }
    settle(r, slot - 1, ranked);
}

static void take_out(const struct ranking *r, struct bind_entry *entry)
{
    size_t slot = *slot_of(r, entry);
    struct bind_ranked last;

    if (slot == 0)
        return;
    *slot_of(r, entry) = 0;
    last = r->heap->of[--r->heap->n];
    if (last.entry != entry)
        settle(r, slot - 1, last);
}

/* Brings an entry into its places after it has changed. */
static void place(struct bind *b, struct bind_arg *arg, struct bind_entry *entry)
{
    for (size_t i = 0; i < arg->n_orders; i++) {
        struct ranking all = ranking(arg, i, BIND_HEAP_ALL);
        struct ranking mentioned = ranking(arg, i, BIND_HEAP_MENTIONED);
        struct bind_ranked ranked = {.entry = entry};
        size_t rule = 0;

        if (entry->n_used > 0 || !find_front(arg, &arg->orders[i], entry, &rule, &ranked.key)) {
            take_out(&all, entry);
            take_out(&mentioned, entry);
            continue;
        }
        entry->places[i].rule = rule;
        put(b, &all, ranked);
        if (entry->spots[rule].list->values[entry->spots[rule].pos].is_mentioned)
            put(b, &mentioned, ranked);
        else
            take_out(&mentioned, entry);
    }
}

void bind_rank_use(struct bind *b, struct bind_arg *arg, struct bind_entry *entry)
{
    if (entry->n_used++ == 0)
        place(b, arg, entry);
}

void bind_rank_unuse(struct bind *b, struct bind_arg *arg, struct bind_entry *entry)
{
    if (--entry->n_used == 0)
        place(b, arg, entry);
}

static void see(struct bind *b, struct bind_arg *arg, struct bind_entry *entry, size_t rule,
                struct bind_spot spot)
{
    if (entry->spots[rule].list == spot.list)
        return;
    entry->spots[rule] = spot;
    place(b, arg, entry);
}

/* The entry of a list that is passed whole. */
static struct bind_entry *list_entry(struct bind *b, struct bind_arg *arg,
                                     const struct bind_list *list)
{
    sp_buf_clear(&b->text);
    for (size_t i = 0; i < list->n; i++) {
        sp_buf_add_char(&b->text, i > 0 ? ',' : '[');
        jput_string(&b->text, list->values[i].text);
    }
    sp_buf_add_char(&b->text, ']');
    return bind_rank_entry(b, arg, sp_buf_str(&b->text));
}

void bind_rank_add(struct bind *b, const struct bind_user *user, size_t i_user,
                   struct bind_list *list)
{
    struct bind_arg *arg = user->arg;
    bool is_list = arg->kind == BIND_ARG_LIST;
    size_t n = is_list ? 1 : list->n;
    struct bind_entry **entries = sp_arena_alloc(&b->arena, n * sizeof(struct bind_entry *));

    list->entries[i_user] = entries;
    for (size_t i = 0; i < n; i++) {
        entries[i] =
            is_list ? list_entry(b, arg, list) : bind_rank_entry(b, arg, list->values[i].text);
        see(b, arg, entries[i], user->rule, (struct bind_spot){list, i});
        arg->has_mentioned = arg->has_mentioned || list->values[i].is_mentioned;
    }
}

void bind_rank_mention(struct bind *b, const struct bind_user *user, size_t i_user,
                       struct bind_list *list, size_t pos)
{
    struct bind_arg *arg = user->arg;
    struct bind_entry *entry;

    if (arg->kind == BIND_ARG_LIST)
        return;
    arg->has_mentioned = true;
    entry = list->entries[i_user][pos];
    if (entry->n_used > 0 || entry->spots[user->rule].list != list ||
        entry->spots[user->rule].pos != pos)
        return;
    for (size_t i = 0; i < arg->n_orders; i++) {
        struct ranking mentioned = ranking(arg, i, BIND_HEAP_MENTIONED);
        struct bind_key key = key_of(&arg->orders[i], &entry->spots[user->rule], user->rule);

        if (entry->places[i].rule == user->rule)
            put(b, &mentioned, (struct bind_ranked){key, entry});
    }
}

size_t bind_rank_order(const struct bind_arg *arg, struct sp_str site)
{
    for (size_t i = 0; i < arg->n_sites; i++) {
        if (sp_str_eq(arg->sites[i].site, site))
            return arg->sites[i].order;
    }
    return 0;
}

struct bind_entry *bind_rank_first(const struct bind_arg *arg, size_t order,
                                   enum bind_heap_kind kind)
{
    const struct bind_heap *heap = &arg->orders[order].heaps[kind];

    return heap->n > 0 ? heap->of[0].entry : NULL;
}
