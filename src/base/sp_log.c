/* The program's own messages on stderr. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sp_log.h"

static const char *log_name = "stretto";

void sp_log_init(const char *name)
{
    log_name = name;
}

void sp_log(const char *format, ...)
{
    char text[16384];
    int prefix_len = snprintf(text, sizeof text, "%s: ", log_name);
    size_t len = (size_t)prefix_len;
    const char *p = text;
    va_list args;

    va_start(args, format);
    vsnprintf(text + len, sizeof text - len - 1, format, args);
    va_end(args);
    for (; text[len] != '\0'; len++)
        if ((unsigned char)text[len] < 0x20 || text[len] == 0x7f)
            text[len] = '?';
    text[len++] = '\n';

    while (len > 0) {
        struct pollfd stderr_poll = {.fd = STDERR_FILENO, .events = POLLOUT};
        size_t portion = len < PIPE_BUF ? len : PIPE_BUF;
        ssize_t n;

        if (poll(&stderr_poll, 1, 0) <= 0)
            return;
        n = write(STDERR_FILENO, p, portion);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* nobody can be told that stderr is gone */
        p += n;
        len -= (size_t)n;
    }
}
