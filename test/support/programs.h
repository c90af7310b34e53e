#pragma once

/*
 * Programs and flows for the tests of flow/program*.h. Texts are JSON with ' for ", as no name or
 * address of these tests has either.
 */

#include "flow/program_run.h"
#include "json_gen.h"

#define PROGRAMS_MAX_TOOLS 8

/* A flow as far as its program sees it. */
struct programs_flow {
    struct program_model model;
    double total[PROGRAMS_MAX_TOOLS][2];
    double count[PROGRAMS_MAX_TOOLS][2][PROGRAMS_MAX_TOOLS];
    bool offers[PROGRAMS_MAX_TOOLS][2][PROGRAMS_MAX_TOOLS];
};

/* The flows of the specification's chapters 20 (section 7) and 10 (section 15.1). */
void programs_tickets(struct programs_flow *ret);
void programs_desk(struct programs_flow *ret);

/* Appends a text with its quotes turned into ". */
void programs_text(struct sp_buf *b, const char *text);

/* Parses such a text, or its bytes; gives what program_parse() returns. */
int programs_try(const char *text, struct program **ret, struct sp_err *ret_err);
int programs_try_bytes(struct sp_str text, struct program **ret, struct sp_err *ret_err);

/* Parses a text that has to be a program. */
struct program *programs_parse(const char *text);

/*
 * Appends a random program that checks, as program_put() writes it: every statement and expression,
 * shadowing, loops and errors of every kind.
 */
void programs_generate(struct json_gen *g, struct sp_buf *b);

/* A run of a program under the flow of chapter 20. */
struct programs_fixture {
    struct programs_flow flow;
    struct program *program;
    struct program_run *run;
};

/*
 * Starts one that executes a program, the standard one for NULL. The second has the data of a call
 * to tool 1 that succeeded, with up to 8 lookups.
 */
void programs_start_with(struct programs_fixture *f, const char *text,
                         const struct program_data *data);
void programs_start(struct programs_fixture *f, const char *text);

/* Goes to the end with 0 or false at every site. */
void programs_finish(struct programs_fixture *f);

void programs_stop(struct programs_fixture *f);

/* Pieces of programs. */
#define PROGRAMS_VAR(name)         "{'op':'var','name':'" name "'}"
#define PROGRAMS_INT(digits)       "{'op':'int','value':" digits "}"
#define PROGRAMS_REAL(digits)      "{'op':'f64','value':" digits "}"
#define PROGRAMS_TRUE              "{'op':'bool','value':true}"
#define PROGRAMS_FALSE             "{'op':'bool','value':false}"
#define PROGRAMS_ONE(op, arg)      "{'op':'" op "','arg':" arg "}"
#define PROGRAMS_TWO(op, lhs, rhs) "{'op':'" op "','lhs':" lhs ",'rhs':" rhs "}"
#define PROGRAMS_ARRAY(items)      "{'op':'array','items':[" items "]}"
#define PROGRAMS_AT(array, index)  "{'op':'index','array':" array ",'index':" index "}"
#define PROGRAMS_LEN(array)        "{'op':'len','array':" array "}"
#define PROGRAMS_NAN               PROGRAMS_TWO("div", PROGRAMS_INT("0"), PROGRAMS_INT("0"))
#define PROGRAMS_INF               PROGRAMS_TWO("div", PROGRAMS_INT("1"), PROGRAMS_INT("0"))

#define PROGRAMS_LET(name, value)    "{'stmt':'let','var':'" name "','value':" value "}"
#define PROGRAMS_ASSIGN(name, value) "{'stmt':'assign','var':'" name "','value':" value "}"
#define PROGRAMS_FACTOR(logw)        "{'stmt':'factor','logw':" logw "}"
#define PROGRAMS_FOR(name, start, end, body) \
    "{'stmt':'for','var':'" name "','start':" start ",'end':" end ",'body':[" body "]}"
#define PROGRAMS_IF(cond, then) "{'stmt':'if','cond':" cond ",'then':[" then "]}"
#define PROGRAMS_IF_ELSE(cond, then, other) \
    "{'stmt':'if','cond':" cond ",'then':[" then "],'else':[" other "]}"
#define PROGRAMS_BREAK                "{'stmt':'break'}"
#define PROGRAMS_ADDR(name)           "{'name':'" name "'}"
#define PROGRAMS_ADDR_AT(name, index) "{'name':'" name "','index':" index "}"
#define PROGRAMS_DECIDE(tool, failed) "{'name':'Decide','args':[" tool "," failed "]}"
#define PROGRAMS_OUTCOME(tool)        "{'name':'Outcome','args':[" tool "]}"
#define PROGRAMS_SAMPLE(name, addr, dist) \
    "{'stmt':'sample','var':'" name "','addr':" addr ",'dist':" dist "}"
#define PROGRAMS_OBSERVE(addr, dist, value) \
    "{'stmt':'observe','addr':" addr ",'dist':" dist ",'value':" value "}"
#define PROGRAMS_PROGRAM(body, ret) "{'fugue_program':1,'body':[" body "],'ret':" ret "}"
