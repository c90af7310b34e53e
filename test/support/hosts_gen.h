#pragma once

/*
 * Random configurations of hosts for tests, in every layout: servers that are commands or URLs,
 * with and without arguments, environment and headers, on one line or many, with comments and
 * trailing commas, spaces or tabs, LF or CRLF. A comment is like no other of the text.
 */

#include "json_gen.h"

struct hosts_gen {
    struct json_gen g;
    unsigned n_comments; /* made so far */
};

/* Appends a configuration. */
void hosts_gen_put(struct hosts_gen *h, struct sp_buf *b);

/* Appends an entry's object alone. */
void hosts_gen_put_entry(struct hosts_gen *h, struct sp_buf *b);
