#pragma once

/*
 * What the files of redaction share: the table of values, the pieces of texts, the phrases, and
 * which parts of a message hold data.
 *
 * A value is known by its key: the text without white space at its ends, in lower case, without
 * number signs before it. So "#K7", "k7" and " K7 " are one value.
 *
 * Thread: any, one at a time.
 */

#include <openssl/evp.h>

#include "base/sp_arena.h"
#include "base/sp_map.h"
#include "trace/redact.h"
#include "trace/tracemsg.h"

/* The index of no value. */
#define REDACT_NONE SIZE_MAX

struct redact_value {
    struct sp_str key;    /* never empty */
    size_t n_sessions;    /* that contain it */
    size_t last_session;  /* the number of the last of them, from 1 */
    const char *hash;     /* NUL-terminated; NULL while it was never asked for */
    unsigned replaced_at; /* bits of redact_place */
    bool is_declared;
    bool is_forced;
    bool is_phrase; /* of at least two words */
    bool is_kept;   /* it stood in a copy */
};

/* A place in the tree of phrases; its number is its index, 0 the root. */
struct redact_node {
    size_t value; /* of the phrase that ends here; REDACT_NONE if none does */
};

/*
 * The methods of the requests of one log, by id, as far as its walk has come. A zeroed struct is
 * empty.
 */
struct redact_asked {
    struct sp_map by_id; /* to enum method of redact_shape.c */
    struct sp_arena ids;
    struct sp_buf id; /* scratch */
};

struct redact {
    const struct redact_options *options;
    EVP_MD *sha256;
    EVP_MD_CTX *salted; /* has taken in the salt and the byte after it */
    EVP_MD_CTX *digest;

    struct redact_value *values;
    size_t n_values;
    size_t max_values;
    struct sp_map by_key; /* to indexes of `values` */
    struct sp_arena arena;
    struct sp_map fields; /* keys of the options' names */
    size_t n_sessions;    /* logs counted so far, the current one included */

    struct redact_node *nodes;
    size_t n_nodes;
    size_t max_nodes;
    struct sp_map edges; /* a node's number and a value's index to the next node's number */

    struct redact_summary summary;
    struct sp_buf key; /* scratch, as the rest; each belongs to one function */
    struct sp_buf message;
    struct sp_buf text;
    struct sp_buf json;
    struct sp_buf leaf;
    struct sp_buf out;
    struct sp_buf rewritten;
    struct sp_buf canonical;
    struct sp_buf raw;
    size_t *words; /* the values of a line's words */
    size_t max_words;
};

/* Replaces the content of `ret` by the key of a text, which is valid UTF-8. */
void redact_key(struct sp_str text, struct sp_buf *ret);

/* The index of a text's value, which is added if it is new; REDACT_NONE if its key is empty. */
size_t redact_find(struct redact *r, struct sp_str text);

/* The same for a key as such. */
size_t redact_find_key(struct redact *r, struct sp_str key);

/* What replaces a value; a `p` of NULL if nothing does. */
struct sp_str redact_pseudonym(struct redact *r, size_t value);

/* The same, noting for the summary that the value stands in a copy. */
struct sp_str redact_replace(struct redact *r, size_t value, enum redact_place place);

/* The text of a string's span; good while `scratch` does not change. */
struct sp_str redact_text(struct sp_str string, struct sp_buf *scratch);

/*
 * Whether a tool's text is a JSON object or array.
 *
 * ret: what the scanner found; untouched if not.
 */
bool redact_text_is_json(struct sp_str text, struct jscan *ret);

/* Takes the next line: up to LF, without that and a CR before it, or what is left. */
bool redact_next_line(struct sp_str *rest, struct sp_str *ret);

/* Takes the next word: what stands between white space. */
bool redact_next_word(struct sp_str *rest, struct sp_str *ret);

/* A word without the punctuation at both ends. */
struct sp_str redact_core(struct sp_str word);

/* Builds the tree of all phrases that are replaced. */
void redact_phrases_build(struct redact *r);

/*
 * The longest phrase that the words from the first one on are.
 *
 * words:    the values of their cores.
 * ret_len:  how many words it has.
 * Returns:  its value; REDACT_NONE if there is none.
 */
size_t redact_phrases_find(const struct redact *r, const size_t *words, size_t n_words,
                           size_t *ret_len);

/* How the parts of a message are read. */
enum redact_how {
    REDACT_PARTS,    /* an object; some of its members are data */
    REDACT_ELEMENTS, /* an array; each element as the only part says */
    REDACT_LEAVES,   /* strings, numbers and names, at any depth */
    REDACT_TEXT,     /* a tool's text: the leaves of JSON, or lines */
    REDACT_WORDS,    /* running text */
    REDACT_LISTING,  /* of tools: nothing is data, but it declares names */
};

struct redact_part {
    struct sp_str name; /* empty in an array */
    const struct redact_shape *shape;
};

struct redact_shape {
    enum redact_how how;
    enum redact_place place;
    struct redact_part parts[4]; /* ended by one without a shape */
};

/*
 * The shape of the next message of a log; NULL if it holds no data. Requests are noted in `asked`.
 */
const struct redact_shape *redact_shape_of(struct redact_asked *asked, const struct tracemsg *m);

/* The shape of an object's member; NULL if it is no data. */
const struct redact_shape *redact_part_of(const struct redact_shape *shape, struct sp_str name);

/* The shape of the text of a line that is no message. */
extern const struct redact_shape redact_raw;

void redact_asked_deinit(struct redact_asked *asked);
