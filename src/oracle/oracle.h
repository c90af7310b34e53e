#pragma once

/*
 * Questions to a System-One model and its answers: typed questions about a state, answered with
 * probabilities (https://docs.typesafe.ai). Pure data; who answers is another matter.
 *
 * The texts that are written here are an interface: answers are kept under a hash of the request's
 * canonical bytes, so that a change of one byte loses all of them.
 *
 * Thread: any, one at a time.
 */

#include <stdint.h>

#include "base/sp_alloc.h"
#include "base/sp_arena.h"
#include "base/sp_err.h"

/* The model that is asked where nobody names one. */
#define ORACLE_DEFAULT_MODEL "jev-latest"

enum oracle_type {
    ORACLE_NOUL,   /* yes or no */
    ORACLE_CHOICE, /* one of several options */
    ORACLE_SCORE,  /* a rating on ordered levels */
};

/* A name with its text: an option of a choice with what it means. */
struct oracle_option {
    struct sp_str name; /* of a level not used */
    struct sp_str text;
};

struct oracle_question {
    struct sp_str id;
    enum oracle_type type;
    struct sp_str instructions;
    struct sp_str yes; /* NOUL: what counts as yes, and as no; yes.p is NULL for none of both */
    struct sp_str no;
    struct oracle_option *options; /* CHOICE: any order, the names all different */
    size_t n_options;              /* SCORE: the levels, lowest first */
};

/* Views are borrowed, or look into the arena. */
struct oracle_request {
    struct sp_str model;
    struct sp_str state;               /* text of a JSON value that jscan() accepts, in any form */
    struct oracle_question *questions; /* in any order, the ids all different */
    size_t n_questions;
    struct sp_arena arena; /* for whoever builds it */
};

/* Frees the arena and leaves a zeroed struct. */
void oracle_request_deinit(struct oracle_request *r);

/*
 * Appends the request's canonical bytes, of which the key is made and which are sent: canonical
 * JSON (jcanon.h), but for the order of the members of the request (model, state, questions), of
 * each question (type, instructions, criteria) and of a yes-or-no question's criteria (true,
 * false). Texts that are not valid UTF-8 are repaired as jput_string() does.
 */
void oracle_put_request(struct sp_buf *b, const struct oracle_request *r);

/*
 * Reads a request. Members that are not known are ignored; of a name that occurs twice the last
 * counts.
 *
 * object:  any value's span, as in jget.h.
 * ret:     the caller's, ended by oracle_request_deinit(), borrowing nothing; untouched on failure.
 * Returns: 0, or negative with the cause in ret_err, which names the place.
 */
int oracle_read_request(struct sp_str object, struct oracle_request *ret,
                        struct sp_err *ret_err) SP_MUST_CHECK;

/* A probability of something named. */
struct oracle_chance {
    struct sp_str name; /* an option; of a score the level's number */
    double p;
};

/* Numbers are finite, but not checked to be probabilities, nor to sum to one. */
struct oracle_answer {
    struct sp_str id;
    enum oracle_type type;
    double noul;                   /* NOUL: probability of yes */
    struct sp_str choice;          /* CHOICE */
    double score;                  /* SCORE */
    struct oracle_chance *chances; /* CHOICE and SCORE; in byte order of their names */
    size_t n_chances;
    double confidence;    /* CHOICE and SCORE */
    struct sp_str legend; /* SCORE: canonical JSON */
};

/* Views look into the arena. */
struct oracle_response {
    struct sp_str model;           /* the exact version that answered */
    struct oracle_answer *answers; /* in byte order of their ids */
    size_t n_answers;
    uint64_t input_tokens;
    uint64_t output_tokens;
    struct sp_arena arena; /* private */
};

/*
 * Reads a response: of the service, of a cached file. Members that are not known are ignored; of a
 * name that occurs twice the last counts; a missing `usage`, or count in it, is 0.
 *
 * text:    any bytes. JSON that jansson does not hold is refused: whole numbers beyond a signed 64
 *          bits, NUL in names.
 * ret:     the caller's, ended by oracle_response_deinit(); untouched on failure.
 * Returns: 0, or negative with the cause in ret_err: one line, which names the place and quotes
 *          nothing but the ids of questions.
 */
int oracle_parse_response(struct sp_str text, struct oracle_response *ret,
                          struct sp_err *ret_err) SP_MUST_CHECK;

/* Frees the arena and leaves a zeroed struct. */
void oracle_response_deinit(struct oracle_response *r);

/* The answer to a question; NULL when there is none. */
const struct oracle_answer *oracle_answer_of(const struct oracle_response *r, struct sp_str id);

/* The probability of an option; 0 when the answer names none. */
double oracle_chance_of(const struct oracle_answer *a, struct sp_str name);

/* Appends the text of a cache's file: indented JSON without a newline at the end. */
void oracle_put_response(struct sp_buf *b, const struct oracle_response *r);

/*
 * The stand-in without a model: answers anything by a fixed rule, whatever the texts say.
 *
 * ret: the caller's, ended by oracle_response_deinit(); refers to nothing of the request.
 */
void oracle_mock(const struct oracle_request *r, struct oracle_response *ret);
