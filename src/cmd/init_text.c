/* What `stretto init` prints. */

#include "cmd/init_text.h"
#include "json/jput.h"

/* ---- the proxy's command line ---- */

/* Takes one word of a command line. */
typedef void (*take_fn)(struct sp_buf *b, struct sp_str word);

static void take_text(struct sp_buf *b, take_fn take, const char *word)
{
    take(b, sp_str_of(word));
}

static void take_option(struct sp_buf *b, take_fn take, const char *name, const char *value)
{
    take_text(b, take, name);
    take_text(b, take, value);
}

/* The server's part, which `stretto init` takes in the same way. */
static void take_server(struct sp_buf *b, take_fn take, const struct init_plan *p)
{
    if (p->upstream != NULL) {
        take_option(b, take, "--upstream", p->upstream);
        for (size_t i = 0; i < p->headers->n; i++) {
            take_text(b, take, "--upstream-header");
            take(b, p->headers->v[i]);
        }
        return;
    }
    take_text(b, take, "--");
    for (size_t i = 0; i < p->n_command; i++)
        take_text(b, take, p->command[i]);
}

static void take_args(struct sp_buf *b, take_fn take, const struct init_plan *p)
{
    take_option(b, take, "--record", p->record);
    take_text(b, take, "--domain");
    take(b, p->domain);
    if (p->flow != NULL)
        take_option(b, take, "--flow", p->flow);
    if (p->flow != NULL && !p->has_arbiter)
        take_option(b, take, "--flow-decider", p->decider);
    if (p->is_shadow)
        take_text(b, take, "--flow-shadow");
    take_server(b, take, p);
}

/* ---- the configuration ---- */

static void take_element(struct sp_buf *b, struct sp_str word)
{
    if (b->p[b->len - 1] != '[')
        sp_buf_add(b, SP_STR(", "));
    jput_string(b, word);
}

void init_text_put_json(struct sp_buf *b, const struct init_plan *p)
{
    sp_buf_addf(b, "{\n  \"%s\": {\n    ", p->host->key);
    jput_string(b, p->domain);
    sp_buf_add(b, SP_STR(": {\n      "));
    if (p->host->has_type)
        sp_buf_add(b, SP_STR("\"type\": \"stdio\",\n      "));
    sp_buf_add(b, SP_STR("\"command\": "));
    jput_string(b, sp_str_of(p->proxy));
    sp_buf_add(b, SP_STR(",\n      \"args\": ["));
    take_args(b, take_element, p);
    sp_buf_add(b, SP_STR("]\n    }\n  }\n}\n"));
}

static bool is_bare(struct sp_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.p[i];
        bool is_alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        if (!is_alnum && (c == '\0' || strchr("-_./:=@%+,~", c) == NULL))
            return false;
    }
    return word.len > 0;
}

void init_text_put_word(struct sp_buf *b, struct sp_str word)
{
    if (is_bare(word)) {
        sp_buf_add(b, word);
        return;
    }
    sp_buf_add_char(b, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.p[i] == '\'')
            sp_buf_add(b, SP_STR("'\\''"));
        else
            sp_buf_add_char(b, word.p[i]);
    }
    sp_buf_add_char(b, '\'');
}

static void take_word(struct sp_buf *b, struct sp_str word)
{
    sp_buf_add_char(b, ' ');
    init_text_put_word(b, word);
}

void init_text_put_add(struct sp_buf *b, const struct init_plan *p)
{
    sp_buf_add(b, SP_STR("claude mcp add"));
    take_word(b, p->domain);
    take_text(b, take_word, "--");
    take_text(b, take_word, p->proxy);
    take_args(b, take_word, p);
    sp_buf_add_char(b, '\n');
}

/* ---- the next steps ---- */

/* The same for what a shell is to run: "~/" stays outside of the quotes, to be replaced by it. */
static void take_path(struct sp_buf *b, struct sp_str word)
{
    if (is_bare(word) || !sp_str_starts(word, SP_STR("~/"))) {
        take_word(b, word);
        return;
    }
    sp_buf_add(b, SP_STR(" ~/"));
    init_text_put_word(b, sp_str_sub(word, 2, word.len));
}

/* A list of steps that is being written. */
struct steps {
    struct sp_buf *b;
    const struct init_plan *p;
    unsigned n;
};

static void put_step(struct steps *s, const char *text)
{
    s->n++;
    sp_buf_addf(s->b, "  %u. %s\n", s->n, text);
}

/* Begins the line of a command of stretto; a newline ends it. */
static void begin_command(struct steps *s, const char *command)
{
    sp_buf_addf(s->b, "     stretto %s", command);
}

static void end_command(struct steps *s)
{
    sp_buf_add_char(s->b, '\n');
}

static void put_option(struct steps *s, const char *name, const char *value)
{
    take_text(s->b, take_word, name);
    take_text(s->b, take_path, value);
}

/* Adds a file or directory of the domain's below ~/.stretto, as the value of an option if any. */
static void put_own(struct steps *s, const char *option, const char *dir, const char *ending)
{
    struct sp_buf path = {0};

    sp_buf_addf(&path, "~/.stretto/%s%.*s%s", dir, SP_STR_ARG(s->p->domain), ending);
    if (option != NULL)
        take_text(s->b, take_word, option);
    take_path(s->b, sp_buf_str(&path));
    sp_buf_deinit(&path);
}

#define LEARNED  ".flow.json"
#define AGAIN    "-again.flow.json"
#define PROMOTED "-promoted.flow.json"

static void put_use(struct steps *s, const char *what)
{
    struct sp_buf b = {0};

    sp_buf_addf(&b, "Use the agent as always; %s %s.", what, s->p->record);
    put_step(s, sp_buf_cstr(&b));
    sp_buf_deinit(&b);
}

/* This init, with another flow. */
static void put_init(struct steps *s, const char *flow, const char *mode)
{
    begin_command(s, "init");
    put_option(s, "--host", s->p->host->name);
    take_text(s->b, take_word, "--domain");
    take_word(s->b, s->p->domain);
    put_own(s, "--flow", "", flow);
    if (mode != NULL)
        take_text(s->b, take_word, mode);
    else if (s->p->is_record_given && !s->p->is_shadow)
        put_option(s, "--record", s->p->record);
    if (s->p->write != NULL) {
        put_option(s, "--write", s->p->write);
        take_text(s->b, take_word, "--force");
    }
    take_server(s->b, take_word, s->p);
    end_command(s);
    if (s->p->host->has_add && s->p->write == NULL)
        sp_buf_addf(s->b, "     (before what it prints: claude mcp remove %.*s)\n",
                    SP_STR_ARG(s->p->domain));
}

static void put_unflowed(struct steps *s)
{
    put_use(s, "its sessions are recorded in");
    put_step(s, "Learn from them what it looks up:");
    begin_command(s, "learn");
    put_option(s, "--sessions", s->p->record);
    take_text(s->b, take_word, "--domain");
    take_word(s->b, s->p->domain);
    take_text(s->b, take_word, "--habit-only");
    put_own(s, "--out", "", LEARNED);
    end_command(s);
    put_step(s, "See what that flow would do:");
    begin_command(s, "flow-show");
    put_own(s, NULL, "", LEARNED);
    end_command(s);
    put_step(s, "Let it decide in shadow, looking nothing up, while you use the agent:");
    put_init(s, LEARNED, "--shadow");
    put_step(s, "Keep the places where it was right:");
    begin_command(s, "promote");
    put_own(s, "--flow", "", LEARNED);
    put_own(s, "--sessions", "shadow/", "");
    put_option(s, "--decider", "reach");
    put_own(s, "--out", "", PROMOTED);
    end_command(s);
    put_step(s, "Let it look things up:");
    put_init(s, PROMOTED, NULL);
}

static void put_shadowed(struct steps *s)
{
    put_use(s, "the flow only decides, and its sessions are recorded in");
    put_step(s, "Keep the places where it was right:");
    begin_command(s, "promote");
    put_option(s, "--flow", s->p->flow);
    put_option(s, "--sessions", s->p->record);
    put_option(s, "--decider", s->p->decider);
    if (s->p->has_arbiter)
        put_option(s, "--oracle-cache", "~/.stretto/oracle-cache");
    put_own(s, "--out", "", PROMOTED);
    end_command(s);
    put_step(s, "Let it look things up:");
    put_init(s, PROMOTED, NULL);
}

static void put_served(struct steps *s)
{
    put_use(s, "the flow looks things up for it, and its sessions are recorded in");
    put_step(s, "When its tools, or what it does, change, learn again and see the difference:");
    begin_command(s, "learn");
    put_option(s, "--sessions", s->p->record);
    take_text(s->b, take_word, "--domain");
    take_word(s->b, s->p->domain);
    if (s->p->has_arbiter)
        put_option(s, "--arbiter-from", s->p->flow);
    else
        take_text(s->b, take_word, "--habit-only");
    put_own(s, "--out", "", AGAIN);
    end_command(s);
    begin_command(s, "flow-diff");
    take_text(s->b, take_path, s->p->flow);
    put_own(s, NULL, "", AGAIN);
    end_command(s);
}

void init_text_put_steps(struct sp_buf *b, const struct init_plan *p)
{
    struct steps s = {.b = b, .p = p};

    if (p->flow == NULL)
        put_unflowed(&s);
    else if (p->is_shadow)
        put_shadowed(&s);
    else
        put_served(&s);
}
