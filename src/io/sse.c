/*
 * Server-sent events.
 *
 *  1. sse_feed() passes over a byte-order mark and finds the ends of lines.
 *  2. take_part() takes what a line has up to there, or up to the end of the piece. The field's
 * name is gathered first; it decides where the value goes. Data goes straight to the event's, so
 * that no large value is held twice; what cannot matter is not kept at all.
 *  3. end_line() makes the value count; a blank line dispatches the event.
 */

#include "io/sse.h"

#define SSE_PAST_BOM 4

/* A buffer for an event's data that has grown above this is given back afterwards. */
#define KEPT_CAP ((size_t)1024 * 1024)

static const char bom[] = {'\xef', '\xbb', '\xbf'};

static void begin_stream(struct sse *s)
{
    s->line = SSE_LINE_NAME;
    s->name_len = 0;
    s->after_cr = false;
    s->n_bom = 0;
}

void sse_init(struct sse *s, size_t max_event, sse_event_fn on_event, void *owner)
{
    *s = (struct sse){.owner = owner, .on_event = on_event, .max_event = max_event};
    begin_stream(s);
}

void sse_deinit(struct sse *s)
{
    sp_buf_deinit(&s->id);
    sp_buf_deinit(&s->value);
    sp_buf_deinit(&s->data);
    sp_buf_deinit(&s->new_id);
}

static int add(struct sse *s, struct sp_buf *b, struct sp_str part)
{
    if (part.len > s->max_event - b->len)
        return SSE_E_TOO_LARGE;
    sp_buf_add(b, part);
    return 0;
}

static bool is_name(const struct sse *s, struct sp_str name)
{
    return sp_str_eq((struct sp_str){s->name, s->name_len}, name);
}

/* The name is complete. */
static int begin_value(struct sse *s)
{
    s->at_value = true;
    sp_buf_clear(&s->value);
    if (is_name(s, SP_STR("data"))) {
        s->line = SSE_LINE_DATA;
        return s->has_data ? add(s, &s->data, SP_STR("\n")) : 0;
    }
    if (is_name(s, SP_STR("id")))
        s->line = SSE_LINE_ID;
    else if (is_name(s, SP_STR("retry")))
        s->line = SSE_LINE_RETRY;
    else
        s->line = SSE_LINE_SKIPPED;
    return 0;
}

static int take_value(struct sse *s, struct sp_str part)
{
    if (part.len > 0 && s->at_value) {
        s->at_value = false;
        if (part.p[0] == ' ')
            part = sp_str_sub(part, 1, part.len);
    }
    switch (s->line) {
    case SSE_LINE_DATA:
        return add(s, &s->data, part);
    case SSE_LINE_ID:
    case SSE_LINE_RETRY:
        return add(s, &s->value, part);
    case SSE_LINE_NAME:
    case SSE_LINE_SKIPPED:
        break;
    }
    return 0;
}

/* Takes a piece of the line that is being read, without its end. */
static int take_part(struct sse *s, struct sp_str part)
{
    if (s->line == SSE_LINE_NAME) {
        size_t room = sizeof s->name - s->name_len;
        struct sp_str front = sp_str_sub(part, 0, part.len <= room ? part.len : room + 1);
        size_t colon = sp_str_find(front, ':');
        int outcome;

        if (colon > room) {
            s->line = SSE_LINE_SKIPPED; /* longer than any name that means something */
            return 0;
        }
        memcpy(s->name + s->name_len, part.p, colon);
        s->name_len += colon;
        if (colon == part.len)
            return 0;
        outcome = begin_value(s);
        if (outcome != 0)
            return outcome;
        part = sp_str_sub(part, colon + 1, part.len);
    }
    return take_value(s, part);
}

static void take_retry(struct sse *s)
{
    struct sp_str digits = sp_buf_str(&s->value);
    uint64_t ms = 0;

    if (digits.len == 0)
        return;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return;
        ms = ms <= (UINT64_MAX - 9) / 10 ? 10 * ms + (uint64_t)(digits.p[i] - '0') : UINT64_MAX;
    }
    s->has_retry = true;
    s->retry_ms = ms;
}

/* Gives the event under way to the owner, if there is one; nothing of `s` is used after that. */
static bool dispatch(struct sse *s)
{
    bool is_event = s->has_data || s->has_new_id;
    struct sp_str data = sp_buf_str(&s->data);

    if (s->has_new_id) {
        sp_buf_clear(&s->id);
        sp_buf_add(&s->id, sp_buf_str(&s->new_id));
        s->has_id = s->id.len > 0;
        s->has_new_id = false;
    }
    /* The bytes stay where they are until the next feeding. */
    sp_buf_clear(&s->data);
    s->data_len = 0;
    s->has_data = false;
    while (data.len > 0 && data.p[data.len - 1] == '\n')
        data.len--;
    return !is_event || s->on_event(s->owner, data);
}

/* A line has ended; `ret_is_blank` tells whether the event has too. */
static int end_line(struct sse *s, bool *ret_is_blank)
{
    int outcome = 0;

    *ret_is_blank = s->line == SSE_LINE_NAME && s->name_len == 0;
    if (s->line == SSE_LINE_NAME && s->name_len > 0)
        outcome = begin_value(s); /* a field without a colon has an empty value */
    switch (s->line) {
    case SSE_LINE_DATA:
        s->has_data = true;
        s->data_len = s->data.len;
        break;
    case SSE_LINE_ID:
        if (sp_str_find(sp_buf_str(&s->value), '\0') == s->value.len) {
            sp_buf_clear(&s->new_id);
            sp_buf_add(&s->new_id, sp_buf_str(&s->value));
            s->has_new_id = true;
        }
        break;
    case SSE_LINE_RETRY:
        take_retry(s);
        break;
    case SSE_LINE_NAME:
    case SSE_LINE_SKIPPED:
        break;
    }
    s->line = SSE_LINE_NAME;
    s->name_len = 0;
    return outcome;
}

/* The first CR or LF at or after `from`; what was found of each before spares the search. */
struct line_ends {
    size_t lf;
    size_t cr;
    bool is_known; /* both were looked for */
};

static size_t find_from(struct sp_str s, size_t from, size_t to, char c)
{
    return from + sp_str_find(sp_str_sub(s, from, to), c);
}

/*
 * The end of the line that begins at `from`: where its CR or LF is, or the length. Each byte is
 * looked at once for a LF and once for a CR, whichever ends the lines.
 */
static size_t find_end(struct line_ends *ends, struct sp_str bytes, size_t from)
{
    if (!ends->is_known || ends->lf < from)
        ends->lf = find_from(bytes, from, bytes.len, '\n');
    if (!ends->is_known || ends->cr < from)
        ends->cr = find_from(bytes, from, ends->lf, '\r');
    ends->is_known = true;
    return ends->cr < ends->lf ? ends->cr : ends->lf;
}

static int take_text(struct sse *s, struct sp_str bytes)
{
    struct line_ends ends = {0};
    size_t from = 0;

    while (from < bytes.len) {
        bool is_blank;
        size_t end;
        int outcome;

        if (s->after_cr && bytes.p[from] == '\n')
            from++;
        s->after_cr = false;
        if (from == bytes.len)
            break;
        end = find_end(&ends, bytes, from);
        outcome = take_part(s, sp_str_sub(bytes, from, end));
        if (outcome != 0)
            return outcome;
        if (end == bytes.len)
            break;
        s->after_cr = bytes.p[end] == '\r';
        outcome = end_line(s, &is_blank);
        if (outcome != 0)
            return outcome;
        if (is_blank && !dispatch(s))
            return 0;
        if (is_blank && s->data.cap > KEPT_CAP)
            sp_buf_deinit(&s->data);
        from = end + 1;
    }
    return 0;
}

int sse_feed(struct sse *s, struct sp_str bytes)
{
    while (s->n_bom < SSE_PAST_BOM && bytes.len > 0) {
        if (s->n_bom < sizeof bom && bytes.p[0] == bom[s->n_bom]) {
            s->n_bom++;
            bytes = sp_str_sub(bytes, 1, bytes.len);
        } else {
            unsigned n = s->n_bom;
            int outcome;

            /* What began like the mark and did not go on so is text. */
            s->n_bom = SSE_PAST_BOM;
            outcome = n < sizeof bom ? take_text(s, (struct sp_str){bom, n}) : 0;
            if (outcome != 0)
                return outcome;
        }
    }
    return take_text(s, bytes);
}

int sse_finish(struct sse *s, bool is_broken)
{
    bool is_blank;
    int outcome = 0;

    if (is_broken) {
        s->data.len = s->data_len;
        s->has_new_id = s->has_new_id && s->has_data;
    } else {
        outcome = end_line(s, &is_blank);
    }
    if (outcome != 0)
        return outcome;
    begin_stream(s);
    (void)dispatch(s); /* nothing follows that it could ask not to be read */
    return 0;
}
