/* Procedures for tests. */

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "procedures.h"

void procedures_put(struct sp_buf *ret, const char *quoted)
{
    for (const char *p = quoted; *p != '\0'; p++)
        sp_buf_add_char(ret, *p == '\'' ? '"' : *p);
}

struct procedure *procedures_parse(const char *quoted)
{
    struct sp_buf text = {0};
    struct procedure *p = NULL;
    struct sp_err err;

    procedures_put(&text, quoted);
    if (procedure_parse(sp_buf_str(&text), &p, &err) < 0)
        fail_msg("%s", err.text);
    sp_buf_deinit(&text);
    return p;
}

struct procedure *procedures_plain(bool is_symbolic)
{
    struct procedure *p = procedures_parse(
        "{'stretto_procedure':1,'domain':'d','symbolic':true,'max_calls':9,'stop':'stop',"
        "'handoff':'h','reads':['t'],'vocab':['no','no power','unit'],'trees':{},"
        "'fallback':{'calls':[]},'checks':[]}");

    p->is_symbolic = is_symbolic;
    return p;
}

struct procedure *procedures_meter(const char *start, const char *read_panel)
{
    static const char find_site[] =
        "{'calls':[['find_site{\\'phone\\': \\'@ticket\\\\\\\\d{3}\\\\\\\\-\\\\\\\\d{4}\\'}',1]]}";
    static const char panel[] =
        "{'feature':'read_panel:panel lamp=red','yes':{'calls':[['reset_breaker',3],['stop',1]]},"
        "'no':{'calls':[['read_panel',3],"
        "['enable_feed{\\'meter_id\\': \\'@find_site$.meters[*]\\'}',2],['stop',1]]}}";
    struct sp_buf text = {0};
    struct procedure *p;

    sp_buf_addf(&text,
                "{'stretto_procedure':1,'domain':'meter','symbolic':true,'max_calls':10,"
                "'stop':'stop','handoff':'to_person','reads':['find_site','read_panel'],"
                "'vocab':[],'trees':{'start':%s,"
                "'find_site':{'calls':[['read_panel',1]]},"
                "'read_panel':%s,"
                "'reset_breaker':{'calls':[['read_panel',1]]},"
                "'enable_feed':{'calls':[['stop',1]]}},"
                "'fallback':{'calls':[['stop',1]]},"
                "'checks':[{'phrase':'the lamp is green','probe':'read_panel',"
                "'contains':['green'],'lacks':['red']}]}",
                start != NULL ? start : find_site, read_panel != NULL ? read_panel : panel);
    p = procedures_parse(sp_buf_cstr(&text));
    sp_buf_deinit(&text);
    return p;
}
