#pragma once

/*
 * Whether the Jev service can be asked: one small question that no cache answers.
 *
 * Thread: any; it runs a loop of its own.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "base/sp_err.h"

/*
 * Asks, by the settings of the environment.
 *
 * ret:     gets the answer, the version of the model and how long it took, one line without LF.
 * Returns: 0, or negative, told in ret_err, which never has the key.
 */
int jevcheck(struct sp_buf *ret, struct sp_err *ret_err) SP_MUST_CHECK;
