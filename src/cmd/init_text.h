#pragma once

/*
 * What `stretto init` prints: a host's configuration, and what to do next.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"
#include "base/sp_opt.h"
#include "config/hostconfig.h"

/* A server behind the proxy, as a host is to run it. */
struct init_plan {
    const struct hostconfig_host *host;
    struct sp_str domain;
    const char *proxy;

    const char *flow; /* as the proxy is given it; NULL: none */
    const char *decider;
    bool has_arbiter; /* the flow does */
    bool is_shadow;

    const char *record;
    bool is_record_given; /* by the user, and not the default */

    const char *upstream; /* NULL: a command */
    const struct sp_opt_list *headers;
    char **command;
    size_t n_command;

    const char *write; /* the file that is written; NULL: none */
};

/* Appends the configuration as JSON, indented, with its last newline. */
void init_text_put_json(struct sp_buf *b, const struct init_plan *p);

/* Appends the command that adds the server to a host that has one, with its newline. */
void init_text_put_add(struct sp_buf *b, const struct init_plan *p);

/* Appends the steps that follow, numbered, with commands to run. */
void init_text_put_steps(struct sp_buf *b, const struct init_plan *p);

/*
 * Appends a word for a POSIX shell: as it is when it is made of ASCII letters, digits and
 * "-_./:=@%+,~" alone and not empty, else in single quotes.
 */
void init_text_put_word(struct sp_buf *b, struct sp_str word);
