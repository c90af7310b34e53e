/* Puts stretto-proxy before a server. */

#include <stdlib.h>

#include "base/sp_header.h"
#include "base/sp_map.h"
#include "config/wrap_entry.h"
#include "json/jget.h"
#include "json/jput.h"

#define VARIABLE "STRETTO_HEADER_"

static const char sse[] =
    "it speaks SSE, the transport before Streamable HTTP, which the proxy does not";

/* ---- what can be wrapped ---- */

static bool is_type(const struct wrap_entry *e, enum wrap_entry_member which, enum jscan_type type)
{
    return !wrap_entry_has(e, which) || jget_type(e->of[which].value) == type;
}

/* Whether a header is one that the proxy sends, and its name not taken for an option. */
static bool is_sendable(struct jget_iter header)
{
    struct sp_buf name = {0}, value = {0};
    bool is_good = jget_type(header.value) == JSCAN_STRING;

    if (is_good) {
        jget_text(header.name, &name);
        jget_text(header.value, &value);
        is_good = sp_header_is_name(sp_buf_str(&name)) && name.p[0] != '-' &&
                  sp_header_is_value(sp_buf_str(&value));
    }
    sp_buf_deinit(&name);
    sp_buf_deinit(&value);
    return is_good;
}

/* Whether a URL is one that the proxy reaches, or may be once the host has put in a variable. */
static bool is_reachable(struct sp_str url)
{
    struct sp_buf text = {0};
    bool is_good;

    jget_text(url, &text);
    is_good = sp_str_starts(sp_buf_str(&text), SP_STR("http://")) ||
              sp_str_starts(sp_buf_str(&text), SP_STR("https://")) ||
              sp_str_starts(sp_buf_str(&text), SP_STR("${"));
    sp_buf_deinit(&text);
    return is_good;
}

/* Whether a URL is like those of the transport before Streamable HTTP. */
static bool ends_in_sse(struct sp_str url)
{
    struct sp_buf text = {0};
    bool is_like;

    jget_text(url, &text);
    is_like = sp_str_ends(sp_buf_str(&text), SP_STR("/sse"));
    sp_buf_deinit(&text);
    return is_like;
}

static const char *find_obstacle_to_type(const struct wrap_entry *e)
{
    static const char *const types[] = {"http", "streamable-http", "streamableHttp",
                                        "streamable_http"};

    if (!wrap_entry_has(e, WRAP_TYPE))
        return ends_in_sse(e->of[WRAP_URL].value) ? sse : NULL;
    if (jget_is_text(e->of[WRAP_TYPE].value, SP_STR("sse")))
        return sse;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (jget_is_text(e->of[WRAP_TYPE].value, sp_str_of(types[i])))
            return NULL;
    }
    return "its \"type\" is none that the proxy speaks";
}

static const char *find_obstacle_to_url(const struct wrap_entry *e)
{
    const char *why;

    if (jget_type(e->of[WRAP_URL].value) != JSCAN_STRING || !is_reachable(e->of[WRAP_URL].value))
        return "its URL is neither http:// nor https://";
    why = find_obstacle_to_type(e);
    if (why != NULL)
        return why;
    if (wrap_entry_has(e, WRAP_OTHER))
        return "the host signs in to it, which the proxy cannot do";
    if (!is_type(e, WRAP_HEADERS, JSCAN_OBJECT))
        return "its \"headers\" are no object";
    if (!wrap_entry_has(e, WRAP_HEADERS))
        return NULL;
    for (struct jget_iter it = jget_iter(e->of[WRAP_HEADERS].value); jget_next(&it);) {
        if (!is_sendable(it))
            return "one of its \"headers\" is none that the proxy sends";
    }
    return NULL;
}

/* Why an entry cannot be wrapped; NULL when it can. */
static const char *find_obstacle(const struct wrap_entry *e)
{
    if (e->is_unclear)
        return "one of its members occurs twice, or its URL does under two names";
    if (wrap_entry_has(e, WRAP_COMMAND) && wrap_entry_has(e, WRAP_URL))
        return "it has both a command and a URL";
    if (!is_type(e, WRAP_ENV, JSCAN_OBJECT))
        return "its \"env\" is no object";
    if (wrap_entry_has(e, WRAP_URL))
        return find_obstacle_to_url(e);
    if (!wrap_entry_has(e, WRAP_COMMAND))
        return "it has neither a command nor a URL";
    if (!is_type(e, WRAP_COMMAND, JSCAN_STRING))
        return "its \"command\" is no text";
    return is_type(e, WRAP_ARGS, JSCAN_ARRAY) ? NULL : "its \"args\" are no list";
}

/* ---- variables of headers ---- */

/* Appends a variable's name for a header that is no variable in `taken` yet, and adds it there. */
static struct sp_str name_variable(struct sp_str header, struct sp_map *taken, struct sp_arena *a)
{
    struct sp_buf b = {0};
    struct sp_str name;
    bool is_new;
    size_t len;

    sp_buf_add(&b, SP_STR(VARIABLE));
    for (size_t i = 0; i < header.len; i++) {
        char c = header.p[i];
        bool is_lower = c >= 'a' && c <= 'z';
        bool is_kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        sp_buf_add_char(&b, is_lower ? (char)(c - 'a' + 'A') : is_kept ? c : '_');
    }
    len = b.len;
    for (unsigned i = 2; sp_map_find(taken, sp_buf_str(&b)) != NULL; i++) {
        b.len = len;
        sp_buf_addf(&b, "_%u", i);
    }
    name = sp_arena_copy(a, sp_buf_str(&b));
    sp_map_put(taken, name, &is_new);
    sp_buf_deinit(&b);
    return name;
}

struct header {
    struct jget_iter at;
    struct sp_str name;
    struct sp_str variable;
};

struct headers {
    struct header *of;
    size_t n;
    struct sp_arena arena;
};

static struct headers read_headers(const struct wrap_entry *e)
{
    struct headers h = {0};
    struct sp_map taken = {0};
    struct sp_buf b = {0};

    if (!wrap_entry_has(e, WRAP_HEADERS))
        return h;
    if (wrap_entry_has(e, WRAP_ENV)) {
        for (struct jget_iter it = jget_iter(e->of[WRAP_ENV].value); jget_next(&it);) {
            sp_buf_clear(&b);
            jget_text(it.name, &b);
            sp_map_put(&taken, sp_arena_copy(&h.arena, sp_buf_str(&b)), NULL);
        }
    }
    h.of = sp_calloc(jget_count(e->of[WRAP_HEADERS].value), sizeof *h.of);
    for (struct jget_iter it = jget_iter(e->of[WRAP_HEADERS].value); jget_next(&it);) {
        struct header *header = &h.of[h.n++];

        sp_buf_clear(&b);
        jget_text(it.name, &b);
        header->at = it;
        header->name = sp_arena_copy(&h.arena, sp_buf_str(&b));
        header->variable = name_variable(header->name, &taken, &h.arena);
    }
    sp_buf_deinit(&b);
    sp_map_deinit(&taken);
    return h;
}

static void headers_deinit(struct headers *h)
{
    free(h->of);
    sp_arena_deinit(&h->arena);
}

/* ---- arguments ---- */

/* Appends the proxy's own arguments as elements, each but the first after `comma`. */
static void put_own(struct sp_buf *b, const struct wrap_entry *e, const struct wrap_how *how,
                    struct sp_str comma)
{
    struct sp_buf domain = {0};
    struct sp_buf record = {0};

    wrap_put_domain(&domain, e->server->name);
    if (how->record.len > 0)
        sp_buf_add(&record, how->record);
    else
        sp_buf_addf(&record, "~/.stretto/logs/%s", sp_buf_cstr(&domain));
    sp_buf_add(b, SP_STR("\"--record\""));
    sp_buf_add(b, comma);
    jput_string(b, sp_buf_str(&record));
    sp_buf_add(b, comma);
    sp_buf_add(b, SP_STR("\"--domain\""));
    sp_buf_add(b, comma);
    jput_string(b, sp_buf_str(&domain));
    sp_buf_add(b, comma);
    sp_buf_deinit(&domain);
    sp_buf_deinit(&record);
}

/* Appends what comes before a command's own arguments. */
static void put_before_args(struct sp_buf *b, const struct wrap_entry *e,
                            const struct wrap_how *how, struct sp_str comma)
{
    put_own(b, e, how, comma);
    sp_buf_add(b, SP_STR("\"--\""));
    sp_buf_add(b, comma);
    sp_buf_add(b, jsonc_source(e->c, e->of[WRAP_COMMAND].value));
}

static void put_program(struct sp_buf *b, const struct wrap_how *how)
{
    jput_string(b, how->proxy);
}

/* ---- a command ---- */

/* Puts the proxy's arguments and the command before those that there are. */
static void extend_args(const struct wrap_entry *e, const struct wrap_how *how, struct splice *s)
{
    struct jget_iter it = jget_iter(e->of[WRAP_ARGS].value);
    struct sp_str args = e->of[WRAP_ARGS].value;
    bool is_empty = !jget_next(&it);
    struct sp_buf comma = {0};
    struct sp_buf b = {0};
    size_t at;

    if (is_empty) {
        at = jsonc_at(e->c, args.p) + 1;
        wrap_entry_put_close_comma(&comma, e);
    } else {
        at = jsonc_at(e->c, it.value.p);
        wrap_entry_put_comma(&comma, e, it.value);
    }
    put_before_args(&b, e, how, sp_buf_str(&comma));
    if (!is_empty)
        sp_buf_add(&b, sp_buf_str(&comma));
    splice_add(s, at, at, sp_buf_str(&b));
    sp_buf_deinit(&b);
    sp_buf_deinit(&comma);
}

static void wrap_command(const struct wrap_entry *e, const struct wrap_how *how, struct splice *s)
{
    struct sp_buf comma = {0};
    struct sp_buf b = {0};

    put_program(&b, how);
    if (wrap_entry_has(e, WRAP_ARGS)) {
        extend_args(e, how, s);
    } else {
        wrap_entry_put_comma(&b, e, e->of[WRAP_COMMAND].name);
        wrap_entry_put_name(&b, e, "args");
        sp_buf_add_char(&b, '[');
        wrap_entry_put_close_comma(&comma, e);
        put_before_args(&b, e, how, sp_buf_str(&comma));
        sp_buf_add_char(&b, ']');
    }
    wrap_entry_replace(e, s, e->of[WRAP_COMMAND].value, sp_buf_str(&b));
    sp_buf_deinit(&b);
    sp_buf_deinit(&comma);
}

/* ---- a URL ---- */

/* Appends what stands in the place of the URL's name. */
static void put_for_name(struct sp_buf *b, const struct wrap_entry *e)
{
    if (e->server->has_type && !wrap_entry_has(e, WRAP_TYPE)) {
        wrap_entry_put_name(b, e, "type");
        sp_buf_add(b, SP_STR("\"stdio\""));
        wrap_entry_put_comma(b, e, e->of[WRAP_URL].name);
    }
    sp_buf_add(b, SP_STR("\"command\""));
}

/* Appends what stands in the place of the URL itself. */
static void put_for_url(struct sp_buf *b, const struct wrap_entry *e, const struct wrap_how *how,
                        const struct headers *h)
{
    struct sp_buf comma = {0};
    struct sp_buf option = {0};

    put_program(b, how);
    wrap_entry_put_comma(b, e, e->of[WRAP_URL].name);
    wrap_entry_put_name(b, e, "args");
    sp_buf_add_char(b, '[');
    wrap_entry_put_close_comma(&comma, e);
    put_own(b, e, how, sp_buf_str(&comma));
    sp_buf_add(b, SP_STR("\"--upstream\""));
    sp_buf_add(b, sp_buf_str(&comma));
    sp_buf_add(b, jsonc_source(e->c, e->of[WRAP_URL].value));
    for (size_t i = 0; i < h->n; i++) {
        sp_buf_add(b, sp_buf_str(&comma));
        sp_buf_add(b, SP_STR("\"--upstream-header\""));
        sp_buf_add(b, sp_buf_str(&comma));
        sp_buf_clear(&option);
        sp_buf_add(&option, h->of[i].name);
        sp_buf_add_char(&option, '=');
        sp_buf_add(&option, h->of[i].variable);
        jput_string(b, sp_buf_str(&option));
    }
    sp_buf_add_char(b, ']');
    sp_buf_deinit(&option);
    sp_buf_deinit(&comma);
}

/* The headers become the environment where they stand, with what is written among them. */
static void rename_headers(const struct wrap_entry *e, const struct headers *h, struct splice *s)
{
    struct sp_buf b = {0};

    wrap_entry_replace(e, s, e->of[WRAP_HEADERS].name, SP_STR("\"env\""));
    for (size_t i = 0; i < h->n; i++) {
        sp_buf_clear(&b);
        jput_string(&b, h->of[i].variable);
        wrap_entry_replace(e, s, h->of[i].at.name, sp_buf_str(&b));
    }
    sp_buf_deinit(&b);
}

/* The headers are taken out and put before the variables that there are. */
static void move_headers(const struct wrap_entry *e, const struct headers *h, struct splice *s)
{
    struct sp_str env = e->of[WRAP_ENV].value;
    size_t n = jget_count(e->server->value);
    bool *is_out = sp_calloc(n, sizeof *is_out);
    struct jget_iter first = jget_iter(env);
    bool is_empty = !jget_next(&first);
    size_t at = jsonc_at(e->c, is_empty ? env.p + 1 : first.name.p);
    struct sp_buf comma = {0};
    struct sp_buf b = {0};
    size_t i = 0;

    if (is_empty)
        wrap_entry_put_close_comma(&comma, e);
    else
        wrap_entry_put_comma(&comma, e, first.name);
    for (size_t k = 0; k < h->n; k++) {
        jput_string(&b, h->of[k].variable);
        sp_buf_add(&b, jsonc_source(e->c, (struct sp_str){
                                              h->of[k].at.name.p + h->of[k].at.name.len,
                                              (size_t)(h->of[k].at.value.p - h->of[k].at.name.p) -
                                                  h->of[k].at.name.len}));
        sp_buf_add(&b, jsonc_source(e->c, h->of[k].at.value));
        if (!is_empty || k + 1 < h->n)
            sp_buf_add(&b, sp_buf_str(&comma));
    }
    splice_add(s, at, at, sp_buf_str(&b));
    for (struct jget_iter it = jget_iter(e->server->value); jget_next(&it); i++)
        is_out[i] = it.name.p == e->of[WRAP_HEADERS].name.p;
    wrap_entry_remove(e, s, e->server->value, is_out);
    sp_buf_deinit(&b);
    sp_buf_deinit(&comma);
    free(is_out);
}

static void wrap_url(const struct wrap_entry *e, const struct wrap_how *how, struct splice *s)
{
    struct headers h = read_headers(e);
    struct sp_buf b = {0};

    put_for_name(&b, e);
    wrap_entry_replace(e, s, e->of[WRAP_URL].name, sp_buf_str(&b));
    sp_buf_clear(&b);
    put_for_url(&b, e, how, &h);
    wrap_entry_replace(e, s, e->of[WRAP_URL].value, sp_buf_str(&b));
    if (wrap_entry_has(e, WRAP_TYPE))
        wrap_entry_replace(e, s, e->of[WRAP_TYPE].value, SP_STR("\"stdio\""));
    if (wrap_entry_has(e, WRAP_HEADERS) && wrap_entry_has(e, WRAP_ENV))
        move_headers(e, &h, s);
    else if (wrap_entry_has(e, WRAP_HEADERS))
        rename_headers(e, &h, s);
    sp_buf_deinit(&b);
    headers_deinit(&h);
}

bool wrap_put(const struct wrap_entry *e, const struct wrap_how *how, struct splice *s,
              const char **ret_why)
{
    const char *why = find_obstacle(e);

    if (why != NULL) {
        *ret_why = why;
        return false;
    }
    if (wrap_entry_has(e, WRAP_URL))
        wrap_url(e, how, s);
    else
        wrap_command(e, how, s);
    return true;
}
