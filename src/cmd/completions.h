#pragma once

/*
 * Completion scripts for `stretto`, one writer for each shell. They are made of the commands'
 * tables alone, so a script knows what the program that printed it knows.
 *
 * Every script offers the commands; after a command its options, and its arguments if it takes any;
 * after an option its choices, files or directories, or nothing where any text may follow; and
 * after `help` the commands. What follows "--" are files, unless the arguments are known words.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"
#include "cmd/cmd.h"

/* The command at `i`, or NULL past the last: cmd_at(). */
typedef const struct cmd *(*completions_at_fn)(size_t i);

void completions_bash_put(struct sp_buf *out, completions_at_fn at);
void completions_elvish_put(struct sp_buf *out, completions_at_fn at);
void completions_fish_put(struct sp_buf *out, completions_at_fn at);
void completions_powershell_put(struct sp_buf *out, completions_at_fn at);
void completions_zsh_put(struct sp_buf *out, completions_at_fn at);

/* What is known of the value of an option, or of a command's arguments. */
enum completions_value {
    COMPLETIONS_NONE,      /* there is none */
    COMPLETIONS_TEXT,      /* any text */
    COMPLETIONS_WORDS,     /* one of some words */
    COMPLETIONS_FILE,      /* a path, whose name in the help ends in FILE or PATH, or is unknown */
    COMPLETIONS_DIRECTORY, /* a path whose name in the help ends in DIR */
};

enum completions_value completions_value_of(const struct sp_opt *opt);

/*
 * What a command's arguments are: none, words or paths.
 *
 * ret_name: what the help calls them; NULL for none.
 */
enum completions_value completions_arguments_of(const struct cmd *cmd, const char **ret_name);

/* Whether an option may be given more than once. */
bool completions_may_repeat(const struct sp_opt *opt);

/* Appends an option's choices, with `between` between them. */
void completions_put_choices(struct sp_buf *out, const struct sp_opt *opt, const char *between);

/* Appends words that NULL ends, with `between` between them. */
void completions_put_words(struct sp_buf *out, const char *const *words, const char *between);

/* Appends the names of all commands, with `between` between them. */
void completions_put_commands(struct sp_buf *out, completions_at_fn at, const char *between);

/* Appends something of one command. */
typedef void (*completions_put_fn)(struct sp_buf *out, const struct cmd *cmd);

/* Appends it of all commands. */
void completions_put_each(struct sp_buf *out, completions_at_fn at, completions_put_fn put);

/* Appends one name of an option: "-" and its letter, or "--" and its name. */
typedef void (*completions_name_fn)(struct sp_buf *out, const char *dashes, struct sp_str name,
                                    const struct sp_opt *opt);

/* Appends all names of a command's options. */
void completions_put_names(struct sp_buf *out, const struct cmd *cmd, completions_name_fn put);

/* A character, and what is written in its place. */
struct completions_escape {
    char c; /* '\0' ends a list of these */
    const char *as;
};

void completions_put_escaped(struct sp_buf *out, const char *text,
                             const struct completions_escape *escapes);
