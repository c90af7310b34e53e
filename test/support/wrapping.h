#pragma once

/* Wrapping and unwrapping in tests, which fail where these do. */

#include "config/wrap.h"

/* Wraps all servers of a text; `how` NULL is by "stretto-proxy" into the default directories. */
void wrapping_wrap(struct sp_str text, const struct wrap_how *how, struct wrap *ret);

/* Unwraps all servers. */
void wrapping_unwrap(struct sp_str text, const struct sp_str *befores, size_t n_befores,
                     struct wrap *ret);

/* Fails unless two texts are the same, and shows both. */
void wrapping_assert_text(struct sp_str got, struct sp_str want);

/* Appends a configuration with a server "s" that has this entry, among other things. */
void wrapping_put_file(struct sp_buf *b, const char *entry);
