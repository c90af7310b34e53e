/*
 * Reading a checkout of tau2-bench.
 *
 * A source's tools are found line by line, without an understanding of Python: a decorator
 * "@is_tool(ToolType.X)" says what the function of the next "def" is. What follows the "def" is
 * then looked at for a docstring, and read again as lines like any other.
 */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "json/jtable.h"
#include "trace/tau2.h"

#define QUOTES    SP_STR("\"\"\"")
#define DECORATOR SP_STR("@is_tool(ToolType.")
#define DEF       SP_STR("def ")

#define NO_ARG SIZE_MAX

enum section {
    SECTION_SUMMARY,
    SECTION_ARGS,
    SECTION_OTHER,
};

/* A docstring while it is read. */
struct doc {
    enum section section;
    struct sp_buf text; /* of the summary, or of an arg */
    struct sp_str summary;
    struct manifest_arg *args;
    size_t n_args;
    size_t max_args;
    size_t arg; /* the index of the one being read, or NO_ARG */
    struct sp_map by_name;
    struct sp_arena arena;
};

/* Takes the first line from a text, trimmed. */
static bool next_line(struct sp_str *text, struct sp_str *ret)
{
    size_t n = sp_str_find(*text, '\n');

    if (text->len == 0)
        return false;
    *ret = sp_unicode_trim(sp_str_sub(*text, 0, n));
    *text = sp_str_sub(*text, n < text->len ? n + 1 : n, text->len);
    return true;
}

/* The index of the first white space; the text's length when it has none. */
static size_t find_space(struct sp_str text)
{
    struct sp_str rest = text;

    while (rest.len > 0) {
        size_t at = text.len - rest.len;

        if (sp_unicode_is_space(sp_utf8_next(&rest)))
            return at;
    }
    return text.len;
}

/* Puts the text that has been gathered where it belongs. */
static void doc_flush(struct doc *d)
{
    if (d->section == SECTION_SUMMARY)
        d->summary = sp_arena_copy(&d->arena, sp_buf_str(&d->text));
    else if (d->arg != NO_ARG)
        d->args[d->arg].text = sp_arena_copy(&d->arena, sp_buf_str(&d->text));
    sp_buf_clear(&d->text);
    d->arg = NO_ARG;
}

/* Begins an arg; one of the same name before it is forgotten. */
static void doc_begin_arg(struct doc *d, struct sp_str name)
{
    const size_t *index;

    doc_flush(d);
    index = sp_map_find(&d->by_name, name);
    if (index != NULL) {
        d->arg = *index;
        return;
    }
    if (d->n_args == d->max_args) {
        d->max_args = d->max_args > 0 ? 2 * d->max_args : 8;
        d->args = sp_realloc(d->args, d->max_args * sizeof *d->args);
    }
    d->arg = d->n_args++;
    d->args[d->arg] = (struct manifest_arg){.name = sp_arena_copy(&d->arena, name)};
    *sp_map_put(&d->by_name, d->args[d->arg].name, NULL) = d->arg;
}

/* Whether a line is a section's first. */
static bool is_heading(struct sp_str line, enum section *ret)
{
    static const char *const others[] = {"Returns:", "Raises:", "Example:", "Examples:"};

    if (sp_str_eq(line, SP_STR("Args:"))) {
        *ret = SECTION_ARGS;
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (sp_str_eq(line, sp_str_of(others[i]))) {
            *ret = SECTION_OTHER;
            return true;
        }
    }
    return false;
}

static void doc_feed(struct doc *d, struct sp_str line)
{
    enum section section;

    if (is_heading(line, &section)) {
        doc_flush(d);
        d->section = section;
        return;
    }
    if (d->section == SECTION_OTHER)
        return;
    if (d->section == SECTION_ARGS) {
        size_t colon = sp_str_find(line, ':');
        struct sp_str after = sp_str_sub(line, colon < line.len ? colon + 1 : colon, line.len);

        /* A line that ends at the colon begins an arg too; a URL in running text does not. */
        if (colon > 0 && colon < line.len && find_space(line) > colon &&
            (after.len == 0 || find_space(after) == 0)) {
            doc_begin_arg(d, sp_str_sub(line, 0, colon));
            line = sp_unicode_trim(after);
        } else if (d->arg == NO_ARG) {
            return;
        }
    }
    if (d->text.len > 0 && line.len > 0)
        sp_buf_add_char(&d->text, ' ');
    sp_buf_add(&d->text, line);
}

/*
 * The docstring of the function whose "def" the text begins with, without its quotes; empty when it
 * has none. What begins another function ends the search for one that does not look as expected.
 */
static struct sp_str find_docstring(struct sp_str text)
{
    struct sp_str line, rest, end;
    bool is_first = true;
    size_t quotes;

    do {
        if (!next_line(&text, &line))
            return SP_STR("");
        if (!is_first && (sp_str_starts(line, SP_STR("@")) || sp_str_starts(line, DEF)))
            return SP_STR("");
        is_first = false;
    } while (!sp_str_ends(line, SP_STR(":")));

    rest = text;
    if (!next_line(&rest, &line) || !sp_str_starts(line, QUOTES))
        return SP_STR("");
    quotes = (size_t)(line.p - text.p) + QUOTES.len;
    text = sp_str_sub(text, quotes, text.len);
    end.p = memmem(text.p, text.len, QUOTES.p, QUOTES.len);
    return end.p != NULL ? sp_str_sub(text, 0, (size_t)(end.p - text.p)) : text;
}

static int compare_args(const void *a, const void *b)
{
    return sp_str_cmp(((const struct manifest_arg *)a)->name,
                      ((const struct manifest_arg *)b)->name);
}

/* Adds a tool with the doc that its docstring gives it. */
static void add_tool(struct manifest *m, struct sp_str name, enum manifest_kind kind,
                     struct sp_str docstring)
{
    struct manifest_tool tool = {.name = name, .kind = kind};
    struct doc doc = {.arg = NO_ARG};
    struct sp_str line;

    while (next_line(&docstring, &line)) {
        if (line.len > 0)
            doc_feed(&doc, line);
    }
    doc_flush(&doc);
    if (doc.n_args > 0)
        qsort(doc.args, doc.n_args, sizeof *doc.args, compare_args);
    tool.summary = doc.summary;
    tool.args = doc.args;
    tool.n_args = doc.n_args;
    tool.has_doc = doc.summary.len > 0 || doc.n_args > 0;
    manifest_set(m, &tool);

    free(doc.args);
    sp_buf_deinit(&doc.text);
    sp_map_deinit(&doc.by_name);
    sp_arena_deinit(&doc.arena);
}

static bool is_decorator(struct sp_str line, enum manifest_kind *ret)
{
    struct sp_str type;
    size_t end;

    if (!sp_str_starts(line, DECORATOR))
        return false;
    type = sp_str_sub(line, DECORATOR.len, line.len);
    end = sp_str_find(type, ')');
    if (end == type.len)
        return false;
    type.len = end;
    *ret = sp_str_eq(type, SP_STR("READ"))    ? MANIFEST_READ
           : sp_str_eq(type, SP_STR("WRITE")) ? MANIFEST_WRITE
                                              : MANIFEST_GENERIC;
    return true;
}

static bool is_def(struct sp_str line, struct sp_str *ret_name)
{
    struct sp_str name;
    size_t end;

    if (!sp_str_starts(line, DEF))
        return false;
    name = sp_str_sub(line, DEF.len, line.len);
    end = sp_str_find(name, '(');
    if (end == 0 || end == name.len || find_space(name) < end)
        return false;
    *ret_name = sp_str_sub(name, 0, end);
    return true;
}

void tau2_add_tools(struct manifest *m, struct sp_str source)
{
    struct sp_buf text = {0};
    struct sp_str rest, line, name;
    enum manifest_kind kind = MANIFEST_GENERIC;
    bool is_tool = false;

    sp_utf8_repair(&text, source);
    rest = sp_buf_str(&text);
    while (next_line(&rest, &line)) {
        if (is_decorator(line, &kind)) {
            is_tool = true;
        } else if (is_def(line, &name)) {
            size_t at = (size_t)(line.p - text.p);

            if (is_tool)
                add_tool(m, name, kind,
                         find_docstring(sp_str_sub(sp_buf_str(&text), at, text.len)));
            is_tool = false;
        }
    }
    sp_buf_deinit(&text);
}

/* Whether one of the episodes called one of the tools, and the result is no error. */
static bool is_any_used(const struct manifest *tools, const struct episode *const *episodes,
                        size_t n_episodes)
{
    for (size_t i = 0; i < n_episodes; i++) {
        for (size_t k = 0; k < episodes[i]->n_events; k++) {
            const struct episode_event *event = &episodes[i]->events[k];

            if (event->kind == EPISODE_RESULT && !event->is_error &&
                manifest_find(tools, event->name) != NULL)
                return true;
        }
    }
    return false;
}

static int read_source(const char *path, struct sp_buf *ret, struct sp_err *ret_err)
{
    int err = sp_file_read(path, SIZE_MAX, ret);

    if (err < 0)
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    return err;
}

int tau2_read_tools(const char *dir, struct sp_str domain, const struct episode *const *episodes,
                    size_t n_episodes, struct manifest *m, struct sp_err *ret_err)
{
    struct sp_buf path = {0}, agent_source = {0}, user_source = {0};
    struct manifest of_user = {0};
    int err;

    sp_buf_addf(&path, "%s/src/tau2/domains/%.*s/tools.py", dir, SP_STR_ARG(domain));
    err = read_source(sp_buf_cstr(&path), &agent_source, ret_err);
    if (err == 0) {
        sp_buf_clear(&path);
        sp_buf_addf(&path, "%s/src/tau2/domains/%.*s/user_tools.py", dir, SP_STR_ARG(domain));
        err = read_source(sp_buf_cstr(&path), &user_source, ret_err);
        /* In most domains the user has no tools. */
        if (err == -ENOENT)
            err = 0;
    }
    if (err == 0) {
        tau2_add_tools(m, sp_buf_str(&agent_source));
        tau2_add_tools(&of_user, sp_buf_str(&user_source));
        if (is_any_used(&of_user, episodes, n_episodes))
            tau2_add_tools(m, sp_buf_str(&user_source));
    }
    manifest_deinit(&of_user);
    sp_buf_deinit(&agent_source);
    sp_buf_deinit(&user_source);
    sp_buf_deinit(&path);
    return err;
}

/* The part of a split. */
struct part {
    struct sp_str ids;
};

static int parse_split(struct sp_str text, const char *part, struct tau2_split *split,
                       struct sp_err *ret_err)
{
    const struct jtable_field field = {part, JTABLE_ARRAY, JTABLE_REQUIRED,
                                       offsetof(struct part, ids)};
    struct jtable_place root = {0};
    struct jtable_place list = {.up = &root, .name = part};
    struct jtable_place place = {.up = &list};
    struct part found = {0};
    struct sp_buf id = {0};
    struct jscan scan;
    int err;

    if (!jscan(text, JSCAN_MAX_DEPTH, &scan)) {
        sp_err_set(ret_err, "it is not JSON");
        return -EINVAL;
    }
    err = jtable_read(&root, scan.value, &field, 1, &found, ret_err);
    if (err < 0)
        return err;
    for (struct jget_iter it = jget_iter(found.ids); jget_next(&it); place.index++) {
        if (jget_type(it.value) != JSCAN_STRING) {
            err = jtable_fail(&place, "must be a string", ret_err);
            break;
        }
        sp_buf_clear(&id);
        jget_text(it.value, &id);
        sp_map_put(&split->ids, sp_arena_copy(&split->arena, sp_buf_str(&id)), NULL);
    }
    sp_buf_deinit(&id);
    return err;
}

int tau2_read_split(const char *dir, struct sp_str domain, const char *part, struct tau2_split *ret,
                    struct sp_err *ret_err)
{
    struct tau2_split split = {0};
    struct sp_buf path = {0}, text = {0};
    int err;

    sp_buf_addf(&path, "%s/data/tau2/domains/%.*s/split_tasks.json", dir, SP_STR_ARG(domain));
    err = read_source(sp_buf_cstr(&path), &text, ret_err);
    if (err == 0) {
        err = parse_split(sp_buf_str(&text), part, &split, ret_err);
        if (err < 0)
            sp_err_prefix(ret_err, "parsing %s", sp_buf_cstr(&path));
    }
    if (err == 0)
        *ret = split;
    else
        tau2_split_deinit(&split);
    sp_buf_deinit(&text);
    sp_buf_deinit(&path);
    return err;
}

void tau2_split_deinit(struct tau2_split *s)
{
    sp_map_deinit(&s->ids);
    sp_arena_deinit(&s->arena);
}
