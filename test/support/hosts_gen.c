/* Random configurations of hosts. */

#include "hosts_gen.h"

/* How a configuration is laid out. */
struct layout {
    const char *newline; /* NULL: all is on one line */
    const char *indent;
    const char *colon;
    bool has_comments;
    bool has_trailing_commas;
};

struct writer {
    struct hosts_gen *h;
    struct sp_buf *b;
    struct layout layout;
    unsigned depth;
};

static uint64_t below(struct writer *w, uint64_t limit)
{
    return json_gen_below(&w->h->g, limit);
}

static bool one_in(struct writer *w, uint64_t n)
{
    return below(w, n) == 0;
}

static void put(struct writer *w, const char *text)
{
    sp_buf_add(w->b, sp_str_of(text));
}

static void put_comment(struct writer *w)
{
    if (!w->layout.has_comments || !one_in(w, 6))
        return;
    sp_buf_addf(w->b, " /*%u*/", w->h->n_comments++);
}

static void break_line(struct writer *w, bool is_wide)
{
    if (w->layout.newline == NULL || !is_wide) {
        put(w, w->layout.colon[1] != '\0' ? " " : "");
        return;
    }
    if (w->layout.has_comments && one_in(w, 6))
        sp_buf_addf(w->b, " //%u.", w->h->n_comments++);
    put(w, w->layout.newline);
    for (unsigned i = 0; i < w->depth; i++)
        put(w, w->layout.indent);
}

/* A list or an object that is being written. */
struct open {
    struct writer *w;
    char end;
    bool is_wide; /* over several lines */
    unsigned n;
};

static struct open open_value(struct writer *w, char c)
{
    struct open o = {.w = w, .end = c == '[' ? ']' : '}', .is_wide = !one_in(w, 3)};

    sp_buf_add_char(w->b, c);
    w->depth++;
    return o;
}

/* Goes to where the next item stands. */
static void next(struct open *o)
{
    if (o->n++ > 0) {
        put_comment(o->w);
        put(o->w, ",");
    }
    put_comment(o->w);
    break_line(o->w, o->is_wide);
}

static void name(struct open *o, const char *text)
{
    next(o);
    sp_buf_addf(o->w->b, "\"%s\"", text);
    put_comment(o->w);
    put(o->w, o->w->layout.colon);
}

static void close_value(struct open *o)
{
    if (o->n > 0 && o->w->layout.has_trailing_commas && one_in(o->w, 2))
        put(o->w, ",");
    put_comment(o->w);
    o->w->depth--;
    if (o->n > 0 || one_in(o->w, 3))
        break_line(o->w, o->is_wide);
    sp_buf_add_char(o->w->b, o->end);
}

static void put_text(struct writer *w)
{
    static const char *const texts[] = {
        "npx",
        "-y",
        "a b",
        "\\u0041\\n\\\"",
        "\xe2\x82\xac uro",
        "${env:TOKEN}",
        "// none",
        "/* no */",
        "--",
        "--upstream",
        "",
        "C:\\\\bin\\\\x.exe",
        "{",
        "]",
        "it's,",
        "/usr/bin/env",
        "--record",
        "stretto",
    };

    sp_buf_addf(w->b, "\"%s\"", texts[below(w, sizeof texts / sizeof *texts)]);
}

static void put_texts(struct writer *w, uint64_t n)
{
    struct open o = open_value(w, '[');

    for (; n > 0; n--) {
        next(&o);
        put_text(w);
    }
    close_value(&o);
}

/* An object of texts, of which some of `names` are the names. */
static void put_map(struct writer *w, const char *const *names, size_t n_names)
{
    struct open o = open_value(w, '{');

    for (size_t i = 0; i < n_names; i++) {
        if (one_in(w, 2))
            continue;
        name(&o, names[i]);
        put_text(w);
    }
    close_value(&o);
}

static void put_env(struct open *o)
{
    static const char *const names[] = {"HOME", "STRETTO_HEADER_AUTHORIZATION", "PATH"};

    name(o, "env");
    put_map(o->w, names, 3);
}

static void put_other(struct open *o)
{
    static const char *const names[] = {"disabled", "cwd", "tools", "\\u0061lwaysAllow"};

    if (!one_in(o->w, 3))
        return;
    name(o, names[below(o->w, 4)]);
    put_texts(o->w, below(o->w, 3));
}

static void put_command_members(struct open *o)
{
    bool is_args_first = one_in(o->w, 4);
    bool has_args = !one_in(o->w, 4);

    if (is_args_first && has_args) {
        name(o, "args");
        put_texts(o->w, below(o->w, 4));
    }
    name(o, one_in(o->w, 8) ? "comman\\u0064" : "command");
    put_text(o->w);
    put_other(o);
    if (!is_args_first && has_args) {
        name(o, "args");
        put_texts(o->w, below(o->w, 4));
    }
    if (one_in(o->w, 2))
        put_env(o);
}

static void put_url_members(struct open *o)
{
    static const char *const headers[] = {"Authorization", "X-Api-Key", "x-api-key", "A_b"};
    bool is_env_first = one_in(o->w, 2);
    bool has_env = one_in(o->w, 3);

    if (has_env && is_env_first)
        put_env(o);
    name(o, one_in(o->w, 2) ? "url" : "serverUrl");
    put(o->w, one_in(o->w, 2) ? "\"https://x.example/mcp?a=b\"" : "\"http://localhost:1/\"");
    put_other(o);
    if (!one_in(o->w, 3)) {
        name(o, "headers");
        put_map(o->w, headers, 4);
    }
    if (has_env && !is_env_first)
        put_env(o);
}

static void put_entry(struct writer *w)
{
    struct open o = open_value(w, '{');
    bool is_url = one_in(w, 2);

    if (one_in(w, 3)) {
        name(&o, "type");
        put(w, one_in(w, 5) ? "\"sse\"" : is_url ? "\"http\"" : "\"stdio\"");
    }
    put_other(&o);
    if (is_url)
        put_url_members(&o);
    else
        put_command_members(&o);
    put_other(&o);
    close_value(&o);
}

static void put_servers(struct open *o, const char *key)
{
    static const char *const names[] = {"notes", "my server", "@org/x", "\xc3\xa4", ".x", "a\\tb"};
    struct open servers;

    name(o, key);
    servers = open_value(o->w, '{');
    for (size_t i = 0; i < 6; i++) {
        if (one_in(o->w, 3)) {
            name(&servers, names[i]);
            put_entry(o->w);
        }
    }
    close_value(&servers);
}

static struct layout pick_layout(struct hosts_gen *h)
{
    static const char *const newlines[] = {"\n", "\n", "\r\n", NULL};
    static const char *const indents[] = {"  ", "    ", "\t", ""};
    static const char *const colons[] = {": ", ": ", ":"};

    return (struct layout){
        .newline = newlines[json_gen_below(&h->g, 4)],
        .indent = indents[json_gen_below(&h->g, 4)],
        .colon = colons[json_gen_below(&h->g, 3)],
        .has_comments = json_gen_below(&h->g, 2) == 0,
        .has_trailing_commas = json_gen_below(&h->g, 2) == 0,
    };
}

void hosts_gen_put(struct hosts_gen *h, struct sp_buf *b)
{
    static const char *const keys[] = {"mcpServers", "servers", "context_servers"};
    struct writer w = {h, b, pick_layout(h), 0};
    struct open o = open_value(&w, '{');
    size_t i = below(&w, 3);

    put_other(&o);
    put_servers(&o, keys[i]);
    put_other(&o);
    if (one_in(&w, 4))
        put_servers(&o, keys[(i + 1) % 3]);
    if (one_in(&w, 6)) {
        struct open projects;
        struct open project;

        name(&o, "projects");
        projects = open_value(&w, '{');
        name(&projects, "/home/a");
        project = open_value(&w, '{');
        put_servers(&project, "mcpServers");
        close_value(&project);
        close_value(&projects);
    }
    close_value(&o);
    if (w.layout.newline != NULL && one_in(&w, 2))
        put(&w, w.layout.newline);
}

void hosts_gen_put_entry(struct hosts_gen *h, struct sp_buf *b)
{
    struct writer w = {h, b, pick_layout(h), 0};

    put_entry(&w);
}
