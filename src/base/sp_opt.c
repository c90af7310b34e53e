/* Command lines by table. */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_opt.h"
#include "base/sp_utf8.h"

#define MAX_OPTIONS 64
#define HELP_COLUMN 34
#define HELP_WIDTH  100

struct parse {
    const struct sp_opt *table;
    size_t n_table;
    enum sp_opt_style style;
    int argc;
    char **argv;
    char *options;
    bool is_given[MAX_OPTIONS];
    struct sp_err *ret_err;
};

static int usage(struct parse *p, const char *option, const char *what)
{
    sp_err_set(p->ret_err, "%s %s", option, what);
    return -EINVAL;
}

static void list_add(struct sp_opt_list *list, struct sp_str s)
{
    list->v = sp_realloc(list->v, (list->n + 1) * sizeof *list->v);
    list->v[list->n++] = s;
}

static void list_add_parts(struct sp_opt_list *list, struct sp_str s)
{
    size_t comma;

    while ((comma = sp_str_find(s, ',')) < s.len) {
        list_add(list, sp_str_sub(s, 0, comma));
        s = sp_str_sub(s, comma + 1, s.len);
    }
    list_add(list, s);
}

static bool read_uint(const char *s, uint64_t *ret)
{
    char *end;

    if (!isdigit((unsigned char)s[0]))
        return false;
    errno = 0;
    *ret = strtoull(s, &end, 10);
    return *end == '\0' && errno == 0;
}

/* strtod() alone would also take white space and hexadecimal. */
static bool read_number(const char *s, double *ret)
{
    const char *p = s + (s[0] == '-' || s[0] == '+');
    size_t n_digits = 0;

    if (strcasecmp(p, "nan") != 0 && strcasecmp(p, "inf") != 0 && strcasecmp(p, "infinity") != 0) {
        for (; isdigit((unsigned char)*p); p++)
            n_digits++;
        if (*p == '.')
            for (p++; isdigit((unsigned char)*p); p++)
                n_digits++;
        if (n_digits == 0)
            return false;
        if (*p == 'e' || *p == 'E') {
            p += 1 + (p[1] == '-' || p[1] == '+');
            if (!isdigit((unsigned char)*p))
                return false;
            while (isdigit((unsigned char)*p))
                p++;
        }
        if (*p != '\0')
            return false;
    }
    *ret = strtod(s, NULL);
    return true;
}

static int choice_of(const struct sp_opt *opt, const char *value)
{
    for (int i = 0; i < (int)(sizeof opt->choices / sizeof opt->choices[0]); i++)
        if (opt->choices[i] != NULL && strcmp(opt->choices[i], value) == 0)
            return i + 1;
    return 0;
}

static int fail_choice(struct parse *p, const struct sp_opt *opt, const char *option,
                       const char *value)
{
    struct sp_buf choices = {0};

    for (size_t i = 0; i < sizeof opt->choices / sizeof opt->choices[0]; i++)
        if (opt->choices[i] != NULL)
            sp_buf_addf(&choices, "%s%s", i > 0 ? "|" : "", opt->choices[i]);
    sp_err_set(p->ret_err, "%s takes %s, not '%s'", option, sp_buf_cstr(&choices), value);
    sp_buf_deinit(&choices);
    return -EINVAL;
}

static int store(struct parse *p, const struct sp_opt *opt, const char *option, const char *value)
{
    char *field = p->options + opt->offset;
    struct sp_str text = sp_str_of(value);
    struct sp_opt_uint *uint = (struct sp_opt_uint *)field;
    struct sp_opt_number *number = (struct sp_opt_number *)field;

    if (opt->kind != SP_OPT_PATH && !sp_utf8_is_valid(text))
        return usage(p, option, "takes valid UTF-8");

    switch (opt->kind) {
    case SP_OPT_PATH:
        if (text.len == 0)
            return usage(p, option, "takes a path, not an empty one");
        *(const char **)field = value;
        return 0;
    case SP_OPT_TEXT:
        *(const char **)field = value;
        return 0;
    case SP_OPT_UINT:
        if (!read_uint(value, &uint->value))
            return usage(p, option, "takes a whole number from 0 to 18446744073709551615");
        uint->is_given = true;
        return 0;
    case SP_OPT_NUMBER:
        if (!read_number(value, &number->value))
            return usage(p, option, "takes a number");
        number->is_given = true;
        return 0;
    case SP_OPT_CHOICE:
        *(int *)field = choice_of(opt, value);
        return *(int *)field != 0 ? 0 : fail_choice(p, opt, option, value);
    case SP_OPT_LIST:
        list_add_parts((struct sp_opt_list *)field, text);
        return 0;
    case SP_OPT_EACH:
        list_add((struct sp_opt_list *)field, text);
        return 0;
    case SP_OPT_ARGS:
    case SP_OPT_FLAG:
    case SP_OPT_HELP:
    case SP_OPT_VERSION:
        break;
    }
    assert(!"an option without a value has none to store");
    return -EINVAL;
}

/* Finds the option that `arg` names; `ret_value` is what follows "=", or NULL. */
static const struct sp_opt *find(struct parse *p, const char *arg, const char **ret_value)
{
    struct sp_str name = sp_str_of(arg);
    size_t equals = p->style != SP_OPT_BARE ? sp_str_find(name, '=') : name.len;

    *ret_value = NULL;
    for (size_t i = 0; i < p->n_table; i++) {
        const struct sp_opt *opt = &p->table[i];

        if (name.len == 2 && name.p[0] == '-' && opt->letter != '\0' && name.p[1] == opt->letter)
            return opt;
        if (opt->kind != SP_OPT_ARGS && sp_str_starts(name, SP_STR("--")) &&
            sp_str_eq(sp_str_sub(name, 2, equals > 2 ? equals : 2), sp_str_of(opt->name))) {
            if (equals < name.len)
                *ret_value = arg + equals + 1;
            return opt;
        }
    }
    return NULL;
}

static bool has_value(const struct sp_opt *opt)
{
    return opt->kind != SP_OPT_FLAG && opt->kind != SP_OPT_HELP && opt->kind != SP_OPT_VERSION;
}

/* Keeps an argument that is no option; whether the table has a place for it. */
static int keep_arg(struct parse *p, const char *arg, bool *ret_is_kept)
{
    for (size_t i = 0; i < p->n_table; i++) {
        if (p->table[i].kind != SP_OPT_ARGS)
            continue;
        if (arg[0] == '\0')
            return usage(p, p->table[i].name, "takes no empty argument");
        list_add((struct sp_opt_list *)(p->options + p->table[i].offset), sp_str_of(arg));
        p->is_given[i] = true;
        *ret_is_kept = true;
    }
    return 0;
}

/* Parses the argument at *i and, when it takes one, the value after it. */
static int parse_one(struct parse *p, int *i)
{
    const char *arg = p->argv[*i], *value;
    const struct sp_opt *opt = find(p, arg, &value);
    char option[64];
    bool is_kept = false;
    size_t index;

    if (opt == NULL && (arg[0] != '-' || arg[1] == '\0')) {
        int err = keep_arg(p, arg, &is_kept);

        if (err < 0 || is_kept)
            return err;
    }
    if (opt == NULL) {
        sp_err_set(p->ret_err,
                   arg[0] == '-' && arg[1] != '\0' ? "unknown option '%s'"
                   : p->style == SP_OPT_COMMAND
                       ? "unexpected argument '%s': a command goes after --"
                       : "unexpected argument '%s'",
                   arg);
        return -EINVAL;
    }
    snprintf(option, sizeof option, "--%s", opt->name);
    index = (size_t)(opt - p->table);
    if (!has_value(opt) && value != NULL)
        return usage(p, option, "takes no value");
    if (opt->kind == SP_OPT_HELP || opt->kind == SP_OPT_VERSION) {
        if (p->style == SP_OPT_BARE && p->argc != 2)
            return usage(p, option, "stands alone");
        return opt->kind == SP_OPT_HELP ? SP_OPT_E_HELP : SP_OPT_E_VERSION;
    }
    if (p->is_given[index] && !opt->may_repeat && opt->kind != SP_OPT_LIST &&
        opt->kind != SP_OPT_EACH)
        return usage(p, option, "may be given only once");
    p->is_given[index] = true;
    if (opt->kind == SP_OPT_FLAG) {
        *(bool *)(p->options + opt->offset) = true;
        return 0;
    }
    if (value == NULL) {
        value = *i + 1 < p->argc ? p->argv[*i + 1] : NULL;
        if (value == NULL ||
            (p->style != SP_OPT_BARE && value[0] == '-' && strcmp(value, "-") != 0)) {
            sp_err_set(p->ret_err, "%s needs a value: %s", option, opt->arg);
            return -EINVAL;
        }
        *i += 1;
    }
    return store(p, opt, option, value);
}

static int check_needs(struct parse *p)
{
    for (size_t i = 0; i < p->n_table; i++) {
        if (p->table[i].is_required && !p->is_given[i]) {
            sp_err_set(p->ret_err,
                       p->table[i].kind == SP_OPT_ARGS ? "%s is missing" : "--%s is missing",
                       p->table[i].name);
            return -EINVAL;
        }
        for (size_t k = 0; p->is_given[i] && k < 2 && p->table[i].needs[k] != NULL; k++) {
            const char *needed = p->table[i].needs[k];

            for (size_t j = 0; j < p->n_table; j++) {
                if (strcmp(p->table[j].name, needed) == 0 && !p->is_given[j]) {
                    sp_err_set(p->ret_err, "--%s needs --%s", p->table[i].name, needed);
                    return -EINVAL;
                }
            }
        }
    }
    return 0;
}

int sp_opt_parse(const struct sp_opt *table, size_t n_table, enum sp_opt_style style, int argc,
                 char **argv, void *options, int *ret_rest, struct sp_err *ret_err)
{
    struct parse p = {
        .table = table,
        .n_table = n_table,
        .style = style,
        .argc = argc,
        .argv = argv,
        .options = options,
        .ret_err = ret_err,
    };
    int i;

    assert(n_table <= MAX_OPTIONS);
    for (i = 1; i < argc; i++) {
        int err;

        if (style != SP_OPT_BARE && strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        err = parse_one(&p, &i);
        if (err != 0)
            return err;
    }
    for (; i < argc; i++) {
        bool is_kept = false;
        int err = keep_arg(&p, argv[i], &is_kept);

        if (err < 0)
            return err;
        if (!is_kept)
            break;
    }
    *ret_rest = i;
    return check_needs(&p);
}

/* The length of the first word; the name of an option stays with the word before it. */
static size_t word_len(struct sp_str text)
{
    size_t n = sp_str_find(text, ' ');

    while (sp_str_starts(sp_str_sub(text, n, text.len), SP_STR(" --")))
        n += 1 + sp_str_find(sp_str_sub(text, n + 1, text.len), ' ');
    return n;
}

/* Prints a text, its words on as many lines as it takes; `column` is where the first one begins. */
static void print_wrapped(size_t column, struct sp_str text, FILE *out)
{
    bool is_first = true;

    while (text.len > 0) {
        size_t n = word_len(text);
        struct sp_str word = sp_str_sub(text, 0, n);

        if (!is_first && column + 1 + word.len > HELP_WIDTH)
            column = (size_t)fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
        else if (!is_first)
            column += (size_t)fprintf(out, " ");
        is_first = false;
        column += (size_t)fprintf(out, "%.*s", SP_STR_ARG(word));
        text = sp_str_sub(text, n < text.len ? n + 1 : n, text.len);
    }
    fprintf(out, "\n");
}

void sp_opt_print_help(const struct sp_opt *table, size_t n_table, FILE *out)
{
    struct sp_buf text = {0};

    for (size_t i = 0; i < n_table; i++) {
        const struct sp_opt *opt = &table[i];
        int width = 0;

        if (opt->kind == SP_OPT_ARGS)
            width += fprintf(out, "  %s", opt->name);
        else if (opt->letter != '\0')
            width += fprintf(out, "  -%c, --%s", opt->letter, opt->name);
        else
            width += fprintf(out, "      --%s", opt->name);
        if (opt->arg != NULL)
            width += fprintf(out, " <%s>", opt->arg);
        width += fprintf(out, "%*s", width < HELP_COLUMN - 1 ? HELP_COLUMN - width : 2, "");

        sp_buf_clear(&text);
        sp_buf_add(&text, sp_str_of(opt->help));
        if (opt->fallback != NULL)
            sp_buf_addf(&text, " [default: %s]", opt->fallback);
        if (opt->needs[0] != NULL)
            sp_buf_addf(&text, "; needs --%s", opt->needs[0]);
        if (opt->needs[0] != NULL && opt->needs[1] != NULL)
            sp_buf_addf(&text, " and --%s", opt->needs[1]);
        print_wrapped((size_t)width, sp_buf_str(&text), out);
    }
    sp_buf_deinit(&text);
}
