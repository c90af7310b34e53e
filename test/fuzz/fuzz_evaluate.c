/*
 * Reads a rule, up to the first line's end, and behind that labelled decisions from any bytes.
 * What is read is estimated, whatever it says: the reports are UTF-8 and JSON, and have no number
 * in them that JSON does not know.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sp_utf8.h"
#include "json/jscan.h"
#include "learn/evaluate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_reports(const struct evaluate *e, double min_ess)
{
    struct sp_buf text = {0};
    struct jscan found;

    evaluate_put_json(e, min_ess, &text);
    require(jscan(sp_buf_str(&text), JSCAN_MAX_DEPTH, &found) && found.type == JSCAN_ARRAY);
    sp_buf_clear(&text);
    evaluate_put_markdown(e, min_ess, &text);
    require(sp_utf8_is_valid(sp_buf_str(&text)));
    sp_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str text = {(const char *)data, size};
    size_t n = sp_str_find(text, '\n');
    struct sp_str rule = sp_str_sub(text, 0, n);
    struct sp_str lines = sp_str_sub(text, n < size ? n + 1 : n, size);
    struct evaluate *e = evaluate_new();
    struct sp_err err = {0};

    require(evaluate_add_target(e, SP_STR("habit@0.3"), &err) == 0);
    if (sp_utf8_is_valid(rule) && evaluate_add_target(e, rule, &err) < 0)
        require(sp_str_starts(sp_str_of(err.text), SP_STR("target '")));
    if (evaluate_add(e, lines, "d", &err) < 0)
        require(sp_str_starts(sp_str_of(err.text), SP_STR("d:")));
    if (evaluate_check(e, &err) < 0) /* which does not keep them from being estimated */
        require(strstr(err.text, "the decision at d:") != NULL);
    check_reports(e, 0);
    check_reports(e, 10);
    evaluate_free(e);
    return 0;
}
