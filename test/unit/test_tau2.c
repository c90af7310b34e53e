/* Tests of trace/tau2.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "tmpdir.h"
#include "trace/tau2.h"

/* A source, and the docs and tools of its manifest. */
struct source_case {
    const char *source;
    const char *docs;
    const char *tools;
};

/* A function in a class whose signature and docstring are of the usual form. */
#define TOOL(type, name, body)                  \
    "    @is_tool(ToolType." type ")\n"         \
    "    def " name "(self, id: str) -> str:\n" \
    "        " body "\n"                        \
    "        return id\n\n"

#define KINDS(name, kind)        "\"" name "\":\"" kind "\""
#define DOC(name, summary, args) "\"" name "\":{\"args\":{" args "},\"summary\":\"" summary "\"}"

static const struct source_case declarations[] = {
    {"", "", ""},
    {TOOL("READ", "show", "pass"), "", KINDS("show", "read")},
    {TOOL("WRITE", "close", "pass") TOOL("GENERIC", "ask", "pass") TOOL("THINK", "muse", "pass"),
     "", KINDS("ask", "generic") "," KINDS("close", "write") "," KINDS("muse", "generic")},
    /* A type with more to it than its name is none of the two. */
    {TOOL("READ, mutates_state=True", "a", "pass") TOOL("Write", "b", "pass") TOOL("", "c", "pass"),
     "", KINDS("a", "generic") "," KINDS("b", "generic") "," KINDS("c", "generic")},
    {"@is_tool(ToolType.READ)  # cheap\n\n@cached\n# def no(self):\ndef yes(self):\n", "",
     KINDS("yes", "read")},
    {"\t@is_tool(ToolType.READ)\r\n\tdef f(self):\r\n\t\tpass\r\n", "", KINDS("f", "read")},
    {"@is_tool(ToolType.READ)\ndef f(self", "", KINDS("f", "read")},
    /* The nearest decorator counts, for the next function alone. */
    {"@is_tool(ToolType.READ)\n@is_tool(ToolType.WRITE)\ndef f(self):\ndef g(self):\n", "",
     KINDS("f", "write")},
    /* No decorators and no functions. */
    {"def f(self):\n    pass\n", "", ""},
    {"# @is_tool(ToolType.READ)\ndef f(self):\n", "", ""},
    {"x = @is_tool(ToolType.READ)\ndef f(self):\n", "", ""},
    {"@is_tool(READ)\ndef f(self):\n@is_tool\ndef g(self):\n@tool.is_tool(ToolType.READ)\n"
     "def h(self):\n@is_tool(ToolType.READ\ndef i(self):\n",
     "", ""},
    {"@is_tool(ToolType.READ)\nasync def f(self):\ndefine(x):\ndef (self):\ndef g\ndef h i(self):\n"
     "#def j(self):\ndef k(self):\n",
     "", KINDS("k", "read")},
    {"@is_tool(ToolType.READ)\n", "", ""},
    /* The last function of a name counts, with its doc. */
    {TOOL("READ", "f", "\"\"\"Old.\"\"\"") TOOL("WRITE", "f", "pass"), "", KINDS("f", "write")},
};

#define READS(name) KINDS(name, "read")

static const struct source_case docstrings[] = {
    {TOOL("READ", "f", "\"\"\"Shows it.\"\"\""), DOC("f", "Shows it.", ""), READS("f")},
    {TOOL("READ", "f", "\"\"\"  Shows it.  \"\"\""), DOC("f", "Shows it.", ""), READS("f")},
    {TOOL("READ", "f", "\"\"\"\"\"\""), "", READS("f")},
    {TOOL("READ", "f", "\"\"\"  \n\n  \"\"\""), "", READS("f")},
    {TOOL("READ", "f", "'''Shows it.'''"), "", READS("f")},
    {TOOL("READ", "f", "r\"\"\"Shows it.\"\"\""), "", READS("f")},
    {TOOL("READ", "f", "\"Shows it.\""), "", READS("f")},
    {TOOL("READ", "f", "x = 1\n        \"\"\"Shows it.\"\"\""), "", READS("f")},
    {TOOL("READ", "f", "\n        \"\"\"Shows it.\"\"\""), "", READS("f")},
    /* Several lines, blank ones among them; spaces within a line stay. */
    {TOOL("READ", "f", "\"\"\"Shows\n\t  it  all\n\n\xc2\xa0 at once.\n        \"\"\""),
     DOC("f", "Shows it  all at once.", ""), READS("f")},
    {TOOL("READ", "f", "\"\"\"\r\n        Shows\r\n        it.\r\n        \"\"\"\r"),
     DOC("f", "Shows it.", ""), READS("f")},
    {TOOL("READ", "f", "\"\"\"Says \"no\" and \\\"\"yes\"\".\"\"\""),
     DOC("f", "Says \\\"no\\\" and \\\\\\\"\\\"yes\\\"\\\".", ""), READS("f")},
    {TOOL("READ", "f", "\"\"\"Bad \xff byte.\"\"\""), DOC("f", "Bad \xef\xbf\xbd byte.", ""),
     READS("f")},

    /* Sections. */
    {TOOL("READ", "f",
          "\"\"\"\n"
          "        Shows an order.\n"
          "\n"
          "        Args:\n"
          "            id: The order's id,\n"
          "                such as '#7'.\n"
          "            count: How many.\n"
          "\n"
          "        Returns:\n"
          "            The order: all of it.\n"
          "\n"
          "        Raises:\n"
          "            ValueError: If there is none.\n"
          "        \"\"\""),
     DOC("f", "Shows an order.",
         "\"count\":\"How many.\",\"id\":\"The order's id, such as '#7'.\""),
     READS("f")},
    {TOOL("READ", "f", "\"\"\"A.\n\n        Returns:\n            B.\n        \"\"\"")
         TOOL("READ", "g", "\"\"\"A.\n        Raises:\n            B: c\n        \"\"\"")
             TOOL("READ", "h", "\"\"\"A.\n        Example:\n            b: c\n        \"\"\"")
                 TOOL("READ", "i", "\"\"\"A.\n        Examples:\n            b: c\n        \"\"\""),
     DOC("f", "A.", "") "," DOC("g", "A.", "") "," DOC("h", "A.", "") "," DOC("i", "A.", ""),
     READS("f") "," READS("g") "," READS("h") "," READS("i")},
    {TOOL("READ", "f", "\"\"\"Args:\n  a: A\"\"\""), DOC("f", "", "\"a\":\"A\""), READS("f")},
    /* A heading is a line of its own, and written so. */
    {TOOL("READ", "f", "\"\"\"Args: none\n  args:\n  Args :\n  Note:\n  Yields:\n  x: y\"\"\""),
     DOC("f", "Args: none args: Args : Note: Yields: x: y", ""), READS("f")},
    {TOOL("READ", "f",
          "\"\"\"S\n  Args:\n  a: A\n  Raises:\n  b: B\n  Args:\n  lost\n  c: C\"\"\""),
     DOC("f", "S", "\"a\":\"A\",\"c\":\"C\""), READS("f")},

    /* What begins an argument. */
    {TOOL("READ", "f",
          "\"\"\"\n  Args:\n  lost\n  b:\n  B1\n  B2: more\n  a (str): A\n  see http://x.test/\n"
          "  http://x.test/: y\n  *c: C\n  :d\n  : e\"\"\""),
     DOC("f", "",
         "\"*c\":\"C :d : e\",\"B2\":\"more a (str): A see http://x.test/ http://x.test/: y\","
         "\"b\":\"B1\""),
     READS("f")},
    {TOOL("READ", "f", "\"\"\"\n  Args:\n  a: old\n  b: B\n  a: new\n  text\"\"\""),
     DOC("f", "", "\"a\":\"new text\",\"b\":\"B\""), READS("f")},
    {TOOL("READ", "f", "\"\"\"\n  Args:\n  a\xe2\x80\x83z: A\n  b:\xe2\x80\x83 B\"\"\""),
     DOC("f", "", "\"b\":\"B\""), READS("f")},
    {TOOL("READ", "f", "\"\"\"\n  Args:\n  a:\n  \"\"\""), DOC("f", "", "\"a\":\"\""), READS("f")},
    {TOOL("READ", "f", "\"\"\"\n  Args:\n  nothing\"\"\""), "", READS("f")},
};

static const struct source_case signatures[] = {
    {"@is_tool(ToolType.READ)\n"
     "def f(\n"
     "    self,\n"
     "    id: str,\n"
     "    mode: Union[A, str] = A(x=1),\n"
     ") -> Dict[str, int]:\n"
     "    \"\"\"Shows it.\"\"\"\n",
     DOC("f", "Shows it.", ""), READS("f")},
    /* A signature that does not end as expected has no doc, least of all another one's. */
    {"@is_tool(ToolType.READ)\ndef f(self): return 1\n\n"
     "@is_tool(ToolType.READ)\ndef g(self):\n    \"\"\"G.\"\"\"\n",
     DOC("g", "G.", ""), READS("f") "," READS("g")},
    {"@is_tool(ToolType.READ)\ndef f(self): return 1\ndef g(self):\n    \"\"\"G.\"\"\"\n", "",
     READS("f")},
    {"@is_tool(ToolType.READ)\ndef f(self) -> str:  # note\n    \"\"\"F.\"\"\"\n    if x:\n", "",
     READS("f")},
    /* A docstring that does not end goes on to the end. */
    {"@is_tool(ToolType.READ)\ndef f(self):\n    \"\"\"F\n  g", DOC("f", "F g", ""), READS("f")},
    {"@is_tool(ToolType.READ)\ndef f(self):", "", READS("f")},
};

static void manifest_is(const struct manifest *m, const char *docs, const char *tools)
{
    struct sp_buf found = {0}, expected = {0};

    sp_buf_addf(&expected, "{\"contracts\":{},\"docs\":{%s},\"domain\":\"d\",\"tools\":{%s}}", docs,
                tools);
    manifest_put(&found, m, SP_STR("d"));
    assert_string_equal(sp_buf_cstr(&found), sp_buf_cstr(&expected));
    sp_buf_deinit(&found);
    sp_buf_deinit(&expected);
}

static void check_sources(const struct source_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct manifest m = {0};

        tau2_add_tools(&m, sp_str_of(cases[i].source));
        manifest_is(&m, cases[i].docs, cases[i].tools);
        manifest_deinit(&m);
    }
}

static void tau2_finds_the_tools_that_a_source_declares(void **state)
{
    (void)state;
    check_sources(declarations, sizeof declarations / sizeof *declarations);
}

static void tau2_reads_docstrings(void **state)
{
    (void)state;
    check_sources(docstrings, sizeof docstrings / sizeof *docstrings);
}

static void tau2_finds_the_end_of_a_signature(void **state)
{
    (void)state;
    check_sources(signatures, sizeof signatures / sizeof *signatures);
}

/* A checkout with one domain, "shop". */
struct checkout {
    char *dir;
};

static void checkout_write(const struct checkout *c, const char *folder, const char *name,
                           const char *text)
{
    char *in = tmpdir_path(c->dir, folder), *path = tmpdir_path(in, name);
    FILE *f;

    assert_int_equal(sp_file_make_dirs(in), 0);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(in);
    free(path);
}

#define SOURCES "src/tau2/domains/shop"
#define DATA    "data/tau2/domains/shop"

static int set_up(void **state)
{
    struct checkout *c = sp_calloc(1, sizeof *c);

    c->dir = tmpdir_new();
    *state = c;
    return 0;
}

static int tear_down(void **state)
{
    struct checkout *c = *state;

    tmpdir_remove(c->dir);
    free(c);
    return 0;
}

static void err_is(const struct sp_err *err, const char *before, const struct checkout *c,
                   const char *after)
{
    struct sp_buf expected = {0};

    sp_buf_addf(&expected, "%s %s/%s", before, c->dir, after);
    assert_string_equal(err->text, sp_buf_cstr(&expected));
    sp_buf_deinit(&expected);
}

static void tau2_reads_the_tools_of_a_domain(void **state)
{
    const struct checkout *c = *state;
    struct manifest m = {0};
    struct sp_err err;

    checkout_write(c, SOURCES, "tools.py", TOOL("READ", "show", "\"\"\"Shows.\"\"\""));
    assert_int_equal(tau2_read_tools(c->dir, SP_STR("shop"), NULL, 0, &m, &err), 0);
    manifest_is(&m, DOC("show", "Shows.", ""), KINDS("show", "read"));
    manifest_deinit(&m);
}

/* Whether the user's tool "reboot" is added when an episode has a result of that tool. */
static bool adds_user_tools(const struct checkout *c, const char *tool, bool is_error)
{
    struct episode quiet = {0}, loud = {0};
    const struct episode *const episodes[] = {&quiet, &loud};
    struct manifest m = {0};
    struct sp_err err;
    size_t turn;
    bool is_added;

    episode_add_user(&quiet, SP_STR("reboot"));
    turn = episode_add_turn(&loud, SP_STR("reboot"));
    episode_add_call(&loud, turn,
                     (struct episode_call){SP_STR("1"), sp_str_of(tool), SP_STR("{}")});
    episode_add_result(&loud, SP_STR("1"), sp_str_of(tool), is_error, SP_STR("reboot"));
    assert_int_equal(tau2_read_tools(c->dir, SP_STR("shop"), episodes, 2, &m, &err), 0);
    is_added = manifest_find(&m, SP_STR("reboot")) != NULL;
    assert_int_equal(m.n_tools, is_added ? 3 : 1);
    assert_non_null(manifest_find(&m, SP_STR("show")));
    manifest_deinit(&m);
    episode_deinit(&quiet);
    episode_deinit(&loud);
    return is_added;
}

static void tau2_adds_the_users_tools_when_the_agent_used_one(void **state)
{
    const struct checkout *c = *state;

    checkout_write(c, SOURCES, "tools.py", TOOL("READ", "show", "pass"));
    checkout_write(c, SOURCES, "user_tools.py",
                   TOOL("WRITE", "reboot", "pass") TOOL("READ", "look", "pass"));
    assert_true(adds_user_tools(c, "reboot", false));
    assert_true(adds_user_tools(c, "look", false));
    assert_false(adds_user_tools(c, "reboot", true));
    assert_false(adds_user_tools(c, "show", false));
    assert_false(adds_user_tools(c, "other", false));
}

static void tau2_does_not_count_a_call_without_a_result(void **state)
{
    const struct checkout *c = *state;
    struct episode e = {0};
    const struct episode *const episodes[] = {&e};
    struct manifest m = {0};
    struct sp_err err;

    checkout_write(c, SOURCES, "tools.py", "");
    checkout_write(c, SOURCES, "user_tools.py", TOOL("WRITE", "reboot", "pass"));
    episode_add_call(&e, episode_add_turn(&e, SP_STR("")),
                     (struct episode_call){SP_STR("1"), SP_STR("reboot"), SP_STR("{}")});
    assert_int_equal(tau2_read_tools(c->dir, SP_STR("shop"), episodes, 1, &m, &err), 0);
    assert_int_equal(m.n_tools, 0);
    manifest_deinit(&m);
    episode_deinit(&e);
}

static void tau2_names_the_source_that_it_cannot_read(void **state)
{
    const struct checkout *c = *state;
    struct manifest m = {0};
    struct sp_err err;

    assert_true(tau2_read_tools(c->dir, SP_STR("shop"), NULL, 0, &m, &err) < 0);
    err_is(&err, "reading", c, SOURCES "/tools.py: No such file or directory");

    checkout_write(c, SOURCES, "tools.py", TOOL("READ", "show", "pass"));
    checkout_write(c, SOURCES "/user_tools.py", "x", "");
    assert_true(tau2_read_tools(c->dir, SP_STR("shop"), NULL, 0, &m, &err) < 0);
    err_is(&err, "reading", c, SOURCES "/user_tools.py: Is a directory");
    assert_int_equal(m.n_tools, 0);
    manifest_deinit(&m);
}

static void tau2_reads_a_part_of_a_split(void **state)
{
    const struct checkout *c = *state;
    struct tau2_split split;
    struct sp_err err;

    checkout_write(c, DATA, "split_tasks.json",
                   "{\"base\": 7, \"train\": [\"1\", \"[a]\\u0062\", \"1\"], \"test\": []}\n");
    assert_int_equal(tau2_read_split(c->dir, SP_STR("shop"), "train", &split, &err), 0);
    assert_int_equal(split.ids.n, 2);
    assert_non_null(sp_map_find(&split.ids, SP_STR("1")));
    assert_non_null(sp_map_find(&split.ids, SP_STR("[a]b")));
    assert_null(sp_map_find(&split.ids, SP_STR("2")));
    tau2_split_deinit(&split);

    assert_int_equal(tau2_read_split(c->dir, SP_STR("shop"), "test", &split, &err), 0);
    assert_int_equal(split.ids.n, 0);
    tau2_split_deinit(&split);
}

static void tau2_names_the_place_of_what_is_wrong_in_a_split(void **state)
{
    static const struct {
        const char *text;
        const char *error;
    } cases[] = {
        {"", "it is not JSON"},
        {"{\"train\":[]", "it is not JSON"},
        {"[]", "the document: must be an object"},
        {"{\"test\":[]}", "train: is missing"},
        {"{\"train\":null}", "train: must be an array"},
        {"{\"train\":[\"0\",1]}", "train[1]: must be a string"},
    };
    const struct checkout *c = *state;
    struct tau2_split split = {.ids = {.n = 7}};
    struct sp_err err;

    assert_true(tau2_read_split(c->dir, SP_STR("shop"), "train", &split, &err) < 0);
    err_is(&err, "reading", c, DATA "/split_tasks.json: No such file or directory");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_buf after = {0};

        checkout_write(c, DATA, "split_tasks.json", cases[i].text);
        assert_true(tau2_read_split(c->dir, SP_STR("shop"), "train", &split, &err) < 0);
        sp_buf_addf(&after, DATA "/split_tasks.json: %s", cases[i].error);
        err_is(&err, "parsing", c, sp_buf_cstr(&after));
        sp_buf_deinit(&after);
    }
    assert_int_equal(split.ids.n, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tau2_finds_the_tools_that_a_source_declares),
        cmocka_unit_test(tau2_reads_docstrings),
        cmocka_unit_test(tau2_finds_the_end_of_a_signature),
        cmocka_unit_test_setup_teardown(tau2_reads_the_tools_of_a_domain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tau2_adds_the_users_tools_when_the_agent_used_one, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tau2_does_not_count_a_call_without_a_result, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tau2_names_the_source_that_it_cannot_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tau2_reads_a_part_of_a_split, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tau2_names_the_place_of_what_is_wrong_in_a_split, set_up,
                                        tear_down),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
