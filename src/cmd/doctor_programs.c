/* Checks the programs of this project. */

#include <stdlib.h>

#include "cmd/doctor_programs.h"
#include "cmd/oneshot.h"
#include "cmd/programs.h"
#include "json/jget.h"
#include "proxy/modules.h"

#define WAIT_MS 10000

/* How much is shown of what a program says in place of its version. */
#define MAX_SAID 60

#define PROXY "stretto-proxy"
#define DEMO  "stretto-mcp-demo"

/* ---- versions ---- */

static struct sp_str first_line(struct sp_str text)
{
    return sp_str_sub(text, 0, sp_str_find(text, '\n'));
}

/* Checks the version of a program that is on PATH. */
static void check_version(struct findings *f, const char *name, char *path)
{
    char *argv[] = {path, "--version", NULL};
    struct sp_buf out = {0}, wanted = {0};
    struct sp_str said;
    struct sp_err err;
    int status = oneshot_run(argv, SP_STR(""), WAIT_MS, &out, &err);

    said = first_line(sp_buf_str(&out));
    if (said.len > MAX_SAID)
        said.len = MAX_SAID;
    sp_buf_addf(&wanted, "%s %s", name, SP_VERSION);
    if (status < 0 && strstr(err.text, path) != NULL)
        findings_add(f, FINDINGS_PROBLEM, "%s does not tell its version: %s", name, err.text);
    else if (status < 0)
        findings_add(f, FINDINGS_PROBLEM, "%s does not tell its version: %s (%s)", name, err.text,
                     path);
    else if (said.len == 0)
        findings_add(f, FINDINGS_PROBLEM, "%s does not tell its version (%s)", name, path);
    else if (!sp_str_eq(said, sp_buf_str(&wanted)))
        findings_add(f, FINDINGS_PROBLEM, "%s is another version, '%.*s', than this stretto (%s)",
                     name, SP_STR_ARG(said), path);
    else
        findings_add(f, FINDINGS_OK, "%s (%s)", sp_buf_cstr(&wanted), path);
    sp_buf_deinit(&out);
    sp_buf_deinit(&wanted);
}

static void check_program(struct findings *f, const char *name, enum findings_mark when_missing)
{
    char *found = programs_file_on_path(name);
    char *beside = found == NULL ? programs_beside(name) : NULL;

    if (found != NULL)
        check_version(f, name, found);
    else if (beside != NULL)
        findings_add(f, when_missing,
                     "%s is not on PATH, but beside this stretto: add %.*s to PATH", name,
                     (int)(strrchr(beside, '/') - beside), beside);
    else
        findings_add(f, when_missing,
                     "%s is not on PATH: install it ('meson install' of its sources puts all four "
                     "programs in one directory)",
                     name);
    free(found);
    free(beside);
}

/* ---- a round trip ---- */

/* Whether a line is a result of request 2 that holds the word. */
static bool is_answer(struct sp_str line, struct sp_str word)
{
    struct sp_str names[2] = {SP_STR("id"), SP_STR("result")}, found[2];
    struct jscan scan;

    if (!jscan(line, JSCAN_MAX_DEPTH, &scan) || scan.type != JSCAN_OBJECT)
        return false;
    jget_members(scan.value, names, 2, found);
    return found[0].p != NULL && found[1].p != NULL && sp_str_eq(found[0], SP_STR("2")) &&
           memmem(found[1].p, found[1].len, word.p, word.len) != NULL;
}

static bool has_answer(struct sp_str out, struct sp_str word)
{
    while (out.len > 0) {
        struct sp_str line = first_line(out);

        if (is_answer(line, word))
            return true;
        out = sp_str_sub(out, line.len + (line.len < out.len), out.len);
    }
    return false;
}

/* Makes a call of the demo server through the proxy. */
static void go_round(struct findings *f, char *proxy, char *demo)
{
    static const struct sp_str input = SP_STR(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"stretto-doctor\","
        "\"version\":\"" SP_VERSION "\"}}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"lookup\","
        "\"arguments\":{\"text\":\"stretto-doctor\"}}}\n");
    char *argv[] = {proxy, "--", demo, NULL};
    struct sp_buf out = {0};
    struct sp_err err;

    if (oneshot_run(argv, input, WAIT_MS, &out, &err) < 0)
        findings_add(f, FINDINGS_PROBLEM, "a call through %s to %s failed: %s", proxy, demo,
                     err.text);
    else if (!has_answer(sp_buf_str(&out), SP_STR("stretto-doctor")))
        findings_add(f, FINDINGS_PROBLEM, "a call through %s to %s got no answer", proxy, demo);
    else
        findings_add(f, FINDINGS_OK, "a call went through %s to %s and back", proxy, demo);
    sp_buf_deinit(&out);
}

/* ---- modules ---- */

/* Loads what the proxy loads on demand, which lies in one place for it and for this program. */
static void check_modules(struct findings *f)
{
    uv_lib_t upstream, oracle;
    struct sp_err err;

    if (modules_load_upstream(&upstream, &err) == NULL)
        findings_add(f, FINDINGS_PROBLEM, "%s", err.text);
    else
        uv_dlclose(&upstream);
    if (modules_load_oracle("questions to a model", &oracle, &err) == NULL)
        findings_add(f, FINDINGS_PROBLEM, "%s", err.text);
    else
        uv_dlclose(&oracle);
}

/* The program of this installation: beside this one, or else on PATH. */
static char *find(const char *name)
{
    char *beside = programs_beside(name);

    return beside != NULL ? beside : programs_on_path(name);
}

void doctor_programs(struct findings *f)
{
    size_t n_before = f->n_problems;
    char *beside = programs_beside(PROXY);
    char *proxy = find(PROXY);
    char *demo = find(DEMO);

    check_program(f, PROXY, FINDINGS_PROBLEM);
    check_program(f, "stretto-procedure", FINDINGS_NOTE);
    check_program(f, DEMO, FINDINGS_NOTE);
    /* A program that does not run has been told of. */
    if (f->n_problems == n_before && proxy != NULL && demo != NULL)
        go_round(f, proxy, demo);
    if (beside != NULL)
        check_modules(f);
    free(beside);
    free(proxy);
    free(demo);
}
