#pragma once

/*
 * Reads one HTTP/1.1 answer out of bytes that come in any pieces, strictly: llhttp with no lenient
 * flag. Interim answers (1xx) are passed over.
 *
 * Thread: any, one at a time.
 */

#include <llhttp.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "io/httpc.h"

/* What the one who feeds is told about; false stops the reading, see httpresp_feed(). */
struct httpresp_callbacks {
    bool (*on_head)(void *owner, const struct httpc_head *head);
    bool (*on_body)(void *owner, struct sp_str bytes);
};

/* Outcomes. */
enum httpresp_outcome {
    HTTPRESP_DONE,        /* the answer is complete */
    HTTPRESP_MORE,        /* it is not; all bytes were taken */
    HTTPRESP_STOPPED,     /* a callback returned false; feeding again goes on there */
    HTTPRESP_E_BAD,       /* this is no HTTP answer, or its body is not well-formed */
    HTTPRESP_E_TOO_LARGE, /* past HTTPC_MAX_HEAD or HTTPC_MAX_INTERIM */
    HTTPRESP_E_CUT,       /* it has ended before it was complete */
};

/* Where a header's parts lie in the text of the head. */
struct httpresp_field {
    size_t name;
    size_t name_len;
    size_t value;
    size_t value_len;
};

struct httpresp {
    llhttp_t parser;
    const struct httpresp_callbacks *callbacks;
    void *owner;
    struct sp_buf text; /* the names and values of the head, one after the other */
    struct httpresp_field *fields;
    size_t n_fields;
    size_t max_fields; /* allocated */
    size_t n_head;     /* bytes of the head so far */
    unsigned n_interim;
    bool is_in_field; /* the last field's name has begun, its value not ended */
    bool is_begun;    /* a byte has come */
    bool has_head;    /* the final head is complete */
    bool is_bodiless;
    bool is_complete;
    bool is_kept_alive; /* when complete: whether the connection can carry a further answer */
};

/* Makes a reader; the table is kept. */
void httpresp_init(struct httpresp *r, const struct httpresp_callbacks *callbacks, void *owner);
void httpresp_deinit(struct httpresp *r);

/*
 * Begins an answer.
 *
 * is_bodiless: the answer has no body whatever its head says, as one to CONNECT.
 */
void httpresp_start(struct httpresp *r, bool is_bodiless);

/*
 * Takes the next bytes, which may be none. After DONE or an error only httpresp_start() may follow.
 *
 * ret_taken: how many were taken; with DONE what is left belongs to no answer.
 */
enum httpresp_outcome httpresp_feed(struct httpresp *r, struct sp_str bytes,
                                    size_t *ret_taken) SP_MUST_CHECK;

/* The connection has ended: DONE when that ends the answer in order, else E_CUT. */
enum httpresp_outcome httpresp_finish(struct httpresp *r) SP_MUST_CHECK;
