/* Session logs and results files of a command line. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/sources.h"

int sources_open(struct sources *s, const struct sp_opt_list *sessions,
                 const struct sp_opt_list *results, struct sp_err *ret_err)
{
    for (size_t i = 0; i < sessions->n; i++) {
        int err = sessionset_add(&s->set, sessions->v[i].p, ret_err);

        if (err < 0)
            return err;
    }
    sessionset_sort(&s->set);

    s->results = sp_calloc(results->n, sizeof *s->results);
    for (; s->n_results < results->n; s->n_results++) {
        int err = results_read(results->v[s->n_results].p, &s->results[s->n_results], ret_err);

        if (err < 0)
            return err;
    }
    return 0;
}

void sources_deinit(struct sources *s)
{
    sessionset_deinit(&s->set);
    for (size_t i = 0; i < s->n_results; i++)
        results_deinit(&s->results[i]);
    free(s->results);
}

void sources_put_paths(struct sp_buf *b, const struct sp_opt_list *paths)
{
    for (size_t i = 0; i < paths->n; i++) {
        if (i > 0)
            sp_buf_add(b, SP_STR(", "));
        sp_buf_add(b, paths->v[i]);
    }
}
