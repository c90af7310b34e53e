/*
 * Prints the manual page of a program, its options and commands filled in from the tables that the
 * program reads. It runs while the programs are built, and is not installed.
 *
 *     stretto-manual PROGRAM PAGE.1.in
 */

#include "base/sp_file.h"
#include "cmd/manpage.h"
#include "demo/demo_options.h"
#include "procedure/procedure_options.h"
#include "proxy/options.h"

/* The programs whose options are one table; those of `stretto` are its commands'. */
static const struct {
    const char *name;
    const struct sp_opt *(*table)(size_t *ret_n_table);
} programs[] = {
    {"stretto-proxy", options_table},
    {"stretto-mcp-demo", demo_options_table},
    {"stretto-procedure", procedure_options_table},
};

/* What there is to fill in for a program; whether it is known. */
static bool find(const char *name, struct manpage *ret)
{
    *ret = (struct manpage){.version = SP_VERSION};
    if (strcmp(name, "stretto") == 0) {
        ret->command_at = cmd_at;
        return true;
    }
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(programs[i].name, name) == 0) {
            ret->table = programs[i].table(&ret->n_table);
            return true;
        }
    }
    return false;
}

static int print_page(const struct manpage *m, const char *path)
{
    struct sp_buf text = {0};
    struct spool page = {0};
    struct sp_err err;
    int status;
    int code = sp_file_read(path, SIZE_MAX, &text);

    if (code < 0)
        status = cmd_fail("reading %s: %s", path, sp_err_cause(code));
    else if (manpage_fill(sp_buf_str(&text), m, &page.text, &err) < 0)
        status = cmd_fail("%s: %s", path, err.text);
    else
        status = cmd_print(&page);
    spool_deinit(&page);
    sp_buf_deinit(&text);
    return status;
}

int main(int argc, char **argv)
{
    struct manpage m;
    int status;

    if (argc != 3 || !find(argv[1], &m)) {
        fprintf(stderr, "Usage: %s PROGRAM PAGE.1.in\n", argv[0]);
        return CMD_USAGE;
    }
    status = print_page(&m, argv[2]);
    if (fflush(stdout) != 0 && status == 0)
        return cmd_fail("writing to standard output failed");
    return status;
}
