/*
 * Reads a flow file. In this order, the first failure ending it: the file, its form, its version,
 * the types of its members, what a version 1 may not hold, the program, and flow_check().
 */

#include <errno.h>
#include <inttypes.h>

#include "base/sp_file.h"
#include "flow/flow.h"
#include "flow/flowtable.h"
#include "flow/program.h"

/* Finds the object and its version; whether it is a stretto flow. */
static bool find_flow(struct sp_str text, struct sp_str *ret_object, uint64_t *ret_version,
                      struct sp_err *err)
{
    const char *detail = NULL;
    struct sp_str member;
    struct jscan found;
    uint64_t version;

    if (!jscan(text, JSCAN_MAX_DEPTH, &found))
        detail = "it is not JSON";
    else if (found.type != JSCAN_OBJECT)
        detail = "it is not an object";
    else if (!jget_member(found.value, SP_STR("stretto_flow"), &member))
        detail = "stretto_flow: missing";
    else if (!jget_u64(member, &version) || version > UINT32_MAX)
        detail = "stretto_flow: expected an integer of 0 to 4294967295";
    if (detail != NULL) {
        sp_err_set(err, "not a stretto flow: %s", detail);
        return false;
    }
    *ret_object = found.value;
    *ret_version = version;
    return true;
}

/* A build that knows only version 1 would ignore these members and act otherwise than was meant. */
static int check_version_1(const struct flow *f, struct sp_err *err)
{
    const struct flow_bindings *b = &f->bindings;
    const struct {
        const char *name;
        size_t n;
    } members[] = {
        {"named_other", b->named_other.n},
        {"described_read", b->described_read.n},
        {"site_sources", b->n_site_sources},
        {"lists", b->lists.n},
        {"bare", b->bare.n},
        {"constants", b->n_constants},
    };

    if (f->n_thresholds > 0) {
        sp_err_set(err, "a flow with thresholds must be format 2");
        return -EINVAL;
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].n > 0) {
            sp_err_set(err, "a flow whose bindings hold %s must be format 2", members[i].name);
            return -EINVAL;
        }
    }
    return 0;
}

static int read_flow(struct flow *f, struct sp_str object, uint64_t version, struct sp_err *err)
{
    struct flowjson_at top = {.arena = &f->arena, .err = err};
    struct sp_str program;
    int ret = flowjson_read(&top, object, &flowtable_flow, f);

    if (ret == 0 && version == 1)
        ret = check_version_1(f, err);
    if (ret == 0 && jget_member(object, SP_STR("program"), &program))
        ret = program_parse(program, &f->program, err);
    if (ret < 0)
        return ret;
    flow_index(f);
    ret = flow_check(f, err);
    if (ret < 0)
        sp_err_prefix(err, "flow");
    return ret;
}

int flow_parse(struct sp_str text, struct flow **ret, struct sp_err *ret_err)
{
    struct sp_str object;
    uint64_t version;
    struct flow *f;
    int err;

    if (!find_flow(text, &object, &version, ret_err))
        return -EINVAL;
    if (version != 1 && version != 2) {
        sp_err_set(ret_err, "flow format %" PRIu64 " is not one this build reads (1, 2)", version);
        return -EINVAL;
    }
    f = flow_new();
    err = read_flow(f, object, version, ret_err);
    if (err < 0) {
        flow_free(f);
        return err;
    }
    *ret = f;
    return 0;
}

int flow_load(const char *path, struct flow **ret, struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    int err = sp_file_read(path, SIZE_MAX, &text);

    if (err < 0)
        sp_err_set(ret_err, "reading %s: %s", path, sp_err_cause(err));
    else if ((err = flow_parse(sp_buf_str(&text), ret, ret_err)) < 0)
        sp_err_prefix(ret_err, "%s", path);
    sp_buf_deinit(&text);
    return err;
}
