#pragma once

/*
 * Descriptors of every kind for tests of reading and writing: one end for what is tested, the other
 * for the test, which never blocks.
 */

#include "base/sp_buf.h"
#include "io/fdesc.h"

enum channel_kind {
    CHANNEL_PIPE,      /* one's own end of a pipe */
    CHANNEL_INHERITED, /* a pipe that the program was started with */
    CHANNEL_SOCKET,    /* a socket pair's end, in the same way */
    CHANNEL_PTY,       /* a terminal, in the same way */
    CHANNEL_SHARED,    /* a pipe that cannot be opened anew */
    CHANNEL_FILE,      /* a regular file */
    CHANNEL_NULL,      /* /dev/null, whose other end stays silent */
    CHANNEL_N_KINDS,
};

/* The kinds that can be polled are the first ones. */
#define CHANNEL_N_POLLED CHANNEL_FILE

struct channel {
    enum channel_kind kind;
    struct fdesc end; /* what is tested */
    int original;     /* the descriptor it was made of; -1 when `end` owns that */
    int flags;        /* the original's, as they were */
    int peer;         /* the test's end; -1 when closed */
};

/*
 * Opens a channel, and prints its kind as a comment in the test's output.
 *
 * access: O_RDONLY or O_WRONLY, what `end` is used for.
 */
void channel_open(struct channel *c, enum channel_kind kind, int access);

/* Fails unless the flags of the shared open file are what they were. */
void channel_check_flags(const struct channel *c);

/* Closes the test's end. */
void channel_close_peer(struct channel *c);

/* Closes what `end` does not own. */
void channel_close(struct channel *c);

/* Writes to the other end what it takes now; returns how many bytes that is. */
size_t channel_write(struct channel *c, struct sp_str bytes);

/* Reads at most `max` bytes from the other end, as far as they are there. */
void channel_read(struct channel *c, size_t max, struct sp_buf *ret);

/* Reads until `ret` holds `len` bytes, and fails when they do not come. */
void channel_read_to(struct channel *c, size_t len, struct sp_buf *ret);
