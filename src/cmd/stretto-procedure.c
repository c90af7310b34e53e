/* stretto-procedure: the main program. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sp_file.h"
#include "base/sp_log.h"
#include "base/sp_opt.h"
#include "base/sp_utf8.h"
#include "cmd/cmd.h"
#include "cmd/procedure_server.h"
#include "cmd/report.h"
#include "io/endsignals.h"
#include "io/fdesc.h"
#include "io/spawn.h"
#include "procedure/procedure_options.h"
#include "procedure/procedure_report.h"

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: stretto-procedure --procedure FILE (--ticket TEXT | --ticket-file FILE)\n"
                 "                         [--out FILE] -- SERVER [ARG]...\n");
}

static void print_help(void)
{
    size_t n_table;
    const struct sp_opt *table = procedure_options_table(&n_table);

    print_usage(stdout);
    printf(
        "\n"
        "Runs a compiled procedure on a ticket against a stdio MCP server, without a model, and\n"
        "checks the outcome that the ticket states. Prints the run as JSON; its verdict is\n"
        "resolved, transferred or hand_back.\n"
        "\n"
        "Options:\n");
    sp_opt_print_help(table, n_table, stdout);
}

static int misused(const char *what)
{
    fprintf(stderr, "Error: %s\n", what);
    print_usage(stderr);
    return CMD_USAGE;
}

static int read_ticket(const struct procedure_options *args, struct sp_buf *ret,
                       struct sp_err *ret_err)
{
    int err = 0;

    if (args->ticket != NULL) {
        sp_buf_add(ret, sp_str_of(args->ticket));
        return 0;
    }
    if (args->ticket_file == NULL) {
        sp_err_set(ret_err, "there is no ticket: give one by --ticket or --ticket-file");
        return -EINVAL;
    }
    err = sp_file_read(args->ticket_file, SIZE_MAX, ret);
    if (err < 0) {
        sp_err_set(ret_err, "reading %s: %s", args->ticket_file, sp_err_cause(err));
    } else if (!sp_utf8_is_valid(sp_buf_str(ret))) {
        sp_err_set(ret_err, "reading %s: not valid UTF-8", args->ticket_file);
        err = -EILSEQ;
    }
    return err;
}

/* Writes the run where it was asked for. Returns the exit status. */
static int deliver(const struct procedure_run_record *record, const char *path)
{
    struct spool spool = {0};
    int status, err = 0;

    procedure_report_put(&spool.text, record);
    if (path == NULL) {
        status = cmd_print(&spool);
    } else {
        err = sp_file_write(path, sp_buf_str(&spool.text));
        status = err < 0 ? cmd_fail("writing %s: %s", path, sp_err_cause(err)) : 0;
    }
    spool_deinit(&spool);
    if (status == 0)
        fprintf(stderr, "stretto-procedure: %zu calls, %s\n", record->n_calls,
                procedure_run_verdict_name(record->verdict));
    return status;
}

static int run(const struct procedure_options *args, char *const *server)
{
    struct procedure *procedure = NULL;
    struct procedure_run *procedure_run = NULL;
    struct procedure_run_record record;
    struct sp_buf ticket = {0};
    struct sp_err err;
    int signum = 0, status;

    if (procedure_load(args->procedure, &procedure, &err) < 0 ||
        read_ticket(args, &ticket, &err) < 0 ||
        (args->out != NULL && report_find_dir("writing", args->out, &err) < 0)) {
        status = cmd_fail("%s", err.text);
        goto out;
    }
    procedure_run = procedure_run_new(procedure, sp_buf_str(&ticket));
    if (procedure_server_run(server, procedure_run, &signum, &err) < 0) {
        status = signum != 0 ? CMD_FAILED : cmd_fail("%s", err.text);
    } else {
        record = procedure_run_record(procedure_run);
        status = deliver(&record, args->out);
    }
out:
    procedure_run_free(procedure_run);
    procedure_free(procedure);
    sp_buf_deinit(&ticket);
    if (signum != 0) {
        (void)fflush(stdout); /* what it holds would be lost */
        endsignals_end_by(signum);
    }
    return status;
}

/* Sees to it that writing to standard output, which was closed at the start, fails. */
static void plug_stdout(void)
{
    int fd = open("/dev/null", O_RDONLY);

    if (fd < 0)
        return;
    (void)dup2(fd, STDOUT_FILENO);
    (void)close(fd);
}

/* What the program is started with may be anything; this makes it what the rest relies on. */
static void prepare_process(void)
{
    bool is_open[3];

    sp_log_init("stretto-procedure");
    fdesc_plug_standard(is_open);
    if (!is_open[STDOUT_FILENO])
        plug_stdout();
    fdesc_keep_from_children();
    spawn_prepare_signals();
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */
    (void)signal(SIGXFSZ, SIG_IGN); /* and so is a file size limit */
}

int main(int argc, char **argv)
{
    struct procedure_options args = {0};
    struct sp_err err;
    size_t n_table;
    const struct sp_opt *table = procedure_options_table(&n_table);
    int rest, outcome, status = 0;

    prepare_process();
    outcome = sp_opt_parse(table, n_table, SP_OPT_COMMAND, argc, argv, &args, &rest, &err);
    if (outcome == SP_OPT_E_HELP)
        print_help();
    else if (outcome == SP_OPT_E_VERSION)
        printf("stretto-procedure %s\n", SP_VERSION);
    else if (outcome < 0)
        status = misused(err.text);
    else if (args.ticket != NULL && args.ticket_file != NULL)
        status = misused("--ticket and --ticket-file exclude each other");
    else if (rest == argc)
        status = misused("a server's command is missing: it goes after --");
    else
        status = run(&args, argv + rest);
    if (fflush(stdout) != 0 && status == 0)
        return cmd_fail("writing to standard output failed");
    return status;
}
