#pragma once

/*
 * The headers of --upstream-header: their values stand in the environment, so that they are in no
 * command line.
 */

#include "base/sp_err.h"
#include "base/sp_opt.h"
#include "io/httpc.h"

/*
 * Finds the value of each "NAME=VAR". NAME must be an HTTP token and none of the headers that HTTP
 * itself needs, VAR be set to valid UTF-8 without control characters but tab.
 *
 * ret:     as many headers as there are options, the caller's, freed by free(); names are views
 *          into the options, values into the environment.
 * Returns: 0; negative with the cause in ret_err, which never shows a value.
 */
int headers_resolve(const struct sp_opt_list *options, struct httpc_header **ret,
                    struct sp_err *ret_err);
