/* Reading a compiled procedure. */

#include <errno.h>
#include <stdlib.h>

#include "base/sp_file.h"
#include "json/jcanon.h"
#include "json/jtable.h"
#include "procedure/procedure.h"

struct top_spans {
    struct sp_str domain;
    struct sp_str symbolic;
    struct sp_str max_calls;
    struct sp_str stop;
    struct sp_str handoff;
    struct sp_str handoff_arguments;
    struct sp_str reads;
    struct sp_str vocab;
    struct sp_str trees;
    struct sp_str fallback;
    struct sp_str checks;
};

#define TOP(member) offsetof(struct top_spans, member)

static const struct jtable_field top_fields[] = {
    {"domain", JTABLE_TEXT, JTABLE_REQUIRED, TOP(domain)},
    {"symbolic", JTABLE_BOOL, JTABLE_REQUIRED, TOP(symbolic)},
    {"max_calls", JTABLE_UINT, JTABLE_REQUIRED, TOP(max_calls)},
    {"stop", JTABLE_TEXT, JTABLE_REQUIRED, TOP(stop)},
    {"handoff", JTABLE_TEXT, JTABLE_REQUIRED, TOP(handoff)},
    {"handoff_arguments", JTABLE_OBJECT, JTABLE_OPTIONAL, TOP(handoff_arguments)},
    {"reads", JTABLE_ARRAY, JTABLE_REQUIRED, TOP(reads)},
    {"vocab", JTABLE_ARRAY, JTABLE_REQUIRED, TOP(vocab)},
    {"trees", JTABLE_OBJECT, JTABLE_REQUIRED, TOP(trees)},
    {"fallback", JTABLE_OBJECT, JTABLE_REQUIRED, TOP(fallback)},
    {"checks", JTABLE_ARRAY, JTABLE_REQUIRED, TOP(checks)},
};

struct question_spans {
    struct sp_str feature;
    struct sp_str yes;
    struct sp_str no;
};

#define QUESTION(member) offsetof(struct question_spans, member)

static const struct jtable_field question_fields[] = {
    {"feature", JTABLE_TEXT, JTABLE_REQUIRED, QUESTION(feature)},
    {"yes", JTABLE_OBJECT, JTABLE_REQUIRED, QUESTION(yes)},
    {"no", JTABLE_OBJECT, JTABLE_REQUIRED, QUESTION(no)},
};

struct leaf_spans {
    struct sp_str calls;
};

static const struct jtable_field leaf_fields[] = {
    {"calls", JTABLE_ARRAY, JTABLE_REQUIRED, offsetof(struct leaf_spans, calls)},
};

struct check_spans {
    struct sp_str phrase;
    struct sp_str probe;
    struct sp_str contains;
    struct sp_str lacks;
};

#define CHECK(member) offsetof(struct check_spans, member)

static const struct jtable_field check_fields[] = {
    {"phrase", JTABLE_TEXT, JTABLE_REQUIRED, CHECK(phrase)},
    {"probe", JTABLE_TEXT, JTABLE_REQUIRED, CHECK(probe)},
    {"contains", JTABLE_ARRAY, JTABLE_REQUIRED, CHECK(contains)},
    {"lacks", JTABLE_ARRAY, JTABLE_REQUIRED, CHECK(lacks)},
};

struct reading {
    struct procedure *p;
    struct sp_err *ret_err;
    struct sp_buf scratch;
};

/* The text of a string's span, kept with the procedure. */
static struct sp_str text_of(struct reading *r, struct sp_str string)
{
    sp_buf_clear(&r->scratch);
    jget_text(string, &r->scratch);
    return sp_arena_copy(&r->p->arena, sp_buf_str(&r->scratch));
}

static int read_texts(struct reading *r, const struct jtable_place *place, struct sp_str array,
                      struct procedure_texts *ret)
{
    struct jtable_place element = {.up = place};
    struct procedure_texts texts = {
        .of = sp_arena_alloc(&r->p->arena, jget_count(array) * sizeof *texts.of),
    };

    for (struct jget_iter it = jget_iter(array); jget_next(&it); element.index++) {
        if (jget_type(it.value) != JSCAN_STRING)
            return jtable_fail(&element, "must be a string", r->ret_err);
        texts.of[texts.n++] = text_of(r, it.value);
    }
    *ret = texts;
    return 0;
}

static int read_set(struct reading *r, const char *name, struct sp_str array, struct sp_map *ret)
{
    struct jtable_place document = {0};
    struct jtable_place place = {.up = &document, .name = name};
    struct procedure_texts texts = {0};
    int err = read_texts(r, &place, array, &texts);

    if (err < 0)
        return err;
    for (size_t i = 0; i < texts.n; i++)
        (void)sp_map_put(ret, texts.of[i], NULL); /* its number means nothing */
    return 0;
}

/* The action of [ACTION, COUNT]; whether it is such a pair. */
static bool find_action(struct sp_str pair, struct sp_str *ret)
{
    struct jget_iter it = jget_iter(pair);
    struct sp_str action;
    uint64_t n;

    if (jget_type(pair) != JSCAN_ARRAY || !jget_next(&it) || jget_type(it.value) != JSCAN_STRING)
        return false;
    action = it.value;
    if (!jget_next(&it) || !jget_u64(it.value, &n) || jget_next(&it))
        return false;
    *ret = action;
    return true;
}

static int read_leaf(struct reading *r, const struct jtable_place *place, struct sp_str value,
                     struct procedure_node *node)
{
    struct jtable_place calls = {.up = place, .name = "calls"};
    struct jtable_place element = {.up = &calls};
    struct leaf_spans spans = {0};
    int err = jtable_read(place, value, leaf_fields, JTABLE_LEN(leaf_fields), &spans, r->ret_err);

    if (err < 0)
        return err;
    node->actions = sp_arena_alloc(&r->p->arena, jget_count(spans.calls) * sizeof *node->actions);
    for (struct jget_iter it = jget_iter(spans.calls); jget_next(&it); element.index++) {
        struct sp_str action;

        if (!find_action(it.value, &action))
            return jtable_fail(&element, "must be an action and a count", r->ret_err);
        node->actions[node->n_actions++] = text_of(r, action);
    }
    return 0;
}

/* Recurses as deep as the text nests, which the scanner has limited to JSCAN_MAX_DEPTH. */
static int read_node(struct reading *r, const struct jtable_place *place, struct sp_str value,
                     const struct procedure_node **ret)
{
    struct procedure_node *node = sp_arena_alloc(&r->p->arena, sizeof *node);
    struct jtable_place yes = {.up = place, .name = "yes"};
    struct jtable_place no = {.up = place, .name = "no"};
    struct question_spans spans = {0};
    struct sp_str feature;
    int err;

    *ret = node;
    if (!jget_member(value, SP_STR("feature"), &feature))
        return read_leaf(r, place, value, node);
    err =
        jtable_read(place, value, question_fields, JTABLE_LEN(question_fields), &spans, r->ret_err);
    if (err < 0)
        return err;
    node->feature = text_of(r, spans.feature);
    err = read_node(r, &yes, spans.yes, &node->yes);
    return err < 0 ? err : read_node(r, &no, spans.no, &node->no);
}

static int read_trees(struct reading *r, struct sp_str object)
{
    struct jtable_place document = {0};
    struct jtable_place trees = {.up = &document, .name = "trees"};
    struct procedure *p = r->p;
    struct sp_buf name = {0};
    size_t n = 0;
    int err = 0;

    p->trees = sp_arena_alloc(&p->arena, jget_count(object) * sizeof *p->trees);
    for (struct jget_iter it = jget_iter(object); err == 0 && jget_next(&it); n++) {
        struct sp_str site = text_of(r, it.name);
        struct jtable_place place = {.up = &trees};

        sp_buf_clear(&name);
        sp_buf_add(&name, site);
        place.name = sp_buf_cstr(&name);
        *sp_map_put(&p->sites, site, NULL) = n; /* of a name that occurs twice the last counts */
        err = read_node(r, &place, it.value, &p->trees[n]);
    }
    sp_buf_deinit(&name);
    return err;
}

static int read_checks(struct reading *r, struct sp_str array)
{
    struct jtable_place document = {0};
    struct jtable_place checks = {.up = &document, .name = "checks"};
    struct jtable_place element = {.up = &checks};
    struct procedure *p = r->p;
    int err = 0;

    p->checks = sp_arena_alloc(&p->arena, jget_count(array) * sizeof *p->checks);
    for (struct jget_iter it = jget_iter(array); err == 0 && jget_next(&it); element.index++) {
        struct jtable_place contains = {.up = &element, .name = "contains"};
        struct jtable_place lacks = {.up = &element, .name = "lacks"};
        struct procedure_check *check = &p->checks[p->n_checks++];
        struct check_spans spans = {0};

        err = jtable_read(&element, it.value, check_fields, JTABLE_LEN(check_fields), &spans,
                          r->ret_err);
        if (err < 0)
            break;
        check->phrase = text_of(r, spans.phrase);
        check->probe = text_of(r, spans.probe);
        err = read_texts(r, &contains, spans.contains, &check->contains);
        if (err == 0)
            err = read_texts(r, &lacks, spans.lacks, &check->lacks);
    }
    return err;
}

/* Whether it is a procedure at all, and of the format that is read. */
static int check_format(struct sp_str value, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    struct sp_str found;
    uint64_t format;

    if (!jget_member(value, SP_STR("stretto_procedure"), &found) ||
        jget_type(found) == JSCAN_NULL) {
        sp_err_set(ret_err, "no compiled procedure: it has no member 'stretto_procedure'");
        return -EINVAL;
    }
    if (jget_u64(found, &format) && format == PROCEDURE_FORMAT)
        return 0;
    jcanon(&text, found);
    sp_err_set(ret_err, "format %s, and only format %d is read", sp_buf_cstr(&text),
               PROCEDURE_FORMAT);
    sp_buf_deinit(&text);
    return -EINVAL;
}

static int read_procedure(struct reading *r, struct sp_str value)
{
    struct jtable_place document = {0};
    struct jtable_place fallback = {.up = &document, .name = "fallback"};
    struct procedure *p = r->p;
    struct top_spans spans = {0};
    int err = jtable_read(&document, value, top_fields, JTABLE_LEN(top_fields), &spans, r->ret_err);

    if (err < 0)
        return err;
    p->domain = text_of(r, spans.domain);
    p->is_symbolic = jget_type(spans.symbolic) == JSCAN_TRUE;
    (void)jget_u64(spans.max_calls, &p->max_calls); /* the table saw to it */
    p->stop = text_of(r, spans.stop);
    p->handoff = text_of(r, spans.handoff);
    p->handoff_arguments = spans.handoff_arguments.p != NULL
                               ? sp_arena_copy(&p->arena, spans.handoff_arguments)
                               : SP_STR("{}");
    if ((err = read_set(r, "reads", spans.reads, &p->reads)) < 0 ||
        (err = read_set(r, "vocab", spans.vocab, &p->vocab)) < 0 ||
        (err = read_trees(r, spans.trees)) < 0 ||
        (err = read_node(r, &fallback, spans.fallback, &p->fallback)) < 0)
        return err;
    return read_checks(r, spans.checks);
}

int procedure_parse(struct sp_str text, struct procedure **ret, struct sp_err *ret_err)
{
    struct reading r = {.ret_err = ret_err};
    struct jscan found;
    int err;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found)) {
        sp_err_set(ret_err, "not JSON");
        return -EINVAL;
    }
    err = check_format(found.value, ret_err);
    if (err < 0)
        return err;
    r.p = sp_calloc(1, sizeof *r.p);
    err = read_procedure(&r, found.value);
    sp_buf_deinit(&r.scratch);
    if (err < 0) {
        procedure_free(r.p);
        return err;
    }
    *ret = r.p;
    return 0;
}

int procedure_load(const char *path, struct procedure **ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = sp_file_read(path, SIZE_MAX, &text);

    if (err < 0)
        sp_err_set(ret_err, "%s", sp_err_cause(err));
    else
        err = procedure_parse(sp_buf_str(&text), ret, ret_err);
    if (err < 0)
        sp_err_prefix(ret_err, "reading %s", path);
    sp_buf_deinit(&text);
    return err;
}

void procedure_free(struct procedure *p)
{
    if (p == NULL)
        return;
    sp_map_deinit(&p->reads);
    sp_map_deinit(&p->vocab);
    sp_map_deinit(&p->sites);
    sp_arena_deinit(&p->arena);
    free(p);
}

const struct procedure_node *procedure_tree(const struct procedure *p, struct sp_str site)
{
    const size_t *at = sp_map_find(&p->sites, site);

    return at != NULL ? p->trees[*at] : p->fallback;
}
