/* Reading a response, by jansson. What is kept is copied into the response's arena. */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "json/jcanon.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "oracle/oracle.h"
#include "oracle/oracle_type.h"

enum shape {
    SHAPE_TEXT,          /* struct sp_str */
    SHAPE_NUMBER,        /* double; a whole number too */
    SHAPE_COUNT,         /* uint64_t; may be missing */
    SHAPE_CHANCES,       /* the chances of a struct oracle_answer */
    SHAPE_ANY_CANONICAL, /* struct sp_str: the value in canonical JSON; null when it is missing */
};

/* A member that is read. */
struct member {
    const char *name;
    enum shape shape;
    size_t offset; /* of what it is read into */
};

#define N_OF(table) (sizeof(table) / sizeof *(table))

static const struct member noul_members[] = {
    {"noul", SHAPE_NUMBER, offsetof(struct oracle_answer, noul)},
};

static const struct member choice_members[] = {
    {"choice", SHAPE_TEXT, offsetof(struct oracle_answer, choice)},
    {"probabilities", SHAPE_CHANCES, 0},
    {"confidence", SHAPE_NUMBER, offsetof(struct oracle_answer, confidence)},
};

static const struct member score_members[] = {
    {"score", SHAPE_NUMBER, offsetof(struct oracle_answer, score)},
    {"probabilities", SHAPE_CHANCES, 0},
    {"confidence", SHAPE_NUMBER, offsetof(struct oracle_answer, confidence)},
    {"legend", SHAPE_ANY_CANONICAL, offsetof(struct oracle_answer, legend)},
};

static const struct {
    const struct member *members;
    size_t n;
} members_of[] = {
    [ORACLE_NOUL] = {noul_members, N_OF(noul_members)},
    [ORACLE_CHOICE] = {choice_members, N_OF(choice_members)},
    [ORACLE_SCORE] = {score_members, N_OF(score_members)},
};

static const struct member usage_members[] = {
    {"input_tokens", SHAPE_COUNT, offsetof(struct oracle_response, input_tokens)},
    {"output_tokens", SHAPE_COUNT, offsetof(struct oracle_response, output_tokens)},
};

struct reader {
    struct oracle_response response;
    struct sp_err *err;
};

static int fail(struct reader *r, const char *name, const char *what)
{
    sp_err_set(r->err, "%s: %s", name, what);
    return -EINVAL;
}

/* Puts the question that an error is about before it, as a JSON string: an id may be any text. */
static void prefix_id(struct reader *r, const char *id)
{
    struct sp_buf text = {0};

    jput_string(&text, sp_str_of(id));
    sp_err_prefix(r->err, "the answer to %s", sp_buf_cstr(&text));
    sp_buf_deinit(&text);
}

static struct sp_str copy_text(struct reader *r, const json_t *string)
{
    struct sp_str text = {json_string_value(string), json_string_length(string)};

    return sp_arena_copy(&r->response.arena, text);
}

static int read_canonical(struct reader *r, const char *name, const json_t *value, void *ret)
{
    struct sp_str *ret_text = ret;
    struct sp_buf canonical = {0};
    struct jscan found;
    char *text;

    if (value == NULL) {
        *ret_text = SP_STR("null");
        return 0;
    }
    text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text == NULL || !jscan(sp_str_of(text), JSCAN_MAX_DEPTH, &found)) {
        free(text);
        return fail(r, name, "nests too deep");
    }
    jcanon(&canonical, found.value);
    *ret_text = sp_arena_copy(&r->response.arena, sp_buf_str(&canonical));
    sp_buf_deinit(&canonical);
    free(text);
    return 0;
}

static int chance_cmp(const void *a, const void *b)
{
    const struct oracle_chance *x = a, *y = b;

    return sp_str_cmp(x->name, y->name);
}

static int read_chances(struct reader *r, const char *name, json_t *object,
                        struct oracle_answer *ret)
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return fail(r, name, "must be an object");
    ret->chances =
        sp_arena_alloc(&r->response.arena, json_object_size(object) * sizeof *ret->chances);
    json_object_foreach(object, key, value)
    {
        if (!json_is_number(value))
            return fail(r, name, "must hold numbers alone");
        ret->chances[ret->n_chances++] = (struct oracle_chance){
            .name = sp_arena_copy(&r->response.arena, sp_str_of(key)),
            .p = json_number_value(value),
        };
    }
    qsort(ret->chances, ret->n_chances, sizeof *ret->chances, chance_cmp);
    return 0;
}

static int read_count(struct reader *r, const char *name, const json_t *value, uint64_t *ret)
{
    if (value == NULL)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return fail(r, name, "must be a whole number of at least 0");
    *ret = (uint64_t)json_integer_value(value);
    return 0;
}

static int read_member(struct reader *r, const struct member *m, json_t *value, void *ret)
{
    void *field = (char *)ret + m->offset;

    switch (m->shape) {
    case SHAPE_TEXT:
        if (!json_is_string(value))
            return fail(r, m->name, "must be a string");
        *(struct sp_str *)field = copy_text(r, value);
        return 0;
    case SHAPE_NUMBER:
        if (!json_is_number(value))
            return fail(r, m->name, "must be a number");
        *(double *)field = json_number_value(value);
        return 0;
    case SHAPE_COUNT:
        return read_count(r, m->name, value, field);
    case SHAPE_CHANCES:
        return read_chances(r, m->name, value, ret);
    case SHAPE_ANY_CANONICAL:
        return read_canonical(r, m->name, value, field);
    }
    return 0;
}

static int read_members(struct reader *r, const json_t *object, const struct member *members,
                        size_t n, void *ret)
{
    int err = 0;

    for (size_t i = 0; i < n && err == 0; i++)
        err = read_member(r, &members[i], json_object_get(object, members[i].name), ret);
    return err;
}

static int read_answer(struct reader *r, const json_t *object, struct oracle_answer *ret)
{
    const json_t *type = json_object_get(object, "type");
    struct sp_str name = {json_string_value(type), json_string_length(type)};

    if (!json_is_object(object))
        return fail(r, "it", "must be an object");
    if (!json_is_string(type))
        return fail(r, "type", "must be a string");
    for (size_t i = 0; i < N_OF(members_of); i++) {
        if (!sp_str_eq(name, oracle_type_name((enum oracle_type)i)))
            continue;
        ret->type = (enum oracle_type)i;
        return read_members(r, object, members_of[i].members, members_of[i].n, ret);
    }
    return fail(r, "type", "is not one of noul, choice, score");
}

static int answer_cmp(const void *a, const void *b)
{
    const struct oracle_answer *x = a, *y = b;

    return sp_str_cmp(x->id, y->id);
}

static int read_answers(struct reader *r, json_t *object)
{
    struct oracle_response *ret = &r->response;
    const char *id;
    json_t *value;

    if (!json_is_object(object))
        return fail(r, "answers", "must be an object");
    ret->answers = sp_arena_alloc(&ret->arena, json_object_size(object) * sizeof *ret->answers);
    json_object_foreach(object, id, value)
    {
        struct oracle_answer *answer = &ret->answers[ret->n_answers++];
        int err = read_answer(r, value, answer);

        if (err < 0) {
            prefix_id(r, id);
            return err;
        }
        answer->id = sp_arena_copy(&ret->arena, sp_str_of(id));
    }
    qsort(ret->answers, ret->n_answers, sizeof *ret->answers, answer_cmp);
    return 0;
}

static int read_response(struct reader *r, const json_t *document)
{
    const json_t *model = json_object_get(document, "model");
    const json_t *usage = json_object_get(document, "usage");
    int err;

    if (!json_is_string(model))
        return fail(r, "model", "must be a string");
    r->response.model = copy_text(r, model);
    err = read_answers(r, json_object_get(document, "answers"));
    if (err < 0 || usage == NULL)
        return err;
    if (!json_is_object(usage))
        return fail(r, "usage", "must be an object");
    err = read_members(r, usage, usage_members, N_OF(usage_members), &r->response);
    if (err < 0)
        sp_err_prefix(r->err, "usage");
    return err;
}

int oracle_parse_response(struct sp_str text, struct oracle_response *ret, struct sp_err *ret_err)
{
    struct reader r = {.err = ret_err};
    json_error_t error;
    json_auto_t *document = json_loadb(text.p, text.len, JSON_ALLOW_NUL, &error);
    int err;

    /* jansson's own words would quote the text. */
    if (document == NULL) {
        sp_err_set(ret_err, "it is not JSON (line %d, column %d)", error.line, error.column);
        return -EINVAL;
    }
    if (!json_is_object(document)) {
        sp_err_set(ret_err, "it is not an object");
        return -EINVAL;
    }
    err = read_response(&r, document);
    if (err < 0)
        oracle_response_deinit(&r.response);
    else
        *ret = r.response;
    return err;
}
