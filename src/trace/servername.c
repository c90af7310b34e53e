/* Short names of servers. */

#include "trace/servername.h"

#define MAX_WORDS 4

/* A program that starts another. The lists end at their first NULL or their size. */
struct launcher {
    const char *name;
    const char *words[MAX_WORDS]; /* subcommands, which tell nothing */
    const char *valued;           /* options whose value is the next argument, between spaces */
    const char *telling;          /* likewise, options whose value is what it starts */
};

#define NODE_OPTIONS " -r --require --import --loader --env-file -C --conditions "
#define UV_OPTIONS \
    " --directory --project --from --with --with-editable --python -p --env-file --index "
#define DOCKER_OPTIONS                                                                           \
    " -e --env --env-file -v --volume --mount --name --network --net -p --publish -u --user -w " \
    "--workdir --entrypoint --platform -l --label --add-host -h --hostname -m --memory --cpus "  \
    "--gpus --pull --restart "
#define PYTHON_OPTIONS " -X -W "

static const struct launcher launchers[] = {
    {.name = "npx", .valued = " -c --call --registry ", .telling = " -p --package "},
    {.name = "npm", .words = {"exec", "x", "run", "start"}, .valued = " --prefix --registry "},
    {.name = "pnpm", .words = {"dlx", "exec", "run"}, .valued = " --dir -C "},
    {.name = "yarn", .words = {"dlx", "exec", "run"}, .valued = " --cwd "},
    {.name = "bun", .words = {"x", "run"}, .valued = " --cwd "},
    {.name = "bunx"},
    {.name = "node", .valued = NODE_OPTIONS},
    {.name = "tsx", .valued = NODE_OPTIONS},
    {.name = "deno", .words = {"run"}, .valued = " --config -c --import-map "},
    {.name = "uv", .words = {"run", "tool"}, .valued = UV_OPTIONS, .telling = " -m --module "},
    {.name = "uvx", .valued = UV_OPTIONS},
    {.name = "pipx", .words = {"run"}, .valued = " --python --spec "},
    {.name = "python", .valued = PYTHON_OPTIONS, .telling = " -m "},
    {.name = "python3", .valued = PYTHON_OPTIONS, .telling = " -m "},
    {.name = "ruby"},
    {.name = "docker", .words = {"run", "container", "exec"}, .valued = DOCKER_OPTIONS},
    {.name = "podman", .words = {"run", "container", "exec"}, .valued = DOCKER_OPTIONS},
    {.name = "java", .valued = " -cp --class-path -classpath ", .telling = " -jar -m "},
    {.name = "dotnet", .words = {"run", "exec", "tool"}, .telling = " --project "},
    {.name = "go", .words = {"run"}},
    {.name = "cargo", .words = {"run"}},
    {.name = "env", .valued = " -u -C "},
    {.name = "sudo", .valued = " -u -g "},
    {.name = "sh"},
    {.name = "bash"},
};

static struct sp_str base_name(struct sp_str path)
{
    size_t start = path.len;

    while (start > 0 && path.p[start - 1] != '/' && path.p[start - 1] != '\\')
        start--;
    return start < path.len ? sp_str_sub(path, start, path.len) : path;
}

static const struct launcher *find_launcher(struct sp_str program)
{
    if (sp_str_ends(program, SP_STR(".exe")) || sp_str_ends(program, SP_STR(".cmd")))
        program.len -= 4;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (sp_str_eq(program, sp_str_of(launchers[i].name)))
            return &launchers[i];
    }
    return NULL;
}

/* Whether a list " A B " has the word. */
static bool lists(const char *list, struct sp_str word)
{
    struct sp_str rest = list != NULL ? sp_str_of(list) : SP_STR("");

    while (rest.len > 0) {
        size_t n = sp_str_find(rest, ' ');

        if (sp_str_eq(sp_str_sub(rest, 0, n), word))
            return n > 0;
        rest = sp_str_sub(rest, n < rest.len ? n + 1 : n, rest.len);
    }
    return false;
}

static bool is_word(const struct launcher *launcher, struct sp_str arg)
{
    for (size_t i = 0; i < MAX_WORDS && launcher->words[i] != NULL; i++) {
        if (sp_str_eq(arg, sp_str_of(launcher->words[i])))
            return true;
    }
    return false;
}

/* A variable's setting, as env takes them. */
static bool is_setting(struct sp_str arg)
{
    return sp_str_find(arg, '=') < arg.len && sp_str_find(arg, '/') > sp_str_find(arg, '=');
}

/* A path of the file system gives its base name; packages have slashes, too, and stay whole. */
static void put_what(struct sp_buf *b, struct sp_str arg)
{
    static const char *const scripts[] = {".js", ".mjs", ".cjs", ".ts",
                                          ".py", ".rb",  ".jar", ".sh"};
    bool is_path = sp_str_starts(arg, SP_STR("/")) || sp_str_starts(arg, SP_STR(".")) ||
                   sp_str_starts(arg, SP_STR("~")) || sp_str_find(arg, '\\') < arg.len;

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        is_path = is_path || sp_str_ends(arg, sp_str_of(scripts[i]));
    sp_buf_add_char(b, ' ');
    sp_buf_add(b, is_path ? base_name(arg) : arg);
}

static void put_started(struct sp_buf *b, const struct launcher *launcher,
                        const struct sp_str *args, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_option = sp_str_starts(args[i], SP_STR("-")) && args[i].len > 1;

        if (is_option && lists(launcher->telling, args[i]) && i + 1 < n) {
            put_what(b, args[i + 1]);
            return;
        }
        if (is_option && lists(launcher->valued, args[i]))
            i++;
        else if (!is_option && !is_word(launcher, args[i]) && !is_setting(args[i])) {
            put_what(b, args[i]);
            return;
        }
    }
}

/* Appends the host of a URL; whether it is one. */
static bool put_host(struct sp_buf *b, struct sp_str url)
{
    size_t scheme_len = sp_str_find(url, ':'), end = 0, at;
    struct sp_str rest;

    if (!sp_str_starts(sp_str_sub(url, scheme_len, url.len), SP_STR("://")))
        return false;
    rest = sp_str_sub(url, scheme_len + 3, url.len);
    while (end < rest.len && strchr("/?#", rest.p[end]) == NULL)
        end++;
    rest = sp_str_sub(rest, 0, end);
    while ((at = sp_str_find(rest, '@')) < rest.len)
        rest = sp_str_sub(rest, at + 1, rest.len);
    sp_buf_add(b, rest);
    return true;
}

void servername_put(struct sp_buf *b, const struct sp_str *command, size_t n)
{
    const struct launcher *launcher;

    if (n == 0 || (n == 1 && put_host(b, command[0])))
        return;
    sp_buf_add(b, base_name(command[0]));
    launcher = find_launcher(base_name(command[0]));
    if (launcher != NULL)
        put_started(b, launcher, command + 1, n - 1);
}
