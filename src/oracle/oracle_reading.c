/* Reads a request from JSON. */

#include <errno.h>

#include "base/sp_map.h"
#include "json/jtable.h"
#include "oracle/oracle.h"

#define MAX_OPTIONS 255
#define MIN_LEVELS  2
#define MAX_LEVELS  10

struct reading {
    struct oracle_request *request;
    struct sp_err *err;
};

/* The text of a string's span, NUL-terminated. */
static struct sp_str text_of(struct reading *r, struct sp_str string)
{
    struct sp_buf b = {0};
    char *text;
    size_t len;

    jget_text(string, &b);
    len = b.len;
    text = sp_arena_alloc(&r->request->arena, len + 1);
    memcpy(text, sp_buf_cstr(&b), len);
    sp_buf_deinit(&b);
    return (struct sp_str){text, len};
}

struct member {
    struct sp_str name; /* unescaped */
    struct sp_str value;
};

/* The members of an object; of a name that occurs twice the last counts. The arena's. */
static struct member *read_members(struct reading *r, struct sp_str object, size_t *ret_n)
{
    struct member *members =
        sp_arena_alloc(&r->request->arena, jget_count(object) * sizeof *members);
    struct sp_map places = {0};
    size_t n = 0;

    for (struct jget_iter it = jget_iter(object); jget_next(&it);) {
        struct sp_str name = text_of(r, it.name);
        bool is_new;
        size_t *place = sp_map_put(&places, name, &is_new);

        if (is_new)
            *place = n++;
        members[*place] = (struct member){name, it.value};
    }
    sp_map_deinit(&places);
    *ret_n = n;
    return members;
}

static int read_noul(struct reading *r, const struct jtable_place *place, struct sp_str criteria,
                     struct oracle_question *q)
{
    static const struct jtable_field fields[] = {
        {"true", JTABLE_TEXT, JTABLE_REQUIRED, 0},
        {"false", JTABLE_TEXT, JTABLE_REQUIRED, sizeof(struct sp_str)},
    };
    struct sp_str sides[2] = {0};
    int err;

    if (criteria.p == NULL)
        return 0;
    err = jtable_read(place, criteria, fields, JTABLE_LEN(fields), sides, r->err);
    if (err < 0)
        return err;
    q->yes = text_of(r, sides[0]);
    q->no = text_of(r, sides[1]);
    return 0;
}

static int read_choice(struct reading *r, const struct jtable_place *place, struct sp_str criteria,
                       struct oracle_question *q)
{
    const struct member *members;

    if (criteria.p == NULL || jget_type(criteria) != JSCAN_OBJECT)
        return jtable_fail(place, "must be an object", r->err);
    members = read_members(r, criteria, &q->n_options);
    if (q->n_options > MAX_OPTIONS)
        return jtable_fail(place, "has more than 255 options", r->err);
    q->options = sp_arena_alloc(&r->request->arena, q->n_options * sizeof *q->options);
    for (size_t i = 0; i < q->n_options; i++) {
        if (jget_type(members[i].value) != JSCAN_STRING)
            return jtable_fail(place, "must hold strings", r->err);
        q->options[i] = (struct oracle_option){members[i].name, text_of(r, members[i].value)};
    }
    return 0;
}

static int read_score(struct reading *r, const struct jtable_place *place, struct sp_str criteria,
                      struct oracle_question *q)
{
    if (criteria.p == NULL || jget_type(criteria) != JSCAN_ARRAY)
        return jtable_fail(place, "must be an array", r->err);
    q->options = sp_arena_alloc(&r->request->arena, MAX_LEVELS * sizeof *q->options);
    for (struct jget_iter it = jget_iter(criteria); jget_next(&it); q->n_options++) {
        if (q->n_options == MAX_LEVELS)
            return jtable_fail(place, "has more than 10 levels", r->err);
        if (jget_type(it.value) != JSCAN_STRING)
            return jtable_fail(place, "must hold strings", r->err);
        q->options[q->n_options].text = text_of(r, it.value);
    }
    return q->n_options < MIN_LEVELS ? jtable_fail(place, "has less than 2 levels", r->err) : 0;
}

static int read_question(struct reading *r, const struct jtable_place *place, struct sp_str value,
                         struct oracle_question *q)
{
    struct {
        struct sp_str type;
        struct sp_str instructions;
        struct sp_str criteria;
    } found = {0};
    static const struct jtable_field fields[] = {
        {"type", JTABLE_TEXT, JTABLE_REQUIRED, 0},
        {"instructions", JTABLE_TEXT, JTABLE_REQUIRED, sizeof(struct sp_str)},
        {"criteria", JTABLE_ANY, JTABLE_OPTIONAL, 2 * sizeof(struct sp_str)},
    };
    struct jtable_place type = {.up = place, .name = "type"};
    struct jtable_place criteria = {.up = place, .name = "criteria"};
    int err = jtable_read(place, value, fields, JTABLE_LEN(fields), &found, r->err);

    if (err < 0)
        return err;
    q->instructions = text_of(r, found.instructions);
    if (jget_is_text(found.type, SP_STR("noul"))) {
        q->type = ORACLE_NOUL;
        return read_noul(r, &criteria, found.criteria, q);
    }
    if (jget_is_text(found.type, SP_STR("choice"))) {
        q->type = ORACLE_CHOICE;
        return read_choice(r, &criteria, found.criteria, q);
    }
    if (jget_is_text(found.type, SP_STR("score"))) {
        q->type = ORACLE_SCORE;
        return read_score(r, &criteria, found.criteria, q);
    }
    return jtable_fail(&type, "must be noul, choice or score", r->err);
}

static int read_request(struct reading *r, struct sp_str object)
{
    struct {
        struct sp_str model;
        struct sp_str state;
        struct sp_str questions;
    } found = {0};
    static const struct jtable_field fields[] = {
        {"model", JTABLE_TEXT, JTABLE_REQUIRED, 0},
        {"state", JTABLE_ANY, JTABLE_REQUIRED, sizeof(struct sp_str)},
        {"questions", JTABLE_OBJECT, JTABLE_REQUIRED, 2 * sizeof(struct sp_str)},
    };
    struct jtable_place document = {0};
    struct jtable_place questions = {.up = &document, .name = "questions"};
    struct oracle_request *request = r->request;
    const struct member *members;
    int err = jtable_read(&document, object, fields, JTABLE_LEN(fields), &found, r->err);

    if (err < 0)
        return err;
    request->model = text_of(r, found.model);
    request->state = sp_arena_copy(&request->arena, found.state);
    members = read_members(r, found.questions, &request->n_questions);
    request->questions =
        sp_arena_alloc(&request->arena, request->n_questions * sizeof *request->questions);
    for (size_t i = 0; err == 0 && i < request->n_questions; i++) {
        struct jtable_place place = {.up = &questions, .name = members[i].name.p};

        request->questions[i].id = members[i].name;
        err = read_question(r, &place, members[i].value, &request->questions[i]);
    }
    return err;
}

int oracle_read_request(struct sp_str object, struct oracle_request *ret, struct sp_err *ret_err)
{
    struct oracle_request request = {0};
    struct reading r = {&request, ret_err};
    int err = read_request(&r, object);

    if (err < 0)
        oracle_request_deinit(&request);
    else
        *ret = request;
    return err;
}
