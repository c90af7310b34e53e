/* The options of stretto-procedure. */

#include <stddef.h>

#include "procedure/procedure_options.h"

#define AT(field) .offset = offsetof(struct procedure_options, field)

static const struct sp_opt table[] = {
    {"procedure", .kind = SP_OPT_PATH, .is_required = true, AT(procedure), .arg = "FILE",
     .help = "the compiled procedure"},
    {"ticket", .kind = SP_OPT_TEXT, AT(ticket), .arg = "TEXT",
     .help = "the ticket; not with --ticket-file"},
    {"ticket-file", .kind = SP_OPT_PATH, AT(ticket_file), .arg = "FILE",
     .help = "the ticket, the whole text of this file"},
    {"out", .kind = SP_OPT_PATH, AT(out), .arg = "FILE", .fallback = "standard output",
     .help = "where the run is written; the directory must exist"},
    {"help", 'h', .kind = SP_OPT_HELP, .help = "print this help"},
    {"version", 'V', .kind = SP_OPT_VERSION, .help = "print the version"},
};

#define N_TABLE (sizeof table / sizeof table[0])

const struct sp_opt *procedure_options_table(size_t *ret_n_table)
{
    *ret_n_table = N_TABLE;
    return table;
}
