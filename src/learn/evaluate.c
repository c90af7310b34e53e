/* Decisions and targets that are estimated. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "json/jget.h"
#include "learn/evaluate_state.h"

struct evaluate *evaluate_new(void)
{
    return sp_calloc(1, sizeof(struct evaluate));
}

static void names_deinit(struct evaluate_names *names)
{
    sp_map_deinit(&names->map);
    free(names->of);
}

void evaluate_free(struct evaluate *e)
{
    if (e == NULL)
        return;
    names_deinit(&e->sites);
    names_deinit(&e->tools);
    evaluate_model_deinit(&e->model);
    free(e->options);
    free(e->decisions);
    free(e->targets);
    sp_arena_deinit(&e->arena);
    free(e);
}

/* Makes room for one more element of an array. */
static void *grown(void *array, size_t n, size_t *max, size_t size)
{
    if (n < *max)
        return array;
    *max = n > 0 ? 2 * n : 64;
    return sp_realloc(array, *max * size);
}

size_t evaluate_name(struct evaluate *e, struct evaluate_names *names, struct sp_str text)
{
    size_t *known = sp_map_find(&names->map, text);

    if (known != NULL)
        return *known;
    text = sp_arena_copy(&e->arena, text);
    *sp_map_put(&names->map, text, NULL) = names->n;
    names->of = grown(names->of, names->n, &names->max, sizeof *names->of);
    names->of[names->n] = text;
    return names->n++;
}

void evaluate_add_option(struct evaluate *e, const struct evaluate_option *option)
{
    e->options = grown(e->options, e->n_options, &e->max_options, sizeof *e->options);
    e->options[e->n_options++] = *option;
}

void evaluate_add_decision(struct evaluate *e, const struct evaluate_decision *decision)
{
    e->decisions = grown(e->decisions, e->n_decisions, &e->max_decisions, sizeof *e->decisions);
    e->decisions[e->n_decisions++] = *decision;
    if (decision->taken != EVALUATE_NONE) {
        const struct evaluate_option *taken = &e->options[decision->first + decision->taken];

        evaluate_model_add(&e->model, decision->site, taken->tool, taken->values, &e->arena);
    }
}

static bool is_blank(struct sp_str line)
{
    return sp_utf8_is_valid(line) && sp_unicode_trim(line).len == 0;
}

int evaluate_add(struct evaluate *e, struct sp_str text, const char *path, struct sp_err *ret_err)
{
    struct sp_buf place = {0};
    int err = 0;

    for (size_t number = 1; err == 0 && text.len > 0; number++) {
        size_t n = sp_str_find(text, '\n');
        struct sp_str line = sp_str_sub(text, 0, n);

        text = sp_str_sub(text, n < text.len ? n + 1 : n, text.len);
        if (is_blank(line))
            continue;
        sp_buf_clear(&place);
        sp_buf_addf(&place, "%s:%zu", path, number);
        err = evaluate_read_line(e, line, sp_buf_cstr(&place), ret_err);
        if (err < 0)
            sp_err_prefix(ret_err, "%s", sp_buf_cstr(&place));
    }
    sp_buf_deinit(&place);
    return err;
}

size_t evaluate_n_decisions(const struct evaluate *e)
{
    return e->n_decisions;
}

/* Reads a number that has no white space around it. */
static bool read_number(struct sp_str text, double *ret)
{
    struct sp_buf b = {0};
    struct jscan found;

    if (!jscan(text, 1, &found) || found.type != JSCAN_NUMBER || found.value.len != text.len)
        return false;
    sp_buf_add(&b, text);
    *ret = strtod(sp_buf_cstr(&b), NULL);
    sp_buf_deinit(&b);
    return true;
}

/* What is wrong with a rule; NULL for nothing. */
static const char *read_rule(struct sp_str rule, struct evaluate_target *ret)
{
    size_t n_name = sp_str_find(rule, '=');
    struct sp_str rest = n_name < rule.len ? sp_str_sub(rule, n_name + 1, rule.len) : rule;
    size_t n_decider = sp_str_find(rest, '@');
    struct sp_str decider = sp_str_sub(rest, 0, n_decider);

    ret->rule = rule;
    ret->name = sp_str_sub(rule, 0, n_name);
    ret->is_habit = sp_str_eq(decider, SP_STR("habit"));
    if (n_decider == rest.len)
        return "no '@' before a threshold";
    if (!ret->is_habit && !sp_str_eq(decider, SP_STR("arbiter")))
        return "the decider is neither 'arbiter' nor 'habit'";
    if (!read_number(sp_str_sub(rest, n_decider + 1, rest.len), &ret->threshold))
        return "the threshold is not a number";
    return NULL;
}

int evaluate_add_target(struct evaluate *e, struct sp_str rule, struct sp_err *ret_err)
{
    struct evaluate_target target = {0};
    const char *fault = read_rule(rule, &target);

    if (fault != NULL) {
        sp_err_set(ret_err, "target '%.*s': %s", SP_STR_ARG(rule), fault);
        return -EINVAL;
    }
    e->targets = grown(e->targets, e->n_targets, &e->max_targets, sizeof *e->targets);
    e->targets[e->n_targets++] = target;
    return 0;
}

int evaluate_check(const struct evaluate *e, struct sp_err *ret_err)
{
    for (size_t i = 0; e->stray.p != NULL && i < e->n_targets; i++) {
        if (e->targets[i].is_habit)
            continue;
        sp_err_set(ret_err,
                   "target '%.*s' needs the arbiter's probabilities, but the decision at %.*s is "
                   "another decider's",
                   SP_STR_ARG(e->targets[i].rule), SP_STR_ARG(e->stray));
        return -EINVAL;
    }
    return 0;
}
