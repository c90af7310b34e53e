/* JSON read and written by one table. */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "flow/flowjson.h"
#include "json/jput.h"

static bool is_plain_name(struct sp_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_' && c != '-')
            return false;
    }
    return name.len > 0;
}

/* Appends the way to a value: habit.base.levels[2][0]. Names that are no words stand quoted. */
static void put_place(struct sp_buf *b, const struct flowjson_at *at)
{
    if (at->up == NULL)
        return;
    put_place(b, at->up);
    if (at->name.p == NULL) {
        sp_buf_addf(b, "[%zu]", at->index);
    } else if (is_plain_name(at->name)) {
        if (b->len > 0)
            sp_buf_add_char(b, '.');
        sp_buf_add(b, at->name);
    } else {
        sp_buf_add_char(b, '[');
        jput_string(b, at->name);
        sp_buf_add_char(b, ']');
    }
}

int flowjson_fail(const struct flowjson_at *at, const char *format, ...)
{
    struct sp_buf place = {0};
    va_list args;

    va_start(args, format);
    vsnprintf(at->err->text, sizeof at->err->text, format, args);
    va_end(args);
    put_place(&place, at);
    if (place.len > 0)
        sp_err_prefix(at->err, "%s", sp_buf_cstr(&place));
    sp_buf_deinit(&place);
    return -EINVAL;
}

static struct flowjson_at at_name(const struct flowjson_at *up, struct sp_str name)
{
    return (struct flowjson_at){.up = up, .name = name, .arena = up->arena, .err = up->err};
}

static struct flowjson_at at_index(const struct flowjson_at *up, size_t index)
{
    return (struct flowjson_at){.up = up, .index = index, .arena = up->arena, .err = up->err};
}

struct sp_str flowjson_text(const struct flowjson_at *at, struct sp_str string)
{
    struct sp_buf text = {0};
    struct sp_str copy;

    jget_text(string, &text);
    copy = sp_arena_copy(at->arena, sp_buf_str(&text));
    sp_buf_deinit(&text);
    return copy;
}

static int read_string(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    if (jget_type(value) != JSCAN_STRING)
        return flowjson_fail(at, "expected a string");
    *(struct sp_str *)ret = flowjson_text(at, value);
    return 0;
}

static int read_integer(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    if (!jget_u64(value, ret))
        return flowjson_fail(at, "expected an integer of 0 or more");
    return 0;
}

static int read_symbol(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    uint64_t n;

    if (!jget_u64(value, &n) || n > UINT32_MAX)
        return flowjson_fail(at, "expected an integer of 0 to %" PRIu32, UINT32_MAX);
    *(uint32_t *)ret = (uint32_t)n;
    return 0;
}

/* Behind a number there is always a comma, a bracket or white space, where strtod() stops. */
static int read_real(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    if (jget_type(value) != JSCAN_NUMBER)
        return flowjson_fail(at, "expected a number");
    *(double *)ret = strtod(value.p, NULL);
    return 0;
}

static int read_bool(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    enum jscan_type type = jget_type(value);

    if (type != JSCAN_TRUE && type != JSCAN_FALSE)
        return flowjson_fail(at, "expected true or false");
    *(bool *)ret = type == JSCAN_TRUE;
    return 0;
}

static void put_string(struct sp_buf *b, const void *value)
{
    jput_string(b, *(const struct sp_str *)value);
}

static void put_integer(struct sp_buf *b, const void *value)
{
    sp_buf_addf(b, "%" PRIu64, *(const uint64_t *)value);
}

static void put_symbol(struct sp_buf *b, const void *value)
{
    sp_buf_addf(b, "%" PRIu32, *(const uint32_t *)value);
}

static void put_real(struct sp_buf *b, const void *value)
{
    jput_double(b, *(const double *)value);
}

static void put_bool(struct sp_buf *b, const void *value)
{
    sp_buf_add(b, *(const bool *)value ? SP_STR("true") : SP_STR("false"));
}

const struct flowjson_type flowjson_string = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct sp_str),
    .read = read_string,
    .put = put_string,
};

const struct flowjson_type flowjson_integer = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(uint64_t),
    .read = read_integer,
    .put = put_integer,
};

const struct flowjson_type flowjson_symbol = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(uint32_t),
    .read = read_symbol,
    .put = put_symbol,
};

const struct flowjson_type flowjson_real = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(double),
    .read = read_real,
    .put = put_real,
};

const struct flowjson_type flowjson_bool = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(bool),
    .read = read_bool,
    .put = put_bool,
};

static int read_elements(const struct flowjson_at *at, struct sp_str value,
                         const struct flowjson_field *field, char *base)
{
    bool is_map = field->shape == FLOWJSON_MAP;
    struct jget_iter it = jget_iter(value);
    size_t size = field->type->size;
    char *elements;
    size_t n = 0;

    if (jget_type(value) != (is_map ? JSCAN_OBJECT : JSCAN_ARRAY))
        return flowjson_fail(at, "expected an %s", is_map ? "object" : "array");
    elements = sp_arena_alloc(at->arena, jget_count(value) * size);
    for (; jget_next(&it); n++) {
        struct sp_str name = is_map ? flowjson_text(at, it.name) : (struct sp_str){0};
        struct flowjson_at inner = is_map ? at_name(at, name) : at_index(at, n);
        int err = flowjson_read(&inner, it.value, field->type, elements + n * size);

        if (err < 0)
            return err;
        if (is_map)
            *(struct sp_str *)(elements + n * size) = name;
    }
    *(void **)(base + field->offset) = elements;
    *(size_t *)(base + field->n_offset) = n;
    return 0;
}

static int read_field(const struct flowjson_at *at, struct sp_str value,
                      const struct flowjson_field *field, char *base)
{
    if (field->shape == FLOWJSON_ONE)
        return flowjson_read(at, value, field->type, base + field->offset);
    return read_elements(at, value, field, base);
}

static bool has_presence(const struct flowjson_field *field)
{
    return field->rule == FLOWJSON_WHEN_PRESENT || field->rule == FLOWJSON_NULL_IS_ABSENT;
}

static int read_member(const struct flowjson_at *object, struct sp_str value,
                       const struct flowjson_field *field, char *base)
{
    struct sp_str name = sp_str_of(field->name);
    struct flowjson_at at = at_name(object, name);
    struct sp_str member;

    if (!jget_member(value, name, &member))
        return field->rule == FLOWJSON_REQUIRED ? flowjson_fail(&at, "missing") : 0;
    if (field->rule == FLOWJSON_NULL_IS_ABSENT && jget_type(member) == JSCAN_NULL)
        return 0;
    if (has_presence(field))
        *(bool *)(base + field->n_offset) = true;
    return read_field(&at, member, field, base);
}

static int read_object(const struct flowjson_at *at, struct sp_str value,
                       const struct flowjson_type *type, char *base)
{
    if (jget_type(value) != JSCAN_OBJECT)
        return flowjson_fail(at, "expected an object");
    for (size_t i = 0; i < type->n_fields; i++) {
        int err = read_member(at, value, &type->fields[i], base);

        if (err < 0)
            return err;
    }
    return 0;
}

static int read_tuple(const struct flowjson_at *at, struct sp_str value,
                      const struct flowjson_type *type, char *base)
{
    struct jget_iter it = jget_iter(value);

    if (jget_type(value) != JSCAN_ARRAY || jget_count(value) != type->n_fields)
        return flowjson_fail(at, "expected an array of %zu", type->n_fields);
    for (size_t i = 0; jget_next(&it); i++) {
        struct flowjson_at element = at_index(at, i);
        int err = read_field(&element, it.value, &type->fields[i], base);

        if (err < 0)
            return err;
    }
    return 0;
}

int flowjson_read(const struct flowjson_at *at, struct sp_str value,
                  const struct flowjson_type *type, void *ret)
{
    switch (type->form) {
    case FLOWJSON_OBJECT:
        return read_object(at, value, type, ret);
    case FLOWJSON_TUPLE:
        return read_tuple(at, value, type, ret);
    case FLOWJSON_BARE:
        return read_field(at, value, type->fields, ret);
    case FLOWJSON_SCALAR:
        break;
    }
    return type->read(at, value, ret);
}

/* Appends a comma unless the next value is the first in its array or object. */
static void put_comma(struct sp_buf *b)
{
    char last = b->p[b->len - 1];

    if (last != '[' && last != '{')
        sp_buf_add_char(b, ',');
}

static void put_elements(struct sp_buf *b, const struct flowjson_field *field, const char *base)
{
    const char *element = *(const char *const *)(base + field->offset);
    size_t n = *(const size_t *)(base + field->n_offset);
    bool is_map = field->shape == FLOWJSON_MAP;

    sp_buf_add_char(b, is_map ? '{' : '[');
    for (size_t i = 0; i < n; i++, element += field->type->size) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        if (is_map) {
            jput_string(b, *(const struct sp_str *)element);
            sp_buf_add_char(b, ':');
        }
        flowjson_put(b, field->type, element);
    }
    sp_buf_add_char(b, is_map ? '}' : ']');
}

static void put_field(struct sp_buf *b, const struct flowjson_field *field, const char *base)
{
    if (field->shape == FLOWJSON_ONE)
        flowjson_put(b, field->type, base + field->offset);
    else
        put_elements(b, field, base);
}

/* Whether a list or a map, or the one that a bare type is made of, has no elements. */
static bool is_empty(const struct flowjson_field *field, const char *base)
{
    if (field->shape == FLOWJSON_ONE) {
        assert(field->type->form == FLOWJSON_BARE);
        return is_empty(field->type->fields, base + field->offset);
    }
    return *(const size_t *)(base + field->n_offset) == 0;
}

static bool is_written(const struct flowjson_field *field, const char *base)
{
    switch (field->rule) {
    case FLOWJSON_UNLESS_EMPTY:
        return !is_empty(field, base);
    case FLOWJSON_WHEN_PRESENT:
    case FLOWJSON_NULL_IS_ABSENT:
        return *(const bool *)(base + field->n_offset);
    case FLOWJSON_WHEN_TRUE:
        return *(const bool *)(base + field->offset);
    case FLOWJSON_REQUIRED:
    case FLOWJSON_OPTIONAL:
        break;
    }
    return true;
}

void flowjson_put_members(struct sp_buf *b, const struct flowjson_type *object, const void *value)
{
    for (size_t i = 0; i < object->n_fields; i++) {
        const struct flowjson_field *field = &object->fields[i];

        if (!is_written(field, value))
            continue;
        put_comma(b);
        jput_string(b, sp_str_of(field->name));
        sp_buf_add_char(b, ':');
        put_field(b, field, value);
    }
}

static void put_tuple(struct sp_buf *b, const struct flowjson_type *type, const void *value)
{
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < type->n_fields; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put_field(b, &type->fields[i], value);
    }
    sp_buf_add_char(b, ']');
}

void flowjson_put(struct sp_buf *b, const struct flowjson_type *type, const void *value)
{
    switch (type->form) {
    case FLOWJSON_OBJECT:
        sp_buf_add_char(b, '{');
        flowjson_put_members(b, type, value);
        sp_buf_add_char(b, '}');
        break;
    case FLOWJSON_TUPLE:
        put_tuple(b, type, value);
        break;
    case FLOWJSON_BARE:
        put_field(b, type->fields, value);
        break;
    case FLOWJSON_SCALAR:
        type->put(b, value);
        break;
    }
}
