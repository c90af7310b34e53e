#pragma once

/*
 * What a session has shown, found by walking it from its beginning, as plainly as the chapter on
 * deciding tells it (sections 9.2 to 9.4). What is given lives in the session's arena.
 */

#include "trace/episode.h"

struct plain_texts {
    struct sp_str *of;
    size_t n;
    size_t max;
};

/* A value at a path, with its siblings. */
struct plain_value {
    struct sp_str text;
    struct plain_texts siblings;
};

struct plain_values {
    struct plain_value of[64];
    size_t n;
};

struct plain_output {
    size_t event;
    struct sp_str tool;
    struct sp_str json;
};

struct plain_made {
    size_t event; /* SIZE_MAX: pending */
    struct episode_call call;
};

struct plain_session {
    const struct episode *e;
    struct sp_arena arena;
    struct plain_output outputs[256];
    size_t n_outputs;
    struct plain_made made[512];
    size_t n_made;
    struct sp_str customer;
    struct plain_texts given;
};

/* Reads a view into a zeroed session whose `e` is set. */
void plain_session_read(struct plain_session *m, const struct episode_view *view);

/* Copies a buffer's text and ends the buffer. */
struct sp_str plain_session_keep(struct plain_session *m, struct sp_buf *b);

void plain_session_add_text(struct plain_session *m, struct plain_texts *t, struct sp_str text);
bool plain_session_has_text(const struct plain_texts *t, struct sp_str text);

/* The text by which a value is compared. */
struct sp_str plain_session_value_text(struct plain_session *m, struct sp_str json);

/* A successful result as canonical JSON. */
struct sp_str plain_session_output(struct plain_session *m, struct sp_str content);

const struct plain_values *
plain_session_values_of(struct plain_session *m, const struct plain_output *o, struct sp_str path);

/* Adds every string member of that name, at any depth. */
void plain_session_named(struct plain_session *m, struct sp_str value, struct sp_str key,
                         struct plain_values *ret);

void plain_session_scalars(struct plain_session *m, struct sp_str value, struct plain_texts *ret);
bool plain_session_mentions(struct plain_session *m, struct sp_str text);
bool plain_session_mentions_record(struct plain_session *m, const struct plain_value *v);
bool plain_session_is_from_customer(struct plain_session *m, struct sp_str text);
