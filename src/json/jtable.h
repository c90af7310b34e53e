#pragma once

/*
 * Reads objects by tables, so that an error names the place by its path in the document:
 * "simulations[3].messages[0].role: must be a string".
 *
 * Values are spans of a text that jscan() has accepted, as in jget.h. Members that a table does not
 * name are ignored; of a name that occurs twice the last counts.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "base/sp_err.h"
#include "json/jget.h"

enum jtable_shape {
    JTABLE_ANY,
    JTABLE_TEXT,
    JTABLE_BOOL,
    JTABLE_NUMBER,
    JTABLE_UINT, /* a number that jget_u64() reads */
    JTABLE_ARRAY,
    JTABLE_OBJECT,
};

enum jtable_need {
    JTABLE_OPTIONAL, /* null counts as no member */
    JTABLE_REQUIRED, /* null has to fit the shape as any value has */
};

/* A member that is read. */
struct jtable_field {
    const char *name;
    enum jtable_shape shape;
    enum jtable_need need;
    size_t offset; /* of its struct sp_str */
};

#define JTABLE_LEN(table) (sizeof(table) / sizeof *(table))

/* Where a value stands: a chain of places, mostly on the stack. Zeroed, it is the document. */
struct jtable_place {
    const struct jtable_place *up; /* NULL: the document itself */
    const char *name;              /* of a member; NULL: an element of an array */
    size_t index;                  /* of an element */
};

/*
 * Reads an object's members.
 *
 * object:  any value's span; a `p` of NULL is an object without members.
 * ret:     a struct with a zeroed struct sp_str for each of the `n` fields; each gets its member's
 *          value, and keeps a `p` of NULL for an optional one that there is not.
 * Returns: 0, or negative, told in ret_err: no object, a required member missing, a wrong shape.
 */
int jtable_read(const struct jtable_place *place, struct sp_str object,
                const struct jtable_field *fields, size_t n, void *ret,
                struct sp_err *ret_err) SP_MUST_CHECK;

/* Sets the error of a place, "PATH: WHAT"; the document itself is "the document". Gives -EINVAL. */
int jtable_fail(const struct jtable_place *place, const char *what, struct sp_err *ret_err);
