/* What the demo server answers. */

#include "base/sp_utf8.h"
#include "demo/demo_world.h"
#include "json/jcanon.h"
#include "json/jget.h"
#include "json/jput.h"

#define PARSE_ERROR      (-32700)
#define INVALID_REQUEST  (-32600)
#define METHOD_NOT_FOUND (-32601)
#define INVALID_PARAMS   (-32602)

#define MAX_DELAY_MS 10000

#define DEFAULT_PROTOCOL SP_STR("\"2025-06-18\"")

/* A request that is being answered. */
struct request {
    const struct demo_world *world;
    struct sp_str id;     /* a span */
    struct sp_str params; /* a span; empty when absent */
    struct demo_world_answer *ret;
};

struct tool {
    const char *name;
    const char *description;
    bool is_read_only;
    const char *args[3]; /* of the retail world: all strings, all required */
    void (*call)(struct request *r, const struct tool *tool, struct sp_str args);
};

static void call_echo(struct request *r, const struct tool *tool, struct sp_str args);
static void call_find_user(struct request *r, const struct tool *tool, struct sp_str args);
static void call_get_user(struct request *r, const struct tool *tool, struct sp_str args);
static void call_get_order(struct request *r, const struct tool *tool, struct sp_str args);
static void call_cancel_order(struct request *r, const struct tool *tool, struct sp_str args);

static const struct tool echo_tools[] = {
    {"lookup", "Reads: answers with its arguments.", true, .call = call_echo},
    {"update", "Writes, in name only: answers with its arguments.", false, .call = call_echo},
};

static const struct tool retail_tools[] = {
    {"find_user_id_by_email",
     "Finds a user's id by the e-mail address.",
     true,
     {"email"},
     call_find_user},
    {"get_user_details",
     "Gets a user's orders, address and payment methods.",
     true,
     {"user_id"},
     call_get_user},
    {"get_order_details",
     "Gets an order's status, items and payments.",
     true,
     {"order_id"},
     call_get_order},
    {"cancel_pending_order",
     "Cancels a pending order. The reason is \"no longer needed\" or \"ordered by mistake\".",
     false,
     {"order_id", "reason"},
     call_cancel_order},
};

/* The inputSchema of both echo tools. */
#define ECHO_SCHEMA                                                                        \
    "{\"properties\":{"                                                                    \
    "\"delay_ms\":{\"description\":\"answer after this many milliseconds\",\"minimum\":0," \
    "\"type\":\"integer\"},"                                                               \
    "\"fail\":{\"description\":\"answer with an error\",\"type\":\"boolean\"},"            \
    "\"text\":{\"description\":\"any text\",\"type\":\"string\"}},"                        \
    "\"type\":\"object\"}"

static size_t tools_of(const struct demo_world *world, const struct tool **ret)
{
    if (world->kind == DEMO_WORLD_ECHO) {
        *ret = echo_tools;
        return sizeof echo_tools / sizeof echo_tools[0];
    }
    *ret = retail_tools;
    return sizeof retail_tools / sizeof retail_tools[0];
}

static bool is_hidden(const struct demo_world *world, const struct tool *tool)
{
    for (size_t i = 0; world->kind == DEMO_WORLD_RETAIL && i < world->hidden.n; i++)
        if (sp_str_eq(world->hidden.v[i], sp_str_of(tool->name)))
            return true;
    return false;
}

bool demo_world_is_hint(struct sp_str text)
{
    struct sp_str value = sp_str_sub(text, sp_str_find(text, '='), text.len);

    return sp_str_eq(value, SP_STR("=false")) || sp_str_eq(value, SP_STR("=none"));
}

static struct sp_str annotations_of(const struct demo_world *world, const struct tool *tool)
{
    struct sp_str annotations =
        tool->is_read_only ? SP_STR("{\"readOnlyHint\":true}") : SP_STR("{\"readOnlyHint\":false}");

    for (size_t i = 0; world->kind == DEMO_WORLD_RETAIL && i < world->hints.n; i++) {
        struct sp_str hint = world->hints.v[i];
        size_t equals = sp_str_find(hint, '=');

        if (sp_str_eq(sp_str_sub(hint, 0, equals), sp_str_of(tool->name)))
            annotations = sp_str_ends(hint, SP_STR("=none")) ? SP_STR("{}")
                                                             : SP_STR("{\"readOnlyHint\":false}");
    }
    return annotations;
}

/* The answer up to its result or error. */
static void begin(struct request *r)
{
    sp_buf_add(&r->ret->text, SP_STR("{\"id\":"));
    jcanon(&r->ret->text, r->id);
    sp_buf_add(&r->ret->text, SP_STR(",\"jsonrpc\":\"2.0\""));
}

/* An error begins the other way round, "error" coming before "id" in byte order. */
static void answer_error(struct request *r, int code, const char *text, struct sp_str detail)
{
    struct sp_buf message = {0};

    sp_buf_add(&message, sp_str_of(text));
    sp_buf_add(&message, detail);
    sp_buf_addf(&r->ret->text, "{\"error\":{\"code\":%d,\"message\":", code);
    jput_string(&r->ret->text, sp_buf_str(&message));
    sp_buf_add(&r->ret->text, SP_STR("},\"id\":"));
    jcanon(&r->ret->text, r->id);
    sp_buf_add(&r->ret->text, SP_STR(",\"jsonrpc\":\"2.0\"}"));
    sp_buf_deinit(&message);
}

static void answer_text(struct request *r, struct sp_str text, bool is_error)
{
    struct sp_buf *b = &r->ret->text;

    begin(r);
    sp_buf_add(b, SP_STR(",\"result\":{\"content\":[{\"text\":"));
    jput_string(b, text);
    sp_buf_addf(b, ",\"type\":\"text\"}],\"isError\":%s}}", is_error ? "true" : "false");
}

static void answer_initialize(struct request *r)
{
    struct sp_buf *b = &r->ret->text;
    struct sp_str version = DEFAULT_PROTOCOL;

    (void)jget_member(r->params, SP_STR("protocolVersion"), &version); /* absent: the default */
    r->ret->asked = DEMO_WORLD_INITIALIZE;
    jget_text(jget_type(version) == JSCAN_STRING ? version : DEFAULT_PROTOCOL, &r->ret->version);
    begin(r);
    sp_buf_add(b, SP_STR(",\"result\":{\"capabilities\":{\"tools\":{\"listChanged\":false}},"
                         "\"instructions\":\"A demo server: call its tools, nothing is stored.\","
                         "\"protocolVersion\":"));
    jcanon(b, version);
    sp_buf_add(b, SP_STR(",\"serverInfo\":{\"name\":\"stretto-mcp-demo\",\"version\":\"" SP_VERSION
                         "\"}}}"));
}

static void put_args_schema(struct sp_buf *b, const struct tool *tool)
{
    sp_buf_add(b, SP_STR("{\"properties\":{"));
    for (size_t i = 0; tool->args[i] != NULL; i++) /* the table has them in byte order */
        sp_buf_addf(b, "%s\"%s\":{\"type\":\"string\"}", i > 0 ? "," : "", tool->args[i]);
    sp_buf_add(b, SP_STR("},\"required\":["));
    for (size_t i = 0; tool->args[i] != NULL; i++)
        sp_buf_addf(b, "%s\"%s\"", i > 0 ? "," : "", tool->args[i]);
    sp_buf_add(b, SP_STR("],\"type\":\"object\"}"));
}

static void answer_list(struct request *r)
{
    struct sp_buf *b = &r->ret->text;
    const struct tool *tools;
    size_t n = tools_of(r->world, &tools);
    bool is_first = true;

    begin(r);
    sp_buf_add(b, SP_STR(",\"result\":{\"tools\":["));
    for (size_t i = 0; i < n; i++) {
        if (is_hidden(r->world, &tools[i]))
            continue;
        sp_buf_add(b, is_first ? SP_STR("{\"annotations\":") : SP_STR(",{\"annotations\":"));
        is_first = false;
        sp_buf_add(b, annotations_of(r->world, &tools[i]));
        sp_buf_add(b, SP_STR(",\"description\":"));
        jput_string(b, sp_str_of(tools[i].description));
        sp_buf_add(b, SP_STR(",\"inputSchema\":"));
        if (r->world->kind == DEMO_WORLD_ECHO)
            sp_buf_add(b, SP_STR(ECHO_SCHEMA));
        else
            put_args_schema(b, &tools[i]);
        sp_buf_addf(b, ",\"name\":\"%s\"}", tools[i].name);
    }
    sp_buf_add(b, SP_STR("]}}"));
}

/* Whether a value is a whole number, not negative, of any length. */
static bool is_whole(struct sp_str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.p[i] < '0' || value.p[i] > '9')
            return false;
    return true;
}

static void answer_call(struct request *r)
{
    struct sp_str args = SP_STR("{}"), span, name;
    const struct tool *tools, *tool = NULL;
    size_t n = tools_of(r->world, &tools);
    uint64_t delay_ms;

    r->ret->asked = DEMO_WORLD_CALL;
    if (jget_member(r->params, SP_STR("name"), &span) && jget_type(span) == JSCAN_STRING)
        jget_text(span, &r->ret->name);
    name = sp_buf_str(&r->ret->name);
    for (size_t i = 0; i < n; i++)
        if (sp_str_eq(name, sp_str_of(tools[i].name)) && !is_hidden(r->world, &tools[i]))
            tool = &tools[i];
    if (tool == NULL) {
        answer_error(r, INVALID_PARAMS, "Unknown tool: ", name);
        return;
    }
    (void)jget_member(r->params, SP_STR("arguments"), &args); /* absent: none */
    if (jget_member(args, SP_STR("delay_ms"), &span) && is_whole(span))
        r->ret->delay_ms =
            jget_u64(span, &delay_ms) && delay_ms < MAX_DELAY_MS ? delay_ms : MAX_DELAY_MS;
    tool->call(r, tool, args);
}

static void call_echo(struct request *r, const struct tool *tool, struct sp_str args)
{
    struct sp_str fail;
    bool fails = jget_member(args, SP_STR("fail"), &fail) && jget_type(fail) == JSCAN_TRUE;
    struct sp_buf text = {0};

    if (fails)
        sp_buf_addf(&text, "%s failed, as asked: ", tool->name);
    jcanon(&text, args);
    answer_text(r, sp_buf_str(&text), fails);
    sp_buf_deinit(&text);
}

/* The text of a string argument; empty when it is missing or no string. */
static struct sp_buf text_arg(struct sp_str args, const char *name)
{
    struct sp_buf text = {0};
    struct sp_str span;

    if (jget_member(args, sp_str_of(name), &span) && jget_type(span) == JSCAN_STRING)
        jget_text(span, &text);
    return text;
}

/* Whether `s` is PREFIX, one or more ASCII digits, SUFFIX; `ret_digits` are the digits. */
static bool match(struct sp_str s, struct sp_str prefix, struct sp_str suffix,
                  struct sp_str *ret_digits)
{
    if (s.len <= prefix.len + suffix.len || !sp_str_starts(s, prefix) || !sp_str_ends(s, suffix))
        return false;
    s = sp_str_sub(s, prefix.len, s.len - suffix.len);
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    *ret_digits = s;
    return true;
}

static bool match_order(struct sp_str order, struct sp_str *ret_digits)
{
    return match(order, SP_STR("#W"), SP_STR("a"), ret_digits) ||
           match(order, SP_STR("#W"), SP_STR("b"), ret_digits);
}

static void call_find_user(struct request *r, const struct tool *tool, struct sp_str args)
{
    struct sp_buf email = text_arg(args, tool->args[0]), text = {0};
    struct sp_str n;

    if (match(sp_buf_str(&email), SP_STR("c"), SP_STR("@example.com"), &n)) {
        sp_buf_addf(&text, "user_%.*s", SP_STR_ARG(n));
        answer_text(r, sp_buf_str(&text), false);
    } else {
        answer_text(r, SP_STR("Error: User not found"), true);
    }
    sp_buf_deinit(&email);
    sp_buf_deinit(&text);
}

static void call_get_user(struct request *r, const struct tool *tool, struct sp_str args)
{
    struct sp_buf user = text_arg(args, tool->args[0]), text = {0};
    struct sp_str n;

    if (match(sp_buf_str(&user), SP_STR("user_"), SP_STR(""), &n)) {
        sp_buf_addf(&text,
                    "{\"user_id\":\"user_%.*s\",\"orders\":[\"#W%.*sa\",\"#W%.*sb\"],"
                    "\"email\":\"c%.*s@example.com\",\"payment_methods\":{\"credit_card_%.*s\":"
                    "{\"source\":\"credit_card\"}}}",
                    SP_STR_ARG(n), SP_STR_ARG(n), SP_STR_ARG(n), SP_STR_ARG(n), SP_STR_ARG(n));
        answer_text(r, sp_buf_str(&text), false);
    } else {
        answer_text(r, SP_STR("Error: User not found"), true);
    }
    sp_buf_deinit(&user);
    sp_buf_deinit(&text);
}

static void call_get_order(struct request *r, const struct tool *tool, struct sp_str args)
{
    struct sp_buf order = text_arg(args, tool->args[0]), text = {0};
    struct sp_str n;

    if (match_order(sp_buf_str(&order), &n)) {
        sp_buf_addf(&text,
                    "{\"order_id\":\"%.*s\",\"user_id\":\"user_%.*s\",\"status\":\"pending\","
                    "\"items\":[{\"item_id\":\"1\",\"product_id\":\"p1\",\"name\":\"Desk lamp\"}],"
                    "\"payment_history\":[{\"payment_method_id\":\"credit_card_%.*s\"}]}",
                    SP_STR_ARG(sp_buf_str(&order)), SP_STR_ARG(n), SP_STR_ARG(n));
        answer_text(r, sp_buf_str(&text), false);
    } else {
        answer_text(r, SP_STR("Error: Order not found"), true);
    }
    sp_buf_deinit(&order);
    sp_buf_deinit(&text);
}

static void call_cancel_order(struct request *r, const struct tool *tool, struct sp_str args)
{
    struct sp_buf order = text_arg(args, tool->args[0]), reason = text_arg(args, tool->args[1]);
    struct sp_buf text = {0};
    struct sp_str n, why = sp_buf_str(&reason);

    if (!match_order(sp_buf_str(&order), &n)) {
        answer_text(r, SP_STR("Error: Order not found"), true);
    } else if (!sp_str_eq(why, SP_STR("no longer needed")) &&
               !sp_str_eq(why, SP_STR("ordered by mistake"))) {
        answer_text(r, SP_STR("Error: Invalid reason"), true);
    } else {
        sp_buf_addf(&text, "{\"order_id\":\"%.*s\",\"status\":\"cancelled\"}",
                    SP_STR_ARG(sp_buf_str(&order)));
        answer_text(r, sp_buf_str(&text), false);
    }
    sp_buf_deinit(&order);
    sp_buf_deinit(&reason);
    sp_buf_deinit(&text);
}

static void answer_request(struct request *r, struct sp_str method)
{
    struct sp_buf name = {0};

    r->ret->asked = DEMO_WORLD_OTHER;
    jget_text(method, &name);
    if (sp_str_eq(sp_buf_str(&name), SP_STR("initialize"))) {
        answer_initialize(r);
    } else if (sp_str_eq(sp_buf_str(&name), SP_STR("ping"))) {
        begin(r);
        sp_buf_add(&r->ret->text, SP_STR(",\"result\":{}}"));
    } else if (sp_str_eq(sp_buf_str(&name), SP_STR("tools/list"))) {
        answer_list(r);
    } else if (sp_str_eq(sp_buf_str(&name), SP_STR("tools/call"))) {
        answer_call(r);
    } else {
        answer_error(r, METHOD_NOT_FOUND, "Method not found: ", sp_buf_str(&name));
    }
    sp_buf_deinit(&name);
}

static void answer_object(struct request *r, struct sp_str object)
{
    bool has_id = jget_member(object, SP_STR("id"), &r->id) && jget_type(r->id) != JSCAN_NULL;
    struct sp_str method;

    if (!jget_member(object, SP_STR("method"), &method) || jget_type(method) != JSCAN_STRING)
        return; /* a response */
    if (has_id) {
        (void)jget_member(object, SP_STR("params"), &r->params); /* absent: none */
        answer_request(r, method);
    } else if (jget_is_text(method, SP_STR("initialize"))) {
        r->ret->asked = DEMO_WORLD_INITIALIZE_NOTE;
    }
}

static bool is_blank(struct sp_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr(" \t\r\n\v\f", text.p[i], 6) == NULL)
            return false;
    return true;
}

void demo_world_answer(const struct demo_world *world, struct sp_str line,
                       struct demo_world_answer *ret)
{
    struct request r = {.world = world, .id = SP_STR("null"), .params = SP_STR("{}"), .ret = ret};
    struct sp_buf text = {0};
    struct jscan message;

    *ret = (struct demo_world_answer){.asked = DEMO_WORLD_NOTHING};
    sp_utf8_repair(&text, line);
    if (is_blank(sp_buf_str(&text))) {
        /* A blank line is skipped. */
    } else if (!jscan(sp_buf_str(&text), JSCAN_LOG_DEPTH, &message)) {
        ret->asked = DEMO_WORLD_OTHER;
        answer_error(&r, PARSE_ERROR, "Parse error", SP_STR(""));
    } else if (message.type != JSCAN_OBJECT) {
        ret->asked = DEMO_WORLD_OTHER;
        answer_error(&r, INVALID_REQUEST, "Invalid Request: not an object", SP_STR(""));
    } else {
        answer_object(&r, message.value);
    }
    sp_buf_deinit(&text);
}

void demo_world_answer_deinit(struct demo_world_answer *answer)
{
    sp_buf_deinit(&answer->text);
    sp_buf_deinit(&answer->version);
    sp_buf_deinit(&answer->name);
}
