#pragma once

/*
 * Command lines by table. A program describes its options once; from that table come parsing, the
 * checks of what needs what, and the text of --help.
 *
 * Long options have no abbreviations. A value is the next argument, which then must not start with
 * "-" unless it is exactly "-", or follows "=". Parsing stops at "--"; what follows is the
 * caller's, or, where the table has SP_OPT_ARGS, belongs to those.
 *
 * Thread: any.
 */

#include <stdint.h>
#include <stdio.h>

#include "base/sp_err.h"
#include "base/sp_str.h"

enum sp_opt_kind {
    SP_OPT_FLAG,    /* bool */
    SP_OPT_TEXT,    /* const char *: valid UTF-8, may be empty */
    SP_OPT_PATH,    /* const char *: any bytes, not empty */
    SP_OPT_UINT,    /* struct sp_opt_uint: decimal, below 2^64 */
    SP_OPT_NUMBER,  /* struct sp_opt_number: decimal with sign, fraction, exponent; nan, inf */
    SP_OPT_CHOICE,  /* int: 1 + the index in `choices` */
    SP_OPT_LIST,    /* struct sp_opt_list: the value's parts between commas */
    SP_OPT_EACH,    /* struct sp_opt_list: the value, once for each time it is given */
    SP_OPT_ARGS,    /* struct sp_opt_list: the arguments that are no options, not empty ones */
    SP_OPT_HELP,    /* ends parsing: print the help */
    SP_OPT_VERSION, /* ends parsing: print the version */
};

/* Fields of an options struct. All zero means: not given. */
struct sp_opt_uint {
    bool is_given;
    uint64_t value;
};

struct sp_opt_number {
    bool is_given;
    double value;
};

struct sp_opt_list {
    struct sp_str *v; /* views into argv; the array is owned, freed by free() */
    size_t n;
};

struct sp_opt {
    const char *name; /* without the dashes; of SP_OPT_ARGS as the help shows it */
    char letter;      /* of the short form; '\0' for none */
    enum sp_opt_kind kind;
    bool is_required;     /* an option that must be given, or arguments of which one must be */
    bool may_repeat;      /* of a value given twice the last counts; lists always repeat */
    size_t offset;        /* of its field in the options struct */
    const char *arg;      /* the value's name in the help; NULL for flags */
    const char *fallback; /* the default as the help shows it; NULL for none */
    const char *help;     /* what it does, one line */
    const char *choices[8];
    const char *needs[2]; /* names of options that must be given with it */
};

enum sp_opt_style {
    SP_OPT_FULL,    /* as described above */
    SP_OPT_COMMAND, /* the same, and what follows "--" is a command */
    SP_OPT_BARE, /* no "=", no "--", any next argument is a value, help and version stand alone */
};

/* Outcomes of sp_opt_parse(). */
#define SP_OPT_E_HELP    1
#define SP_OPT_E_VERSION 2

/*
 * Parses argv[1] onward.
 *
 * table:    n_table entries.
 * options:  the struct that the offsets are of, all zero; on failure half filled. Texts and paths
 *           are argv's own strings.
 * ret_rest: the index of the first argument after "--"; argc when there is none left.
 * Returns:  0; SP_OPT_E_HELP or SP_OPT_E_VERSION; negative on a usage error, told in ret_err.
 */
int sp_opt_parse(const struct sp_opt *table, size_t n_table, enum sp_opt_style style, int argc,
                 char **argv, void *options, int *ret_rest, struct sp_err *ret_err);

/* Prints the option lines of a help text. */
void sp_opt_print_help(const struct sp_opt *table, size_t n_table, FILE *out);
