/*
 * Learns tools from an answer, and gives the headers of calls of them.
 *
 * Input: an answer to tools/list, then, after a byte 0xff if there is one, the params of a call.
 * What is cut out of the answer leaves JSON, from which nothing is cut again; no header can end a
 * line or hold what is not ASCII.
 */

#include <stdlib.h>

#include "json/jget.h"
#include "mcp/paramheader.h"
#include "mcp/paramvalue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void on_refused(void *owner, struct sp_str tool, const char *reason)
{
    size_t *n_refused = owner;

    require(tool.p != NULL && reason[0] != '\0');
    ++*n_refused;
}

static void on_header(void *owner, struct sp_str name, struct sp_str value)
{
    (void)owner;
    require(sp_str_starts(name, SP_STR("Mcp-Param-")) && name.len > 10);
    for (size_t i = 0; i < name.len; i++)
        require(name.p[i] > 0x20 && name.p[i] < 0x7f && name.p[i] != ':');
    for (size_t i = 0; i < value.len; i++)
        require((value.p[i] >= 0x20 && value.p[i] < 0x7f) || value.p[i] == '\t');
}

/* How many tools an answer lists. */
static size_t n_tools(struct sp_str answer)
{
    struct jscan message;
    struct sp_str list;
    size_t n = 0;

    require(jscan_grammar(answer, &message));
    if (!jget_member(message.value, SP_STR("result"), &list) ||
        !jget_member(list, SP_STR("tools"), &list) || jget_type(list) != JSCAN_ARRAY)
        return 0;
    for (struct jget_iter it = jget_iter(list); jget_next(&it);)
        n++;
    return n;
}

static void check_learn(struct paramheader_tools *tools, struct sp_str answer)
{
    struct sp_buf cut = {0};
    struct sp_buf cut_again = {0};
    size_t n_refused = 0;

    paramheader_learn(tools, answer, &cut, on_refused, &n_refused);
    require((cut.len > 0) == (n_refused > 0));
    if (n_refused > 0) {
        size_t n_refused_again = 0;

        require(cut.len < answer.len);
        require(n_tools(sp_buf_str(&cut)) == n_tools(answer) - n_refused);
        paramheader_learn(tools, sp_buf_str(&cut), &cut_again, on_refused, &n_refused_again);
        require(cut_again.len == 0 && n_refused_again == 0);
    }
    sp_buf_deinit(&cut);
    sp_buf_deinit(&cut_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};
    size_t answer_len = sp_str_find(input, (char)0xff);
    struct sp_str answer = sp_str_sub(input, 0, answer_len);
    struct sp_str params = sp_str_sub(input, answer_len < size ? answer_len + 1 : size, size);
    struct paramheader_tools *tools = paramheader_tools_new();
    struct sp_buf value = {0};
    struct jscan found;

    if (jscan_grammar(answer, &found))
        check_learn(tools, answer);
    if (jscan_grammar(params, &found))
        paramheader_for_call(tools, found.value, on_header, NULL);
    paramvalue_put(&value, input);
    on_header(NULL, SP_STR("Mcp-Param-Any"), sp_buf_str(&value));
    sp_buf_deinit(&value);
    paramheader_tools_free(tools);
    return 0;
}
