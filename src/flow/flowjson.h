#pragma once

/*
 * JSON read and written by one table. A table says which members an object has, in the order in
 * which they are written, of which type each is, and where its value lies in a C struct; the same
 * table reads the object and writes it.
 *
 * What is read is copied into an arena. The first value that has another type than its table says
 * fails the reading with an error that names it: "habit.base.alpha: expected a number".
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "json/jget.h"

/* Where a value stands in the text: the way there, from the value upwards. */
struct flowjson_at {
    const struct flowjson_at *up; /* NULL at the top */
    struct sp_str name;           /* of a member; p is NULL for an element */
    size_t index;                 /* of an element */
    struct sp_arena *arena;       /* for what is read */
    struct sp_err *err;           /* for what is wrong */
};

enum flowjson_form {
    FLOWJSON_SCALAR, /* `read` and `put` do it */
    FLOWJSON_OBJECT, /* an object with the fields as its members; others are ignored */
    FLOWJSON_TUPLE,  /* an array with exactly the fields as its elements */
    FLOWJSON_BARE,   /* the value of its only field, without anything around it */
};

enum flowjson_shape {
    FLOWJSON_ONE,  /* one value of the type */
    FLOWJSON_LIST, /* an array of such values */
    FLOWJSON_MAP,  /* an object of such values; their structs begin with a view of the name */
};

/* Whether a member has to be there, and whether it is written. */
enum flowjson_rule {
    FLOWJSON_REQUIRED,
    FLOWJSON_OPTIONAL,       /* may be missing, and is always written */
    FLOWJSON_UNLESS_EMPTY,   /* may be missing, and is written unless its list or map is empty */
    FLOWJSON_WHEN_PRESENT,   /* may be missing; a bool at n_offset tells whether it is there */
    FLOWJSON_NULL_IS_ABSENT, /* the same, and null is as good as missing */
    FLOWJSON_WHEN_TRUE,      /* a bool that may be missing, and is written if it is true */
};

struct flowjson_field;

struct flowjson_type {
    enum flowjson_form form;
    size_t size; /* of the C struct */
    const struct flowjson_field *fields;
    size_t n_fields;
    int (*read)(const struct flowjson_at *at, struct sp_str value, void *ret);
    void (*put)(struct sp_buf *b, const void *value);
};

struct flowjson_field {
    const char *name; /* of an object's member, else NULL */
    enum flowjson_rule rule;
    enum flowjson_shape shape;
    const struct flowjson_type *type;
    size_t offset;   /* of the value, or of the pointer to a list or map, in the struct */
    size_t n_offset; /* of the number of elements, a size_t, or of the bool of its rule */
};

/* The types of the simple values. */
extern const struct flowjson_type flowjson_string;  /* struct sp_str */
extern const struct flowjson_type flowjson_integer; /* uint64_t */
extern const struct flowjson_type flowjson_symbol;  /* uint32_t */
extern const struct flowjson_type flowjson_real;    /* double; an integer is read too */
extern const struct flowjson_type flowjson_bool;    /* bool */

/*
 * Reads a value into `ret`, a zeroed struct of the type. What an optional member leaves out stays
 * zero. Of a member that occurs twice the last counts; a map has both.
 *
 * value:   a value's span in a text that jscan() accepted, inside an object or an array or one.
 * Returns: 0, or negative, told in at->err.
 */
int flowjson_read(const struct flowjson_at *at, struct sp_str value,
                  const struct flowjson_type *type, void *ret);

/* Sets the error of a value, its place before it, and returns the code for it. */
int flowjson_fail(const struct flowjson_at *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The text of a string's span, in the arena. */
struct sp_str flowjson_text(const struct flowjson_at *at, struct sp_str string);

/* Appends a value, without white space. */
void flowjson_put(struct sp_buf *b, const struct flowjson_type *type, const void *value);

/* Appends the members of an object to what is already written of it, after a comma if need be. */
void flowjson_put_members(struct sp_buf *b, const struct flowjson_type *object, const void *value);
