/* The recorded results that guards and the confirmation judge are tried on. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "cmd/trials.h"
#include "trace/results.h"

void trials_options_deinit(struct trials_options *o)
{
    free(o->domains.v);
    free(o->sources.v);
    *o = (struct trials_options){0};
}

/* Adds a domain; one that is named again is tried once. */
static void add_domain(struct trials *t, const struct guard_domain *domain)
{
    for (size_t i = 0; i < t->n_domains; i++) {
        if (t->domains[i] == domain)
            return;
    }
    t->domains[t->n_domains++] = domain;
}

static int list_domains(struct trials *t, const struct sp_opt_list *names, struct sp_err *ret_err)
{
    size_t n_all = 0;

    while (guard_domain_at(n_all) != NULL)
        n_all++;
    t->domains = sp_calloc(names->n + n_all, sizeof *t->domains);
    for (size_t i = 0; i < names->n; i++) {
        const struct guard_domain *domain = guard_domain_find(names->v[i]);

        if (domain == NULL) {
            sp_err_set(ret_err, "no guards for %.*s", SP_STR_ARG(names->v[i]));
            return -EINVAL;
        }
        add_domain(t, domain);
    }
    for (size_t i = 0; names->n == 0 && i < n_all; i++)
        add_domain(t, guard_domain_at(i));
    return 0;
}

static int list_files(struct trials *t, const struct trials_options *o, struct sp_err *ret_err)
{
    for (size_t i = 0; o->tau2 != NULL && i < t->n_domains; i++) {
        int err = resultset_add_published(&t->set, o->tau2, t->domains[i]->name, ret_err);

        if (err < 0)
            return err;
    }
    for (size_t i = 0; i < o->sources.n; i++)
        resultset_add_source(&t->set, o->sources.v[i].p);
    return 0;
}

int trials_init(struct trials *t, const struct trials_options *o, struct sp_err *ret_err)
{
    int err;

    *t = (struct trials){0};
    err = list_domains(t, &o->domains, ret_err);
    return err < 0 ? err : list_files(t, o, ret_err);
}

void trials_deinit(struct trials *t)
{
    free(t->domains);
    resultset_deinit(&t->set);
    *t = (struct trials){0};
}

/* Whether a file's episodes count for a domain. */
static bool is_for(const struct resultset_file *file, const struct results *results,
                   const struct guard_domain *domain)
{
    return sp_str_eq(results->domain, sp_str_of(domain->name)) &&
           (file->domain == NULL || strcmp(file->domain, domain->name) == 0);
}

static int give_file(const struct trials *t, const struct resultset_file *file,
                     trials_episode_fn fn, void *data, struct sp_err *ret_err)
{
    struct results results;
    int err = results_read(file->path, &results, ret_err);

    if (err < 0)
        return err;
    for (size_t i = 0; i < t->n_domains; i++) {
        if (!is_for(file, &results, t->domains[i]))
            continue;
        for (size_t k = 0; k < results.n_episodes; k++)
            fn(data, i, &results.episodes[k]);
    }
    results_deinit(&results);
    return 0;
}

int trials_each(const struct trials *t, trials_episode_fn fn, void *data, struct sp_err *ret_err)
{
    int err = 0;

    for (size_t i = 0; err == 0 && i < t->set.n_files; i++)
        err = give_file(t, &t->set.files[i], fn, data, ret_err);
    return err;
}
