/* Texts between HTTP and lines. */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "json/jget.h"
#include "json/jput.h"
#include "transport/http_text.h"

static bool is_space(char c)
{
    return c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '\f';
}

struct sp_str http_text_copy(struct sp_str text)
{
    char *p = sp_malloc(text.len);

    if (text.len > 0)
        memcpy(p, text.p, text.len);
    return (struct sp_str){p, text.len};
}

struct sp_str http_text_trim_end(struct sp_str text)
{
    while (text.len > 0 && is_space(text.p[text.len - 1]))
        text.len--;
    return text;
}

struct sp_str http_text_trim(struct sp_str text)
{
    text = http_text_trim_end(text);
    while (text.len > 0 && is_space(text.p[0]))
        text = sp_str_sub(text, 1, text.len);
    return text;
}

struct line *http_text_line(struct sp_str text)
{
    struct line *line = line_new(text.len + 1);

    for (size_t i = 0; i < text.len;) {
        struct sp_str rest = sp_str_sub(text, i, text.len);
        size_t n = sp_str_find(rest, '\n');

        memcpy(line->bytes + i, rest.p, n);
        if (n < rest.len)
            line->bytes[i + n++] = ' ';
        i += n;
    }
    for (char *cr = line->bytes, *end = line->bytes + text.len;
         (cr = memchr(cr, '\r', (size_t)(end - cr))) != NULL;)
        *cr = ' ';
    line->bytes[text.len] = '\n';
    line->len = text.len + 1;
    return line;
}

void http_refusal_deinit(struct http_refusal *r)
{
    free(r->www_authenticate);
    free(r->retry_after);
    *r = (struct http_refusal){0};
}

/* Names are in byte order, as in all JSON of the programs' own. */
static void put_data(struct sp_buf *b, const struct http_refusal *refusal)
{
    sp_buf_add(b, SP_STR(",\"data\":{"));
    if (refusal->retry_after != NULL) {
        sp_buf_add(b, SP_STR("\"retry_after\":"));
        jput_string(b, sp_str_of(refusal->retry_after));
        sp_buf_add_char(b, ',');
    }
    sp_buf_addf(b, "\"status\":%u", refusal->status);
    if (refusal->www_authenticate != NULL) {
        sp_buf_add(b, SP_STR(",\"www_authenticate\":"));
        jput_string(b, sp_str_of(refusal->www_authenticate));
    }
    sp_buf_add_char(b, '}');
}

struct line *http_text_error(struct sp_str id, const char *message,
                             const struct http_refusal *refusal)
{
    struct sp_buf text = {0}, b = {0};
    struct line *line;

    sp_buf_addf(&text, "stretto-proxy: %s", message);
    sp_buf_add(&b, SP_STR("{\"error\":{\"code\":-32000"));
    if (refusal != NULL)
        put_data(&b, refusal);
    sp_buf_add(&b, SP_STR(",\"message\":"));
    jput_string(&b, sp_buf_str(&text));
    sp_buf_add(&b, SP_STR("},\"id\":"));
    sp_buf_add(&b, id);
    sp_buf_add(&b, SP_STR(",\"jsonrpc\":\"2.0\"}"));
    line = http_text_line(sp_buf_str(&b));
    sp_buf_deinit(&text);
    sp_buf_deinit(&b);
    return line;
}

static bool is_integer(struct sp_str number)
{
    for (size_t i = 0; i < number.len; i++)
        if ((number.p[i] < '0' || number.p[i] > '9') && number.p[i] != '-')
            return false;
    return true;
}

bool http_text_is_error(struct sp_str text, struct sp_str *ret_id, struct sp_str *ret_code)
{
    struct jscan parts;
    struct sp_str code, message;

    if (!jscan_grammar(text, &parts) || parts.type != JSCAN_OBJECT || parts.error.p == NULL ||
        !jget_member(parts.error, SP_STR("code"), &code) || jget_type(code) != JSCAN_NUMBER ||
        !is_integer(code) || !jget_member(parts.error, SP_STR("message"), &message) ||
        jget_type(message) != JSCAN_STRING)
        return false;
    *ret_id = parts.id;
    *ret_code = code;
    return true;
}

void http_text_put_with_id(struct sp_buf *ret, struct sp_str object, struct sp_str id)
{
    struct jscan parts = {0};

    (void)jscan_grammar(object, &parts); /* the caller has scanned it before */
    if (parts.id.p != NULL) {
        size_t at = (size_t)(parts.id.p - object.p);

        sp_buf_add(ret, sp_str_sub(object, 0, at));
        sp_buf_add(ret, id);
        sp_buf_add(ret, sp_str_sub(object, at + parts.id.len, object.len));
    } else {
        size_t at = (size_t)(parts.value.p + 1 - object.p); /* it has members: an error at least */

        sp_buf_add(ret, sp_str_sub(object, 0, at));
        sp_buf_add(ret, SP_STR("\"id\":"));
        sp_buf_add(ret, id);
        sp_buf_add_char(ret, ',');
        sp_buf_add(ret, sp_str_sub(object, at, object.len));
    }
}

const char *http_text_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } reasons[] = {
        {300, "Multiple Choices"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {305, "Use Proxy"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {407, "Proxy Authentication Required"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {423, "Locked"},
        {424, "Failed Dependency"},
        {425, "Too Early"},
        {426, "Upgrade Required"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {451, "Unavailable For Legal Reasons"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {506, "Variant Also Negotiates"},
        {507, "Insufficient Storage"},
        {508, "Loop Detected"},
        {511, "Network Authentication Required"},
    };

    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "";
}

bool http_text_is_visible(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] <= 0x20 || text.p[i] >= 0x7f)
            return false;
    return text.len > 0;
}
