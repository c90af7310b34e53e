/* Requests of tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "answer.h"

static void on_head(void *owner, const struct httpc_head *head)
{
    struct answer *a = owner;

    assert_false(a->is_over);
    a->n_heads++;
    a->status = head->status;
    for (size_t i = 0; i < head->n_headers; i++) {
        const struct httpc_header *h = &head->headers[i];

        sp_buf_addf(&a->headers, "%.*s: %.*s\n", SP_STR_ARG(h->name), SP_STR_ARG(h->value));
    }
    if (a->hook != NULL)
        a->hook(a, ANSWER_HEAD);
}

static void on_body(void *owner, struct sp_str bytes)
{
    struct answer *a = owner;

    assert_false(a->is_over);
    assert_int_equal(a->n_heads, 1);
    a->n_bodies++;
    sp_buf_add(&a->body, bytes);
    if (a->hook != NULL)
        a->hook(a, ANSWER_BODY);
}

static void on_end(void *owner, enum httpc_error error, const char *cause)
{
    struct answer *a = owner;

    assert_false(a->is_over);
    assert_int_equal(error == HTTPC_OK, cause[0] == '\0');
    a->is_over = true;
    a->error = error;
    snprintf(a->cause, sizeof a->cause, "%s", cause);
    if (a->hook != NULL)
        a->hook(a, ANSWER_END);
    a->request = NULL;
}

static const struct httpc_callbacks callbacks = {on_head, on_body, on_end};

void answer_send(struct answer *a, struct httpc *client, const char *method, const char *url,
                 const char *body)
{
    static const struct httpc_header headers[] = {
        {{"X-Test", 6}, {"yes", 3}},
        {{"Content-Type", 12}, {"text/plain", 10}},
        {{"X-Empty", 7}, {"", 0}},
    };
    struct sp_err err;
    struct url u;

    assert_int_equal(url_parse(sp_str_of(url), &u, &err), 0);
    a->request = httpc_send(client, method, &u, headers, 3, body != NULL,
                            sp_str_of(body != NULL ? body : ""), &callbacks, a);
    url_deinit(&u);
    assert_false(a->is_over);
}

void answer_cancel(struct answer *a)
{
    httpc_cancel(a->request);
    a->request = NULL;
}

void answer_deinit(struct answer *a)
{
    sp_buf_deinit(&a->headers);
    sp_buf_deinit(&a->body);
    *a = (struct answer){0};
}
