/*
 * Headers of revision 2026-07-28.
 *
 * A server may nest its schemas as deep as it likes, so a schema is walked once, by its brackets
 * and strings, without recursion: `places` says for each open bracket what its members mean, and
 * `levels` keeps the schemas on the chain of properties that leads to where the walk is. A level
 * gets a node when an annotation is found at it or below. So nodes make a tree in which paths share
 * what they have in common, and take no more memory than the schema did.
 */

#include <assert.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "base/sp_alloc.h"
#include "json/jget.h"
#include "mcp/paramheader.h"
#include "mcp/paramvalue.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The parent of a property of the root. */
#define NO_NODE SIZE_MAX

/* A piece of a tool's text. */
struct piece {
    size_t at;
    size_t len;
};

/* A property that is annotated, or that leads to one. */
struct node {
    size_t parent; /* its index, or NO_NODE */
    struct piece name;
    struct piece header; /* what follows "Mcp-Param-"; empty when it is not annotated */
};

struct tool {
    struct sp_str name; /* a view of `text`, which begins with it */
    struct sp_buf text; /* what the pieces are pieces of */
    struct node *nodes; /* parents before children */
    size_t n_nodes;
    size_t max_nodes;
};

struct paramheader_tools {
    void *tree; /* of struct tool, by name: tsearch(3) */
    size_t n_bytes;
};

/* What the members or elements inside a bracket mean. */
enum place {
    IN_SCHEMA,     /* a schema on a chain of properties: keywords */
    IN_PROPERTIES, /* the properties of one: names and schemas */
    IN_NAMES,      /* names and schemas elsewhere */
    IN_OTHER,      /* keywords elsewhere, or what may be some */
    IN_LIST,       /* an array: schemas elsewhere */
    IN_DATA,       /* no schema at all */
};

/* A schema on the chain of properties. */
struct level {
    struct sp_str name; /* the property's, quotes included; of the root nothing */
    size_t node;        /* NO_NODE until it is needed */
    bool is_annotated;
    bool is_scalar; /* its type is one that may be annotated */
};

struct walk {
    struct tool *tool;
    struct sp_buf places; /* an enum place a byte, the innermost last */
    struct level *levels; /* the innermost last; the first is the root */
    size_t n_levels;
    size_t max_levels;
    struct sp_str key; /* the last member's name, quotes included */
    bool has_key;      /* what comes next is that member's value */
    const char *fault; /* NULL while there is none */
};

/* Copies an answer without what is cut out of it. */
struct cut {
    struct sp_buf *ret;
    const char *left; /* what is before is copied or cut */
};

static struct sp_str piece_str(const struct tool *tool, struct piece piece)
{
    return sp_str_sub(sp_buf_str(&tool->text), piece.at, piece.at + piece.len);
}

/* Appends the text of a JSON string to the tool's. */
static struct piece tool_add_text(struct tool *tool, struct sp_str string)
{
    struct piece piece = {.at = tool->text.len};

    jget_text(string, &tool->text);
    piece.len = tool->text.len - piece.at;
    return piece;
}

static size_t tool_add_node(struct tool *tool, size_t parent, struct sp_str name)
{
    if (tool->n_nodes == tool->max_nodes) {
        tool->max_nodes = tool->max_nodes > 0 ? 2 * tool->max_nodes : 4;
        tool->nodes = sp_realloc(tool->nodes, tool->max_nodes * sizeof *tool->nodes);
    }
    tool->nodes[tool->n_nodes] = (struct node){.parent = parent, .name = tool_add_text(tool, name)};
    return tool->n_nodes++;
}

static size_t tool_n_bytes(const struct tool *tool)
{
    return sizeof *tool + tool->text.cap + tool->max_nodes * sizeof *tool->nodes;
}

static void tool_free(void *p)
{
    struct tool *tool = p;

    sp_buf_deinit(&tool->text);
    free(tool->nodes);
    free(tool);
}

static int tool_cmp(const void *a, const void *b)
{
    return sp_str_cmp(((const struct tool *)a)->name, ((const struct tool *)b)->name);
}

static struct tool *tools_find(const struct paramheader_tools *tools, struct sp_str name)
{
    struct tool key = {.name = name};
    struct tool **hit = tfind(&key, &tools->tree, tool_cmp);

    return hit != NULL ? *hit : NULL;
}

static void tools_forget(struct paramheader_tools *tools, struct sp_str name)
{
    struct tool *tool = tools_find(tools, name);

    if (tool == NULL)
        return;
    tdelete(tool, &tools->tree, tool_cmp);
    tools->n_bytes -= tool_n_bytes(tool);
    tool_free(tool);
}

static void tools_forget_all(struct paramheader_tools *tools)
{
    tdestroy(tools->tree, tool_free);
    *tools = (struct paramheader_tools){0};
}

/* Takes the tool, in place of one of the same name. */
static void tools_put(struct paramheader_tools *tools, struct tool *tool)
{
    size_t n_bytes = tool_n_bytes(tool);

    tools_forget(tools, tool->name);
    if (tools->n_bytes + n_bytes > PARAMHEADER_MAX_BYTES)
        tools_forget_all(tools);
    if (n_bytes > PARAMHEADER_MAX_BYTES) {
        tool_free(tool);
        return;
    }
    if (tsearch(tool, &tools->tree, tool_cmp) == NULL)
        abort(); /* out of memory */
    tools->n_bytes += n_bytes;
}

struct paramheader_tools *paramheader_tools_new(void)
{
    return sp_calloc(1, sizeof(struct paramheader_tools));
}

void paramheader_tools_free(struct paramheader_tools *tools)
{
    if (tools == NULL)
        return;
    tools_forget_all(tools);
    free(tools);
}

bool paramheader_knows(const struct paramheader_tools *tools, struct sp_str tool)
{
    return tools_find(tools, tool) != NULL;
}

/* A token of RFC 9110, section 5.6.2. */
/* The end of the string at `p`, which is at its opening quote. */
static const char *string_end(const char *p)
{
    for (p++; *p != '"'; p++) {
        if (*p == '\\')
            p++;
    }
    return p + 1;
}

/* What follows a member's name if it is a string; of another value only its first byte. */
static struct sp_str string_after(const char *name_end)
{
    const char *p = name_end;

    while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == ':')
        p++;
    return (struct sp_str){p, *p == '"' ? (size_t)(string_end(p) - p) : 1};
}

static enum place innermost(const struct walk *w)
{
    assert(w->places.len > 0 && w->places.p != NULL);
    return (enum place)w->places.p[w->places.len - 1];
}

static void level_push(struct walk *w, struct sp_str name)
{
    if (w->n_levels == w->max_levels) {
        w->max_levels = w->max_levels > 0 ? 2 * w->max_levels : 8;
        w->levels = sp_realloc(w->levels, w->max_levels * sizeof *w->levels);
    }
    w->levels[w->n_levels++] = (struct level){.name = name, .node = NO_NODE};
}

static void level_pop(struct walk *w)
{
    const struct level *level = &w->levels[--w->n_levels];

    if (level->is_annotated && !level->is_scalar)
        w->fault = "x-mcp-header on a property whose type is not string, integer or boolean";
}

/* The node of the innermost level; those of the levels that lead to it are made with it. */
static struct node *level_node(struct walk *w)
{
    size_t i = w->n_levels - 1;

    while (i > 1 && w->levels[i].node == NO_NODE)
        i--;
    for (; i < w->n_levels; i++) {
        struct level *level = &w->levels[i];

        if (level->node == NO_NODE)
            level->node = tool_add_node(w->tool, w->levels[i - 1].node, level->name);
    }
    return &w->tool->nodes[w->levels[w->n_levels - 1].node];
}

/* Notes an annotation of the innermost level; of several the last counts, if all are good. */
static void annotate(struct walk *w, struct sp_str value)
{
    struct node *node = level_node(w);

    w->levels[w->n_levels - 1].is_annotated = true;
    if (jget_type(value) == JSCAN_STRING)
        node->header = tool_add_text(w->tool, value);
    if (jget_type(value) != JSCAN_STRING || !sp_str_is_token(piece_str(w->tool, node->header)))
        w->fault = "x-mcp-header is not an HTTP token";
}

static bool is_scalar_type(struct sp_str value)
{
    return jget_is_text(value, SP_STR("string")) || jget_is_text(value, SP_STR("integer")) ||
           jget_is_text(value, SP_STR("boolean"));
}

/* A member's name, w->key, has come. */
static void walk_key(struct walk *w, const char *name_end)
{
    enum place place = innermost(w);
    bool is_property = place == IN_SCHEMA && w->n_levels > 1;

    if (place == IN_PROPERTIES || place == IN_NAMES)
        return;
    if (jget_is_text(w->key, SP_STR("x-mcp-header"))) {
        if (is_property)
            annotate(w, string_after(name_end));
        else
            w->fault = "x-mcp-header is not on a chain of properties";
    } else if (is_property && jget_is_text(w->key, SP_STR("type"))) {
        w->levels[w->n_levels - 1].is_scalar = is_scalar_type(string_after(name_end));
    }
}

/* What a schema's keyword w->key holds. */
static enum place keyword_place(const struct walk *w, enum place outer)
{
    static const struct {
        struct sp_str keyword;
        enum place place;
    } keywords[] = {
        {SP_STR("properties"), IN_NAMES},
        {SP_STR("patternProperties"), IN_NAMES},
        {SP_STR("$defs"), IN_NAMES},
        {SP_STR("definitions"), IN_NAMES},
        {SP_STR("dependentSchemas"), IN_NAMES},
        {SP_STR("dependencies"), IN_NAMES},
        {SP_STR("const"), IN_DATA},
        {SP_STR("default"), IN_DATA},
        {SP_STR("enum"), IN_DATA},
        {SP_STR("examples"), IN_DATA},
    };

    if (outer == IN_SCHEMA && jget_is_text(w->key, SP_STR("properties")))
        return IN_PROPERTIES;
    for (size_t i = 0; i < N_OF(keywords); i++) {
        if (jget_is_text(w->key, keywords[i].keyword))
            return keywords[i].place;
    }
    return IN_OTHER;
}

static enum place place_inside(const struct walk *w, char bracket)
{
    enum place outer = innermost(w);
    enum place inner = IN_OTHER;

    if (outer == IN_DATA)
        return IN_DATA;
    if (outer == IN_PROPERTIES)
        inner = IN_SCHEMA;
    else if (outer == IN_SCHEMA || outer == IN_OTHER)
        inner = keyword_place(w, outer);
    return bracket == '[' && inner != IN_DATA ? IN_LIST : inner;
}

static void walk_open(struct walk *w, char bracket)
{
    enum place place = w->places.len > 0 ? place_inside(w, bracket) : IN_SCHEMA;

    sp_buf_add_char(&w->places, (char)place);
    if (place == IN_SCHEMA)
        level_push(w, w->key);
    w->has_key = false;
}

static void walk_close(struct walk *w)
{
    if (innermost(w) == IN_SCHEMA)
        level_pop(w);
    w->places.len--;
}

/* Takes the string at `p`, a name or a value, and gives its end. */
static const char *walk_string(struct walk *w, const char *p)
{
    const char *end = string_end(p);
    enum place place = innermost(w);

    if (!w->has_key && place != IN_LIST && place != IN_DATA) {
        w->key = (struct sp_str){p, (size_t)(end - p)};
        w->has_key = true;
        walk_key(w, end);
    }
    return end;
}

static int header_cmp(const void *a, const void *b)
{
    const struct sp_str *x = a, *y = b;
    int c = strncasecmp(x->p, y->p, x->len < y->len ? x->len : y->len);

    return c != 0 ? c : (x->len > y->len) - (x->len < y->len);
}

/* Whether two annotations are equal but for case. */
static bool has_equal_headers(const struct tool *tool)
{
    struct sp_str *headers = sp_calloc(tool->n_nodes, sizeof *headers);
    size_t n = 0;
    bool is_equal = false;

    for (size_t i = 0; i < tool->n_nodes; i++) {
        if (tool->nodes[i].header.len > 0)
            headers[n++] = piece_str(tool, tool->nodes[i].header);
    }
    if (n > 1)
        qsort(headers, n, sizeof *headers, header_cmp);
    for (size_t i = 1; i < n && !is_equal; i++)
        is_equal = header_cmp(&headers[i - 1], &headers[i]) == 0;
    free(headers);
    return is_equal;
}

/* Notes the annotations of an input schema, an object; gives what is wrong with them, or NULL. */
static const char *tool_read_schema(struct tool *tool, struct sp_str schema)
{
    struct walk w = {.tool = tool};
    const char *end = schema.p + schema.len;

    for (const char *p = schema.p; p < end && w.fault == NULL;) {
        if (*p == '"') {
            p = walk_string(&w, p);
            continue;
        }
        if (*p == '{' || *p == '[')
            walk_open(&w, *p);
        else if (*p == '}' || *p == ']')
            walk_close(&w);
        else if (*p == ',')
            w.has_key = false;
        p++;
    }
    if (w.fault == NULL && has_equal_headers(tool))
        w.fault = "two properties have the same x-mcp-header";
    sp_buf_deinit(&w.places);
    free(w.levels);
    return w.fault;
}

/* Takes note of an element of the list; gives whether it may stay there. */
static bool learn_tool(struct paramheader_tools *tools, struct sp_str element,
                       paramheader_refused_fn refused, void *owner)
{
    struct tool *tool = sp_calloc(1, sizeof *tool);
    const char *fault = NULL;
    struct piece name_piece = {0};
    struct sp_str name, schema;
    bool has_name = jget_member(element, SP_STR("name"), &name) && jget_type(name) == JSCAN_STRING;

    if (has_name)
        name_piece = tool_add_text(tool, name);
    if (jget_member(element, SP_STR("inputSchema"), &schema) && jget_type(schema) == JSCAN_OBJECT)
        fault = tool_read_schema(tool, schema);
    tool->name = piece_str(tool, name_piece);
    if (fault == NULL && has_name) {
        tools_put(tools, tool);
        return true;
    }
    if (fault != NULL) {
        if (has_name)
            tools_forget(tools, tool->name);
        refused(owner, tool->name, fault);
    }
    tool_free(tool);
    return fault == NULL;
}

static void cut_out(struct cut *cut, const char *p, size_t len)
{
    sp_buf_add(cut->ret, (struct sp_str){cut->left, (size_t)(p - cut->left)});
    cut->left = p + len;
}

/* The comma that `rest` begins with, after white space, or NULL. */
static const char *comma_at(struct sp_str rest)
{
    const char *p = rest.p;

    while (*p != ',' && *p != ']')
        p++;
    return *p == ',' ? p : NULL;
}

void paramheader_learn(struct paramheader_tools *tools, struct sp_str answer,
                       struct sp_buf *ret_cut, paramheader_refused_fn refused, void *owner)
{
    struct cut cut = {ret_cut, answer.p};
    const char *comma_before = NULL;
    const char *comma_after;
    bool has_kept = false;
    struct jscan message;
    struct sp_str result, list;

    if (!jscan_grammar(answer, &message) ||
        !jget_member(message.value, SP_STR("result"), &result) ||
        !jget_member(result, SP_STR("tools"), &list) || jget_type(list) != JSCAN_ARRAY)
        return;

    for (struct jget_iter it = jget_iter(list); jget_next(&it); comma_before = comma_after) {
        comma_after = comma_at(it.rest);
        if (learn_tool(tools, it.value, refused, owner)) {
            has_kept = true;
            continue;
        }
        if (has_kept)
            cut_out(&cut, comma_before, 1);
        cut_out(&cut, it.value.p, it.value.len);
        if (!has_kept && comma_after != NULL)
            cut_out(&cut, comma_after, 1);
    }
    if (cut.left != answer.p)
        cut_out(&cut, answer.p + answer.len, 0);
}

static void give_header(const struct tool *tool, const struct node *node, struct sp_str argument,
                        paramheader_fn fn, void *owner)
{
    struct sp_buf name = {0};
    struct sp_buf value = {0};

    if (paramvalue_put_json(&value, argument)) {
        sp_buf_add(&name, SP_STR("Mcp-Param-"));
        sp_buf_add(&name, piece_str(tool, node->header));
        fn(owner, sp_buf_str(&name), sp_buf_str(&value));
    }
    sp_buf_deinit(&name);
    sp_buf_deinit(&value);
}

/* The tool that a call is of, if it is known. */
static const struct tool *called_tool(const struct paramheader_tools *tools, struct sp_str params)
{
    struct sp_buf name = {0};
    const struct tool *tool = NULL;
    struct sp_str string;

    if (params.p == NULL || !jget_member(params, SP_STR("name"), &string) ||
        jget_type(string) != JSCAN_STRING)
        return NULL;
    jget_text(string, &name);
    tool = tools_find(tools, sp_buf_str(&name));
    sp_buf_deinit(&name);
    return tool;
}

void paramheader_for_call(const struct paramheader_tools *tools, struct sp_str params,
                          paramheader_fn fn, void *owner)
{
    const struct tool *tool = called_tool(tools, params);
    struct sp_str *values; /* what the call has for each node; `p` is NULL for nothing */
    struct sp_str arguments;

    if (tool == NULL || !jget_member(params, SP_STR("arguments"), &arguments))
        return;
    values = sp_calloc(tool->n_nodes, sizeof *values);
    for (size_t i = 0; i < tool->n_nodes; i++) {
        const struct node *node = &tool->nodes[i];
        struct sp_str outer = node->parent == NO_NODE ? arguments : values[node->parent];

        if (outer.p != NULL && jget_member(outer, piece_str(tool, node->name), &values[i]) &&
            node->header.len > 0)
            give_header(tool, node, values[i], fn, owner);
    }
    free(values);
}
