/*
 * The parts of a session, made in the order that the command line's chapter prescribes; a failure
 * is told before anything is created that would have to go again.
 */

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "base/sp_log.h"
#include "io/oracle_cache.h"
#include "proxy/headers.h"
#include "proxy/startup.h"
#include "record/retain.h"
#include "transport/transport_child.h"

static const char *const decider_names[] = {
    [DECIDE_ARBITER] = "arbiter",
    [DECIDE_HABIT] = "habit",
    [DECIDE_REACH] = "reach",
};

static char *expand(const char *path)
{
    return sp_file_expand(path, getenv("HOME"), getenv("USERPROFILE"));
}

void startup_prune(const struct options *o, struct sp_buf *ret_notices)
{
    const char *cache = o->oracle_cache != NULL ? o->oracle_cache : ORACLE_CACHE_PROXY;
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

/* The decider that was named, or else the one that the flow is served with. */
static int choose_decider(const struct session *s, enum decide_decider *ret, struct sp_err *ret_err)
{
    enum decide_decider fallback = decide_default(s->flow);
    enum decide_decider decider =
        s->options->flow_decider != 0
            ? (enum decide_decider)(s->options->flow_decider - OPTIONS_DECIDER_ARBITER)
            : fallback;

    if (decider == DECIDE_ARBITER && s->flow->n_folds == 0) {
        sp_err_set(ret_err, "the flow has no arbiter: --flow-decider %s serves it",
                   decider_names[fallback]);
        return UV_EINVAL;
    }
    if (decider == DECIDE_REACH && !s->flow->has_reach) {
        sp_err_set(ret_err, "the flow has no reach counts: learn it again");
        return UV_EINVAL;
    }
    *ret = decider;
    return 0;
}

/* Makes ready who answers questions: --oracle. One without a usable key has its cache. */
static int make_client(struct session *s, const char *option, struct sp_err *ret_err)
{
    const struct options *o = s->options;
    char *cache = expand(o->oracle_cache != NULL ? o->oracle_cache : ORACLE_CACHE_PROXY);
    struct oracle_client_settings settings = {
        .kind = o->oracle != 0 ? (enum oracle_client_kind)o->oracle : ORACLE_CLIENT_JEV,
        .cache = cache,
        .jev = oracle_jev_from_env(getenv),
    };

    s->oracle = modules_load_oracle(option, &s->oracle_lib, ret_err);
    if (s->oracle != NULL) {
        s->oracle->init("stretto-proxy");
        s->client = s->oracle->client_new(&s->loop, &settings, ret_err);
    }
    free(cache);
    return s->client != NULL ? 0 : UV_EINVAL;
}

/* The same for who cannot do without a key. */
static int make_client_with_key(struct session *s, const char *option, struct sp_err *ret_err)
{
    int err = make_client(s, option, ret_err);
    const char *key_error = err == 0 ? s->oracle->client_key_error(s->client) : NULL;

    if (key_error != NULL) {
        sp_err_set(ret_err, "%s", key_error);
        err = UV_EINVAL;
    }
    return err;
}

/* A value that was given, or else the default. */
static uint64_t uint_or(struct sp_opt_uint given, uint64_t fallback)
{
    return given.is_given ? given.value : fallback;
}

static void copy_tools(struct session *s)
{
    const struct sp_opt_list *list = &s->options->flow_tools;

    if (list->n == 0)
        return;
    s->flow_tools = sp_calloc(list->n, sizeof *s->flow_tools);
    memcpy(s->flow_tools, list->v, list->n * sizeof *s->flow_tools);
}

static int serve_flow(struct session *s, struct sp_err *ret_err)
{
    const struct options *o = s->options;
    enum decide_decider decider = DECIDE_HABIT;
    int err = choose_decider(s, &decider, ret_err);

    if (err == 0 && decider == DECIDE_ARBITER)
        err = make_client_with_key(s, "--flow", ret_err);
    if (err < 0)
        return err;
    if (o->flow_explore.is_given && !(o->flow_explore.value >= 0 && o->flow_explore.value <= 1)) {
        sp_err_set(ret_err, "--flow-explore must be in [0, 1]");
        return UV_EINVAL;
    }
    copy_tools(s);
    s->served = (struct engine_flow){
        .flow = s->flow,
        .decide =
            {
                .decider = decider,
                .threshold = o->flow_threshold.is_given ? o->flow_threshold.value : 0.3,
                .explores = o->flow_explore.is_given,
                .epsilon = o->flow_explore.value,
                .seed = o->flow_explore_seed.value,
            },
        .per_call = uint_or(o->flow_per_call, 8),
        .per_session = uint_or(o->flow_per_session, 40),
        .questions = uint_or(o->flow_questions, 300),
        .shadow = o->flow_shadow,
        .tools = s->flow_tools,
        .n_tools = o->flow_tools.n,
    };
    return 0;
}

int startup_load_flow(struct session *s, struct sp_buf *ret_notices, struct sp_err *ret_err)
{
    const struct options *o = s->options;
    char *path;
    int err;

    if (o->flow == NULL)
        return 0;
    path = expand(o->flow);
    err = flow_load(path, &s->flow, ret_err);
    if (err == 0)
        err = serve_flow(s, ret_err);
    if (err == 0)
        sp_buf_addf(ret_notices, "serving the %.*s flow from %s, deciding with %s%s\n",
                    SP_STR_ARG(s->flow->domain), path, decider_names[s->served.decide.decider],
                    o->flow_shadow ? ", in shadow" : "");
    free(path);
    return err;
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

/* Says that there is no usable key, and why if there is more to say. NULL: there is one. */
static void tell_no_key(const char *key_error, struct sp_buf *ret_notices)
{
    struct sp_str plain = SP_STR("no TypeSafe key");

    if (key_error == NULL)
        return;
    sp_buf_add(ret_notices, SP_STR("no TypeSafe key: the confirmation judge has only its cache"));
    if (!sp_str_starts(sp_str_of(key_error), plain))
        sp_buf_addf(ret_notices, " (%s)", key_error);
    sp_buf_add_char(ret_notices, '\n');
}

int startup_ready_judge(struct session *s, struct sp_buf *ret_notices, struct sp_err *ret_err)
{
    const struct options *o = s->options;
    int err = 0;

    if (o->confirm_judge == 0)
        return 0;
    s->judge = (struct engine_judge){
        .options =
            {
                .model = oracle_jev_model(getenv),
                .enforces = o->confirm_judge == OPTIONS_JUDGE_ENFORCE,
                .second = (enum judgment_second)o->confirm_second,
                .second_shadow = o->confirm_second_shadow,
                .threshold = o->confirm_threshold.is_given ? o->confirm_threshold.value : 0.5,
            },
        .questions = uint_or(o->confirm_questions, 100),
    };
    if (s->client == NULL)
        err = make_client(s, "--confirm-judge", ret_err);
    if (err == 0)
        tell_no_key(s->oracle->client_key_error(s->client), ret_notices);
    return err;
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

struct active *startup_make_active(struct session *s, active_event_cb on_event,
                                   struct sp_buf *ret_notices)
{
    struct active_parts parts = {
        .loop = &s->loop,
        .zero_ns = s->zero_ns,
        .options = s->options,
        .flow = s->flow != NULL ? &s->served : NULL,
        .oracle = s->oracle,
        .client = s->client,
        .guards = s->guards,
        .judge = s->options->confirm_judge != 0 ? &s->judge : NULL,
        .session = s->id,
        .recorder = s->recorder,
        .host_out = &s->host_out,
        .transport = s->transport,
        .on_event = on_event,
        .owner = s,
    };

    return active_is_wanted(s->options) ? active_new(&parts, ret_notices) : NULL;
}
