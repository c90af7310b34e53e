/* Takes stretto-proxy out of a server's entry by what its command line says. */

#include <stdlib.h>

#include "config/wrap_entry.h"
#include "json/jget.h"
#include "json/jput.h"

/* An "--upstream-header" with the member of "env" that has its value. */
struct header {
    struct sp_str name;
    struct wrap_member variable;
};

/* What the proxy's arguments say. */
struct command_line {
    struct jget_iter command; /* at the server's program, when there is one */
    bool has_command;
    bool has_url;
    struct sp_str url; /* as JSON */
    struct header *headers;
    size_t n_headers;
    struct sp_arena arena;
};

/* ---- reading the command line ---- */

/* The value of a member of the entry's "env", the last of that name; `name.p` is NULL for none. */
static struct wrap_member find_variable(const struct wrap_entry *e, struct sp_str name)
{
    struct wrap_member found = {0};

    if (!wrap_entry_has(e, WRAP_ENV))
        return found;
    for (struct jget_iter it = jget_iter(e->of[WRAP_ENV].value); jget_next(&it);) {
        if (jget_is_text(it.name, name))
            found = (struct wrap_member){it.name, it.value};
    }
    return found;
}

static bool add_header(struct command_line *line, const struct wrap_entry *e, struct sp_str option)
{
    size_t equals = sp_str_find(option, '=');
    struct header *header = &line->headers[line->n_headers];

    if (equals == option.len)
        return false;
    header->name = sp_arena_copy(&line->arena, sp_str_sub(option, 0, equals));
    header->variable = find_variable(e, sp_str_sub(option, equals + 1, option.len));
    line->n_headers++;
    return header->variable.name.p != NULL;
}

static void set_url(struct command_line *line, struct sp_str url)
{
    struct sp_buf b = {0};

    jput_string(&b, url);
    line->has_url = true;
    line->url = sp_arena_copy(&line->arena, sp_buf_str(&b));
    sp_buf_deinit(&b);
}

/* Takes an option, and its value where the next argument is it. Returns whether it is one. */
static bool take_option(struct command_line *line, const struct wrap_entry *e, struct jget_iter *it,
                        const struct sp_buf *text)
{
    static const struct sp_str upstream = SP_STR("--upstream");
    static const struct sp_str header = SP_STR("--upstream-header");
    struct sp_str option = sp_buf_str(text);
    size_t equals = sp_str_find(option, '=');
    struct sp_str name = sp_str_sub(option, 0, equals);
    struct sp_buf value = {0};
    bool is_good = true;

    if (!sp_str_eq(name, upstream) && !sp_str_eq(name, header))
        return true;
    if (equals < option.len) {
        sp_buf_add(&value, sp_str_sub(option, equals + 1, option.len));
    } else {
        is_good = jget_next(it) && jget_type(it->value) == JSCAN_STRING;
        if (is_good)
            jget_text(it->value, &value);
    }
    if (is_good && sp_str_eq(name, header))
        is_good = add_header(line, e, sp_buf_str(&value));
    else if (is_good)
        set_url(line, sp_buf_str(&value));
    if (is_good && sp_str_eq(name, upstream) && equals == option.len)
        line->url = sp_arena_copy(&line->arena, jsonc_source(e->c, it->value));
    sp_buf_deinit(&value);
    return is_good;
}

/* Reads the arguments. Returns whether they are a proxy's with a server. */
static bool read_line(struct command_line *line, const struct wrap_entry *e)
{
    struct sp_buf text = {0};
    bool is_good =
        wrap_entry_has(e, WRAP_ARGS) && !e->is_unclear &&
        jget_type(e->of[WRAP_ARGS].value) == JSCAN_ARRAY &&
        (!wrap_entry_has(e, WRAP_ENV) || jget_type(e->of[WRAP_ENV].value) == JSCAN_OBJECT);
    struct jget_iter it;

    if (!is_good)
        return false;
    line->headers = sp_calloc(jget_count(e->of[WRAP_ARGS].value), sizeof *line->headers);
    it = jget_iter(e->of[WRAP_ARGS].value);
    while (is_good && !line->has_command && jget_next(&it)) {
        sp_buf_clear(&text);
        is_good = jget_type(it.value) == JSCAN_STRING;
        if (is_good)
            jget_text(it.value, &text);
        if (is_good && sp_str_eq(sp_buf_str(&text), SP_STR("--"))) {
            line->has_command = jget_next(&it) && jget_type(it.value) == JSCAN_STRING;
            line->command = it;
            break;
        }
        is_good = is_good && take_option(line, e, &it, &text);
    }
    sp_buf_deinit(&text);
    return is_good && line->has_command != line->has_url;
}

static void line_deinit(struct command_line *line)
{
    free(line->headers);
    sp_arena_deinit(&line->arena);
}

/* ---- a command ---- */

static void restore_command(const struct wrap_entry *e, const struct command_line *line,
                            struct splice *s)
{
    struct sp_str args = e->of[WRAP_ARGS].value;
    struct jget_iter first = jget_iter(args);
    struct jget_iter own = line->command;

    wrap_entry_replace(e, s, e->of[WRAP_COMMAND].value, jsonc_source(e->c, line->command.value));
    if (jget_next(&first) && jget_next(&own))
        splice_add(s, jsonc_at(e->c, first.value.p), jsonc_at(e->c, own.value.p), SP_STR(""));
    else
        wrap_entry_replace(e, s, args, SP_STR("[]"));
}

/* ---- a URL ---- */

/* Whether each variable of "env" is that of one header, and none of two. */
static bool is_env_of_headers(const struct wrap_entry *e, const struct command_line *line)
{
    for (size_t i = 0; i < line->n_headers; i++) {
        for (size_t k = 0; k < i; k++) {
            if (line->headers[i].variable.name.p == line->headers[k].variable.name.p)
                return false;
        }
    }
    return wrap_entry_has(e, WRAP_ENV) && jget_count(e->of[WRAP_ENV].value) == line->n_headers;
}

static void rename_env(const struct wrap_entry *e, const struct command_line *line,
                       struct splice *s)
{
    struct sp_buf b = {0};

    wrap_entry_replace(e, s, e->of[WRAP_ENV].name, SP_STR("\"headers\""));
    for (size_t i = 0; i < line->n_headers; i++) {
        sp_buf_clear(&b);
        jput_string(&b, line->headers[i].name);
        wrap_entry_replace(e, s, line->headers[i].variable.name, sp_buf_str(&b));
    }
    sp_buf_deinit(&b);
}

/* Takes the headers' variables out of "env". */
static void remove_variables(const struct wrap_entry *e, const struct command_line *line,
                             struct splice *s)
{
    struct sp_str env = e->of[WRAP_ENV].value;
    bool *is_out = sp_calloc(jget_count(env), sizeof *is_out);
    size_t i = 0;

    for (struct jget_iter it = jget_iter(env); jget_next(&it); i++) {
        for (size_t k = 0; k < line->n_headers; k++)
            is_out[i] |= line->headers[k].variable.name.p == it.name.p;
    }
    wrap_entry_remove(e, s, env, is_out);
    free(is_out);
}

/* Appends the headers as a member. */
static void put_headers(struct sp_buf *b, const struct wrap_entry *e,
                        const struct command_line *line)
{
    wrap_entry_put_name(b, e, "headers");
    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < line->n_headers; i++) {
        struct sp_buf name = {0};

        if (i > 0)
            wrap_entry_put_close_comma(b, e);
        sp_buf_add(&name, line->headers[i].name);
        wrap_entry_put_name(b, e, sp_buf_cstr(&name));
        sp_buf_add(b, jsonc_source(e->c, line->headers[i].variable.value));
        sp_buf_deinit(&name);
    }
    sp_buf_add_char(b, '}');
}

static void remove_args(const struct wrap_entry *e, struct splice *s)
{
    bool *is_out = sp_calloc(jget_count(e->server->value), sizeof *is_out);
    size_t i = 0;

    for (struct jget_iter it = jget_iter(e->server->value); jget_next(&it); i++)
        is_out[i] = it.name.p == e->of[WRAP_ARGS].name.p;
    wrap_entry_remove(e, s, e->server->value, is_out);
    free(is_out);
}

static void restore_url(const struct wrap_entry *e, const struct command_line *line,
                        const char *url_name, struct splice *s)
{
    struct sp_buf b = {0};

    jput_string(&b, sp_str_of(url_name));
    wrap_entry_replace(e, s, e->of[WRAP_COMMAND].name, sp_buf_str(&b));
    sp_buf_clear(&b);
    sp_buf_add(&b, line->url);
    if (is_env_of_headers(e, line)) {
        rename_env(e, line, s);
    } else if (line->n_headers > 0) {
        wrap_entry_put_comma(&b, e, e->of[WRAP_COMMAND].name);
        put_headers(&b, e, line);
        remove_variables(e, line, s);
    }
    wrap_entry_replace(e, s, e->of[WRAP_COMMAND].value, sp_buf_str(&b));
    if (wrap_entry_has(e, WRAP_TYPE))
        wrap_entry_replace(e, s, e->of[WRAP_TYPE].value, SP_STR("\"http\""));
    remove_args(e, s);
    sp_buf_deinit(&b);
}

bool wrap_undo(const struct wrap_entry *e, const char *url_name, struct splice *s,
               const char **ret_why)
{
    struct command_line line = {0};
    bool is_good = read_line(&line, e) && !wrap_entry_has(e, WRAP_URL) &&
                   (line.has_command || !wrap_entry_has(e, WRAP_HEADERS));

    if (!is_good)
        *ret_why = "its \"args\" do not say what server stands behind the proxy";
    else if (line.has_command)
        restore_command(e, &line, s);
    else
        restore_url(e, &line, url_name, s);
    line_deinit(&line);
    return is_good;
}
