#pragma once

/*
 * A plain model of flow/bind.h: binds a lookup by walking the whole session as the chapter on
 * deciding says (section 9), without keeping anything.
 */

#include "flow/bind.h"

/* Binds as bind_lookup() does; `ret` is the caller's, ended by bind_result_deinit(). */
void bind_model(const struct flow *flow, const struct episode_view *view, struct sp_str tool,
                struct bind_result *ret);
