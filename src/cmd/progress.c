/* How far a command is. */

#include <stdio.h>
#include <unistd.h>
#include <uv.h>

#include "cmd/progress.h"

#define PERIOD_NS UINT64_C(1000000000)

void progress_init(struct progress *p)
{
    *p = (struct progress){.is_terminal = isatty(STDERR_FILENO) == 1, .told_ns = uv_hrtime()};
}

/* A line is at least as wide as the one before it, so that nothing of that is left. */
void progress_tell(struct progress *p, const char *what, size_t done, size_t total)
{
    char text[80];
    uint64_t now_ns;

    if (!p->is_terminal)
        return;
    now_ns = uv_hrtime();
    if (now_ns - p->told_ns < PERIOD_NS)
        return;
    p->told_ns = now_ns;
    (void)snprintf(text, sizeof text, "stretto: %zu of %zu %s", done, total, what);
    p->width = fprintf(stderr, "\r%-*s", p->width, text) - 1;
}

void progress_end(struct progress *p)
{
    if (p->width > 0)
        fprintf(stderr, "\r%*s\r", p->width, "");
    p->width = 0;
}
