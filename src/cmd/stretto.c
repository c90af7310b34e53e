/* stretto: the main program. */

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>

#include "cmd/cmd.h"

static void print_help(FILE *out)
{
    fprintf(out, "Usage: stretto COMMAND [ARGUMENTS]\n"
                 "       stretto help COMMAND\n"
                 "       stretto --help | --version\n"
                 "\n"
                 "Reads, reviews and redacts the sessions that stretto-proxy records.\n"
                 "\n"
                 "Commands:\n");
    for (size_t i = 0; cmd_at(i) != NULL; i++)
        fprintf(out, "  %-16s%s\n", cmd_at(i)->name, cmd_at(i)->summary);
}

static int misused(const char *what, const char *name)
{
    fprintf(stderr, name != NULL ? "Error: %s '%s'\n" : "Error: %s\n", what, name);
    fprintf(stderr, "'stretto --help' lists the commands.\n");
    return CMD_USAGE;
}

static const struct cmd *find(const char *name)
{
    const struct cmd *cmd;

    for (size_t i = 0; (cmd = cmd_at(i)) != NULL; i++) {
        if (strcmp(cmd->name, name) == 0)
            break;
    }
    return cmd;
}

static bool is_either(const char *arg, const char *name, const char *letter)
{
    return strcmp(arg, name) == 0 || strcmp(arg, letter) == 0;
}

static int help(int argc, char **argv)
{
    const struct cmd *cmd;

    if (argc == 0 || is_either(argv[0], "--help", "-h")) {
        print_help(stdout);
        return 0;
    }
    if (argc > 1)
        return misused("unexpected argument", argv[1]);
    cmd = find(argv[0]);
    if (cmd == NULL)
        return misused("there is no command", argv[0]);
    cmd_print_help(cmd, stdout);
    return 0;
}

static int run(int argc, char **argv)
{
    const struct cmd *cmd;

    if (argc < 2)
        return misused("a command is missing", NULL);
    if (is_either(argv[1], "--help", "-h"))
        return help(0, NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);
    if (is_either(argv[1], "--version", "-V")) {
        printf("stretto %s\n", SP_VERSION);
        return 0;
    }
    cmd = find(argv[1]);
    if (cmd == NULL)
        return misused(argv[1][0] == '-' ? "unknown option" : "there is no command", argv[1]);
    return cmd->run(cmd, argc - 1, argv + 1);
}

/* Sessions are read one after the other: the memory of one serves the next, up to so much. */
#define KEEP_FREE (64 * 1024 * 1024)

/*
 * Sees to it that no file opened later takes the number of a standard stream that was closed. What
 * takes it is opened for reading, so that writing to the stream fails as before.
 */
static void plug_standard(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY); /* the lowest free number: this one */
    }
}

int main(int argc, char **argv)
{
    int status;

    plug_standard();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error to tell */
    (void)mallopt(M_MMAP_THRESHOLD, KEEP_FREE); /* refused: a matter of speed only */
    (void)mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
    status = run(argc, argv);

    if (fflush(stdout) != 0)
        return cmd_fail("writing to standard output failed");
    return status;
}
