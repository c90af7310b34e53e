#pragma once

/*
 * The program's own messages: one line each on stderr, "NAME: TEXT", written by one write() (up to
 * PIPE_BUF bytes) so that lines of programs that share stderr do not mix. Control characters in
 * TEXT are shown as '?'. A message that stderr does not take at once, since nobody reads it, is
 * lost: the program never waits for it.
 *
 * Thread: loop.
 */

/* Sets NAME; kept, not copied. Called once, first thing in main(). */
void sp_log_init(const char *name);

void sp_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
