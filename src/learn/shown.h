#pragma once

/*
 * Where the values that a session's calls pass came from: the most recent of its outputs, as
 * flow/outputs.h reads them, that holds a string, or all strings of a list, and the path there.
 *
 * What will be asked about is told first, so that of the outputs nothing else has to be kept. An
 * output costs what it is long, and a question about what later outputs have changed nothing of
 * costs nothing; only a list whose strings often stand in one output but at no common path costs
 * the outputs that hold the rarest of them.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_str.h"

/* A value that an argument has, in canonical JSON. */
enum shown_kind {
    SHOWN_OTHER, /* nothing that is looked for */
    SHOWN_STRING,
    SHOWN_LIST, /* an array of strings only, at least one */
};

enum shown_kind shown_kind(struct sp_str value);

struct shown;

/* Begins a session without outputs; the caller's. */
struct shown *shown_new(void);

/* NULL is nothing. */
void shown_free(struct shown *s);

/* Tells of a string or a list that will be asked about; before the first output. */
void shown_want(struct shown *s, struct sp_str value);

/* Takes in a successful result; the tool's name is kept until shown_free(), the text is not. */
void shown_add(struct shown *s, struct sp_str tool, struct sp_str text);

/* Good until the next output. */
struct shown_place {
    struct sp_str tool; /* whose output it is */
    /*
     * "$", then ".KEY" for a member and "[*]" for an element. Of several paths it is the first in
     * document order. That of a string may lead elsewhere when a key holds "." or "["; that of a
     * list leads to all its strings.
     */
    struct sp_str path;
};

/* Finds where a value that was told of came from; returns whether it is known. */
bool shown_find(struct shown *s, struct sp_str value, struct shown_place *ret);
