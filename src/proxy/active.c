/* Active mode in a session. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "base/sp_log.h"
#include "proxy/active.h"

/* How much of the conversation file one read() asks for, bytes. */
#define READ_SIZE ((size_t)64 * 1024)

/* How often what has waited too long is looked at while the server is not read, ms. */
#define HELD_MS 250

/* How long the server is quiet when all that it wrote is read, ms; and how often that is tried. */
#define QUIET_MS  100
#define MAX_TRIES 10

/* A question to the model. */
struct question {
    struct active *active;
    struct oracle_client_ask *ask; /* NULL: none is out */
};

struct active {
    struct active_parts parts;
    struct question questions[ENGINE_N_ASKERS];
    struct recorder *flow_log; /* NULL: none, as the next */
    struct recorder *confirm_log;
    bool is_client_closed;
    bool is_closing;
    struct engine_options options;
    struct engine *engine;
    uv_timer_t timer;
    char *conversation; /* the file's path; NULL: none */
    bool is_host_event; /* a line of the host is being handled */
    bool is_answering;  /* what waits for the host has answers that were made here */
    bool has_ended;     /* the server's output */
    uint64_t armed_ms;  /* what the timer is set for; UINT64_MAX: nothing */
    unsigned n_tries;   /* since that time came */
    bool has_read;      /* a line of the server, since the last of them */
};

bool active_is_wanted(const struct options *options)
{
    return options->flow != NULL || options->guards || options->commit || options->context != NULL;
}

static uint64_t now_ms(const struct active *a)
{
    return (uv_hrtime() - a->parts.zero_ns) / 1000000;
}

static void on_record(void *owner, struct line *line)
{
    struct active *a = owner;

    if (a->parts.recorder != NULL)
        recorder_add(a->parts.recorder, line);
}

static void on_to_host(void *owner, struct line *line)
{
    struct active *a = owner;

    if (a->is_host_event)
        a->is_answering = true;
    outq_send(a->parts.host_out, line);
}

static void on_to_server(void *owner, struct line *line)
{
    struct active *a = owner;

    a->parts.transport->ops->send(a->parts.transport, line);
}

static bool on_is_server_open(void *owner)
{
    struct active *a = owner;

    return a->parts.transport->ops->is_open(a->parts.transport);
}

/*
 * Reads in the loop's thread: the lines are due before the call that is being handled. Only regular
 * files are read, and opening never waits, so that a pipe of that name cannot hold up the session.
 */
static bool on_read_conversation(void *owner, uint64_t offset, struct sp_buf *ret)
{
    struct active *a = owner;
    int fd = open(a->conversation, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n = -1;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        while ((n = pread(fd, sp_buf_reserve(ret, READ_SIZE), READ_SIZE,
                          (off_t)(offset + ret->len))) > 0)
            ret->len += (size_t)n;
    }
    close(fd);
    return n == 0;
}

static void on_answered(void *owner, struct oracle_response *response, const char *error)
{
    struct question *q = owner;
    struct active *a = q->active;

    q->ask = NULL;
    /* Lines of the host that a judgment put off are handled in this. */
    a->is_host_event = true;
    engine_answer(a->engine, now_ms(a), (enum engine_asker)(q - a->questions), response, error);
    a->is_host_event = false;
    a->parts.on_event(a->parts.owner);
}

static void on_ask(void *owner, enum engine_asker who, const struct oracle_request *request,
                   char ret_key[ORACLE_KEY_SIZE])
{
    struct active *a = owner;
    struct question *q = &a->questions[who];

    q->ask = a->parts.oracle->client_ask(a->parts.client, request, on_answered, q);
    memcpy(ret_key, a->parts.oracle->client_ask_key(q->ask), ORACLE_KEY_SIZE);
}

static void on_key_of(void *owner, const struct oracle_request *request,
                      char ret_key[ORACLE_KEY_SIZE])
{
    struct active *a = owner;
    struct sp_buf bytes = {0};

    oracle_put_request(&bytes, request);
    a->parts.oracle->key_of(sp_buf_str(&bytes), ret_key);
    sp_buf_deinit(&bytes);
}

static void on_cancel(void *owner, enum engine_asker who)
{
    struct active *a = owner;

    a->parts.oracle->client_cancel(a->questions[who].ask);
    a->questions[who].ask = NULL;
}

static void add_to_log(struct recorder *log, struct sp_str line)
{
    if (log == NULL)
        return;
    recorder_add_text(log, line);
    recorder_flush(log);
}

static void on_log_flow(void *owner, struct sp_str line)
{
    struct active *a = owner;

    add_to_log(a->flow_log, line);
}

static void on_log_confirm(void *owner, struct sp_str line)
{
    struct active *a = owner;

    add_to_log(a->confirm_log, line);
}

static void on_note(void *owner, const char *text)
{
    (void)owner;
    sp_log("%s", text);
}

static const struct engine_ops engine_ops = {
    .record = on_record,
    .to_host = on_to_host,
    .to_server = on_to_server,
    .is_server_open = on_is_server_open,
    .read_conversation = on_read_conversation,
    .ask = on_ask,
    .cancel = on_cancel,
    .key_of = on_key_of,
    .log_flow = on_log_flow,
    .log_confirm = on_log_confirm,
    .note = on_note,
};

static void on_log_closed(struct recorder *r)
{
    struct active *a = recorder_owner(r);

    a->parts.on_event(a->parts.owner);
}

static void on_client_closed(void *owner)
{
    struct active *a = owner;

    a->is_client_closed = true;
    a->parts.on_event(a->parts.owner);
}

/*
 * Opens a log beside that of the session: where it is asked for, or else under the same name with
 * another ending. Without it the session goes on.
 */
static void open_log(struct active *a, const char *name, const char *asked, const char *ending,
                     struct recorder **ret, struct sp_buf *ret_notices)
{
    struct sp_buf path = {0};
    struct sp_err err;

    if (asked != NULL) {
        char *full = sp_file_expand(asked, getenv("HOME"), getenv("USERPROFILE"));

        sp_buf_add(&path, sp_str_of(full));
        free(full);
    } else if (a->parts.recorder != NULL) {
        struct sp_str log = sp_str_of(recorder_path(a->parts.recorder));

        sp_buf_add(&path, sp_str_sub(log, 0, log.len - strlen(".jsonl")));
        sp_buf_add(&path, sp_str_of(ending));
    }
    if (path.len > 0 &&
        recorder_open_append(a->parts.loop, sp_buf_cstr(&path), on_log_closed, a, ret, &err) < 0)
        sp_buf_addf(ret_notices, "no %s log: %s\n", name, err.text);
    sp_buf_deinit(&path);
}

struct active *active_new(const struct active_parts *parts, struct sp_buf *ret_notices)
{
    const struct options *o = parts->options;
    struct active *a = sp_calloc(1, sizeof *a);

    a->parts = *parts;
    for (size_t i = 0; i < ENGINE_N_ASKERS; i++)
        a->questions[i].active = a;
    a->is_client_closed = parts->client == NULL;
    a->options = (struct engine_options){
        .flow = parts->flow,
        .guards = parts->guards,
        .judge = parts->judge,
        .commit = o->commit,
        .context = o->context != NULL,
        .session = parts->session,
        .task_id = o->task_id != NULL ? o->task_id : parts->session,
        .domain = o->domain,
        .agent_model = o->agent_model,
    };
    if (o->context != NULL)
        a->conversation = sp_file_expand(o->context, getenv("HOME"), getenv("USERPROFILE"));
    if (parts->flow != NULL)
        open_log(a, "flow", o->flow_log, ".flow.jsonl", &a->flow_log, ret_notices);
    if (parts->judge != NULL)
        open_log(a, "confirmation", o->confirm_log, ".confirm.jsonl", &a->confirm_log, ret_notices);
    a->engine = engine_new(&a->options, &engine_ops, a);
    (void)uv_timer_init(parts->loop, &a->timer); /* never fails */
    a->timer.data = a;
    a->armed_ms = UINT64_MAX;
    return a;
}

void active_host_line(struct active *a, struct line *line)
{
    a->is_host_event = true;
    engine_host_line(a->engine, now_ms(a), line);
    a->is_host_event = false;
}

void active_server_line(struct active *a, struct line *line)
{
    a->has_read = true;
    engine_server_line(a->engine, now_ms(a), line);
}

void active_kept_line(struct active *a, struct line *line)
{
    engine_kept_line(a->engine, now_ms(a), line);
}

void active_host_end(struct active *a)
{
    engine_host_end(a->engine, now_ms(a));
}

void active_server_end(struct active *a)
{
    if (!a->has_ended)
        engine_server_end(a->engine, now_ms(a));
    a->has_ended = true;
}

void active_interrupt(struct active *a)
{
    engine_interrupt(a->engine, now_ms(a));
}

/*
 * What is due may have been answered, and the answer not be read yet: the program was stopped for a
 * while, or the host does not take what is there for it and so the server is not read. So the
 * server is read first, until it has been quiet for a moment.
 */
static void on_timer(uv_timer_t *timer)
{
    struct active *a = timer->data;
    bool is_held = outq_is_full(a->parts.host_out);

    if (is_held || a->n_tries == 0 || (a->has_read && a->n_tries < MAX_TRIES)) {
        a->n_tries = is_held ? 0 : a->n_tries + 1;
        a->has_read = false;
        (void)uv_timer_start(timer, on_timer, is_held ? HELD_MS : QUIET_MS, 0); /* has a callback */
        return;
    }
    engine_timeout(a->engine, now_ms(a));
    a->parts.on_event(a->parts.owner);
}

/* A timer that is set already is left alone: events that come all the time must not put it off. */
void active_arm(struct active *a)
{
    uint64_t due_ms = engine_due_ms(a->engine), now = now_ms(a);

    if (uv_is_closing((uv_handle_t *)&a->timer) ||
        (due_ms == a->armed_ms && uv_is_active((uv_handle_t *)&a->timer)))
        return;
    a->armed_ms = due_ms;
    a->n_tries = 0;
    if (due_ms == UINT64_MAX) {
        uv_timer_stop(&a->timer);
        return;
    }
    uv_update_time(a->parts.loop);
    /* Fails only without a callback. A millisecond more than needed: both clocks round down. */
    (void)uv_timer_start(&a->timer, on_timer, due_ms > now ? due_ms - now + 1 : 1, 0);
}

bool active_is_judging(const struct active *a)
{
    return engine_is_judging(a->engine);
}

bool active_holds_host(struct active *a)
{
    if (!outq_is_full(a->parts.host_out))
        a->is_answering = false;
    return a->is_answering || active_is_judging(a);
}

void active_discard(struct active *a)
{
    /* One that the user named may have been there before. */
    if (a->flow_log != NULL && a->parts.options->flow_log == NULL)
        recorder_discard(a->flow_log);
    if (a->confirm_log != NULL && a->parts.options->confirm_log == NULL)
        recorder_discard(a->confirm_log);
}

bool active_close(struct active *a)
{
    bool is_flow_closed, is_confirm_closed;

    if (!a->is_closing) {
        uv_close((uv_handle_t *)&a->timer, NULL);
        if (a->parts.client != NULL)
            a->parts.oracle->client_close(a->parts.client, on_client_closed, a);
    }
    a->is_closing = true;
    is_flow_closed = a->flow_log == NULL || recorder_close(a->flow_log);
    is_confirm_closed = a->confirm_log == NULL || recorder_close(a->confirm_log);
    return is_flow_closed && is_confirm_closed && a->is_client_closed;
}

void active_free(struct active *a)
{
    if (a == NULL)
        return;
    engine_free(a->engine);
    recorder_free(a->flow_log);
    recorder_free(a->confirm_log);
    free(a->conversation);
    free(a);
}
