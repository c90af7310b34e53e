/*
 * The conversation file: JSON Lines that the host appends to. Only whole lines are taken; one that
 * is half written waits for the next reading.
 */

#include "engine/engine_state.h"

static bool is_blank(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" \t\r\f", text.p[i]) == NULL || text.p[i] == '\0')
            return false;
    }
    return true;
}

/* text: a line without its LF. */
static void record(struct engine *e, struct sp_str text)
{
    struct line *line;

    if (is_blank(text))
        return;
    line = line_new(text.len);
    memcpy(line->bytes, text.p, text.len);
    line->len = text.len;
    engine_record(e, line, LINE_CONTEXT);
    line_unref(line);
}

void conversation_read(struct engine *e)
{
    struct sp_buf text = {0};
    struct sp_str rest;

    if (e->options->context && e->ops->read_conversation(e->owner, e->conversation_read, &text)) {
        rest = sp_buf_str(&text);
        for (size_t n; (n = sp_str_find(rest, '\n')) < rest.len;) {
            record(e, sp_str_sub(rest, 0, n));
            e->conversation_read += n + 1;
            rest = sp_str_sub(rest, n + 1, rest.len);
        }
    }
    sp_buf_deinit(&text);
}
