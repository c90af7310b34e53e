#pragma once

/*
 * `stretto doctor`: the configuration files of MCP hosts, and which of their servers run behind the
 * proxy.
 *
 * Thread: any.
 */

#include "cmd/findings.h"

/*
 * Looks at the files of the user and of the project in the current directory.
 *
 * home: the user's; NULL for none.
 */
void doctor_hosts(struct findings *f, const char *home);
