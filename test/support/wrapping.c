/* Wrapping and unwrapping in tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wrapping.h"

void wrapping_wrap(struct sp_str text, const struct wrap_how *how, struct wrap *ret)
{
    static const struct wrap_how plain = {SP_STR("stretto-proxy"), SP_STR("")};
    struct sp_err err;

    if (wrap_text(text, how != NULL ? how : &plain, NULL, 0, ret, &err) < 0)
        fail_msg("%s: %.*s", err.text, SP_STR_ARG(text));
}

void wrapping_unwrap(struct sp_str text, const struct sp_str *befores, size_t n_befores,
                     struct wrap *ret)
{
    struct sp_err err;

    if (wrap_undo_text(text, befores, n_befores, NULL, 0, ret, &err) < 0)
        fail_msg("%s: %.*s", err.text, SP_STR_ARG(text));
}

void wrapping_assert_text(struct sp_str got, struct sp_str want)
{
    if (!sp_str_eq(got, want))
        fail_msg("got:\n%.*s\nwanted:\n%.*s", SP_STR_ARG(got), SP_STR_ARG(want));
}

void wrapping_put_file(struct sp_buf *b, const char *entry)
{
    sp_buf_addf(b, "// file\n{\"a\": [1,], \"mcpServers\": {\"s\": %s, // s\n}, \"b\": true}",
                entry);
}
