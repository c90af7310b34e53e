#pragma once

/*
 * What the parts of transport_http share: the connection to one endpoint (`struct http`), the POSTs
 * of its lines, the server's own stream, and starting a session again.
 *
 *     transport_http.c  the transport's operations, the order of lines, the end
 *     http_post.c       one POST and what becomes of its answer
 *     http_modern.c     what messages that state their revision ask for
 *     http_stream.c     the stream that the server writes on by itself (GET)
 *     http_reinit.c     a new session in place of one that the server has ended
 *     http_text.c       texts
 */

#include <sys/queue.h>
#include <uv.h>

#include "io/httpc.h"
#include "io/sse.h"
#include "mcp/message.h"
#include "mcp/paramheader.h"
#include "transport/http_text.h"
#include "transport/transport_http.h"

struct http;

/* Whose message a POST carries. */
enum http_post_kind {
    HTTP_POST_HOST,
    HTTP_POST_INIT,        /* the proxy's: the kept initialize */
    HTTP_POST_INITIALIZED, /* the proxy's: the kept notification */
    HTTP_POST_LIST,        /* the proxy's: tools/list for a call that the server refused */
};

/* What its answer is. */
enum http_answer {
    HTTP_ANSWER_NONE,    /* not there yet */
    HTTP_ANSWER_IGNORED, /* 202, or a GET that could not resume a stream */
    HTTP_ANSWER_REFUSED, /* outside 2xx; the body is read for an error of the server's */
    HTTP_ANSWER_EVENTS,
    HTTP_ANSWER_BODY,
};

/*
 * One POST.
 *
 *     waiting ──► out ──► answered: gone
 *                  │ ▲
 *                  ▼ │ by itself, in h->out all the time:
 *                  the stream broke off and can be resumed: a timer, then a GET
 *                  the call's headers did not fit: tools/list is asked, then it is sent again
 *
 * In a session that has ended it waits in h->refused, to be sent again in the next one.
 */
struct http_post {
    TAILQ_ENTRY(http_post) link; /* in h->waiting, h->out or h->refused */
    struct http *h;
    enum http_post_kind kind;
    struct http_post *parent; /* of HTTP_POST_LIST: the call it is for, which stays in h->out */
    struct line *line;
    struct sp_str body;
    struct message message; /* spans into the line */
    bool is_modern;
    struct sp_str *ids; /* of the requests in it that have no answer yet; spans */
    size_t n_ids;
    unsigned generation; /* of the session it was sent in; 0: without a session */
    bool is_resent;      /* in a session that was started again */
    bool is_refreshed;   /* the tool list was asked for on its behalf */

    struct httpc_request *request; /* NULL: none is out */
    enum http_answer answer;
    struct http_refusal refusal;
    struct sp_buf text; /* of HTTP_ANSWER_BODY and _REFUSED */
    struct sse sse;     /* of HTTP_ANSWER_EVENTS */
    bool has_sse;
    bool has_noted_text; /* said once on stderr that a text is not JSON */
    bool is_resuming;    /* the request that is out is a GET */
    unsigned n_failures; /* to resume, in a row */
    unsigned n_pages;    /* of the tool list that was asked for */
    uv_timer_t timer;    /* until it is resumed */
    bool has_timer;
};

TAILQ_HEAD(http_posts, http_post);

/* The shortest time before a stream is opened again, whatever the server says, ms. */
#define HTTP_MIN_WAIT_MS 100

/* The server's own stream. */
struct http_stream {
    bool has_begun;   /* it opens once */
    bool has_stopped; /* for good */
    struct httpc_request *request;
    bool is_open; /* 2xx came */
    bool had_event;
    struct sse sse;
    bool has_sse;
    bool has_noted_text;
    unsigned n_failures; /* in a row */
    unsigned n_empty;    /* streams without an event, in a row */
    uv_timer_t timer;    /* until it opens again */
};

enum http_state {
    HTTP_OPEN,
    HTTP_DELETING, /* every POST has ended; DELETE is out */
    HTTP_OVER,
};

enum http_reinit_state {
    HTTP_REINIT_NONE,
    HTTP_REINIT_DUE,         /* begins in the next turn of the loop */
    HTTP_REINIT_INIT,        /* the kept initialize is out */
    HTTP_REINIT_INITIALIZED, /* the kept notification is out */
};

struct http {
    struct transport base;
    uv_loop_t *loop;
    uint64_t zero_ns;
    struct httpc *client;
    struct url url;
    struct sp_err url_error;      /* why the URL cannot be used; "" when it can */
    struct httpc_header *headers; /* the user's; names and values are owned */
    size_t n_headers;
    struct paramheader_tools *tools;

    enum http_state state;
    bool is_ending; /* no more lines will come from the host */
    bool is_held;   /* nothing is to be read */
    bool is_client_closed;
    bool is_closing;
    unsigned n_handles; /* timers that are not closed */

    struct http_posts waiting; /* lines that wait for `gate`, or to be taken up */
    size_t n_waiting_bytes;
    struct http_posts out;
    struct http_post *gate; /* what later lines wait for; NULL for nothing */

    char *session_id;    /* NULL: none */
    char *version;       /* of the protocol; NULL: not known */
    unsigned generation; /* counts sessions */
    struct http_stream stream;
    struct httpc_request *deletion;
    uv_timer_t limit; /* of the deletion */
    uv_timer_t soon;  /* fires in the next turn of the loop: for what may not call back at once */

    /* Starting again (http_reinit.c). */
    bool can_reinit;
    enum http_reinit_state reinit;
    bool is_lost;           /* the session has ended and the last attempt at another failed */
    struct line *kept_init; /* answered with a result; NULL: none */
    struct line *kept_initialized; /* NULL: none */
    char *kept_result;             /* canonical parts of the first result, to compare */
    unsigned n_reinits;
    unsigned n_lists;          /* of HTTP_POST_LIST, to number their ids */
    struct http_posts refused; /* posts that wait for the new session */
};

/* The session's time in ms, for lines. */
uint64_t http_now_ms(const struct http *h);

/* Gives a line to the host and the log; takes the caller's reference. */
void http_give(struct http *h, struct line *line, enum line_from from);

/* Gives a line to the log alone; takes the caller's reference. */
void http_keep(struct http *h, struct line *line, enum line_from from);

/* The lines of one turn have been given. */
void http_pause(struct http *h);

/* Goes on with what can go on: lines that wait, the end. Called after everything that ends. */
void http_step(struct http *h);

/* The same in the next turn of the loop: for operations, which do not call back. */
void http_step_soon(struct http *h);

/*
 * Sends a request with the user's headers, and those given, to the endpoint.
 *
 * has_session: whether session id and version go with it, as far as they are known.
 */
struct httpc_request *http_send(struct http *h, const char *method, bool has_session,
                                const struct httpc_header *headers, size_t n_headers, bool has_body,
                                struct sp_str body, const struct httpc_callbacks *callbacks,
                                void *owner);

/* A text that is not JSON has come: it is recorded, and said on stderr once a stream. */
void http_keep_text(struct http *h, struct sp_str text, bool *io_has_noted);

/* Takes a line's reference, classifies it, gives a post that is in no list. */
struct http_post *http_post_new(struct http *h, enum http_post_kind kind, struct line *line);

/* Sends a post, which goes to h->out; one that cannot be sent fails in the next turn. */
void http_post_send(struct http_post *p);

/*
 * Whether it has all its answers and only a GET that resumed its stream is out, which a server may
 * keep open: the end need not wait for that.
 */
bool http_post_is_idle(const struct http_post *p);

/* Sends one that is in h->out once more, as if nothing had come for it. */
void http_post_send_again(struct http_post *p);

/* Ends one that is in h->out: nothing more is given for it. */
void http_post_cancel(struct http_post *p);

/* Answers what is not answered with an error, and ends it; `refusal` may be NULL. */
void http_post_fail(struct http_post *p, const char *message, const struct http_refusal *refusal);

/* Frees a post that is in no list and has no request. */
void http_post_free(struct http_post *p);

/* Fails the posts that could not be sent. */
void http_post_fail_unsent(struct http *h);

/* The headers that a modern message asks for; none for another one. */
struct http_modern_headers {
    struct httpc_header *v; /* names and values are owned */
    size_t n;
};

struct http_modern_headers http_modern_headers(const struct http_post *p);
void http_modern_headers_deinit(struct http_modern_headers *m);

/* Learns a listing of tools; gives it, without the tools that cannot be offered. */
void http_modern_give_tools(struct http *h, struct sp_str text);

/* A call met a mismatch of headers for the first time: takes it, and asks for the tools. */
bool http_modern_refresh(struct http_post *p);

/* A HTTP_POST_LIST has ended; `answer` is NULL when it brought none. */
void http_modern_list_ended(struct http_post *list, const struct jscan *answer);

void http_stream_open(struct http *h);   /* only the first call opens it */
void http_stream_reopen(struct http *h); /* in a new session */
void http_stream_stop(struct http *h);   /* for good */
void http_stream_close(struct http *h);  /* its handles; see h->n_handles */

/* The host's initialize was answered with this message; keeps what starting again needs. */
void http_reinit_keep(struct http *h, struct http_post *p, const struct jscan *answer);

/*
 * A post of the host's met a 404.
 *
 * Returns: whether it is taken and will be sent again or failed later.
 */
bool http_reinit_take(struct http_post *p);

/* A line of the host's comes up while h->is_lost: takes it, and begins again in the next turn. */
void http_reinit_retry(struct http_post *p);

/* Begins if that is due. */
void http_reinit_begin_due(struct http *h);

/* A post of the proxy's own has ended; `answer` is its answer's message, NULL when there is none.
 */
void http_reinit_post_ended(struct http *h, enum http_post_kind kind, const struct jscan *answer);
