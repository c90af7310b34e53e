/* Reading objects by tables. */

#include <errno.h>

#include "json/jtable.h"

static void put_place(struct sp_buf *b, const struct jtable_place *place)
{
    if (place->up == NULL)
        return;
    put_place(b, place->up);
    if (place->name != NULL)
        sp_buf_addf(b, "%s%s", b->len > 0 ? "." : "", place->name);
    else
        sp_buf_addf(b, "[%zu]", place->index);
}

int jtable_fail(const struct jtable_place *place, const char *what, struct sp_err *ret_err)
{
    struct sp_buf path = {0};

    put_place(&path, place);
    sp_err_set(ret_err, "%s: %s", path.len > 0 ? sp_buf_cstr(&path) : "the document", what);
    sp_buf_deinit(&path);
    return -EINVAL;
}

/* What is wrong with a value of that shape; NULL for nothing. */
static const char *misfit(struct sp_str value, enum jtable_shape shape)
{
    enum jscan_type type = jget_type(value);
    uint64_t n;

    switch (shape) {
    case JTABLE_ANY:
        return NULL;
    case JTABLE_TEXT:
        return type == JSCAN_STRING ? NULL : "must be a string";
    case JTABLE_BOOL:
        return type == JSCAN_TRUE || type == JSCAN_FALSE ? NULL : "must be true or false";
    case JTABLE_NUMBER:
        return type == JSCAN_NUMBER ? NULL : "must be a number";
    case JTABLE_UINT:
        return jget_u64(value, &n) ? NULL : "must be a whole number from 0 to 18446744073709551615";
    case JTABLE_ARRAY:
        return type == JSCAN_ARRAY ? NULL : "must be an array";
    case JTABLE_OBJECT:
        return type == JSCAN_OBJECT ? NULL : "must be an object";
    }
    return NULL;
}

static struct sp_str *span_of(void *object, const struct jtable_field *field)
{
    return (struct sp_str *)((char *)object + field->offset);
}

static void find_members(struct sp_str object, const struct jtable_field *fields, size_t n,
                         void *ret)
{
    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        for (size_t i = 0; i < n; i++) {
            if (jget_is_text(it.name, sp_str_of(fields[i].name))) {
                *span_of(ret, &fields[i]) = it.value;
                break;
            }
        }
    }
}

int jtable_read(const struct jtable_place *place, struct sp_str object,
                const struct jtable_field *fields, size_t n, void *ret, struct sp_err *ret_err)
{
    if (object.p != NULL) {
        if (jget_type(object) != JSCAN_OBJECT)
            return jtable_fail(place, "must be an object", ret_err);
        find_members(object, fields, n, ret);
    }
    for (size_t i = 0; i < n; i++) {
        struct jtable_place member = {.up = place, .name = fields[i].name};
        struct sp_str *span = span_of(ret, &fields[i]);
        bool is_optional = fields[i].need == JTABLE_OPTIONAL;
        const char *wrong;

        if (span->p != NULL && is_optional && jget_type(*span) == JSCAN_NULL)
            *span = (struct sp_str){0};
        if (span->p == NULL) {
            if (is_optional)
                continue;
            return jtable_fail(&member, "is missing", ret_err);
        }
        wrong = misfit(*span, fields[i].shape);
        if (wrong != NULL)
            return jtable_fail(&member, wrong, ret_err);
    }
    return 0;
}
