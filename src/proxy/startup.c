/*
 * The parts of a session, made in the order that the command line's chapter prescribes; a failure
 * is told before anything is created that would have to go again.
 */

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/sp_file.h"
#include "base/sp_log.h"
#include "proxy/headers.h"
#include "proxy/startup.h"
#include "record/retain.h"
#include "transport/transport_child.h"

static char *expand(const char *path)
{
    return sp_file_expand(path, getenv("HOME"), getenv("USERPROFILE"));
}

void startup_prune(const struct options *o, struct sp_buf *ret_notices)
{
    const char *cache = o->oracle_cache != NULL ? o->oracle_cache : "~/.stretto/oracle-cache";
    struct timespec now;
    char *path;

    if (!o->retain_days.is_given)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    if (o->record != NULL) {
        path = expand(o->record);
        retain_prune(path, RETAIN_SESSIONS, o->retain_days.value, now, ret_notices);
        free(path);
    }
    path = expand(cache);
    retain_prune(path, RETAIN_ANSWERS, o->retain_days.value, now, ret_notices);
    free(path);
}

void startup_print_notices(struct sp_buf *notices)
{
    struct sp_str rest = sp_buf_str(notices);

    while (rest.len > 0) {
        size_t end = sp_str_find(rest, '\n');

        sp_log("%.*s", (int)end, rest.p);
        rest = sp_str_sub(rest, end + 1, rest.len);
    }
    sp_buf_deinit(notices);
}

int startup_refuse_missing(const struct options *o, struct sp_err *ret_err)
{
    const char *option = o->flow != NULL         ? "--flow"
                         : o->confirm_judge != 0 ? "--confirm-judge"
                                                 : NULL;

    if (option == NULL)
        return 0;
    sp_err_set(ret_err, "%s is not in this version yet", option);
    return UV_ENOSYS;
}

int startup_find_guards(struct session *s, struct sp_err *ret_err)
{
    const struct options *o = s->options;

    if (!o->guards)
        return 0;
    if (o->domain == NULL) {
        sp_err_set(ret_err, "--guards needs --domain (retail or airline)");
        return UV_EINVAL;
    }
    s->guards = guard_domain_find(sp_str_of(o->domain));
    if (s->guards == NULL) {
        sp_err_set(ret_err, "no guards for %s", o->domain);
        return UV_EINVAL;
    }
    return 0;
}

int startup_open_recorder(struct session *s, recorder_closed_cb on_closed, struct sp_err *ret_err)
{
    const struct options *o = s->options;
    struct logformat_header header = {
        .session = s->id,
        .command = o->command,
        .url = o->upstream,
        .domain = o->domain,
        .agent_model = o->agent_model,
    };
    struct timespec now;
    char *dir;
    int err;

    clock_gettime(CLOCK_REALTIME, &now);
    header.started_unix_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    sessionid_make(header.started_unix_ms, (uint64_t)getpid(), s->id);
    if (o->record == NULL)
        return 0;
    dir = expand(o->record);
    err = recorder_open(&s->loop, dir, &header, on_closed, s, &s->recorder, ret_err);
    free(dir);
    return err;
}

int startup_prepare_upstream(struct session *s, struct sp_err *ret_err)
{
    int err;

    if (s->options->upstream == NULL)
        return 0;
    err = headers_resolve(&s->options->upstream_headers, &s->headers, ret_err);
    if (err < 0)
        return err;
    s->upstream = modules_load_upstream(&s->upstream_lib, ret_err);
    if (s->upstream == NULL)
        return UV_ENOENT;
    s->upstream->log_init("stretto-proxy");
    return 0;
}

struct transport *startup_make_transport(struct session *s, const struct transport_events *events)
{
    const struct options *o = s->options;
    struct transport_http_options http;

    if (o->upstream == NULL)
        return transport_child_new(&s->loop, o->command,
                                   session_is_raw(s) ? TRANSPORT_RAW : TRANSPORT_LINES, s->zero_ns,
                                   events, s);
    http = (struct transport_http_options){
        .url = sp_str_of(o->upstream),
        .headers = s->headers,
        .n_headers = o->upstream_headers.n,
        .reinit = o->upstream_reinit,
    };
    return s->upstream->transport_new(&s->loop, &http, s->zero_ns, events, s);
}

struct active *startup_make_active(struct session *s, active_due_cb on_due)
{
    struct active_parts parts = {
        .loop = &s->loop,
        .zero_ns = s->zero_ns,
        .options = s->options,
        .guards = s->guards,
        .session = s->id,
        .recorder = s->recorder,
        .host_out = &s->host_out,
        .transport = s->transport,
        .on_due = on_due,
        .owner = s,
    };

    return active_is_wanted(s->options) ? active_new(&parts) : NULL;
}
