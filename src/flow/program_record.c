/* The records of runs: sorting, writing, reading. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "flow/program_record.h"
#include "json/jput.h"
#include "json/jtable.h"

/* The integer behind the last '#' of an address; false if there is none of 64 bits. */
static bool number_of(struct sp_str address, int64_t *ret)
{
    size_t at = address.len;
    bool is_negative;
    uint64_t n;

    while (at > 0 && address.p[at - 1] != '#')
        at--;
    if (at == 0)
        return false;
    is_negative = at < address.len && address.p[at] == '-';
    at += is_negative;
    if (at == address.len || !jget_u64(sp_str_sub(address, at, address.len), &n) ||
        n > (uint64_t)INT64_MAX + is_negative)
        return false;
    *ret = (int64_t)(is_negative ? 0 - n : n);
    return true;
}

static int site_cmp(const void *a, const void *b)
{
    const struct program_site *x = a;
    const struct program_site *y = b;
    int64_t n = 0;
    int64_t m = 0;
    bool has_n = number_of(x->address, &n);
    bool has_m = number_of(y->address, &m);

    if (has_n != has_m)
        return has_n - has_m;
    if (n != m)
        return n < m ? -1 : 1;
    return sp_str_cmp(x->address, y->address);
}

void program_record_sort(struct program_record *r)
{
    if (r->n_sites > 0)
        qsort(r->sites, r->n_sites, sizeof *r->sites, site_cmp);
}

static void put_real(struct sp_buf *b, double x)
{
    if (isfinite(x))
        jput_double(b, x);
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_bool(struct sp_buf *b, bool is_true)
{
    sp_buf_add(b, is_true ? SP_STR("true") : SP_STR("false"));
}

static void put_site(struct sp_buf *b, const struct program_site *site)
{
    sp_buf_add_char(b, '[');
    jput_string(b, site->address);
    sp_buf_add_char(b, ',');
    if (site->dist == PROGRAM_DIST_OUTCOME)
        put_bool(b, site->value != 0);
    else
        sp_buf_addf(b, "%lld", (long long)site->value);
    sp_buf_add_char(b, ',');
    put_real(b, site->logp);
    sp_buf_add_char(b, ']');
}

void program_record_put(struct sp_buf *b, const struct program_record *r)
{
    sp_buf_add(b, SP_STR("{\"call\":"));
    jput_string(b, r->call);
    sp_buf_add(b, SP_STR(",\"failed\":"));
    put_bool(b, r->failed);
    sp_buf_addf(b, ",\"max_lookups\":%lld,\"sites\":[", (long long)r->max_lookups);
    for (size_t i = 0; i < r->n_sites; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_site(b, &r->sites[i]);
    }
    sp_buf_add(b, SP_STR("],\"surprise\":"));
    put_real(b, r->surprise);
    sp_buf_add_char(b, '}');
}

static struct sp_str copy_text(struct sp_arena *arena, struct sp_str string)
{
    struct sp_buf text = {0};
    struct sp_str copy;

    jget_text(string, &text);
    copy = sp_arena_copy(arena, sp_buf_str(&text));
    sp_buf_deinit(&text);
    return copy;
}

/* Reads a number, or null for an infinite one. */
static bool read_real(struct sp_str value, double infinite, double *ret)
{
    struct sp_buf text = {0};

    switch (jget_type(value)) {
    case JSCAN_NULL:
        *ret = infinite;
        return true;
    case JSCAN_NUMBER:
        sp_buf_add(&text, value);
        *ret = strtod(sp_buf_cstr(&text), NULL);
        sp_buf_deinit(&text);
        return true;
    default:
        return false;
    }
}

static bool read_count(struct sp_str value, int64_t *ret)
{
    uint64_t n;

    if (!jget_u64(value, &n) || n > INT64_MAX)
        return false;
    *ret = (int64_t)n;
    return true;
}

static bool read_site_value(struct sp_str value, struct program_site *ret)
{
    enum jscan_type type = jget_type(value);

    if (type == JSCAN_TRUE || type == JSCAN_FALSE) {
        ret->dist = PROGRAM_DIST_OUTCOME;
        ret->value = type == JSCAN_TRUE;
        return true;
    }
    ret->dist = PROGRAM_DIST_DECIDE;
    return read_count(value, &ret->value);
}

static bool read_site(struct sp_arena *arena, struct sp_str value, struct program_site *ret)
{
    struct sp_str parts[3];
    size_t n = 0;

    if (jget_type(value) != JSCAN_ARRAY)
        return false;
    for (struct jget_iter it = jget_iter(value); jget_next(&it); n++) {
        if (n < JTABLE_LEN(parts))
            parts[n] = it.value;
    }
    if (n != JTABLE_LEN(parts) || jget_type(parts[0]) != JSCAN_STRING ||
        !read_site_value(parts[1], ret) || !read_real(parts[2], -INFINITY, &ret->logp))
        return false;
    ret->address = copy_text(arena, parts[0]);
    return true;
}

static int read_sites(struct sp_arena *arena, struct sp_str array, struct program_record *r,
                      struct sp_err *ret_err)
{
    const struct jtable_place document = {0};
    const struct jtable_place sites = {.up = &document, .name = "sites"};

    r->sites = sp_arena_alloc(arena, jget_count(array) * sizeof *r->sites);
    for (struct jget_iter it = jget_iter(array); jget_next(&it); r->n_sites++) {
        const struct jtable_place place = {.up = &sites, .index = r->n_sites};

        if (!read_site(arena, it.value, &r->sites[r->n_sites]))
            return jtable_fail(&place, "must be [address, value, log-probability]", ret_err);
    }
    return 0;
}

int program_record_read(struct sp_arena *arena, struct sp_str value, struct program_record *ret,
                        struct sp_err *ret_err)
{
    struct spans {
        struct sp_str call;
        struct sp_str failed;
        struct sp_str max_lookups;
        struct sp_str sites;
        struct sp_str surprise;
    } spans = {0};
    static const struct jtable_field fields[] = {
        {"call", JTABLE_TEXT, JTABLE_REQUIRED, offsetof(struct spans, call)},
        {"failed", JTABLE_BOOL, JTABLE_REQUIRED, offsetof(struct spans, failed)},
        {"max_lookups", JTABLE_UINT, JTABLE_REQUIRED, offsetof(struct spans, max_lookups)},
        {"sites", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct spans, sites)},
        {"surprise", JTABLE_ANY, JTABLE_REQUIRED, offsetof(struct spans, surprise)},
    };
    const struct jtable_place document = {0};
    const struct jtable_place max_lookups = {.up = &document, .name = "max_lookups"};
    const struct jtable_place surprise = {.up = &document, .name = "surprise"};
    struct program_record r = {0};
    int rc = jtable_read(&document, value, fields, JTABLE_LEN(fields), &spans, ret_err);

    if (rc < 0)
        return rc;
    if (!read_count(spans.max_lookups, &r.max_lookups))
        return jtable_fail(&max_lookups, "must fit a signed integer of 64 bits", ret_err);
    if (!read_real(spans.surprise, INFINITY, &r.surprise))
        return jtable_fail(&surprise, "must be a number or null", ret_err);
    rc = read_sites(arena, spans.sites, &r, ret_err);
    if (rc < 0)
        return rc;
    r.call = copy_text(arena, spans.call);
    r.failed = jget_type(spans.failed) == JSCAN_TRUE;
    *ret = r;
    return 0;
}
