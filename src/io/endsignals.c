/* Signals that ask to end. */

#include <signal.h>

#include "io/endsignals.h"

static const int numbers[ENDSIGNALS_N] = {SIGTERM, SIGINT, SIGHUP};

void endsignals_watch(struct endsignals *s, uv_loop_t *loop, uv_signal_cb cb, void *data)
{
    for (size_t i = 0; i < ENDSIGNALS_N; i++) {
        struct sigaction action;

        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        if (uv_signal_init(loop, &s->handles[i]) < 0)
            continue;
        s->is_watched[i] = true;
        s->handles[i].data = data;
        (void)uv_signal_start(&s->handles[i], cb, numbers[i]);
    }
}

void endsignals_close(struct endsignals *s)
{
    for (size_t i = 0; i < ENDSIGNALS_N; i++) {
        if (s->is_watched[i])
            uv_close((uv_handle_t *)&s->handles[i], NULL);
        s->is_watched[i] = false;
    }
}

void endsignals_end_by(int signum)
{
    sigset_t set;

    (void)signal(signum, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, signum);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)raise(signum);
}
