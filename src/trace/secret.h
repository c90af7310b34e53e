#pragma once

/*
 * Keeps credentials out of the log's header: what a server's command line or URL shows of itself.
 * It is best effort, by names: "key", "token", "secret", "password", "passwd", "credential" and
 * "auth" anywhere in a name, in any case of ASCII letters, make it secret.
 *
 * Thread: any.
 */

#include "base/sp_buf.h"

/* A walk over a command's arguments, in order, the program included; zero at the start. */
struct secret_args {
    bool is_after; /* private: the argument before was the name of a secret */
};

/*
 * Appends what may be shown of the next argument: itself, "NAME=<redacted>" or "<redacted>".
 *
 * arg: valid UTF-8.
 */
void secret_show_arg(struct secret_args *args, struct sp_str arg, struct sp_buf *ret);

/*
 * Appends a URL without its user information and with the values of secret query parameters
 * replaced by "<redacted>". Any text is taken; nothing is percent-decoded.
 */
void secret_show_url(struct sp_str url, struct sp_buf *ret);
