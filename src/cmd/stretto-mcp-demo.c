/* stretto-mcp-demo: the main program. */

#include <signal.h>

#include "base/sp_log.h"
#include "demo/demo_http.h"
#include "demo/demo_options.h"
#include "demo/demo_stdio.h"
#include "io/fdesc.h"

#define USAGE_ERROR 2

static bool are_hints(const struct sp_opt_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!demo_world_is_hint(list->v[i]))
            return false;
    return true;
}

static int run(const struct demo_options *o)
{
    struct demo_world world = {
        .kind = o->world == 1 + DEMO_WORLD_RETAIL ? DEMO_WORLD_RETAIL : DEMO_WORLD_ECHO,
        .hidden = o->hide,
        .hints = o->hint,
    };

    if (o->http != NULL)
        return demo_http_serve(&world, o->http, o->require_auth);
    return demo_stdio_serve(&world);
}

int main(int argc, char **argv)
{
    struct demo_options options = {0};
    const struct sp_opt *table;
    size_t n_table;
    struct sp_err err;
    bool is_open[3];
    int rest, outcome, status = 0;

    sp_log_init("stretto-mcp-demo");
    fdesc_plug_standard(is_open);
    (void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write */

    table = demo_options_table(&n_table);
    outcome = sp_opt_parse(table, n_table, SP_OPT_BARE, argc, argv, &options, &rest, &err);
    if (outcome == 0 && !are_hints(&options.hint)) {
        sp_err_set(&err, "--hint takes TOOL=false or TOOL=none");
        outcome = -1;
    }
    if (outcome == SP_OPT_E_HELP) {
        demo_options_print_help(stdout);
    } else if (outcome == SP_OPT_E_VERSION) {
        printf("stretto-mcp-demo %s\n", SP_VERSION);
    } else if (outcome < 0) {
        sp_log("%s", err.text);
        demo_options_print_help(stderr);
        status = USAGE_ERROR;
    } else {
        status = run(&options);
    }
    demo_options_deinit(&options);
    return status;
}
