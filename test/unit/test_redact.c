/*
 * Tests of trace/redact.h.
 *
 * Logs and what is wanted are written with ' for " and ^ for '. In what is wanted, <k7> stands for
 * the hash of the key k7 with the salt "pepper-1", made here by itself.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "trace/redact.h"

#define MAX_LOGS 4
#define HASH_LEN ((size_t)14)

#define HEADER(session)                                                                     \
    "{'stretto_mcp_log':2,'session':'" session "','started_unix_ms':1,'server_command':[]," \
    "'domain':null,'agent_model':null}\n"
#define ENTRY(from, message) "{'t_ms':1,'from':'" from "','message':" message "}\n"
#define CLIENT(message)      ENTRY("client", message)
#define SERVER(message)      ENTRY("server", message)
#define PROXY(message)       ENTRY("proxy", message)
#define CONTEXT(message)     ENTRY("context", message)
#define RAW(text)            "{'t_ms':1,'from':'server','raw':'" text "'}\n"
#define SAID(text)           CONTEXT("{'content':'" text "','role':'user'}")
#define CALL(arguments)      CLIENT(CALL_MESSAGE(arguments))
#define CALL_MESSAGE(a)      "{'id':7,'method':'tools/call','params':{'arguments':" a ",'name':'find'}}"
#define RESULT(result)       SERVER("{'id':7,'result':" result "}")
#define TEXT(text)           RESULT("{'content':[{'text':'" text "','type':'text'}]}")
#define STRUCTURED(value)    RESULT("{'content':[],'structuredContent':" value "}")
#define NOTE(params)         SERVER("{'method':'n','params':" params "}")
#define LIST                 CLIENT("{'id':9,'method':'tools/list'}")
#define LISTED(tools)        SERVER("{'id':9,'result':{'tools':[" tools "]}}")
#define EMPTY_CALL           CALL("{}")

struct redact_case {
    const char *name;
    const char *logs[MAX_LOGS]; /* entries */
    const char *want;           /* the entries of the first log's copy */
    uint64_t keep_shared;       /* 0 stands for 2, so that one log alone keeps nothing */
    const char *fields[2];
};

struct copies {
    struct sp_buf of[MAX_LOGS];
    struct redact_summary summary;
};

static void put_hash(struct sp_buf *b, const char *salt, struct sp_str key)
{
    struct sp_buf text = {0};
    unsigned char bytes[EVP_MAX_MD_SIZE];

    sp_buf_add(&text, sp_str_of(salt));
    sp_buf_add_char(&text, '\0');
    sp_buf_add(&text, key);
    assert_int_equal(EVP_Digest(text.p, text.len, bytes, NULL, EVP_sha256(), NULL), 1);
    sp_buf_add(b, SP_STR("h_"));
    for (size_t i = 0; i < 6; i++)
        sp_buf_addf(b, "%02x", bytes[i]);
    sp_buf_deinit(&text);
}

/* Appends what a character is written for. */
static void put_quote(struct sp_buf *b, char c)
{
    sp_buf_add_char(b, c == '\'' ? '"' : c == '^' ? '\'' : c);
}

/* Appends a text as it is meant. */
static void put_meant(struct sp_buf *b, const char *text)
{
    for (; *text != '\0'; text++) {
        struct sp_buf key = {0};

        if (*text != '<') {
            put_quote(b, *text);
            continue;
        }
        for (text++; *text != '>'; text++)
            put_quote(&key, *text);
        put_hash(b, "pepper-1", sp_buf_str(&key));
        sp_buf_deinit(&key);
    }
}

static void parse(const char *entries, struct sessionlog *ret)
{
    struct sp_buf text = {0};
    struct sp_err err;

    put_meant(&text, HEADER("s.1"));
    put_meant(&text, entries);
    if (sessionlog_parse(&text, ret, &err) != 0)
        fail_msg("%s: %s", err.text, entries);
}

static void run(const char *const *logs, const struct redact_options *options, struct copies *ret)
{
    struct sp_err err;
    struct redact *r = redact_new(options, &err);
    struct sessionlog log;

    assert_non_null(r);
    *ret = (struct copies){0};
    for (size_t i = 0; i < MAX_LOGS && logs[i] != NULL; i++) {
        parse(logs[i], &log);
        redact_count(r, &log);
        sessionlog_deinit(&log);
    }
    redact_decide(r);
    for (size_t i = 0; i < MAX_LOGS && logs[i] != NULL; i++) {
        parse(logs[i], &log);
        redact_rewrite(r, &log, &ret->of[i]);
        sessionlog_deinit(&log);
    }
    ret->summary = redact_summary(r);
    redact_free(r);
}

static void copies_deinit(struct copies *c)
{
    for (size_t i = 0; i < MAX_LOGS; i++)
        sp_buf_deinit(&c->of[i]);
}

/* Compares the entries of a copy with what is meant. */
static void assert_entries(const char *name, struct sp_buf *copy, const char *entries)
{
    struct sp_buf want = {0};

    put_meant(&want, HEADER("s.1"));
    put_meant(&want, entries);
    if (!sp_str_eq(sp_buf_str(copy), sp_buf_str(&want)))
        fail_msg("%s:\ngot  %s\nwant %s", name, sp_buf_cstr(copy), sp_buf_cstr(&want));
    sp_buf_deinit(&want);
}

static void check(const struct redact_case *c)
{
    struct sp_str fields[2];
    struct redact_options options = {
        .salt = SP_STR("pepper-1"),
        .keep_shared = c->keep_shared != 0 ? c->keep_shared : 2,
        .hash_fields = fields,
    };
    struct copies copies;

    while (options.n_hash_fields < 2 && c->fields[options.n_hash_fields] != NULL) {
        fields[options.n_hash_fields] = sp_str_of(c->fields[options.n_hash_fields]);
        options.n_hash_fields++;
    }
    run(c->logs, &options, &copies);
    assert_entries(c->name, &copies.of[0], c->want);
    copies_deinit(&copies);
}

static void check_all(const struct redact_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check(&cases[i]);
}

#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof *(cases))

/* ---- values and hashes */

struct hash_case {
    const char *value; /* JSON */
    const char *hash;
};

static const struct hash_case hashes[] = {
    {"'ana@shop.test'", "'h_2bf19340b2a3'"},
    {"'#K7'", "'h_2977ee54805a'"},
    {"'k7'", "'h_2977ee54805a'"},
    {"' K7 '", "'h_2977ee54805a'"},
    {"'##k7\\t'", "'h_2977ee54805a'"},
    {"'\\u3000#\\u212a7'", "'h_2977ee54805a'"}, /* ideographic space, the kelvin sign */
    {"'cust_81'", "'h_5c61fcecb427'"},
    {"'Blue Kettle'", "'h_1d91f811cf59'"},
    {"41.5", "'h_f1af4d02c22a'"},
    {"41.50", "'h_f1af4d02c22a'"},
    {"'41.5'", "'h_f1af4d02c22a'"},
    {"415e-1", "'h_f1af4d02c22a'"},
};

static void redact_makes_the_hashes_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        struct sp_buf log = {0};
        struct sp_buf want = {0};
        struct redact_case c = {hashes[i].value, {NULL}, NULL, 0, {NULL}};

        sp_buf_addf(&log, "%s%s%s", "{'t_ms':1,'from':'server','message':{'method':'n','params':[",
                    hashes[i].value, "]}}\n");
        sp_buf_addf(&want, "%s%s%s", "{'t_ms':1,'from':'server','message':{'method':'n','params':[",
                    hashes[i].hash, "]}}\n");
        c.logs[0] = sp_buf_cstr(&log);
        c.want = sp_buf_cstr(&want);
        check(&c);
        sp_buf_deinit(&log);
        sp_buf_deinit(&want);
    }
}

static const struct redact_case keys[] = {
    {.name = "values without a key stay",
     {NOTE("['','#',' ## ',' ']")},
     NOTE("['','#',' ## ',' ']")},
    {.name = "the key is not stripped again behind number signs",
     {NOTE("['# k7','k7']")},
     NOTE("['< k7>','<k7>']")},
    {.name = "letters beyond ASCII are mapped one by one",
     {NOTE("['\xc3\x89T\xc3\x89','\xce\xa3\xce\x91\xce\xa3']")},
     NOTE("['<\xc3\xa9t\xc3\xa9>','<\xcf\x83\xce\xb1\xcf\x83>']")},
    {.name = "a session counts once",
     {NOTE("['a','A','#a']") NOTE("['a']"), NOTE("['b']")},
     NOTE("['<a>','<a>','<a>']") NOTE("['<a>']")},
    {.name = "two sessions share a value in whatever spelling",
     {NOTE("['#A','b']"), NOTE("[' a']")},
     NOTE("['#A','<b>']")},
    {.name = "a shared number stays a number",
     {NOTE("[1e1,7]"), NOTE("['10.0']")},
     NOTE("[10.0,'<7>']")},
    {.name = "a threshold of four",
     {NOTE("['a']"), NOTE("['a']"), NOTE("['a']")},
     NOTE("['<a>']"),
     4,
     {NULL}},
    {.name = "a threshold of three",
     {NOTE("['a']"), NOTE("['a']"), NOTE("['a']")},
     NOTE("['a']"),
     3},
    {.name = "booleans and null are no values",
     {NOTE("[true,false,null,[],{}]")},
     NOTE("[true,false,null,[],{}]")},
    {.name = "names are leaves, at any depth",
     {NOTE("{'b':[{'a':{'c':1}}]}")},
     NOTE("{'<b>':[{'<a>':{'<c>':'<1>'}}]}")},
};

static void redact_knows_values_by_their_keys(void **state)
{
    (void)state;
    CHECK_ALL(keys);
}

/* ---- what each entry holds */

static const struct redact_case entries[] = {
    {.name = "conversation", {SAID("Hi K7!")}, SAID("<hi> <k7>!")},
    {.name = "conversation without a text",
     {CONTEXT("{'content':['K7'],'role':'user'}")},
     CONTEXT("{'content':['K7'],'role':'user'}")},
    {.name = "a call's arguments alone",
     {CLIENT("{'id':1,'method':'tools/call','params':{'_meta':{'k':'v'},'arguments':{'a':'K7'},"
             "'name':'find'}}")},
     CLIENT("{'id':1,'method':'tools/call','params':{'_meta':{'k':'v'},'arguments':{'<a>':'<k7>'},"
            "'name':'find'}}")},
    {.name = "a call of the proxy's",
     {PROXY(CALL_MESSAGE("{'a':'K7'}"))},
     PROXY(CALL_MESSAGE("{'<a>':'<k7>'}"))},
    {.name = "a call without an id",
     {CLIENT("{'method':'tools/call','params':{'arguments':['K7']}}")},
     CLIENT("{'method':'tools/call','params':{'arguments':['<k7>']}}")},
    {.name = "a result's texts of any type, and its structure",
     {EMPTY_CALL RESULT("{'content':[{'text':'K7','type':'odd'},{'text':7},'x',{'data':'K7'}],"
                        "'isError':true,'more':'K7','structuredContent':{'a':'K7'}}")},
     EMPTY_CALL RESULT("{'content':[{'text':'<k7>','type':'odd'},{'text':7},'x',{'data':'K7'}],"
                       "'isError':true,'more':'K7','structuredContent':{'<a>':'<k7>'}}")},
    {.name = "a result's error",
     {EMPTY_CALL SERVER("{'error':{'code':-3,'data':['K7'],'message':'no K7.'},'id':7}")},
     EMPTY_CALL SERVER("{'error':{'code':-3,'data':['<k7>'],'message':'<no> <k7>.'},'id':7}")},
    {.name = "an error's message that is no text",
     {EMPTY_CALL SERVER("{'error':{'message':['K7']},'id':7}")},
     EMPTY_CALL SERVER("{'error':{'message':['K7']},'id':7}")},
    {.name = "ids are compared by type",
     {EMPTY_CALL SERVER("{'id':'7','result':{'content':[{'text':'K7'}]}}")},
     EMPTY_CALL SERVER("{'id':'7','result':{'<content>':[{'<text>':'<k7>'}]}}")},
    {.name = "a result that comes twice",
     {EMPTY_CALL TEXT("K7") TEXT("K8")},
     EMPTY_CALL TEXT("<k7>") TEXT("<k8>")},
    {.name = "an id that is used again",
     {EMPTY_CALL CLIENT("{'id':7,'method':'tools/list'}") TEXT("K7")},
     EMPTY_CALL CLIENT("{'id':7,'method':'tools/list'}") TEXT("K7")},
    {.name = "a call of the proxy's is answered by the server",
     {PROXY(CALL_MESSAGE("{}")) TEXT("K7")},
     PROXY(CALL_MESSAGE("{}")) TEXT("<k7>")},
    {.name = "an answer before its request",
     {TEXT("K7") EMPTY_CALL},
     RESULT("{'<content>':[{'<type>':'<text>','<text>':'<k7>'}]}") EMPTY_CALL},
    {.name = "a listing",
     {LIST LISTED("{'description':'K7','name':'find'}")},
     LIST LISTED("{'description':'K7','name':'find'}")},
    {.name = "a listing that failed",
     {LIST SERVER("{'error':{'message':'K7'},'id':9}")},
     LIST SERVER("{'error':{'message':'<k7>'},'id':9}")},
    {.name = "a server's request",
     {SERVER("{'id':1,'method':'roots/list','params':{'a':'K7'}}")},
     SERVER("{'id':1,'method':'roots/list','params':{'<a>':'<k7>'}}")},
    {.name = "a server's request is not the answer to a call with its id",
     {EMPTY_CALL SERVER("{'id':7,'method':'m','result':{'content':[{'text':'a b'}]}}")},
     EMPTY_CALL SERVER("{'id':7,'method':'m','result':{'<content>':[{'<text>':'<a b>'}]}}")},
    {.name = "a server's notification", {NOTE("{'a':'K7'}")}, NOTE("{'<a>':'<k7>'}")},
    {.name = "other answers with an error",
     {CLIENT("{'id':1,'method':'ping'}") SERVER("{'error':{'data':7,'message':'K7'},'id':1}")},
     CLIENT("{'id':1,'method':'ping'}") SERVER("{'error':{'data':'<7>','message':'<k7>'},'id':1}")},
    {.name = "initialize and its answer",
     {CLIENT("{'id':1,'method':'initialize','params':{'a':'K7'}}")
          SERVER("{'id':1,'result':{'a':'K7'}}")},
     CLIENT("{'id':1,'method':'initialize','params':{'a':'K7'}}")
         SERVER("{'id':1,'result':{'a':'K7'}}")},
    {.name = "an initialize that failed",
     {CLIENT("{'id':1,'method':'initialize'}") SERVER("{'error':{'message':'K7'},'id':1}")},
     CLIENT("{'id':1,'method':'initialize'}") SERVER("{'error':{'message':'<k7>'},'id':1}")},
    {.name = "a line that is no message is rewritten and not counted",
     {RAW("see K7, K7 and (K8)"), NOTE("['see','and']"), NOTE("['see']"), RAW("and")},
     RAW("see <k7>, <k7> <and> (<k8>)")},
};

static void redact_rewrites_what_each_entry_holds(void **state)
{
    (void)state;
    CHECK_ALL(entries);
}

static const struct redact_case side_doors[] = {
    {.name = "each element of a batch",
     {CLIENT("[" CALL_MESSAGE("['K7']") ",{'id':8,'method':'x','params':['K7']},'K7',['K7']]")
          SERVER("[{'id':8,'result':'K7'},{'id':7,'result':{'content':[{'text':'K7'}]}},4]")},
     CLIENT("[" CALL_MESSAGE("['<k7>']") ",{'id':8,'method':'x','params':['<k7>']},'K7',['K7']]")
         SERVER("[{'id':8,'result':'<k7>'},{'id':7,'result':{'content':[{'text':'<k7>'}]}},4]")},
    {.name = "what the proxy answers to a call",
     {EMPTY_CALL PROXY("{'error':{'message':'not K7'},'id':7}")
          PROXY("{'id':7,'result':{'content':[{'text':'K7'}],'structuredContent':'K7'}}")},
     EMPTY_CALL PROXY("{'error':{'message':'<not> <k7>'},'id':7}")
         PROXY("{'id':7,'result':{'content':[{'text':'<k7>'}],'structuredContent':'<k7>'}}")},
    {.name = "what else the proxy says stays",
     {CLIENT("{'id':1,'method':'x'}") PROXY("{'id':1,'result':'K7'}")
          PROXY("{'method':'n','params':'K7'}") PROXY("{'id':3,'method':'x','params':'K7'}")},
     CLIENT("{'id':1,'method':'x'}") PROXY("{'id':1,'result':'K7'}")
         PROXY("{'method':'n','params':'K7'}") PROXY("{'id':3,'method':'x','params':'K7'}")},
    {.name = "a client's answer",
     {CLIENT("{'id':1,'result':{'a':'K7'}}") CLIENT("{'error':{'message':'K7'},'id':1}")},
     CLIENT("{'id':1,'result':{'<a>':'<k7>'}}") CLIENT("{'error':{'message':'<k7>'},'id':1}")},
    {.name = "a server's answer to another request",
     {CLIENT("{'id':1,'method':'resources/read'}") SERVER("{'id':1,'result':{'a':'K7'}}")},
     CLIENT("{'id':1,'method':'resources/read'}") SERVER("{'id':1,'result':{'<a>':'<k7>'}}")},
    {.name = "a server's answer to nothing",
     {SERVER("{'id':null,'result':'K7'}") SERVER("{'id':55,'result':'K7'}")
          SERVER("{'error':{'message':'K7'}}")},
     SERVER("{'id':null,'result':'<k7>'}") SERVER("{'id':55,'result':'<k7>'}")
         SERVER("{'error':{'message':'<k7>'}}")},
    {.name = "the parameters of a client's other requests",
     {CLIENT("{'id':1,'method':'resources/read','params':{'uri':'K7'}}")
          CLIENT("{'id':'a','method':'prompts/get','params':['K7']}")},
     CLIENT("{'id':1,'method':'resources/read','params':{'<uri>':'<k7>'}}")
         CLIENT("{'id':'a','method':'prompts/get','params':['<k7>']}")},
    {.name = "those of ping and tools/list stay",
     {CLIENT("{'id':1,'method':'ping','params':['K7']}")
          CLIENT("{'id':1,'method':'tools/list','params':{'cursor':'K7'}}")},
     CLIENT("{'id':1,'method':'ping','params':['K7']}")
         CLIENT("{'id':1,'method':'tools/list','params':{'cursor':'K7'}}")},
    {.name = "a client's notifications stay",
     {CLIENT("{'method':'notifications/cancelled','params':{'requestId':'K7'}}")
          CLIENT("{'id':null,'method':'x','params':['K7']}")},
     CLIENT("{'method':'notifications/cancelled','params':{'requestId':'K7'}}")
         CLIENT("{'id':null,'method':'x','params':['K7']}")},
    {.name = "a method that is no text is none",
     {CLIENT("{'id':1,'method':5,'result':'K7'}") SERVER("{'id':1,'method':5,'result':'K7'}")},
     CLIENT("{'id':1,'method':5,'result':'<k7>'}") SERVER("{'id':1,'method':5,'result':'<k7>'}")},
};

static void redact_leaves_no_side_door(void **state)
{
    (void)state;
    CHECK_ALL(side_doors);
}

static const struct redact_case whole_entries[] = {
    {.name = "times, sides and empty entries",
     {"{'t_ms':0,'from':'client'}\n{'from':'proxy','t_ms':8,'message':null,'raw':null}\n"
      "{'raw':'K7','message':{'b':1,'a':2},'from':'context','t_ms':9}\n"
      "{'t_ms':9,'from':'server','message':'K7'}\n{'t_ms':9,'from':'server','message':4.50}\n"},
     "{'t_ms':0,'from':'client'}\n{'t_ms':8,'from':'proxy'}\n"
     "{'t_ms':9,'from':'context','message':{'a':2,'b':1},'raw':'<k7>'}\n"
     "{'t_ms':9,'from':'server','message':'K7'}\n{'t_ms':9,'from':'server','message':4.5}\n"},
    {.name = "members come out sorted",
     {CLIENT("{'params': {'name':'find', 'arguments':{'z':1,'a':2}}, 'method':'tools/call', "
             "'jsonrpc':'2.0','id':7}")},
     CLIENT("{'id':7,'jsonrpc':'2.0','method':'tools/call','params':{'arguments':{'<a>':'<2>',"
            "'<z>':'<1>'},'name':'find'}}")},
    {.name = "of a member that occurs twice the last is counted and written",
     {CLIENT("{'id':7,'method':'ping','method':'tools/call','params':{'arguments':['K7']},'params':"
             "{'arguments':{'a':'gone','a':'K8'}}}"),
      NOTE("['gone','k7']"), NOTE("['gone','k8']")},
     CLIENT("{'id':7,'method':'tools/call','params':{'arguments':{'<a>':'K8'}}}")},
};

static void redact_keeps_the_shape_of_logs(void **state)
{
    (void)state;
    CHECK_ALL(whole_entries);
}

static void redact_keeps_the_header(void **state)
{
    static const char header[] =
        "{'stretto_mcp_log':1,'session':'K7','started_unix_ms':5,'server_command':['K7','x'],"
        "'domain':'K7','agent_model':'K7'}\n";
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 2};
    struct sp_err err;
    struct redact *r = redact_new(&options, &err);
    struct sp_buf text = {0};
    struct sp_buf copy = {0};
    struct sp_buf want = {0};
    struct sessionlog log;

    (void)state;
    put_meant(&want, header);
    put_meant(&text, header);
    assert_int_equal(sessionlog_parse(&text, &log, &err), 0);
    redact_count(r, &log);
    redact_decide(r);
    redact_rewrite(r, &log, &copy);
    assert_string_equal(sp_buf_cstr(&copy), sp_buf_cstr(&want));
    sessionlog_deinit(&log);
    sp_buf_deinit(&copy);
    sp_buf_deinit(&want);
    redact_free(r);
    redact_free(NULL);
}

/* ---- texts of tools */

static const struct redact_case tool_texts[] = {
    {.name = "a JSON object is rewritten by leaves and sorted",
     {EMPTY_CALL TEXT(" {\\u0022b\\u0022: [1.50, true], \\u0022a\\u0022:\\u0022x y\\u0022}\\n")},
     EMPTY_CALL TEXT("{\\\"<b>\\\":[\\\"<1.5>\\\",true],\\\"<a>\\\":\\\"<x y>\\\"}")},
    {.name = "a JSON array", {EMPTY_CALL TEXT("[7, null]")}, EMPTY_CALL TEXT("[\\\"<7>\\\",null]")},
    {.name = "a JSON scalar is a line with its quotes",
     {EMPTY_CALL TEXT("\\\"k7\\\"")},
     EMPTY_CALL TEXT("<\"k7\">")},
    {.name = "a number is a line", {EMPTY_CALL TEXT("41.50")}, EMPTY_CALL TEXT("<41.50>")},
    {.name = "what is no JSON is lines", {EMPTY_CALL TEXT("[7,")}, EMPTY_CALL TEXT("<[7,>")},
    {.name = "lines are whole",
     {EMPTY_CALL TEXT("Blue, kettle!")},
     EMPTY_CALL TEXT("<blue, kettle!>")},
    {.name = "lines are joined by LF, an end is lost",
     {EMPTY_CALL TEXT("One\\r\\n\\n  \\r\\n two\\n"), NOTE("['one']")},
     EMPTY_CALL TEXT("One\\n\\n  \\n<two>")},
    {.name = "a CR at the end of a text is no line end",
     {EMPTY_CALL TEXT("#\\r"), NOTE("['x']")},
     EMPTY_CALL TEXT("#\\r")},
    {.name = "two final line ends are one",
     {EMPTY_CALL TEXT("##\\n\\n")},
     EMPTY_CALL TEXT("##\\n")},
    {.name = "numbers are counted as they are written",
     {EMPTY_CALL TEXT("[1.50,2]"), NOTE("[1.5]")},
     EMPTY_CALL TEXT("[1.5,\\\"<2>\\\"]")},
    {.name = "an empty text", {EMPTY_CALL TEXT("")}, EMPTY_CALL TEXT("")},
    {.name = "of names that become the same the last wins",
     {NOTE("{'B':1,'#b':2,' b':3,'a':4}"), NOTE("[1,2,3,4]")},
     NOTE("{'<b>':1,'<a>':4}")},
    {.name = "a name may become one that is there",
     {NOTE("{'h_1d91f811cf59':1,'Blue Kettle':2}"), NOTE("['h_1d91f811cf59',1,2]")},
     NOTE("{'h_1d91f811cf59':1}")},
};

static void redact_rewrites_texts_of_tools(void **state)
{
    (void)state;
    CHECK_ALL(tool_texts);
}

static void redact_reads_json_texts_up_to_a_depth_of_127(void **state)
{
    (void)state;
    for (size_t depth = 126; depth <= 129; depth++) {
        struct sp_buf log = {0};
        struct sp_buf want = {0};
        struct redact_case c = {"deep", {NULL}, NULL, 0, {NULL}};

        sp_buf_addf(&log, "%s",
                    EMPTY_CALL "{'t_ms':1,'from':'server','message':{'id':7,'result':"
                               "{'content':[{'text':'");
        sp_buf_add(&want, sp_buf_str(&log));
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&log, '[');
        sp_buf_add_char(&log, '7');
        for (size_t i = 0; i < depth; i++)
            sp_buf_add_char(&log, ']');
        if (depth <= 127) {
            for (size_t i = 0; i < depth; i++)
                sp_buf_add_char(&want, '[');
            sp_buf_addf(&want, "\\\"<7>\\\"");
            for (size_t i = 0; i < depth; i++)
                sp_buf_add_char(&want, ']');
        } else {
            sp_buf_add_char(&want, '<');
            for (size_t i = 0; i < depth; i++)
                sp_buf_add_char(&want, '[');
            sp_buf_add_char(&want, '7');
            for (size_t i = 0; i < depth; i++)
                sp_buf_add_char(&want, ']');
            sp_buf_add_char(&want, '>');
        }
        sp_buf_addf(&log, "%s", "'}]}}}\n");
        sp_buf_addf(&want, "%s", "'}]}}}\n");
        c.logs[0] = sp_buf_cstr(&log);
        c.want = sp_buf_cstr(&want);
        check(&c);
        sp_buf_deinit(&log);
        sp_buf_deinit(&want);
    }
}

/* ---- running text */

static const struct redact_case running_texts[] = {
    {.name = "every mark of punctuation goes before and after",
     {SAID(".,;:!?()[]\\\"^`K7`^\\\"][)(?!:;,.")},
     SAID(".,;:!?()[]\\\"^`<k7>`^\\\"][)(?!:;,.")},
    {.name = "marks inside a word stay", {SAID("I^m a.b@c")}, SAID("<i^m> <a.b@c>")},
    {.name = "other marks belong to a word", {SAID("-K7- {x} #K7,")}, SAID("<-k7-> <{x}> <k7>,")},
    {.name = "a word of marks alone stays", {SAID("a -- ... !")}, SAID("<a> <--> ... !")},
    {.name = "white space of Unicode divides words and is lost",
     {SAID("\\u00a0a\\u3000b \\t c  "), NOTE("['b']")},
     SAID("<a> b <c>")},
    {.name = "lines stay, a final line end is lost",
     {SAID("a\\r\\n\\n b\\n"), NOTE("['a','b']")},
     SAID("a\\n\\nb")},
    {.name = "white space is lost where nothing is replaced",
     {SAID("  a  b "), NOTE("['a','b']")},
     SAID("a b")},
    {.name = "no text", {SAID("") SAID(" \\n ")}, SAID("") SAID("\\n")},
    {.name = "words of running text are no phrases",
     {SAID("blue kettle") SAID("Blue Kettle")},
     SAID("<blue> <kettle>") SAID("<blue> <kettle>")},
};

static void redact_rewrites_running_text_by_words(void **state)
{
    (void)state;
    CHECK_ALL(running_texts);
}

static const struct redact_case phrases[] = {
    {.name = "a leaf of two words",
     {SAID("(\\\"Blue  kettle!\\\") blue") NOTE("['#Blue Kettle']")},
     SAID("(\\\"<blue kettle>!\\\") <blue>") NOTE("['<blue kettle>']")},
    {.name = "a line of a tool's text",
     {SAID("Is it a blue kettle?") EMPTY_CALL TEXT("A Blue, kettle\\nand more")},
     SAID("<is> <it> <a blue, kettle>?") EMPTY_CALL TEXT("<a blue, kettle>\\n<and more>")},
    {.name = "a name of an object",
     {SAID("the blue kettle") NOTE("{'Blue Kettle':1}"), NOTE("['the',1]")},
     SAID("the <blue kettle>") NOTE("{'<blue kettle>':1}")},
    {.name = "the longest counts",
     {SAID("a b c d") NOTE("['a b','a b c','b c d']")},
     SAID("<a b c> <d>") NOTE("['<a b>','<a b c>','<b c d>']")},
    {.name = "a longer one that fails falls back",
     {SAID("a b c x") NOTE("['a b','a b c d']")},
     SAID("<a b> <c> <x>") NOTE("['<a b>','<a b c d>']")},
    {.name = "words are taken from left to right",
     {SAID("x a b c") NOTE("['x a','a b c']")},
     SAID("<x a> <b> <c>") NOTE("['<x a>','<a b c>']")},
    {.name = "not across lines",
     {SAID("a\\nb") NOTE("['a b']")},
     SAID("<a>\\n<b>") NOTE("['<a b>']")},
    {.name = "marks inside do not matter, words of marks do",
     {SAID("a, (b) a . b") NOTE("['a b']")},
     SAID("<a b>) <a> . <b>") NOTE("['<a b>']")},
    {.name = "words of marks alone are left out of a phrase",
     {SAID("a b") NOTE("['a ! b']")},
     SAID("<a ! b>") NOTE("['<a ! b>']")},
    {.name = "one word is left: no phrase",
     {SAID("a !") NOTE("['a !','# a']")},
     SAID("<a> !") NOTE("['<a !>','< a>']")},
    {.name = "words are compared by their keys",
     {SAID("#A #b") NOTE("['x','a #B']")},
     SAID("<a #b>") NOTE("['<x>','<a #b>']")},
    {.name = "a phrase that is shared is none",
     {SAID("a b") NOTE("['a b']"), NOTE("['a b']")},
     SAID("<a> <b>") NOTE("['a b']")},
    {.name = "in errors and in lines that are no messages",
     {RAW("no Blue Kettle, sorry") SERVER("{'error':{'data':['blue kettle'],'message':'a blue "
                                          "kettle'},'id':null}")},
     RAW("<no> <blue kettle>, <sorry>")
         SERVER("{'error':{'data':['<blue kettle>'],'message':'<a> <blue kettle>'},'id':null}")},
};

static void redact_finds_phrases(void **state)
{
    (void)state;
    CHECK_ALL(phrases);
}

static void redact_takes_the_first_hash_of_phrases_with_the_same_words(void **state)
{
    static const char *const spellings[] = {"a b", "a b.", "a, b", "(a) b"};
    static const struct redact_case orders[] = {
        {.name = "one order",
         {SAID("a b") NOTE("['a b','a b.','a, b','(a) b']")},
         NOTE("['<a b>','<a b.>','<a, b>','<(a) b>']")},
        {.name = "the other order",
         {SAID("a b") NOTE("['(a) b','a, b','a b.','a b']")},
         NOTE("['<(a) b>','<a, b>','<a b.>','<a b>']")},
    };
    struct sp_buf first = {0};

    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        struct sp_buf hash = {0};

        put_hash(&hash, "pepper-1", sp_str_of(spellings[i]));
        if (first.len == 0 || sp_str_cmp(sp_buf_str(&hash), sp_buf_str(&first)) < 0) {
            sp_buf_clear(&first);
            sp_buf_add(&first, sp_buf_str(&hash));
        }
        sp_buf_deinit(&hash);
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct redact_case c = orders[i];
        struct sp_buf want = {0};

        sp_buf_addf(&want,
                    "{'t_ms':1,'from':'context','message':{'content':'%s','role':'user'}}\n%s",
                    sp_buf_cstr(&first), c.want);
        c.want = sp_buf_cstr(&want);
        check(&c);
        sp_buf_deinit(&want);
    }
    sp_buf_deinit(&first);
}

/* ---- declared and forced */

#define SCHEMA                                                                                   \
    "{'inputSchema':{'properties':{'Name':{'enum':['Red One',7,['no']],'title':'t'}},"           \
    "'allOf':[{'properties':{'Deep':{'properties':{'Deeper':true}}}},{'properties':['list']}]}," \
    "'name':'#Find','outputSchema':{'items':{'enum':['Out']}}},{'name':4},5"

static const struct redact_case declared[] = {
    {.name = "names, properties and enums at any depth",
     {NOTE("{'name':'red one','deep':'deeper','find':'out'}") LIST LISTED(SCHEMA)},
     NOTE("{'deep':'deeper','find':'out','name':'red one'}") LIST LISTED(
         "{'inputSchema':{'allOf':[{'properties':{'Deep':{'properties':{'Deeper':true}}}},"
         "{'properties':['list']}],'properties':{'Name':{'enum':['Red One',7,['no']],"
         "'title':'t'}}},'name':'#Find','outputSchema':{'items':{'enum':['Out']}}},"
         "{'name':4},5")},
    {.name = "nothing else of a listing",
     {NOTE("['title','t',7,'no','list','properties','enum','4']"), LIST LISTED(SCHEMA)},
     NOTE("['<title>','<t>','<7>','<no>','<list>','<properties>','<enum>','<4>']")},
    {.name = "by any log, for all logs", {NOTE("['deep']"), LIST LISTED(SCHEMA)}, NOTE("['deep']")},
    {.name = "not by a listing that the proxy made",
     {NOTE("['deep']"), LIST PROXY("{'id':9,'result':{'tools':[" SCHEMA "]}}")},
     NOTE("['<deep>']")},
    {.name = "not by a listing with an error",
     {NOTE("['find']"), LIST SERVER("{'error':{},'id':9,'result':{'tools':[{'name':'find'}]}}")},
     NOTE("['<find>']"),
     3,
     {NULL}},
    {.name = "a phrase that is declared is none",
     {SAID("red one") NOTE("['Red One']"), LIST LISTED(SCHEMA)},
     SAID("<red> <one>") NOTE("['Red One']")},
};

static void redact_keeps_what_tools_declare(void **state)
{
    (void)state;
    CHECK_ALL(declared);
}

static const struct redact_case forced[] = {
    {.name = "strings and numbers below a field, at any depth, but no names",
     {NOTE("{'who':{'id':[7,'Ada']},'at':'x'}"), NOTE("['who','id',7,'ada','at','x']")},
     NOTE("{'at':'x','who':{'id':['<7>','<ada>']}}"),
     2,
     {"#WHO"}},
    {.name = "in arguments, results, structures, errors and what else comes",
     {CALL("{'who':'a1'}") TEXT("[{\\\"who\\\":\\\"a2\\\"}]") STRUCTURED("{'who':'a3'}")
          SERVER("{'error':{'data':{'who':'a4'},'message':'a1 a2 a3 a5 a6 x'},'id':7}")
              CLIENT("{'id':1,'result':{'who':'a5'}}")
                  CLIENT("{'id':1,'method':'x','params':{'who':'a6'}}"),
      NOTE("['who','a1','a2','a3','a4','a5','a6','x']")},
     CALL("{'who':'<a1>'}") TEXT("[{\\\"who\\\":\\\"<a2>\\\"}]") STRUCTURED("{'who':'<a3>'}")
         SERVER("{'error':{'data':{'who':'<a4>'},'message':'<a1> <a2> <a3> <a5> <a6> x'},"
                "'id':7}") CLIENT("{'id':1,'result':{'who':'<a5>'}}")
             CLIENT("{'id':1,'method':'x','params':{'who':'<a6>'}}"),
     2,
     {"who"}},
    {.name = "each of its words too",
     {SAID("Hi, I^m Ada Byron.") SAID("Ada, or Byron!") NOTE("{'who':'(Ada Byron)'}"),
      SAID("hi i^m or ada byron") NOTE("['who','(ada byron)']")},
     SAID("Hi, I^m <(ada byron)>.") SAID("<ada>, or <byron>!") NOTE("{'who':'<(ada byron)>'}"),
     2,
     {"who"}},
    {.name = "over what is declared",
     {NOTE("{'who':'deep','x':'out'}") LIST LISTED(SCHEMA), NOTE("['who','x']")},
     NOTE("{'who':'<deep>','x':'out'}") LIST LISTED(
         "{'inputSchema':{'allOf':[{'properties':{'Deep':{'properties':{'Deeper':true}}}},"
         "{'properties':['list']}],'properties':{'Name':{'enum':['Red One',7,['no']],"
         "'title':'t'}}},'name':'#Find','outputSchema':{'items':{'enum':['Out']}}},"
         "{'name':4},5"),
     2,
     {"who"}},
    {.name = "by any log, for all logs",
     {NOTE("['ada']"), NOTE("['ada']"), NOTE("{'who':'Ada'}")},
     NOTE("['<ada>']"),
     2,
     {"x", "who"}},
    {.name = "not by a line that is no message, nor by the conversation",
     {SAID("{\\\"who\\\":\\\"ada\\\"}") NOTE("['ada']"),
      NOTE("['ada','{\\\"who\\\":\\\"ada\\\"}']")},
     SAID("{\\\"who\\\":\\\"ada\\\"}") NOTE("['ada']"),
     2,
     {"who"}},
    {.name = "a name without a key names nothing",
     {NOTE("{'':'a','#':'b'}"), NOTE("['a','b']")},
     NOTE("{'':'a','#':'b'}"),
     2,
     {"", " #"}},
};

static void redact_always_hashes_named_fields(void **state)
{
    (void)state;
    CHECK_ALL(forced);
}

/* ---- the vectors of three sessions */

#define SESSION(said, email, result) SAID(said) CALL("{'email':'" email "'}") TEXT(result)
#define RECORD(cust, order, item, total)                                                      \
    "{\\\"cust\\\":\\\"" cust "\\\",\\\"order\\\":\\\"" order "\\\",\\\"items\\\":[\\\"" item \
    "\\\"],\\\"state\\\":\\\"open\\\",\\\"total\\\":" total "}"
#define REDACTED(cust, order, item, total)                                                     \
    "{\\\"cust\\\":\\\"" cust "\\\",\\\"items\\\":[\\\"" item "\\\"],\\\"order\\\":\\\"" order \
    "\\\",\\\"state\\\":\\\"open\\\",\\\"total\\\":" total "}"

static const char *const three[MAX_LOGS] = {
    SESSION("Hello, I^m ana@shop.test. Send back the blue kettle, order K7!", "ana@shop.test",
            RECORD("cust_81", "#K7", "Blue Kettle", "41.5")),
    SESSION("Hello, I^m bo@shop.test. Send back the chair, order K8!", "bo@shop.test",
            RECORD("cust_82", "#K8", "Chair", "9")),
    SESSION("Hello, I^m cy@shop.test. Send back the chair, order K9!", "cy@shop.test",
            RECORD("cust_83", "#K9", "Chair", "9")),
};

static void redact_gives_the_copies_of_the_three_sessions(void **state)
{
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 3};
    struct copies copies;

    (void)state;
    run(three, &options, &copies);
    assert_entries(
        "session 0", &copies.of[0],
        SESSION("Hello, I^m h_2bf19340b2a3. Send back the h_1d91f811cf59, order h_2977ee54805a!",
                "h_2bf19340b2a3",
                REDACTED("h_5c61fcecb427", "h_2977ee54805a", "h_1d91f811cf59",
                         "\\\"h_f1af4d02c22a\\\"")));
    assert_entries(
        "session 1", &copies.of[1],
        SESSION("Hello, I^m h_c53ad8dd6854. Send back the h_f36a52624cfd, order h_06bdf1ad1d28!",
                "h_c53ad8dd6854",
                REDACTED("h_9f2bc081c390", "h_06bdf1ad1d28", "h_f36a52624cfd",
                         "\\\"h_1d98d12b9fbe\\\"")));
    copies_deinit(&copies);
}

static void redact_keeps_what_two_of_them_share_if_told_so(void **state)
{
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 2};
    struct copies copies;

    (void)state;
    run(three, &options, &copies);
    assert_entries("session 1", &copies.of[1],
                   SESSION("Hello, I^m <bo@shop.test>. Send back the chair, order <k8>!",
                           "<bo@shop.test>", REDACTED("<cust_82>", "<k8>", "Chair", "9")));
    copies_deinit(&copies);
}

static void redact_keeps_everything_from_a_threshold_of_none(void **state)
{
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 0};
    struct copies copies;

    (void)state;
    run(three, &options, &copies);
    assert_entries("session 1", &copies.of[1],
                   SESSION("Hello, I^m bo@shop.test. Send back the chair, order K8!",
                           "bo@shop.test", REDACTED("cust_82", "#K8", "Chair", "9")));
    assert_int_equal(copies.summary.replaced.n_times, 0);
    copies_deinit(&copies);
}

/* Takes the hashes out of a copy and counts them. */
static size_t blank_hashes(struct sp_buf *copy, struct sp_buf *ret_hashes)
{
    size_t n = 0;

    for (size_t i = 0; i + HASH_LEN <= copy->len; i++) {
        if (memcmp(copy->p + i, "h_", 2) != 0)
            continue;
        sp_buf_add(ret_hashes, sp_str_sub(sp_buf_str(copy), i, i + HASH_LEN));
        memset(copy->p + i, '*', HASH_LEN);
        n++;
    }
    return n;
}

static void redact_with_another_salt_changes_every_hash_and_nothing_else(void **state)
{
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 3};
    struct copies one;
    struct copies other;

    (void)state;
    run(three, &options, &one);
    options.salt = SP_STR("pepper-2");
    run(three, &options, &other);
    for (size_t i = 0; i < 3; i++) {
        struct sp_buf a = {0};
        struct sp_buf b = {0};
        size_t n = blank_hashes(&one.of[i], &a);

        assert_true(n >= 8);
        assert_int_equal(blank_hashes(&other.of[i], &b), n);
        assert_true(sp_str_eq(sp_buf_str(&one.of[i]), sp_buf_str(&other.of[i])));
        for (size_t k = 0; k < n; k++)
            assert_memory_not_equal(a.p + k * HASH_LEN, b.p + k * HASH_LEN, HASH_LEN);
        sp_buf_deinit(&a);
        sp_buf_deinit(&b);
    }
    copies_deinit(&one);
    copies_deinit(&other);
}

#define ADA                       \
    SAID("Hi, I^m Ada Byron.")    \
    CALL("{'customer':'cust_1'}") \
    STRUCTURED("{'customer':'cust_1','name':{'first':'Ada','whole':'Ada Byron'}}")

static const struct redact_case ada[] = {
    {.name = "in four sessions she survives", {ADA, ADA, ADA, ADA}, ADA, 3, {NULL}},
    {.name = "but not when her fields are named",
     {ADA, ADA, ADA, ADA},
     SAID("Hi, I^m <ada byron>.") CALL("{'customer':'<cust_1>'}")
         STRUCTURED("{'customer':'<cust_1>','name':{'first':'<ada>','whole':'<ada byron>'}}"),
     3,
     {"Customer", "name"}},
    {.name = "word by word where the whole name is not known",
     {SAID("Hi, I^m Ada Byron.") NOTE("{'name':'Byron, Ada'}"), SAID("hi i^m ada byron"),
      SAID("hi i^m ada byron"), NOTE("['name']") NOTE("['name']")},
     SAID("Hi, I^m <ada> <byron>.") NOTE("{'<name>':'<byron, ada>'}"),
     3,
     {"name"}},
};

static void redact_hashes_a_customer_of_many_sessions_by_field(void **state)
{
    (void)state;
    CHECK_ALL(ada);
}

static const struct redact_case one_tool[] = {
    {.name = "an argument that one session uses survives if it is declared, and its enum",
     {LIST LISTED("{'inputSchema':{'properties':{'colour':{'enum':['deep red']}}},'name':'find'}")
          CALL("{'colour':'deep red','size':'deep red!'}")},
     LIST LISTED("{'inputSchema':{'properties':{'colour':{'enum':['deep red']}}},'name':'find'}")
         CALL("{'colour':'deep red','<size>':'<deep red!>'}"),
     3,
     {NULL}},
};

static void redact_keeps_a_declared_argument_of_one_session(void **state)
{
    (void)state;
    CHECK_ALL(one_tool);
}

/* ---- the summary */

static void assert_tally(struct redact_tally t, uint64_t n_values, uint64_t n_times)
{
    assert_int_equal(t.n_values, n_values);
    assert_int_equal(t.n_times, n_times);
}

static void redact_sums_up_what_it_did(void **state)
{
    static const char *const logs[MAX_LOGS] = {
        SAID("K7 k8 and") CALL("['#K7','and','find','find']") TEXT("K7")
            SERVER("{'error':{'data':['K7','K9']},'id':7}") NOTE("['K9']") RAW("raw x"),
        LIST LISTED("{'name':'find'}") SAID("and"),
    };
    struct redact_options options = {.salt = SP_STR("pepper-1"), .keep_shared = 2};
    struct copies c;

    (void)state;
    run(logs, &options, &c);
    assert_tally(c.summary.replaced_at[REDACT_CONVERSATION], 2, 2);
    assert_tally(c.summary.replaced_at[REDACT_ARGUMENTS], 1, 1);
    assert_tally(c.summary.replaced_at[REDACT_RESULTS], 1, 1);
    assert_tally(c.summary.replaced_at[REDACT_ERRORS], 2, 2);
    assert_tally(c.summary.replaced_at[REDACT_OTHER], 3, 3);
    assert_tally(c.summary.replaced, 5, 9);
    assert_tally(c.summary.kept_shared, 1, 3);
    assert_tally(c.summary.kept_declared, 1, 2);
    copies_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redact_makes_the_hashes_of_the_table),
        cmocka_unit_test(redact_knows_values_by_their_keys),
        cmocka_unit_test(redact_rewrites_what_each_entry_holds),
        cmocka_unit_test(redact_leaves_no_side_door),
        cmocka_unit_test(redact_keeps_the_shape_of_logs),
        cmocka_unit_test(redact_keeps_the_header),
        cmocka_unit_test(redact_rewrites_texts_of_tools),
        cmocka_unit_test(redact_reads_json_texts_up_to_a_depth_of_127),
        cmocka_unit_test(redact_rewrites_running_text_by_words),
        cmocka_unit_test(redact_finds_phrases),
        cmocka_unit_test(redact_takes_the_first_hash_of_phrases_with_the_same_words),
        cmocka_unit_test(redact_keeps_what_tools_declare),
        cmocka_unit_test(redact_always_hashes_named_fields),
        cmocka_unit_test(redact_gives_the_copies_of_the_three_sessions),
        cmocka_unit_test(redact_keeps_what_two_of_them_share_if_told_so),
        cmocka_unit_test(redact_keeps_everything_from_a_threshold_of_none),
        cmocka_unit_test(redact_with_another_salt_changes_every_hash_and_nothing_else),
        cmocka_unit_test(redact_hashes_a_customer_of_many_sessions_by_field),
        cmocka_unit_test(redact_keeps_a_declared_argument_of_one_session),
        cmocka_unit_test(redact_sums_up_what_it_did),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
