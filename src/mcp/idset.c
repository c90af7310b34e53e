/* Sets of ids. The set owns its keys, one allocation each. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jcanon.h"
#include "mcp/idset.h"

static struct sp_buf key_of(struct sp_str id)
{
    struct sp_buf key = {0};

    jcanon_exact(&key, id);
    return key;
}

void idset_put(struct idset *set, struct sp_str id, size_t value)
{
    struct sp_buf key = key_of(id);
    bool is_new;

    *sp_map_put(&set->map, sp_buf_str(&key), &is_new) = value;
    if (!is_new)
        sp_buf_deinit(&key);
}

bool idset_has(const struct idset *set, struct sp_str id)
{
    struct sp_buf key = key_of(id);
    bool is_there = sp_map_find(&set->map, sp_buf_str(&key)) != NULL;

    sp_buf_deinit(&key);
    return is_there;
}

bool idset_take(struct idset *set, struct sp_str id, size_t *ret_value)
{
    struct sp_buf key = key_of(id);
    const size_t *value = sp_map_find(&set->map, sp_buf_str(&key));
    bool is_there = value != NULL;

    if (is_there) {
        struct sp_str owned;

        if (ret_value != NULL)
            *ret_value = *value;
        owned = sp_map_take(&set->map, sp_buf_str(&key));
        free((char *)owned.p);
    }
    sp_buf_deinit(&key);
    return is_there;
}

void idset_deinit(struct idset *set)
{
    struct sp_str key;
    size_t value;

    for (size_t at = 0; sp_map_next(&set->map, &at, &key, &value);)
        free((char *)key.p);
    sp_map_deinit(&set->map);
}
