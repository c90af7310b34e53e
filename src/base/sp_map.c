/* A hash table with open addressing and linear probing; removed keys leave a mark behind. */

#include <stdlib.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_map.h"

#define FIRST_SLOTS 16

/* The length of the key of a slot from which one was removed. */
#define REMOVED SIZE_MAX

struct sp_map_slot {
    struct sp_str key; /* p is NULL in a slot that never held one */
    uint64_t hash;
    size_t value;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t load(const char *p, size_t n)
{
    uint64_t x = 0;

    if (n > 0)
        memcpy(&x, p, n);
    return x;
}

static uint64_t hash_of(const struct sp_map *m, struct sp_str key)
{
    uint64_t h = m->seed ^ key.len;
    const char *p = key.p;
    size_t n = key.len;

    for (; n >= 8; p += 8, n -= 8)
        h = mix(h ^ load(p, 8), 0x9e3779b97f4a7c15);
    return mix(h ^ load(p, n), 0xd6e8feb86659fd93);
}

static bool is_taken(const struct sp_map_slot *slot)
{
    return slot->key.p != NULL && slot->key.len != REMOVED;
}

/* The slot of the key, or the one where it may be put. */
static struct sp_map_slot *slot_of(const struct sp_map *m, struct sp_str key, uint64_t hash)
{
    struct sp_map_slot *free_slot = NULL;

    for (size_t i = hash & (m->n_slots - 1);; i = (i + 1) & (m->n_slots - 1)) {
        struct sp_map_slot *slot = &m->slots[i];

        if (slot->key.p == NULL)
            return free_slot != NULL ? free_slot : slot;
        if (slot->key.len == REMOVED) {
            if (free_slot == NULL)
                free_slot = slot;
        } else if (slot->hash == hash && sp_str_eq(slot->key, key)) {
            return slot;
        }
    }
}

static void resize(struct sp_map *m)
{
    struct sp_map old = *m;

    if (m->n_slots == 0)
        (void)getentropy(&m->seed, sizeof m->seed); /* without any the table is only guessable */
    m->n_slots = FIRST_SLOTS;
    while (m->n_slots < 4 * (old.n + 1))
        m->n_slots *= 2;
    m->slots = sp_calloc(m->n_slots, sizeof *m->slots);
    m->n_used = old.n;
    for (size_t i = 0; i < old.n_slots; i++) {
        if (is_taken(&old.slots[i]))
            *slot_of(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
    }
    free(old.slots);
}

size_t *sp_map_find(const struct sp_map *m, struct sp_str key)
{
    struct sp_map_slot *slot;

    if (m->n == 0)
        return NULL;
    slot = slot_of(m, key, hash_of(m, key));
    return is_taken(slot) ? &slot->value : NULL;
}

size_t *sp_map_put(struct sp_map *m, struct sp_str key, bool *ret_is_new)
{
    struct sp_map_slot *slot;
    uint64_t hash;
    bool is_new;

    if (4 * (m->n_used + 1) > 3 * m->n_slots)
        resize(m);
    hash = hash_of(m, key);
    slot = slot_of(m, key, hash);
    is_new = !is_taken(slot);
    if (is_new) {
        if (slot->key.p == NULL)
            m->n_used++;
        /* An empty view may have no address, which here means a slot never used. */
        *slot = (struct sp_map_slot){{key.p != NULL ? key.p : "", key.len}, hash, 0};
        m->n++;
    }
    if (ret_is_new != NULL)
        *ret_is_new = is_new;
    return &slot->value;
}

struct sp_str sp_map_take(struct sp_map *m, struct sp_str key)
{
    struct sp_map_slot *slot;
    struct sp_str taken = {0};

    if (m->n == 0)
        return taken;
    slot = slot_of(m, key, hash_of(m, key));
    if (is_taken(slot)) {
        taken = slot->key;
        slot->key.len = REMOVED;
        m->n--;
    }
    return taken;
}

bool sp_map_next(const struct sp_map *m, size_t *at, struct sp_str *ret_key, size_t *ret_value)
{
    while (*at < m->n_slots) {
        const struct sp_map_slot *slot = &m->slots[(*at)++];

        if (is_taken(slot)) {
            *ret_key = slot->key;
            *ret_value = slot->value;
            return true;
        }
    }
    return false;
}

void sp_map_deinit(struct sp_map *m)
{
    free(m->slots);
    *m = (struct sp_map){0};
}
