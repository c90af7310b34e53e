/* stretto doctor: checks the installation. */

#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "cmd/cmd.h"
#include "cmd/doctor_data.h"
#include "cmd/doctor_hosts.h"
#include "cmd/doctor_programs.h"
#include "cmd/jevcheck.h"
#include "cmd/programs.h"
#include "io/oracle_jev_config.h"
#include "io/spawn.h"

#define KEY      "TYPESAFE_API_KEY"
#define KEY_FILE "TYPESAFE_API_KEY_FILE"

struct doctor_options {
    bool is_networked;
    const char *data;
};

#define AT(field) .offset = offsetof(struct doctor_options, field)

static const struct sp_opt table[] = {
    {"network", .kind = SP_OPT_FLAG, AT(is_networked), .help = "ask the Jev service a question"},
    {"data", .kind = SP_OPT_PATH, AT(data), .arg = "DIR", .fallback = "~/.stretto",
     .help = "where flows, recorded sessions and cached answers are"},
    CMD_HELP,
};

/* A variable's value; NULL when it is not set, or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Notes what is wrong with a key, or with the file that has it; NULL: there is none. */
static void check_use(struct findings *f, const char *path)
{
    struct oracle_jev_settings settings = oracle_jev_from_env(getenv);
    struct oracle_jev_config config;
    struct sp_err err;
    struct stat st;

    if (oracle_jev_config_init(&config, &settings, &err) < 0) {
        findings_add(f, FINDINGS_PROBLEM, "%s", err.text);
    } else {
        if (config.key_error != NULL)
            findings_add(f, FINDINGS_NOTE, "the key cannot be used: %s", config.key_error);
        oracle_jev_config_deinit(&config);
    }
    if (path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
        findings_add(f, FINDINGS_NOTE,
                     "the file that " KEY_FILE " names is open to other users; its mode should be "
                     "600: %s",
                     path);
}

static void check_key(struct findings *f)
{
    const char *key = variable(KEY), *file = variable(KEY_FILE);

    if (key != NULL || file != NULL) {
        findings_add(f, FINDINGS_OK, "%s is set", key != NULL ? KEY : KEY_FILE);
        check_use(f, key != NULL ? NULL : file);
    } else {
        findings_add(f, FINDINGS_NOTE,
                     "no key of the Jev service (" KEY ", " KEY_FILE "): recording, learning with "
                     "--habit-only, showing, diffing, auditing, promoting and serving by habit or "
                     "reach need none; fitting an arbiter, serving by one and the confirmation "
                     "judge do");
    }
}

static void check_network(struct findings *f)
{
    struct sp_buf answer = {0};
    struct sp_err err;

    if (variable(KEY) == NULL && variable(KEY_FILE) == NULL)
        findings_add(f, FINDINGS_NOTE, "Jev was not asked: there is no key");
    else if (jevcheck(&answer, &err) < 0)
        findings_add(f, FINDINGS_PROBLEM, "Jev: %s", err.text);
    else
        findings_add(f, FINDINGS_OK, "%s", sp_buf_cstr(&answer));
    sp_buf_deinit(&answer);
}

static void put_self(struct findings *f)
{
    char *self = programs_self();

    sp_buf_addf(&f->text, "stretto %s (%s)\n\n", SP_VERSION, self != NULL ? self : "?");
    free(self);
}

/* The user's home without slashes at its end, the caller's; NULL for none. */
static char *find_home(void)
{
    const char *value = variable("HOME");
    char *home = value != NULL ? sp_strdup(value) : NULL;
    size_t len = home != NULL ? strlen(home) : 0;

    while (len > 1 && home[len - 1] == '/')
        home[--len] = '\0';
    return home;
}

static void examine(struct findings *f, const struct doctor_options *o)
{
    char *home = find_home();
    const char *named = o->data != NULL ? o->data : home != NULL ? "~/.stretto" : NULL;
    char *dir = named != NULL ? sp_file_expand(named, home, NULL) : NULL;

    put_self(f);
    doctor_programs(f);
    doctor_data_dir(f, dir, home);
    check_key(f);
    doctor_data_files(f, dir, home);
    doctor_hosts(f, home);
    if (o->is_networked)
        check_network(f);
    free(dir);
    free(home);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
    struct doctor_options o = {0};
    struct findings f = {0};
    struct spool spool = {0};
    int status = 0;

    if (!cmd_parse(cmd, argc, argv, &o, NULL, &status))
        return status;
    spawn_prepare_signals();
    examine(&f, &o);
    sp_buf_add(&spool.text, sp_buf_str(&f.text));
    status = cmd_print(&spool);
    if (f.n_problems > 0) {
        cmd_note("%zu problem%s", f.n_problems, f.n_problems == 1 ? "" : "s");
        status = CMD_FAILED;
    }
    findings_deinit(&f);
    spool_deinit(&spool);
    return status;
}

const struct cmd cmd_doctor = {
    .name = "doctor",
    .usage = "[--network] [--data DIR]",
    .summary = "check the installation",
    .text = "Checks that the programs are installed, of one version and work together, that the\n"
            "data directory can be used, what is in it, whether there is a key of the Jev\n"
            "service, and which hosts run servers behind the proxy. A line is marked 'ok',\n"
            "'note' or 'problem'; with a problem the exit status is 1. Keys are never shown, and\n"
            "nothing goes over the network without --network.\n",
    .table = table,
    .n_table = sizeof table / sizeof table[0],
    .run = run,
};
