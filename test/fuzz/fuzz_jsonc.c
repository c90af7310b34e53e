/*
 * Reads JSON with comments from any bytes. What is read is strict JSON in which every span stands
 * where it stands in the source. A configuration is wrapped and unwrapped, which gives the same
 * bytes with a backup and, without, a file that can be read.
 */

#include <stdint.h>
#include <stdlib.h>

#include "config/jsonc.h"
#include "config/wrap.h"
#include "json/jscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_plain(const struct jsonc *c)
{
    struct jscan scan;

    require(c->plain.len == c->source.len);
    require(jscan_grammar(sp_buf_str(&c->plain), &scan));
    require(scan.value.p == c->value.p && scan.value.len == c->value.len);
    for (size_t i = 0; i < c->plain.len; i++)
        require(c->plain.p[i] == ' ' || c->plain.p[i] == c->source.p[i]);
}

static void check_undone(struct sp_str text, const struct wrap *w)
{
    struct wrap undone;
    struct sp_err err;

    require(wrap_undo_text(sp_buf_str(&w->text), &text, 1, NULL, 0, &undone, &err) == 0);
    for (size_t i = 0; i < undone.n; i++) {
        if (w->servers[i].outcome == WRAP_CHANGED)
            require(undone.servers[i].outcome == WRAP_CHANGED);
    }
    wrap_deinit(&undone);
    require(wrap_undo_text(sp_buf_str(&w->text), NULL, 0, NULL, 0, &undone, &err) == 0);
    wrap_deinit(&undone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct wrap_how how = {SP_STR("stretto-proxy"), SP_STR("")};
    struct sp_str text = {(const char *)data, size};
    struct jsonc c;
    struct wrap w;
    struct wrap again;
    struct sp_err err;

    if (jsonc_read(text, &c, &err) < 0)
        return 0;
    check_plain(&c);
    jsonc_deinit(&c);
    if (wrap_text(text, &how, NULL, 0, &w, &err) < 0)
        return 0;
    check_undone(text, &w);
    require(wrap_text(sp_buf_str(&w.text), &how, NULL, 0, &again, &err) == 0);
    require(again.n_changed == 0 && sp_str_eq(sp_buf_str(&again.text), sp_buf_str(&w.text)));
    wrap_deinit(&again);
    wrap_deinit(&w);
    return 0;
}
