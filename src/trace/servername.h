#pragma once

/*
 * A short name for a server, from the command or URL that a log's header has.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/*
 * Appends the name: of a URL its host with the port; of a program its base name, and behind it,
 * when the program only starts another ("npx", "python", "docker", "uv" and their like), what it
 * starts: a package, an image or a module as written, a script's base name. Nothing for n of 0.
 */
void servername_put(struct sp_buf *b, const struct sp_str *command, size_t n);
