/* The arbiter file. */

#include <errno.h>
#include <inttypes.h>

#include "base/sp_file.h"
#include "flow/arbiterfile.h"
#include "flow/flowtable.h"
#include "json/jindent.h"

#define FORMAT 1

#define FIELD(key, of_type, member)                                                          \
    {                                                                                        \
        .name = (key), .rule = FLOWJSON_REQUIRED, .shape = FLOWJSON_ONE, .type = &(of_type), \
        .offset = offsetof(struct arbiterfile, member),                                      \
    }

static const struct flowjson_field fields[] = {
    FIELD("domain", flowjson_string, domain),
    FIELD("provenance", flowtable_provenance, provenance),
    FIELD("predicates", flowtable_predicates, predicates),
    FIELD("weighed", flowtable_predicates, weighed),
    FIELD("fitted", flowtable_fold, fitted),
    FIELD("model", flowjson_string, model),
};

static const struct flowjson_type arbiter = {
    .form = FLOWJSON_OBJECT,
    .size = sizeof(struct arbiterfile),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
};

void arbiterfile_deinit(struct arbiterfile *a)
{
    sp_arena_deinit(&a->arena);
    *a = (struct arbiterfile){0};
}

static const char *find_arbiter(struct sp_str text, struct sp_str *ret_object,
                                struct sp_str *ret_format)
{
    struct jscan found;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found))
        return "it is not JSON";
    if (found.type != JSCAN_OBJECT)
        return "it is not an object";
    if (!jget_member(found.value, SP_STR("stretto_arbiter"), ret_format))
        return "stretto_arbiter: missing";
    *ret_object = found.value;
    return NULL;
}

bool arbiterfile_is(struct sp_str text)
{
    struct sp_str object, format;

    return find_arbiter(text, &object, &format) == NULL;
}

static int read_arbiter(struct arbiterfile *a, struct sp_str object, struct sp_err *err)
{
    struct flowjson_at top = {.arena = &a->arena, .err = err};
    int ret = flowjson_read(&top, object, &arbiter, a);

    if (ret < 0)
        return ret;
    flow_index_fold(&a->fitted);
    return flow_check_fold(&a->fitted, a->weighed.n, "fitted", err);
}

int arbiterfile_parse(struct sp_str text, struct arbiterfile *ret, struct sp_err *ret_err)
{
    struct sp_str object, member;
    const char *detail = find_arbiter(text, &object, &member);
    uint64_t format;
    int err;

    if (detail == NULL && !jget_u64(member, &format))
        detail = "stretto_arbiter: expected an integer of 0 or more";
    if (detail != NULL) {
        sp_err_set(ret_err, "not a stretto arbiter: %s", detail);
        return -EINVAL;
    }
    if (format != FORMAT) {
        sp_err_set(ret_err, "arbiter format %" PRIu64 " is not one this build reads (%d)", format,
                   FORMAT);
        return -EINVAL;
    }
    err = read_arbiter(ret, object, ret_err);
    if (err < 0)
        arbiterfile_deinit(ret);
    return err;
}

int arbiterfile_load(const char *path, struct arbiterfile *ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = sp_file_read(path, SIZE_MAX, &text);

    if (err < 0)
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    else
        err = arbiterfile_parse(sp_buf_str(&text), ret, ret_err);
    sp_buf_deinit(&text);
    return err;
}

void arbiterfile_put(struct sp_buf *b, const struct arbiterfile *a)
{
    struct sp_buf text = {0};

    sp_buf_addf(&text, "{\"stretto_arbiter\":%d", FORMAT);
    flowjson_put_members(&text, &arbiter, a);
    sp_buf_add_char(&text, '}');
    jindent(b, sp_buf_str(&text));
    sp_buf_deinit(&text);
}
