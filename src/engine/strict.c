/*
 * Reading a host's line as every server must: guards are worth nothing if a server reads another
 * call than the one they checked. So what can be read in two ways is not forwarded, and a batch
 * with calls is taken apart.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "base/sp_map.h"
#include "engine/engine_state.h"

#define INVALID_REQUEST (-32600)
#define PARSE_ERROR     (-32700)

static void answer_error(struct engine *e, struct sp_str id, int code, const char *message)
{
    struct sp_buf text = {0};

    sp_buf_addf(&text, "{\"error\":{\"code\":%d,\"message\":\"%s\"},\"id\":", code, message);
    sp_buf_add(&text, id);
    sp_buf_add(&text, SP_STR(",\"jsonrpc\":\"2.0\"}"));
    engine_answer_host(e, &text);
    sp_buf_deinit(&text);
}

/* Whether any object in a value has a name twice, at any depth, names compared unescaped. */
static bool is_ambiguous(struct sp_str value)
{
    struct sp_arena texts = {0};
    struct sp_map names = {0};
    struct sp_buf text = {0};
    bool is_new = true, is_found = false;

    for (struct jget_iter it = jget_iter(value); !is_found && jget_next(&it);) {
        if (it.is_object) {
            sp_buf_clear(&text);
            jget_text(it.name, &text);
            sp_map_put(&names, sp_arena_copy(&texts, sp_buf_str(&text)), &is_new);
        }
        is_found = !is_new || is_ambiguous(it.value);
    }
    sp_buf_deinit(&text);
    sp_map_deinit(&names);
    sp_arena_deinit(&texts);
    return is_found;
}

/* How often an object has a member of one of two names, whichever it has more often. */
static size_t max_count(struct sp_str object, struct sp_str a, struct sp_str b)
{
    size_t n_a = 0, n_b = 0;

    if (jget_type(object) != JSCAN_OBJECT)
        return 0;
    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        n_a += jget_is_text(it.name, a);
        n_b += jget_is_text(it.name, b);
    }
    return n_a > n_b ? n_a : n_b;
}

/* Whether a message can be read in more than one way. */
static bool is_refused(struct sp_str object)
{
    struct sp_str method = {0}, params = {0}, arguments;
    size_t n_id = 0, n_method = 0, n_params = 0;

    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        n_id += jget_is_text(it.name, SP_STR("id"));
        if (jget_is_text(it.name, SP_STR("method"))) {
            n_method++;
            method = it.value;
        } else if (jget_is_text(it.name, SP_STR("params"))) {
            n_params++;
            params = it.value;
        }
    }
    if (n_id > 1 || n_method > 1 || n_params > 1)
        return true;
    if (params.p == NULL)
        return false;
    if (max_count(params, SP_STR("name"), SP_STR("arguments")) > 1)
        return true;
    return method.p != NULL && jget_is_text(method, SP_STR("tools/call")) &&
           jget_member(params, SP_STR("arguments"), &arguments) && is_ambiguous(arguments);
}

static bool is_call(struct sp_str object)
{
    struct sp_str method;

    return jget_member(object, SP_STR("method"), &method) &&
           jget_is_text(method, SP_STR("tools/call"));
}

/* Values of a batch that are each to be handled as a line. */
struct parts {
    struct sp_str *p;
    size_t n;
    size_t max;
};

static void parts_add(struct parts *parts, struct sp_str value)
{
    if (parts->n == parts->max) {
        parts->max = parts->max > 0 ? 2 * parts->max : 16;
        parts->p = sp_realloc(parts->p, parts->max * sizeof *parts->p);
    }
    parts->p[parts->n++] = value;
}

/*
 * Takes a batch apart if it holds, also in a batch inside it, what is not forwarded as part of one.
 * A batch inside it that holds nothing of the kind stays whole.
 *
 * parts:   gets the parts, or stays as it is.
 * Returns: whether it is taken apart.
 */
static bool take_apart(struct sp_str batch, struct parts *parts)
{
    size_t n_before = parts->n;
    bool is_taken_apart = false;

    for (struct jget_iter it = jget_iter(batch); jget_next(&it);) {
        enum jscan_type type = jget_type(it.value);

        if (type == JSCAN_ARRAY && take_apart(it.value, parts)) {
            is_taken_apart = true;
            continue;
        }
        if (type == JSCAN_OBJECT && (is_call(it.value) || is_refused(it.value)))
            is_taken_apart = true;
        parts_add(parts, it.value);
    }
    if (!is_taken_apart)
        parts->n = n_before;
    return is_taken_apart;
}

static void handle_parts(struct engine *e, const struct parts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        struct sp_str part = parts->p[i];
        struct line *line = line_new(part.len + 1);

        memcpy(line->bytes, part.p, part.len);
        line->bytes[part.len] = '\n';
        line->len = part.len + 1;
        engine_handle_host(e, line);
        line_unref(line);
    }
}

static void refuse_object(struct engine *e, struct line *line, struct sp_str id)
{
    engine_record(e, line, LINE_CLIENT);
    engine_note(e, "refused a message of the client in which a name occurs twice");
    if (id.p != NULL && jget_type(id) != JSCAN_NULL)
        answer_error(e, id, INVALID_REQUEST,
                     "Invalid Request: a name occurs twice, so the policy check cannot read it");
}

static void refuse_text(struct engine *e, struct line *line)
{
    engine_record(e, line, LINE_CLIENT);
    engine_note(e, "refused a line of the client that is not JSON");
    answer_error(e, SP_STR("null"), PARSE_ERROR, "Parse error");
}

static void host_batch(struct engine *e, struct line *line, struct sp_str batch)
{
    struct parts parts = {0};

    if (take_apart(batch, &parts))
        handle_parts(e, &parts);
    else
        engine_host_message(e, line);
    free(parts.p);
}

void strict_host_line(struct engine *e, struct line *line)
{
    struct jscan scan;

    if (!jscan(line_str(line), JSCAN_LOG_DEPTH, &scan)) {
        if (sp_str_is_blank(line_str(line)))
            engine_host_message(e, line);
        else
            refuse_text(e, line);
    } else if (scan.type == JSCAN_ARRAY) {
        host_batch(e, line, scan.value);
    } else if (scan.type == JSCAN_OBJECT && is_refused(scan.value)) {
        refuse_object(e, line, scan.id);
    } else {
        engine_host_message(e, line);
    }
}
