/*
 * The scanner and what stands on it, on any bytes: both scanners and the reference checker agree,
 * spans lie inside the text, what is accepted has a canonical form that is accepted and its own
 * canonical form, and repaired text is valid.
 */

#include <assert.h>
#include <stdint.h>

#include "base/sp_utf8.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "json_ref.h"

/* The reference checker is slow. */
#define MAX_REF_LEN ((size_t)64 << 10)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_span(struct sp_str text, struct sp_str span)
{
    if (span.p == NULL)
        return;
    assert(span.len > 0);
    assert(span.p >= text.p && span.p + span.len <= text.p + text.len);
}

static void check_same_span(struct sp_str a, struct sp_str b)
{
    assert(a.p == b.p && a.len == b.len);
}

static void check_same(const struct jscan *a, const struct jscan *b)
{
    assert(a->type == b->type);
    check_same_span(a->value, b->value);
    check_same_span(a->id, b->id);
    check_same_span(a->method, b->method);
    check_same_span(a->params, b->params);
    check_same_span(a->result, b->result);
    check_same_span(a->error, b->error);
}

static void check_depth(struct sp_str text, unsigned max_depth)
{
    struct jscan fast = {0};
    struct jscan portable = {0};
    struct jscan slow = {0};
    bool is_json = jscan(text, max_depth, &fast);

    assert(jscan_portable(text, max_depth, &portable) == is_json);
    check_same(&fast, &portable);
    check_span(text, fast.value);
    check_span(text, fast.id);
    check_span(text, fast.method);
    check_span(text, fast.params);
    check_span(text, fast.result);
    check_span(text, fast.error);
    if (text.len <= MAX_REF_LEN) {
        assert(json_ref(text, max_depth, &slow) == is_json);
        check_same(&fast, &slow);
    }
}

static void check_canon(struct sp_str value)
{
    struct sp_buf once = {0};
    struct sp_buf twice = {0};
    struct jscan found;

    jcanon(&once, value);
    assert(jscan(sp_buf_str(&once), JSCAN_MAX_DEPTH, &found));
    assert(found.type == jget_type(value));
    jcanon(&twice, sp_buf_str(&once));
    assert(sp_str_eq(sp_buf_str(&once), sp_buf_str(&twice)));
    sp_buf_deinit(&once);
    sp_buf_deinit(&twice);
}

/* Any bytes can be repaired and written as a string, whose text is the repaired one. */
static void check_text(struct sp_str text)
{
    struct sp_buf repaired = {0};
    struct sp_buf written = {0};
    struct sp_buf read = {0};
    struct jscan found;

    sp_utf8_repair(&repaired, text);
    assert(sp_utf8_is_valid(sp_buf_str(&repaired)));
    assert(sp_utf8_is_valid(text) == sp_str_eq(text, sp_buf_str(&repaired)));
    jput_string(&written, text);
    assert(jscan(sp_buf_str(&written), 1, &found) && found.type == JSCAN_STRING);
    jget_text(found.value, &read);
    assert(sp_str_eq(sp_buf_str(&read), sp_buf_str(&repaired)));
    assert(jget_is_text(found.value, sp_buf_str(&repaired)));
    sp_buf_deinit(&repaired);
    sp_buf_deinit(&written);
    sp_buf_deinit(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str text = {(const char *)data, size};
    struct jscan found;

    check_depth(text, 2);
    check_depth(text, JSCAN_LOG_DEPTH);
    check_depth(text, JSCAN_MAX_DEPTH);
    check_text(text);
    if (jscan(text, JSCAN_MAX_DEPTH, &found))
        check_canon(found.value);
    return 0;
}
