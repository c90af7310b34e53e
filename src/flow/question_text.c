/* The state of a question: messages and calls, the latest in full, the earlier ones in short. */

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "flow/question_text.h"
#include "json/jput.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define ARROW    "\xe2\x86\x92"

/* How much of the session is shown: calls and messages, and characters of each text. */
#define MAX_RESULTS        4
#define MAX_EARLIER        16
#define MAX_LATER_MESSAGES 4
#define MAX_REQUEST_CHARS  1000
#define MAX_MESSAGE_CHARS  600
#define MAX_EARLIER_CHARS  160
#define MAX_RESULT_CHARS   1500

void question_text_clip(struct sp_buf *b, struct sp_str text, size_t max)
{
    struct sp_str rest = sp_unicode_trim(text);
    const char *start = rest.p;

    for (size_t i = 0; i < max && rest.len > 0; i++)
        (void)sp_utf8_next(&rest); /* only where it ends is wanted */
    if (rest.p > start)
        sp_buf_add(b, (struct sp_str){start, (size_t)(rest.p - start)});
    if (rest.len > 0)
        sp_buf_add(b, SP_STR(ELLIPSIS));
}

static void put_clipped(struct sp_buf *b, struct sp_str text, size_t max)
{
    struct sp_buf clipped = {0};

    question_text_clip(&clipped, text, max);
    jput_string(b, sp_buf_str(&clipped));
    sp_buf_deinit(&clipped);
}

static void put_later_messages(struct sp_buf *b, const struct episode *e, const struct recall *r)
{
    size_t first = r->n_users > MAX_LATER_MESSAGES + 1 ? r->n_users - MAX_LATER_MESSAGES : 1;

    sp_buf_add(b, SP_STR(",\"later_customer_messages\":["));
    for (size_t i = first; i < r->n_users; i++) {
        if (i > first)
            sp_buf_add_char(b, ',');
        put_clipped(b, e->events[r->users[i]].text, MAX_MESSAGE_CHARS);
    }
    sp_buf_add_char(b, ']');
}

/* Says in short what a call was and whether it succeeded. */
static void put_earlier(struct sp_buf *b, const struct steps_step *step)
{
    struct sp_buf text = {0};

    sp_buf_add(&text, step->call->name);
    sp_buf_add_char(&text, '(');
    question_text_clip(&text, step->call->arguments, MAX_EARLIER_CHARS);
    sp_buf_add(&text, step->outcome == STEPS_FAILED ? SP_STR(") " ARROW " error")
                                                    : SP_STR(") " ARROW " ok"));
    jput_string(b, sp_buf_str(&text));
    sp_buf_deinit(&text);
}

static void put_result(struct sp_buf *b, const struct steps_step *step)
{
    sp_buf_add(b, SP_STR("{\"arguments\":"));
    sp_buf_add(b, step->call->arguments);
    if (step->outcome == STEPS_FAILED)
        sp_buf_add(b, SP_STR(",\"error\":true"));
    sp_buf_add(b, SP_STR(",\"result\":"));
    put_clipped(b, step->result != NULL ? step->result->text : SP_STR("(no result)"),
                MAX_RESULT_CHARS);
    sp_buf_add(b, SP_STR(",\"tool_call\":"));
    jput_string(b, step->call->name);
    sp_buf_add_char(b, '}');
}

typedef void (*put_fn)(struct sp_buf *b, const struct steps_step *step);

/* Appends an array of calls, given the last first. */
static void put_calls(struct sp_buf *b, const struct steps_step *calls, size_t n, put_fn put)
{
    sp_buf_add_char(b, '[');
    for (size_t i = n; i-- > 0;) {
        put(b, &calls[i]);
        if (i > 0)
            sp_buf_add_char(b, ',');
    }
    sp_buf_add_char(b, ']');
}

/* The last calls of a view, the last one first. */
static size_t last_calls(const struct episode_view *view, struct steps_step *ret, size_t max)
{
    struct steps_iter it = steps_iter(view);
    size_t n = 0;

    while (n < max && steps_back(&it, &ret[n]))
        n += ret[n].call != NULL;
    return n;
}

void question_text_put_state(struct sp_buf *b, const struct episode_view *view,
                             const struct recall *recall)
{
    const struct episode *e = view->episode;
    struct steps_step calls[MAX_RESULTS + MAX_EARLIER];
    size_t n = last_calls(view, calls, MAX_RESULTS + MAX_EARLIER);
    size_t n_results = n < MAX_RESULTS ? n : MAX_RESULTS;

    sp_buf_add_char(b, '{');
    if (recall->n_message_past > 0) {
        sp_buf_add(b, SP_STR("\"agent_last_message\":"));
        put_clipped(b, e->events[recall->n_message_past - 1].text, MAX_MESSAGE_CHARS);
        sp_buf_add_char(b, ',');
    }
    sp_buf_add(b, SP_STR("\"customer_request\":"));
    if (recall->n_users > 0)
        put_clipped(b, e->events[recall->users[0]].text, MAX_REQUEST_CHARS);
    else
        sp_buf_add(b, SP_STR("null"));
    if (n > n_results) {
        sp_buf_add(b, SP_STR(",\"earlier_lookups\":"));
        put_calls(b, calls + n_results, n - n_results, put_earlier);
    }
    if (recall->n_users > 1)
        put_later_messages(b, e, recall);
    sp_buf_add(b, SP_STR(",\"latest_results\":"));
    put_calls(b, calls, n_results, put_result);
    sp_buf_add_char(b, '}');
}
