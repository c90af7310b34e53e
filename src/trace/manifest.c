/*
 * The tools of a server.
 *
 * A log's listings are gathered by themselves first, since within a log a tool can lose its doc, to
 * a later listing, but never to another log.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "json/jput.h"
#include "trace/manifest.h"
#include "trace/tracemsg.h"

/* A property of an input schema. */
struct property {
    struct sp_str name; /* unescaped */
    struct sp_str schema;
};

/* The properties of a schema in byte order of their names, each name once. */
struct properties {
    struct property *items;
    size_t n;
    struct sp_arena arena;
};

/* The listings of one log. */
struct listing {
    struct manifest tools;
    struct sp_map asked;   /* id keys of requests that wait for their answer */
    struct sp_arena arena; /* texts on their way into the manifest, and id keys */
    struct sp_buf text;    /* scratch, as the next */
    struct sp_buf words;
};

void manifest_deinit(struct manifest *m)
{
    free(m->tools);
    sp_map_deinit(&m->by_name);
    sp_arena_deinit(&m->arena);
    *m = (struct manifest){0};
}

const struct manifest_tool *manifest_find(const struct manifest *m, struct sp_str name)
{
    const size_t *index = sp_map_find(&m->by_name, name);

    return index != NULL ? &m->tools[*index] : NULL;
}

static struct manifest_tool *find_or_add(struct manifest *m, struct sp_str name)
{
    const size_t *index = sp_map_find(&m->by_name, name);
    struct manifest_tool *tool;

    if (index != NULL)
        return &m->tools[*index];
    if (m->n_tools == m->max_tools) {
        m->max_tools = m->max_tools > 0 ? 2 * m->max_tools : 16;
        m->tools = sp_realloc(m->tools, m->max_tools * sizeof *m->tools);
    }
    tool = &m->tools[m->n_tools];
    *tool = (struct manifest_tool){.name = sp_arena_copy(&m->arena, name)};
    *sp_map_put(&m->by_name, tool->name, NULL) = m->n_tools++;
    return tool;
}

static bool has_same_doc(const struct manifest_tool *a, const struct manifest_tool *b)
{
    if (a->has_doc != b->has_doc || a->n_args != b->n_args || !sp_str_eq(a->summary, b->summary))
        return false;
    for (size_t i = 0; i < a->n_args; i++) {
        if (!sp_str_eq(a->args[i].name, b->args[i].name) ||
            !sp_str_eq(a->args[i].text, b->args[i].text))
            return false;
    }
    return true;
}

/*
 * Replaces a tool's doc, by none too. Most listings say again what is known; those take no memory,
 * however many logs there are.
 */
static void set_doc(struct manifest *m, struct manifest_tool *tool, const struct manifest_tool *to)
{
    if (has_same_doc(tool, to))
        return;
    tool->has_doc = to->has_doc;
    tool->summary = sp_arena_copy(&m->arena, to->summary);
    tool->n_args = to->n_args;
    tool->args = sp_arena_alloc(&m->arena, to->n_args * sizeof *tool->args);
    for (size_t i = 0; i < to->n_args; i++) {
        tool->args[i].name = sp_arena_copy(&m->arena, to->args[i].name);
        tool->args[i].text = sp_arena_copy(&m->arena, to->args[i].text);
    }
}

/* Replaces a tool's contract, unless there is none in its place. */
static void set_contract(struct manifest *m, struct manifest_tool *tool, struct sp_str contract)
{
    if (contract.p == NULL || (tool->contract.p != NULL && sp_str_eq(tool->contract, contract)))
        return;
    tool->contract = sp_arena_copy(&m->arena, contract);
}

void manifest_set(struct manifest *m, const struct manifest_tool *tool)
{
    struct manifest_tool *mine = find_or_add(m, tool->name);

    mine->kind = tool->kind;
    set_doc(m, mine, tool);
}

/* Appends a text with each run of white space as one space, and none at either end. */
static void put_words(struct sp_buf *b, struct sp_str text)
{
    bool is_after_word = false, is_first = true;

    while (text.len > 0) {
        struct sp_str from = text;

        if (sp_unicode_is_space(sp_utf8_next(&text))) {
            is_after_word = false;
            continue;
        }
        if (!is_after_word && !is_first)
            sp_buf_add_char(b, ' ');
        sp_buf_add(b, sp_str_sub(from, 0, from.len - text.len));
        is_after_word = true;
        is_first = false;
    }
}

/* The words of the member `description`; `p` is NULL when that is no string. */
static struct sp_str read_description(struct listing *l, struct sp_str object)
{
    struct sp_str description;

    if (!jget_member(object, SP_STR("description"), &description) ||
        jget_type(description) != JSCAN_STRING)
        return (struct sp_str){0};
    sp_buf_clear(&l->text);
    sp_buf_clear(&l->words);
    jget_text(description, &l->text);
    put_words(&l->words, sp_buf_str(&l->text));
    return sp_arena_copy(&l->arena, sp_buf_str(&l->words));
}

static int compare_properties(const void *a, const void *b)
{
    return sp_str_cmp(((const struct property *)a)->name, ((const struct property *)b)->name);
}

/* ret: all zero; the caller's, ended by properties_deinit(). */
static void properties_read(struct properties *ret, struct sp_str schema)
{
    struct sp_map by_name = {0};
    struct sp_buf name = {0};
    struct sp_str members;
    size_t max = 0;

    if (!jget_member(schema, SP_STR("properties"), &members) || jget_type(members) != JSCAN_OBJECT)
        return;
    for (struct jget_iter it = jget_iter(members); jget_next(&it);) {
        struct property item = {.schema = it.value};
        bool is_new;
        size_t *index;

        sp_buf_clear(&name);
        jget_text(it.name, &name);
        item.name = sp_arena_copy(&ret->arena, sp_buf_str(&name));
        index = sp_map_put(&by_name, item.name, &is_new);
        if (is_new)
            *index = ret->n++;
        if (ret->n > max) {
            max = max > 0 ? 2 * max : 16;
            ret->items = sp_realloc(ret->items, max * sizeof *ret->items);
        }
        ret->items[*index] = item;
    }
    if (ret->n > 0)
        qsort(ret->items, ret->n, sizeof *ret->items, compare_properties);
    sp_map_deinit(&by_name);
    sp_buf_deinit(&name);
}

static void properties_deinit(struct properties *p)
{
    free(p->items);
    sp_arena_deinit(&p->arena);
}

static enum manifest_kind read_kind(struct sp_str tool)
{
    struct sp_str hint;

    if (!jget_member(tool, SP_STR("annotations"), &hint) ||
        !jget_member(hint, SP_STR("readOnlyHint"), &hint))
        return MANIFEST_GENERIC;
    switch (jget_type(hint)) {
    case JSCAN_TRUE:
        return MANIFEST_READ;
    case JSCAN_FALSE:
        return MANIFEST_WRITE;
    default:
        return MANIFEST_GENERIC;
    }
}

/* Reads the args' texts; an arg that is described by nothing but white space has the text "". */
static void read_args(struct listing *l, struct sp_str schema, struct manifest_tool *tool)
{
    struct properties properties = {0};

    properties_read(&properties, schema);
    tool->args = sp_arena_alloc(&l->arena, properties.n * sizeof *tool->args);
    for (size_t i = 0; i < properties.n; i++) {
        struct sp_str text = read_description(l, properties.items[i].schema);

        if (text.p == NULL)
            continue;
        tool->args[tool->n_args++] = (struct manifest_arg){
            .name = sp_arena_copy(&l->arena, properties.items[i].name),
            .text = text,
        };
    }
    properties_deinit(&properties);
}

/* Takes one element of a listing. */
static void listing_add(struct listing *l, struct sp_str element)
{
    struct manifest_tool tool = {0};
    struct manifest_tool *mine;
    struct sp_str name, schema;

    if (!jget_member(element, SP_STR("name"), &name) || jget_type(name) != JSCAN_STRING)
        return;
    sp_buf_clear(&l->text);
    jget_text(name, &l->text);
    mine = find_or_add(&l->tools, sp_buf_str(&l->text));
    mine->kind = read_kind(element);

    tool.summary = read_description(l, element);
    if (jget_member(element, SP_STR("inputSchema"), &schema)) {
        read_args(l, schema, &tool);
        sp_buf_clear(&l->text);
        manifest_put_contract(&l->text, schema);
        set_contract(&l->tools, mine, sp_buf_str(&l->text));
    }
    tool.has_doc = tool.summary.len > 0 || tool.n_args > 0;
    set_doc(&l->tools, mine, &tool);
}

static void listing_feed(struct listing *l, const struct tracemsg *m)
{
    struct sp_str tools;

    if (m->from == LINE_CLIENT && tracemsg_is_request(m) && tracemsg_is(m, SP_STR("tools/list"))) {
        sp_buf_clear(&l->text);
        tracemsg_id_key(m->id, &l->text);
        sp_map_put(&l->asked, sp_arena_copy(&l->arena, sp_buf_str(&l->text)), NULL);
        return;
    }
    if (m->from != LINE_SERVER || l->asked.n == 0 || !tracemsg_is_response(m))
        return;
    sp_buf_clear(&l->text);
    tracemsg_id_key(m->id, &l->text);
    if (sp_map_take(&l->asked, sp_buf_str(&l->text)).p == NULL || m->result.p == NULL ||
        !jget_member(m->result, SP_STR("tools"), &tools) || jget_type(tools) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(tools); jget_next(&it);)
        listing_add(l, it.value);
}

void manifest_add_log(struct manifest *m, const struct sessionlog *log)
{
    struct listing l = {0};

    for (size_t i = 0; i < log->n_entries; i++) {
        const struct sessionlog_entry *entry = &log->entries[i];
        struct tracemsg_iter it = tracemsg_iter(entry->from, entry->t_ms, entry->message);
        struct tracemsg message;

        while (tracemsg_next(&it, &message))
            listing_feed(&l, &message);
    }
    for (size_t i = 0; i < l.tools.n_tools; i++) {
        const struct manifest_tool *tool = &l.tools.tools[i];
        struct manifest_tool *mine = find_or_add(m, tool->name);

        mine->kind = tool->kind;
        if (tool->has_doc)
            set_doc(m, mine, tool);
        set_contract(m, mine, tool->contract);
    }
    manifest_deinit(&l.tools);
    sp_map_deinit(&l.asked);
    sp_arena_deinit(&l.arena);
    sp_buf_deinit(&l.text);
    sp_buf_deinit(&l.words);
}

/* Appends what a property's schema says of its type. */
static void put_type(struct sp_buf *b, struct sp_str schema)
{
    struct sp_str type;
    bool has_type = jget_member(schema, SP_STR("type"), &type);
    bool is_first = true;

    if (has_type && jget_type(type) == JSCAN_STRING) {
        jget_text(type, b);
    } else if (has_type && jget_type(type) == JSCAN_ARRAY) {
        for (struct jget_iter it = jget_iter(type); jget_next(&it);) {
            if (jget_type(it.value) != JSCAN_STRING)
                continue;
            if (!is_first)
                sp_buf_add_char(b, '|');
            jget_text(it.value, b);
            is_first = false;
        }
    } else {
        sp_buf_add(b, SP_STR("any"));
    }
}

/* Fills the table with the names that the member `required` has; they live in `arena`. */
static void read_required(struct sp_map *ret, struct sp_arena *arena, struct sp_str schema)
{
    struct sp_buf name = {0};
    struct sp_str required;

    if (!jget_member(schema, SP_STR("required"), &required) || jget_type(required) != JSCAN_ARRAY)
        return;
    for (struct jget_iter it = jget_iter(required); jget_next(&it);) {
        if (jget_type(it.value) != JSCAN_STRING)
            continue;
        sp_buf_clear(&name);
        jget_text(it.value, &name);
        sp_map_put(ret, sp_arena_copy(arena, sp_buf_str(&name)), NULL);
    }
    sp_buf_deinit(&name);
}

static int compare_texts(const void *a, const void *b)
{
    return sp_str_cmp(*(const struct sp_str *)a, *(const struct sp_str *)b);
}

void manifest_put_contract(struct sp_buf *b, struct sp_str schema)
{
    struct properties properties = {0};
    struct sp_map required = {0};
    struct sp_buf piece = {0};
    struct sp_str *pieces;

    properties_read(&properties, schema);
    read_required(&required, &properties.arena, schema);
    pieces = sp_calloc(properties.n, sizeof *pieces);
    for (size_t i = 0; i < properties.n; i++) {
        sp_buf_clear(&piece);
        sp_buf_add(&piece, properties.items[i].name);
        sp_buf_add_char(&piece, ':');
        put_type(&piece, properties.items[i].schema);
        if (sp_map_find(&required, properties.items[i].name) != NULL)
            sp_buf_add_char(&piece, '!');
        pieces[i] = sp_arena_copy(&properties.arena, sp_buf_str(&piece));
    }
    /* The order of the pieces is not that of the names: "a:" is behind "a-b:". */
    qsort(pieces, properties.n, sizeof *pieces, compare_texts);
    for (size_t i = 0; i < properties.n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        sp_buf_add(b, pieces[i]);
    }
    free(pieces);
    sp_buf_deinit(&piece);
    sp_map_deinit(&required);
    properties_deinit(&properties);
}

struct sp_str manifest_kind_name(enum manifest_kind kind)
{
    switch (kind) {
    case MANIFEST_READ:
        return SP_STR("read");
    case MANIFEST_WRITE:
        return SP_STR("write");
    case MANIFEST_GENERIC:
        return SP_STR("generic");
    }
    return SP_STR("");
}

static int compare_tools(const void *a, const void *b)
{
    const struct manifest_tool *const *left = a, *const *right = b;

    return sp_str_cmp((*left)->name, (*right)->name);
}

/* Appends a member's name, with a comma before it if the object has one already. */
static void put_name(struct sp_buf *b, struct sp_str name)
{
    if (b->p[b->len - 1] != '{')
        sp_buf_add_char(b, ',');
    jput_string(b, name);
    sp_buf_add_char(b, ':');
}

static void put_doc(struct sp_buf *b, const struct manifest_tool *tool)
{
    sp_buf_add(b, SP_STR("{\"args\":{"));
    for (size_t i = 0; i < tool->n_args; i++) {
        put_name(b, tool->args[i].name);
        jput_string(b, tool->args[i].text);
    }
    sp_buf_add(b, SP_STR("},\"summary\":"));
    jput_string(b, tool->summary);
    sp_buf_add_char(b, '}');
}

void manifest_put(struct sp_buf *b, const struct manifest *m, struct sp_str domain)
{
    const struct manifest_tool **tools = sp_calloc(m->n_tools, sizeof(struct manifest_tool *));

    for (size_t i = 0; i < m->n_tools; i++)
        tools[i] = &m->tools[i];
    qsort(tools, m->n_tools, sizeof(struct manifest_tool *), compare_tools);

    sp_buf_add(b, SP_STR("{\"contracts\":{"));
    for (size_t i = 0; i < m->n_tools; i++) {
        if (tools[i]->contract.p == NULL)
            continue;
        put_name(b, tools[i]->name);
        jput_string(b, tools[i]->contract);
    }
    sp_buf_add(b, SP_STR("},\"docs\":{"));
    for (size_t i = 0; i < m->n_tools; i++) {
        if (!tools[i]->has_doc)
            continue;
        put_name(b, tools[i]->name);
        put_doc(b, tools[i]);
    }
    sp_buf_add(b, SP_STR("},\"domain\":"));
    jput_string(b, domain);
    sp_buf_add(b, SP_STR(",\"tools\":{"));
    for (size_t i = 0; i < m->n_tools; i++) {
        put_name(b, tools[i]->name);
        jput_string(b, manifest_kind_name(tools[i]->kind));
    }
    sp_buf_add(b, SP_STR("}}"));
    free(tools);
}
