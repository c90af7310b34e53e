#pragma once

/* Requests of tests: sends them with httpc and collects what it tells. */

#include "base/sp_buf.h"
#include "io/httpc.h"

enum answer_event { ANSWER_HEAD, ANSWER_BODY, ANSWER_END };

struct answer {
    struct httpc_request *request; /* NULL once it has ended */
    size_t n_heads;
    unsigned status;
    struct sp_buf headers; /* "name: value" and LF each */
    struct sp_buf body;
    size_t n_bodies; /* calls of on_body */
    bool is_over;
    enum httpc_error error;
    char cause[256];

    /* Called at the end of each callback; NULL for nothing. */
    void (*hook)(struct answer *a, enum answer_event event);
    void *arg; /* the hook's */
};

/*
 * Sends a request with the headers "X-Test: yes", "Content-Type: text/plain" and "X-Empty: ".
 *
 * url:  a whole URL.
 * body: NULL for none.
 */
void answer_send(struct answer *a, struct httpc *client, const char *method, const char *url,
                 const char *body);

/* Ends the request. */
void answer_cancel(struct answer *a);

void answer_deinit(struct answer *a);
