/*
 * Canonical JSON.
 *
 * A first pass notes where every array and object ends. With that, an object's members are listed
 * without looking into their values, sorted, and written one by one, so that every byte is read a
 * fixed number of times however deep it stands. The lists of the objects under way lie on one
 * stack; so memory stays in proportion to the text.
 */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jbytes.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"

/* An array or object; they are numbered in the order in which they begin. */
struct container {
    const char *end; /* behind its closing bracket */
    size_t next;     /* the number of the first that begins behind it */
};

struct member {
    struct sp_str name;  /* unescaped */
    struct sp_str value; /* of an array or object only the beginning counts */
    size_t container;    /* its number, if it is one */
};

struct canon {
    struct sp_buf *out;
    bool is_exact; /* whole numbers keep their digits */
    struct sp_str text;
    const char *end; /* of the text */
    struct container *containers;
    struct member *members; /* stack */
    size_t n_members;
    size_t max_members;
    char *names; /* stack of names that had escapes; has room for the whole text, so never moves */
    size_t names_len;
    struct sp_buf scratch;
};

/* A walk over the elements or members of a container. */
struct walk {
    const char *p;
    size_t next_container;
    bool is_object;
    struct sp_str name; /* as written */
    struct sp_str value;
    size_t container;
};

/* Notes where each array and object of the text ends. */
static void containers_find(struct canon *c)
{
    size_t n = 0;
    size_t max = 0;
    size_t open = 0; /* the innermost that is still open; its `next` is the one around it */

    for (const char *p = c->text.p; p < c->end;) {
        if (*p == '"') {
            p = jbytes_string_end(p, c->end);
            continue;
        }
        if (*p == '[' || *p == '{') {
            if (n == max) {
                max = max > 0 ? 2 * max : 16;
                c->containers = sp_realloc(c->containers, max * sizeof *c->containers);
            }
            c->containers[n].next = open;
            open = n++;
        } else if (*p == ']' || *p == '}') {
            struct container *closed;

            assert(c->containers != NULL); /* a bracket that closes was opened */
            closed = &c->containers[open];
            closed->end = p + 1;
            open = closed->next;
            closed->next = n;
        }
        p++;
    }
}

/* Starts a walk over the container that begins at `p`. */
static struct walk walk_start(const char *p, size_t container)
{
    return (struct walk){.p = p + 1, .next_container = container + 1, .is_object = *p == '{'};
}

static bool walk_next(struct walk *w, const struct canon *c)
{
    const char *p = jbytes_space_end(w->p, c->end);

    if (*p == ']' || *p == '}')
        return false;
    if (*p == ',')
        p = jbytes_space_end(p + 1, c->end);
    if (w->is_object) {
        w->name.p = p;
        p = jbytes_string_end(p, c->end);
        w->name.len = (size_t)(p - w->name.p);
        p = jbytes_space_end(p, c->end);
        p = jbytes_space_end(p + 1, c->end); /* behind the colon */
    }
    w->value.p = p;
    w->container = w->next_container;
    if (*p == '[' || *p == '{') {
        assert(c->containers != NULL); /* this one is among them */
        w->next_container = c->containers[w->container].next;
        p = c->containers[w->container].end;
    } else {
        p = jbytes_scalar_end(p, c->end);
    }
    w->value.len = (size_t)(p - w->value.p);
    w->p = p;
    return true;
}

/* The unescaped text of a name; where it has escapes, it is kept on the stack of names. */
static struct sp_str name_text(struct canon *c, struct sp_str name)
{
    struct sp_str plain = sp_str_sub(name, 1, name.len - 1);

    assert(name.p != NULL);
    if (sp_str_find(plain, '\\') == plain.len)
        return plain;
    if (c->names == NULL)
        c->names = sp_malloc(c->text.len);
    sp_buf_clear(&c->scratch);
    jget_text(name, &c->scratch);
    plain = (struct sp_str){c->names + c->names_len, c->scratch.len};
    memcpy(c->names + c->names_len, c->scratch.p, c->scratch.len);
    c->names_len += c->scratch.len;
    return plain;
}

static int member_cmp(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    int by_name = sp_str_cmp(x->name, y->name);

    /* Of equal names the last one written stays the last. */
    return by_name != 0 ? by_name : (x->value.p > y->value.p) - (x->value.p < y->value.p);
}

static void members_push(struct canon *c, const struct walk *w)
{
    if (c->n_members == c->max_members) {
        c->max_members = c->max_members > 0 ? 2 * c->max_members : 16;
        c->members = sp_realloc(c->members, c->max_members * sizeof *c->members);
    }
    c->members[c->n_members++] = (struct member){
        .name = name_text(c, w->name),
        .value = w->value,
        .container = w->container,
    };
}

static void canon_string(struct canon *c, struct sp_str string)
{
    /* Without escapes it stands as it has to: jput_string() only ever adds some. */
    if (sp_str_find(string, '\\') == string.len) {
        sp_buf_add(c->out, string);
        return;
    }
    sp_buf_clear(&c->scratch);
    jget_text(string, &c->scratch);
    jput_string(c->out, sp_buf_str(&c->scratch));
}

/* Whether a number is written as an integer is, and fits a signed or unsigned 64-bit one. */
static bool is_integer(const struct canon *c, struct sp_str number)
{
    uint64_t n;

    if (c->is_exact)
        return sp_str_find(number, '.') == number.len && sp_str_find(number, 'e') == number.len &&
               sp_str_find(number, 'E') == number.len;
    if (*number.p != '-')
        return jget_u64(number, &n);
    return jget_u64(sp_str_sub(number, 1, number.len), &n) && n <= (uint64_t)INT64_MAX + 1;
}

static void canon_number(struct canon *c, struct sp_str number)
{
    if (sp_str_eq(number, SP_STR("-0"))) {
        sp_buf_add_char(c->out, '0');
    } else if (is_integer(c, number)) {
        sp_buf_add(c->out, number);
    } else {
        sp_buf_clear(&c->scratch);
        sp_buf_add(&c->scratch, number);
        jput_double(c->out, strtod(sp_buf_cstr(&c->scratch), NULL));
    }
}

static void canon_value(struct canon *c, struct sp_str value, size_t container);

static void canon_array(struct canon *c, const char *p, size_t container)
{
    struct walk w = walk_start(p, container);
    bool is_first = true;

    sp_buf_add_char(c->out, '[');
    for (; walk_next(&w, c); is_first = false) {
        if (!is_first)
            sp_buf_add_char(c->out, ',');
        canon_value(c, w.value, w.container);
    }
    sp_buf_add_char(c->out, ']');
}

static void canon_object(struct canon *c, const char *p, size_t container)
{
    struct walk w = walk_start(p, container);
    size_t first = c->n_members;
    size_t names_len = c->names_len;
    size_t behind;
    bool is_first = true;

    while (walk_next(&w, c))
        members_push(c, &w);
    behind = c->n_members;
    if (behind > first)
        qsort(c->members + first, behind - first, sizeof *c->members, member_cmp);

    sp_buf_add_char(c->out, '{');
    for (size_t i = first; i < behind; i++) {
        struct member m = c->members[i]; /* the stack may move while the value is written */

        if (i + 1 < behind && sp_str_eq(m.name, c->members[i + 1].name))
            continue;
        if (!is_first)
            sp_buf_add_char(c->out, ',');
        is_first = false;
        jput_string(c->out, m.name);
        sp_buf_add_char(c->out, ':');
        canon_value(c, m.value, m.container);
    }
    sp_buf_add_char(c->out, '}');
    c->n_members = first;
    c->names_len = names_len;
}

/* Recurses as deep as the text nests, which the scanner has limited to JSCAN_MAX_DEPTH. */
static void canon_value(struct canon *c, struct sp_str value, size_t container)
{
    switch (jget_type(value)) {
    case JSCAN_OBJECT:
        canon_object(c, value.p, container);
        break;
    case JSCAN_ARRAY:
        canon_array(c, value.p, container);
        break;
    case JSCAN_STRING:
        canon_string(c, value);
        break;
    case JSCAN_NUMBER:
        canon_number(c, value);
        break;
    case JSCAN_NULL:
    case JSCAN_FALSE:
    case JSCAN_TRUE:
        sp_buf_add(c->out, value);
        break;
    }
}

static void run(struct canon *c)
{
    c->end = c->text.p + c->text.len;
    containers_find(c);
    canon_value(c, c->text, 0);
    free(c->containers);
    free(c->members);
    free(c->names);
    sp_buf_deinit(&c->scratch);
}

void jcanon(struct sp_buf *ret, struct sp_str value)
{
    struct canon c = {.out = ret, .text = value};

    run(&c);
}

void jcanon_exact(struct sp_buf *ret, struct sp_str value)
{
    struct canon c = {.out = ret, .text = value, .is_exact = true};

    run(&c);
}
