/*
 * Putting values in the place of symbols.
 *
 * Values are spans of strings in canonical JSON, quotes included: outputs are kept so, and equal
 * strings have equal spans.
 */

#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "procedure/procedure_bind.h"
#include "procedure/procedure_text.h"

#define EVERY SP_STR("[*]")

/* ---- what was passed ---- */

/* The key of a value of a tool's argument. Lengths keep what is joined apart. */
static void put_passed_key(struct sp_buf *b, struct sp_str tool, struct sp_str name,
                           struct sp_str value)
{
    sp_buf_addf(b, "%zu,%zu:", tool.len, name.len);
    sp_buf_add(b, tool);
    sp_buf_add(b, name);
    sp_buf_add(b, value);
}

void procedure_bind_pass(struct procedure_bind *b, struct sp_str tool, struct sp_str arguments)
{
    struct sp_buf key = {0};

    for (struct jget_iter it = jget_iter(arguments); jget_next(&it);) {
        if (jget_type(it.value) != JSCAN_STRING)
            continue;
        sp_buf_clear(&key);
        put_passed_key(&key, tool, it.name, it.value);
        if (sp_map_find(&b->passed, sp_buf_str(&key)) == NULL)
            (void)sp_map_put(&b->passed, sp_arena_copy(&b->arena, sp_buf_str(&key)), NULL);
    }
    sp_buf_deinit(&key);
}

void procedure_bind_deinit(struct procedure_bind *b)
{
    sp_map_deinit(&b->passed);
    sp_arena_deinit(&b->arena);
}

/* ---- symbols of the ticket ---- */

/* A piece of a pattern: so many digits, or one byte that stands for itself. */
struct shape {
    bool is_digits;
    uint64_t n;
    char byte;
};

/* Reads the count of "{N}" at the front of a pattern and takes it off. */
static bool take_count(struct sp_str *pattern, uint64_t *ret)
{
    size_t end = sp_str_find(*pattern, '}');

    if (end < 2 || end == pattern->len || !jget_u64(sp_str_sub(*pattern, 1, end), ret))
        return false;
    *pattern = sp_str_sub(*pattern, end + 1, pattern->len);
    return true;
}

/* Takes the first piece off a pattern that is not empty; whether it is well formed. */
static bool take_shape(struct sp_str *pattern, struct shape *ret)
{
    *ret = (struct shape){.byte = pattern->p[0]};
    *pattern = sp_str_sub(*pattern, 1, pattern->len);
    if (ret->byte != '\\')
        return true;
    if (pattern->len == 0)
        return false;
    ret->byte = pattern->p[0];
    *pattern = sp_str_sub(*pattern, 1, pattern->len);
    if (ret->byte != 'd')
        return true;
    *ret = (struct shape){.is_digits = true, .n = 1};
    return pattern->len == 0 || pattern->p[0] != '{' || take_count(pattern, &ret->n);
}

static bool is_pattern(struct sp_str pattern)
{
    struct shape shape;

    while (pattern.len > 0) {
        if (!take_shape(&pattern, &shape))
            return false;
    }
    return true;
}

/* Takes so many digits off the front of a text. */
static bool take_digits(struct sp_str *text, uint64_t n)
{
    if (n > text->len)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (text->p[i] < '0' || text->p[i] > '9')
            return false;
    }
    *text = sp_str_sub(*text, n, text->len);
    return true;
}

/* Whether a text begins with one of the pattern's shape, and how long that is. */
static bool match_here(struct sp_str text, struct sp_str pattern, size_t *ret_len)
{
    struct sp_str rest = text;
    struct shape shape;

    while (pattern.len > 0) {
        (void)take_shape(&pattern, &shape); /* is_pattern() */
        if (shape.is_digits) {
            if (!take_digits(&rest, shape.n))
                return false;
        } else {
            if (rest.len == 0 || rest.p[0] != shape.byte)
                return false;
            rest = sp_str_sub(rest, 1, rest.len);
        }
    }
    *ret_len = text.len - rest.len;
    return true;
}

static bool bind_ticket(const struct procedure_bind *b, struct sp_str pattern, struct sp_buf *ret)
{
    size_t len;

    if (!is_pattern(pattern))
        return false;
    for (size_t at = 0; at <= b->ticket.len; at++) {
        struct sp_str rest = sp_str_sub(b->ticket, at, b->ticket.len);

        if (match_here(rest, pattern, &len)) {
            jput_string(ret, sp_str_sub(rest, 0, len));
            return true;
        }
    }
    return false;
}

/* ---- symbols of results ---- */

/* A symbol "@TOOL$PATH?APART", taken apart. */
struct symbol {
    struct sp_str tool;
    struct sp_str path; /* behind the "$" */
    struct sp_str head; /* of it, up to and with the last "[*]"; else empty */
    struct sp_str tail;
    struct sp_str apart; /* a JSON object; `p` is NULL for none, or an empty one */
    bool is_listed;
};

/* A search for the first value of an output that will do. */
struct search {
    const struct procedure_bind *b;
    const struct symbol *symbol;
    struct sp_str for_tool; /* whose argument is bound */
    struct sp_str for_name; /* as written, quotes included */
    bool skips_passed;
    struct sp_buf *key;  /* scratch */
    struct sp_str found; /* `p` is NULL as long as there is none */
};

typedef void (*reached_fn)(struct search *s, struct sp_str value);

/*
 * Gives what a path reaches in a value, in document order, until something was found. Reading the
 * path stops at what is no part of one. Each step goes down a level, so it recurses no deeper than
 * the value nests.
 */
static void walk(struct search *s, struct sp_str value, struct sp_str path, reached_fn reached)
{
    struct sp_str member;
    size_t end = 1;

    if (s->found.p != NULL)
        return;
    if (sp_str_starts(path, EVERY)) {
        if (jget_type(value) != JSCAN_ARRAY)
            return;
        for (struct jget_iter it = jget_iter(value); jget_next(&it);)
            walk(s, it.value, sp_str_sub(path, EVERY.len, path.len), reached);
    } else if (path.len > 0 && path.p[0] == '.') {
        while (end < path.len && path.p[end] != '.' && path.p[end] != '[')
            end++;
        if (jget_member(value, sp_str_sub(path, 1, end), &member))
            walk(s, member, sp_str_sub(path, end, path.len), reached);
    } else {
        reached(s, value);
    }
}

static void take_candidate(struct search *s, struct sp_str value)
{
    if (jget_type(value) != JSCAN_STRING)
        return;
    if (s->skips_passed) {
        sp_buf_clear(s->key);
        put_passed_key(s->key, s->for_tool, s->for_name, value);
        if (sp_map_find(&s->b->passed, sp_buf_str(s->key)) != NULL)
            return;
    }
    s->found = value;
}

/* Whether a record has all the members that set one apart. */
static bool is_apart(struct search *s, struct sp_str record)
{
    struct sp_str member;

    for (struct jget_iter it = jget_iter(s->symbol->apart); jget_next(&it);) {
        sp_buf_clear(s->key);
        jget_text(it.name, s->key);
        if (!jget_member(record, sp_buf_str(s->key), &member) || !sp_str_eq(member, it.value))
            return false;
    }
    return true; /* of at least one member: it is an object */
}

static void take_record(struct search *s, struct sp_str record)
{
    if (is_apart(s, record))
        walk(s, record, s->symbol->tail, take_candidate);
}

/* The value that is picked from an output; its `p` is NULL when there is none. */
static struct sp_str pick(struct search *s, struct sp_str output)
{
    const struct symbol *symbol = s->symbol;

    s->found = (struct sp_str){0};
    if (symbol->apart.p != NULL) {
        s->skips_passed = true;
        walk(s, output, symbol->head, take_record);
    }
    s->skips_passed = symbol->is_listed;
    walk(s, output, symbol->path, take_candidate);
    return s->found;
}

/*
 * Takes a symbol apart; `text` is what follows its "@".
 *
 * apart:   gets the canonical text of the object behind "?".
 * Returns: whether it is well formed.
 */
static bool read_symbol(struct sp_str text, struct sp_buf *apart, struct symbol *ret)
{
    size_t dollar = sp_str_find(text, '$');
    struct symbol symbol = {.tool = sp_str_sub(text, 0, dollar)};
    struct sp_str rest;
    struct jscan found;
    size_t question;

    if (dollar == text.len)
        return false;
    rest = sp_str_sub(text, dollar + 1, text.len);
    question = sp_str_find(rest, '?');
    symbol.path = sp_str_sub(rest, 0, question);
    if (question < rest.len) {
        if (!jscan(sp_str_sub(rest, question + 1, rest.len), PROCEDURE_TEXT_DEPTH, &found) ||
            found.type != JSCAN_OBJECT)
            return false;
        jcanon(apart, found.value);
        if (apart->len > strlen("{}"))
            symbol.apart = sp_buf_str(apart);
    }
    symbol.tail = symbol.path;
    for (size_t at = 0; at + EVERY.len <= symbol.path.len; at++) {
        if (!sp_str_starts(sp_str_sub(symbol.path, at, symbol.path.len), EVERY))
            continue;
        symbol.is_listed = true;
        symbol.head = sp_str_sub(symbol.path, 0, at + EVERY.len);
        symbol.tail = sp_str_sub(symbol.path, at + EVERY.len, symbol.path.len);
    }
    *ret = symbol;
    return true;
}

/* Picks from the tool's outputs, the most recent first; whether there is a value. */
static bool search_outputs(struct search *s, struct sp_str *ret)
{
    size_t n;
    const struct procedure_output *outputs = procedure_state_outputs(s->b->state, &n);
    struct sp_str newest = {0};

    for (size_t i = n; i-- > 0;) {
        struct sp_str picked;

        if (!sp_str_eq(outputs[i].tool, s->symbol->tool))
            continue;
        picked = pick(s, outputs[i].value);
        if (picked.p == NULL)
            continue;
        if (newest.p == NULL)
            newest = picked;
        if (s->symbol->is_listed)
            break;
        if (outputs[i].has_ticket_record) {
            newest = picked;
            break;
        }
    }
    *ret = newest;
    return newest.p != NULL;
}

static bool bind_result(const struct procedure_bind *b, struct sp_str tool, struct sp_str name,
                        struct sp_str text, struct sp_buf *ret)
{
    struct sp_buf apart = {0}, key = {0};
    struct symbol symbol;
    struct search search = {
        .b = b, .symbol = &symbol, .for_tool = tool, .for_name = name, .key = &key};
    struct sp_str value;
    bool is_bound = read_symbol(text, &apart, &symbol) && search_outputs(&search, &value);

    if (is_bound)
        sp_buf_add(ret, value);
    sp_buf_deinit(&apart);
    sp_buf_deinit(&key);
    return is_bound;
}

/* Appends the value of an argument; whether it has one. */
static bool bind_value(const struct procedure_bind *b, struct sp_str tool, struct sp_str name,
                       struct sp_str value, struct sp_buf *ret)
{
    struct sp_buf text = {0};
    struct sp_str symbol;
    bool is_bound = true;

    if (jget_type(value) == JSCAN_STRING)
        jget_text(value, &text);
    symbol = sp_buf_str(&text);
    if (sp_str_starts(symbol, SP_STR("@ticket")))
        is_bound = bind_ticket(b, sp_str_sub(symbol, strlen("@ticket"), symbol.len), ret);
    else if (sp_str_starts(symbol, SP_STR("@")))
        is_bound = bind_result(b, tool, name, sp_str_sub(symbol, 1, symbol.len), ret);
    else
        sp_buf_add(ret, value);
    sp_buf_deinit(&text);
    return is_bound;
}

bool procedure_bind_arguments(const struct procedure_bind *b, struct sp_str tool,
                              struct sp_str arguments, struct sp_buf *ret)
{
    size_t begin = ret->len;
    bool is_first = true;

    sp_buf_add_char(ret, '{');
    for (struct jget_iter it = jget_iter(arguments); jget_next(&it); is_first = false) {
        if (!is_first)
            sp_buf_add_char(ret, ',');
        sp_buf_add(ret, it.name);
        sp_buf_add_char(ret, ':');
        if (!bind_value(b, tool, it.name, it.value, ret)) {
            ret->len = begin;
            return false;
        }
    }
    sp_buf_add_char(ret, '}');
    return true;
}
