#pragma once

/*
 * The head of an HTTP request, read leniently: what is malformed in it is passed over.
 *
 * Thread: any.
 */

#include "base/sp_str.h"

/* What the demo server looks at. Views into the head; `p` is NULL when the head lacks the part. */
struct demo_head {
    struct sp_str method;
    struct sp_str path; /* of the target, without its query */
    /* The values of header fields, without the space around them; of a repeated one the first. */
    struct sp_str authorization;
    struct sp_str content_length;
    struct sp_str protocol_version;
    struct sp_str session_id;
};

/*
 * Looks for the blank line that ends a head. Lines end with LF or CR LF; blank lines before the
 * first other one do not count.
 *
 * io_from: 0 at first; where the next search of the same head, grown, is to begin.
 * Returns: the length of the head with that line; 0 when it has not ended.
 */
size_t demo_head_end(struct sp_str bytes, size_t *io_from);

/* Reads a head, of which the end may be missing. A header line without ":" is skipped. */
void demo_head_parse(struct sp_str head, struct demo_head *ret);
