/* What the completion scripts of all shells share. */

#include "cmd/completions.h"

enum completions_value completions_value_of(const struct sp_opt *opt)
{
    struct sp_str arg;

    if (opt->arg == NULL)
        return COMPLETIONS_NONE;
    if (opt->kind == SP_OPT_CHOICE)
        return COMPLETIONS_WORDS;
    if (opt->kind != SP_OPT_PATH && opt->kind != SP_OPT_EACH && opt->kind != SP_OPT_LIST)
        return COMPLETIONS_TEXT;
    arg = sp_str_of(opt->arg);
    if (sp_str_ends(arg, SP_STR("DIR")))
        return COMPLETIONS_DIRECTORY;
    if (opt->kind == SP_OPT_PATH || sp_str_ends(arg, SP_STR("FILE")) ||
        sp_str_ends(arg, SP_STR("PATH")))
        return COMPLETIONS_FILE;
    return COMPLETIONS_TEXT;
}

enum completions_value completions_arguments_of(const struct cmd *cmd, const char **ret_name)
{
    *ret_name = NULL;
    for (size_t i = 0; i < cmd->n_table; i++) {
        if (cmd->table[i].kind == SP_OPT_ARGS)
            *ret_name = cmd->table[i].name;
    }
    if (*ret_name == NULL)
        return COMPLETIONS_NONE;
    return cmd->words != NULL ? COMPLETIONS_WORDS : COMPLETIONS_FILE;
}

bool completions_may_repeat(const struct sp_opt *opt)
{
    return opt->may_repeat || opt->kind == SP_OPT_LIST || opt->kind == SP_OPT_EACH;
}

void completions_put_choices(struct sp_buf *out, const struct sp_opt *opt, const char *between)
{
    size_t n = sizeof opt->choices / sizeof opt->choices[0];

    for (size_t i = 0; i < n && opt->choices[i] != NULL; i++)
        sp_buf_addf(out, "%s%s", i > 0 ? between : "", opt->choices[i]);
}

void completions_put_words(struct sp_buf *out, const char *const *words, const char *between)
{
    for (size_t i = 0; words[i] != NULL; i++)
        sp_buf_addf(out, "%s%s", i > 0 ? between : "", words[i]);
}

void completions_put_commands(struct sp_buf *out, completions_at_fn at, const char *between)
{
    for (size_t i = 0; at(i) != NULL; i++)
        sp_buf_addf(out, "%s%s", i > 0 ? between : "", at(i)->name);
}

void completions_put_each(struct sp_buf *out, completions_at_fn at, completions_put_fn put)
{
    for (size_t i = 0; at(i) != NULL; i++)
        put(out, at(i));
}

void completions_put_names(struct sp_buf *out, const struct cmd *cmd, completions_name_fn put)
{
    for (size_t i = 0; i < cmd->n_table; i++) {
        const struct sp_opt *opt = &cmd->table[i];

        if (opt->kind == SP_OPT_ARGS)
            continue;
        if (opt->letter != '\0')
            put(out, "-", (struct sp_str){&opt->letter, 1}, opt);
        put(out, "--", sp_str_of(opt->name), opt);
    }
}

void completions_put_escaped(struct sp_buf *out, const char *text,
                             const struct completions_escape *escapes)
{
    for (; *text != '\0'; text++) {
        const struct completions_escape *e = escapes;

        while (e->c != '\0' && e->c != *text)
            e++;
        if (e->c != '\0')
            sp_buf_add(out, sp_str_of(e->as));
        else
            sp_buf_add_char(out, *text);
    }
}
