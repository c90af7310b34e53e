/* Manual pages from text and tables. */

#include <ctype.h>
#include <errno.h>

#include "cmd/manpage.h"

/* Appends a text of the tables. Its quotes and dashes are those of a keyboard. */
static void put_text(struct sp_buf *out, struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_first = i == 0 || text.p[i - 1] == '\n';
        char c = text.p[i];

        if (c == '.' && is_first)
            sp_buf_add(out, SP_STR("\\&."));
        else if (c == '\\')
            sp_buf_add(out, SP_STR("\\e"));
        else if (c == '-')
            sp_buf_add(out, SP_STR("\\-"));
        else if (c == '\'')
            sp_buf_add(out, SP_STR("\\(aq"));
        else if (c == '`')
            sp_buf_add(out, SP_STR("\\(ga"));
        else if (c == '^')
            sp_buf_add(out, SP_STR("\\(ha"));
        else if (c == '~')
            sp_buf_add(out, SP_STR("\\(ti"));
        else
            sp_buf_add_char(out, c);
    }
}

/* Appends a text as a sentence on a line of its own. */
static void put_sentence(struct sp_buf *out, const char *text)
{
    struct sp_str rest = sp_str_of(text);

    if (rest.len > 0 && islower((unsigned char)rest.p[0])) {
        sp_buf_add_char(out, (char)toupper((unsigned char)rest.p[0]));
        rest = sp_str_sub(rest, 1, rest.len);
    }
    put_text(out, rest);
    sp_buf_add(out, SP_STR(".\n"));
}

/* Appends what a value may be, unless its name says so: "KIND is jev, replay or mock." */
static void put_choices(struct sp_buf *out, const struct sp_opt *opt)
{
    size_t max = sizeof opt->choices / sizeof opt->choices[0], n = 0;

    while (n < max && opt->choices[n] != NULL)
        n++;
    if (n == 0 || strchr(opt->arg, '|') != NULL)
        return;
    sp_buf_add(out, SP_STR("\\fI"));
    put_text(out, sp_str_of(opt->arg));
    sp_buf_add(out, SP_STR("\\fR is"));
    for (size_t i = 0; i < n; i++) {
        sp_buf_addf(out, "%s \\fB", i == 0 ? "" : i + 1 < n ? "," : " or");
        put_text(out, sp_str_of(opt->choices[i]));
        sp_buf_add(out, SP_STR("\\fR"));
    }
    sp_buf_add(out, SP_STR(".\n"));
}

static void put_name(struct sp_buf *out, const struct sp_opt *opt)
{
    if (opt->kind == SP_OPT_ARGS) {
        sp_buf_add(out, SP_STR("\\fI"));
        put_text(out, sp_str_of(opt->name));
        sp_buf_add(out, SP_STR("\\fR\n"));
        return;
    }
    if (opt->letter != '\0')
        sp_buf_addf(out, "\\fB\\-%c\\fR, ", opt->letter);
    sp_buf_add(out, SP_STR("\\fB\\-\\-"));
    put_text(out, sp_str_of(opt->name));
    sp_buf_add(out, SP_STR("\\fR"));
    if (opt->arg != NULL) {
        sp_buf_add(out, SP_STR(" \\fI"));
        put_text(out, sp_str_of(opt->arg));
        sp_buf_add(out, SP_STR("\\fR"));
    }
    sp_buf_add_char(out, '\n');
}

static void put_option(struct sp_buf *out, const struct sp_opt *opt)
{
    sp_buf_add(out, SP_STR(".TP\n"));
    put_name(out, opt);
    put_sentence(out, opt->help);
    put_choices(out, opt);
    if (opt->is_required)
        sp_buf_add(out, SP_STR("Required.\n"));
    if (opt->fallback != NULL) {
        sp_buf_add(out, SP_STR("Default: "));
        put_text(out, sp_str_of(opt->fallback));
        sp_buf_add(out, SP_STR(".\n"));
    }
    for (size_t i = 0; i < 2 && opt->needs[i] != NULL; i++) {
        sp_buf_add(out, i == 0 ? SP_STR("Needs \\fB\\-\\-") : SP_STR(" and \\fB\\-\\-"));
        put_text(out, sp_str_of(opt->needs[i]));
        sp_buf_add(out, SP_STR("\\fR"));
    }
    if (opt->needs[0] != NULL)
        sp_buf_add(out, SP_STR(".\n"));
}

/* Appends lines as they are. */
static void put_example(struct sp_buf *out, struct sp_str text)
{
    sp_buf_add(out, SP_STR(".PP\n.EX\n"));
    put_text(out, text);
    sp_buf_add(out, SP_STR("\n.EE\n"));
}

/* The length of the first paragraph, which an empty line ends. */
static size_t paragraph_len(struct sp_str text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.p[i] == '\n' && text.p[i + 1] == '\n')
            return i;
    }
    return text.len;
}

static bool is_indented(struct sp_str paragraph)
{
    for (size_t i = 0; i < paragraph.len; i++) {
        if (paragraph.p[i] == ' ' && (i == 0 || paragraph.p[i - 1] == '\n'))
            return true;
    }
    return false;
}

/* Appends paragraphs; one with an indented line keeps its lines. */
static void put_paragraphs(struct sp_buf *out, struct sp_str text)
{
    while (text.len > 0) {
        size_t len = paragraph_len(text);
        struct sp_str paragraph = sp_str_sub(text, 0, len);

        while (sp_str_ends(paragraph, SP_STR("\n")))
            paragraph.len--;
        if (is_indented(paragraph)) {
            put_example(out, paragraph);
        } else if (paragraph.len > 0) {
            sp_buf_add(out, SP_STR(".PP\n"));
            put_text(out, paragraph);
            sp_buf_add_char(out, '\n');
        }
        text = sp_str_sub(text, len, text.len);
        while (sp_str_starts(text, SP_STR("\n")))
            text = sp_str_sub(text, 1, text.len);
    }
}

/* Appends a command's usage, whose later lines are indented to stand under "Usage: ". */
static void put_usage(struct sp_buf *out, const struct cmd *cmd)
{
    const struct sp_str indent = SP_STR("       ");
    struct sp_str rest = sp_str_of(cmd->usage);
    struct sp_buf usage = {0};

    sp_buf_addf(&usage, "stretto %s%s", cmd->name, rest.len > 0 ? " " : "");
    while (rest.len > 0) {
        size_t n = sp_str_find(rest, '\n');

        sp_buf_add(&usage, sp_str_sub(rest, 0, n));
        rest = sp_str_sub(rest, n, rest.len);
        if (rest.len > 0) {
            sp_buf_add_char(&usage, '\n');
            rest = sp_str_sub(rest, 1, rest.len);
        }
        if (sp_str_starts(rest, indent))
            rest = sp_str_sub(rest, indent.len, rest.len);
    }
    put_example(out, sp_buf_str(&usage));
    sp_buf_deinit(&usage);
}

static void put_command(struct sp_buf *out, const struct cmd *cmd)
{
    sp_buf_add(out, SP_STR(".SS "));
    put_text(out, sp_str_of(cmd->name));
    sp_buf_add_char(out, '\n');
    put_sentence(out, cmd->summary);
    put_usage(out, cmd);
    put_paragraphs(out, sp_str_of(cmd->text));
    for (size_t i = 0; i < cmd->n_table; i++) {
        if (cmd->table[i].kind != SP_OPT_HELP) /* every command has it */
            put_option(out, &cmd->table[i]);
    }
}

/* Appends a line of the page, the version in the place of each @VERSION@. */
static void put_line(struct sp_buf *out, struct sp_str line, const char *version)
{
    const struct sp_str mark = SP_STR("@VERSION@");

    while (line.len > 0) {
        size_t n = sp_str_find(line, '@');

        sp_buf_add(out, sp_str_sub(line, 0, n));
        line = sp_str_sub(line, n, line.len);
        if (sp_str_starts(line, mark)) {
            sp_buf_add(out, sp_str_of(version));
            line = sp_str_sub(line, mark.len, line.len);
        } else if (line.len > 0) {
            sp_buf_add_char(out, '@');
            line = sp_str_sub(line, 1, line.len);
        }
    }
    sp_buf_add_char(out, '\n');
}

/* Whether a page has the line exactly if there is something to fill in. */
static int check(const char *line, bool has_line, bool is_wanted, struct sp_err *ret_err)
{
    if (has_line == is_wanted)
        return 0;
    sp_err_set(ret_err,
               is_wanted ? "the page lacks the line %s" : "there is nothing for the line %s", line);
    return -EINVAL;
}

int manpage_fill(struct sp_str text, const struct manpage *m, struct sp_buf *out,
                 struct sp_err *ret_err)
{
    bool has_options = false, has_commands = false;
    int err;

    while (text.len > 0) {
        size_t n = sp_str_find(text, '\n');
        struct sp_str line = sp_str_sub(text, 0, n);

        text = sp_str_sub(text, n < text.len ? n + 1 : n, text.len);
        if (sp_str_eq(line, SP_STR("@OPTIONS@"))) {
            has_options = true;
            for (size_t i = 0; i < m->n_table; i++)
                put_option(out, &m->table[i]);
        } else if (sp_str_eq(line, SP_STR("@COMMANDS@"))) {
            has_commands = true;
            for (size_t i = 0; m->command_at != NULL && m->command_at(i) != NULL; i++)
                put_command(out, m->command_at(i));
        } else {
            put_line(out, line, m->version);
        }
    }
    err = check("@OPTIONS@", has_options, m->table != NULL, ret_err);
    return err == 0 ? check("@COMMANDS@", has_commands, m->command_at != NULL, ret_err) : err;
}
