/* stretto-proxy: the main program. */

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "base/sp_log.h"
#include "io/endsignals.h"
#include "io/fdesc.h"
#include "io/spawn.h"
#include "proxy/options.h"
#include "proxy/session.h"

#define USAGE_ERROR 2

/* Up to this size, memory for a message is had from what earlier messages left, bytes. */
#define KEEP_MESSAGE (128 * 1024 * 1024)

/* So much of it is kept at most when nothing uses it, bytes. */
#define KEEP_FREE (64 * 1024 * 1024)

/* What the program is started with may be anything; this makes it what the rest relies on. */
static void prepare_process(bool ret_is_open[3])
{
    sp_log_init("stretto-proxy");
    fdesc_plug_standard(ret_is_open);
    fdesc_keep_from_children();
    spawn_prepare_signals();
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */
    (void)signal(SIGXFSZ, SIG_IGN); /* and so is a file size limit */

    /* Pages fresh from the system, zeroed one fault at a time, would cost more than all the rest
     * that is done with a long message. Refused: a matter of speed only. */
    (void)mallopt(M_MMAP_THRESHOLD, KEEP_MESSAGE);
    (void)mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
}

static int run(const struct options *options, const bool is_open[3])
{
    struct session_end end = session_run(options, is_open);

    if (end.signum != 0)
        endsignals_end_by(end.signum);
    if (end.is_abandoned)
        _exit(end.exit_status);
    return end.exit_status;
}

int main(int argc, char **argv)
{
    struct options options;
    struct sp_err err;
    bool is_open[3];
    int status = 0;

    prepare_process(is_open);
    switch (options_parse(argc, argv, &options, &err)) {
    case OPTIONS_RUN:
        status = run(&options, is_open);
        break;
    case OPTIONS_HELP:
        options_print_help(stdout);
        break;
    case OPTIONS_VERSION:
        printf("stretto-proxy %s\n", SP_VERSION);
        break;
    case OPTIONS_USAGE:
        sp_log("%s", err.text);
        status = USAGE_ERROR;
        break;
    }
    options_deinit(&options);
    return status;
}
