/* Writing the session log's header and entries. */

#include <inttypes.h>

#include "base/sp_utf8.h"
#include "json/jput.h"
#include "json/jscan.h"
#include "trace/logformat.h"
#include "trace/secret.h"

static void put_optional(struct sp_buf *b, const char *text)
{
    if (text != NULL)
        jput_string(b, sp_str_of(text));
    else
        sp_buf_add(b, SP_STR("null"));
}

static void put_command(struct sp_buf *b, char *const *command)
{
    struct secret_args args = {0};
    struct sp_buf arg = {0}, shown = {0};

    for (size_t i = 0; command[i] != NULL; i++) {
        sp_buf_clear(&arg);
        sp_buf_clear(&shown);
        sp_utf8_repair(&arg, sp_str_of(command[i]));
        secret_show_arg(&args, sp_buf_str(&arg), &shown);
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, sp_buf_str(&shown));
    }
    sp_buf_deinit(&arg);
    sp_buf_deinit(&shown);
}

void logformat_header(struct sp_buf *b, const struct logformat_header *header)
{
    sp_buf_addf(b, "{\"stretto_mcp_log\":%d,\"session\":", LOGFORMAT_VERSION);
    jput_string(b, sp_str_of(header->session));
    sp_buf_addf(b, ",\"started_unix_ms\":%" PRIu64 ",\"server_command\":[",
                header->started_unix_ms);
    if (header->command != NULL) {
        put_command(b, header->command);
    } else {
        struct sp_buf shown = {0};

        secret_show_url(sp_str_of(header->url), &shown);
        jput_string(b, sp_buf_str(&shown));
        sp_buf_deinit(&shown);
    }
    sp_buf_add(b, SP_STR("],\"domain\":"));
    put_optional(b, header->domain);
    sp_buf_add(b, SP_STR(",\"agent_model\":"));
    put_optional(b, header->agent_model);
    sp_buf_add(b, LOGFORMAT_TAIL);
}

/* A small, frequent case of printf("%" PRIu64). */
static void put_u64(struct sp_buf *b, uint64_t n)
{
    char digits[20];
    size_t i = sizeof digits;

    do {
        digits[--i] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    sp_buf_add(b, (struct sp_str){digits + i, sizeof digits - i});
}

struct sp_str logformat_from(enum line_from from)
{
    switch (from) {
    case LINE_CLIENT:
        return SP_STR("client");
    case LINE_SERVER:
        return SP_STR("server");
    case LINE_PROXY:
        return SP_STR("proxy");
    case LINE_CONTEXT:
        return SP_STR("context");
    }
    return SP_STR("");
}

struct sp_str logformat_entry(struct sp_buf *b, const struct line *line)
{
    struct sp_str text = line_str(line);
    struct jscan scan;
    bool is_json;

    if (sp_str_ends(text, SP_STR("\n")))
        text.len--;
    if (sp_str_ends(text, SP_STR("\r")))
        text.len--;
    is_json = jscan(text, JSCAN_LOG_DEPTH, &scan);

    sp_buf_add(b, SP_STR("{\"t_ms\":"));
    put_u64(b, line->t_ms);
    sp_buf_add(b, SP_STR(",\"from\":\""));
    sp_buf_add(b, logformat_from(line->from));
    if (is_json) {
        sp_buf_add(b, SP_STR("\",\"message\":"));
        return scan.value;
    }
    sp_buf_add(b, SP_STR("\",\"raw\":"));
    jput_string(b, text);
    return SP_STR("");
}
