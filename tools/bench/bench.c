/*
 * The benchmark's harness.
 *
 *   bench [OPTIONS] NAME COMMAND [ARG]... [+ NAME COMMAND [ARG]...]...
 *   bench [--text NAME] --server
 *   bench [--text NAME] [--cpus LIST] --http-server
 *
 * It plays the host. Each round runs every arrangement once, and each round begins with another
 * one, so that a slow moment of the machine falls on all of them alike. A run of an arrangement is
 * a few sessions that only time the start, and one session that measures the rest. Each figure is
 * a line on stdout: ROUND NAME FIGURE VALUE. The script `bench` beside this file builds the
 * program, chooses the arrangements and makes the table.
 *
 * With --http it also keeps 1 and 256 calls in flight, and a COMMAND may be a URL: the harness then
 * is an HTTP client of its own, http.c, in place of a session on stdio. A NAME may end with :start,
 * then only the start is timed, or with :small, then no message is larger than 1 MiB.
 *
 * The host's ends are socket pairs, as with hosts on Node.js, or pipes (--pipe). Each side writes a
 * message with one call, and each message of its own.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define MIB              ((size_t)1 << 20)
#define IN_FLIGHT        16
#define SESSION_MAX_S    300
#define MAX_ARRANGEMENTS 16

/* How much one round does with one arrangement. */
struct amounts {
    int n_starts;     /* sessions that only time the start */
    int n_sequential; /* small calls, one after the other */
    int n_piped;      /* small calls, several in flight */
    int n_mib;        /* messages of 1 MiB, each way */
    int n_16mib;      /* messages of 16 MiB, each way */
};

static const struct amounts full_amounts = {5, 2000, 20000, 64, 4};
static const struct amounts quick_amounts = {3, 500, 5000, 16, 2};

struct options {
    int n_rounds;
    const struct amounts *amounts;
    const char *cpus;    /* list of CPUs to pin to, NULL for none */
    const char *scratch; /* directory to empty after each session, or NULL */
    const char *errors;  /* file that takes what the sessions write to stderr, or NULL */
    const char *text;    /* what fills messages, see bench_make_line() */
    int is_pipe;
    int is_http;
};

enum extent {
    EXTENT_ALL,
    EXTENT_SMALL, /* no message of 16 MiB, which some programs do not take */
    EXTENT_START, /* the start only */
};

struct arrangement {
    const char *name;
    enum extent extent;
    char **argv;
};

/* A running session: the child and the harness's ends of its stdin and stdout, or the client. */
struct session {
    pid_t pid;
    int to;
    int from;
    struct http_client *http; /* NULL for a child */
};

static const char *current = "bench"; /* the arrangement that runs, for messages */

void bench_fail(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "bench: %s: ", current);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

double bench_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

void *bench_alloc(size_t len)
{
    void *p = malloc(len);

    if (p == NULL)
        bench_fail("out of memory");
    return p;
}

static void open_ends(const struct options *opts, int ends[2])
{
    int rc = opts->is_pipe ? pipe2(ends, O_CLOEXEC)
                           : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);

    if (rc)
        bench_fail("%s", strerror(errno));
}

/* ends[0] is read and ends[1] is written, which a socket pair does not care about. */
static struct session session_open(const struct options *opts, char **argv)
{
    struct session s = {0};
    int in[2], out[2];
    posix_spawn_file_actions_t actions;
    int rc;

    if (strncmp(argv[0], "http://", strlen("http://")) == 0) {
        s.http = http_open(argv[0]);
        return s;
    }
    open_ends(opts, in);
    open_ends(opts, out);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (opts->errors != NULL)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, opts->errors,
                                         O_WRONLY | O_CREAT | O_APPEND, 0600);
    rc = posix_spawnp(&s.pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        bench_fail("starting %s: %s", argv[0], strerror(rc));
    close(in[0]);
    close(out[1]);
    s.to = in[1];
    s.from = out[0];
    return s;
}

/* Ends the input and waits until the child has written its last byte and exited. */
static void session_close(struct session *s)
{
    char byte;
    int status;

    if (s->http != NULL) {
        http_close(s->http);
        return;
    }
    close(s->to);
    if (read(s->from, &byte, 1) != 0)
        bench_fail("output after the last answer");
    close(s->from);
    if (waitpid(s->pid, &status, 0) != s->pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        bench_fail("did not exit with 0");
}

static void empty_scratch(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    if (dir == NULL)
        bench_fail("%s: %s", path, strerror(errno));
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0))
            bench_fail("%s/%s: %s", path, entry->d_name, strerror(errno));
    }
    closedir(dir);
}

static void send_line(const struct session *s, const char *line, size_t len)
{
    if (s->http != NULL)
        http_send(s->http, line, len);
    else if (bench_write_all(s->to, line, len))
        bench_fail("writing: %s", strerror(errno));
}

/* Reads what is there, at most BENCH_READ_LEN bytes. The bytes stand until the next call. */
static size_t receive(const struct session *s, const char **ret_bytes)
{
    static char buf[BENCH_READ_LEN];
    ssize_t n;

    do {
        n = read(s->from, buf, sizeof buf);
    } while (n < 0 && errno == EINTR);
    if (n <= 0)
        bench_fail("reading: %s", n < 0 ? strerror(errno) : "ended early");
    *ret_bytes = buf;
    return (size_t)n;
}

/* Reads the only answer that is out, of `len` bytes. */
static void receive_answer(const struct session *s, size_t len)
{
    const char *bytes;
    size_t n, total = 0;

    if (s->http != NULL) {
        http_receive(s->http, len);
        return;
    }
    do {
        n = receive(s, &bytes);
        total += n;
    } while (bytes[n - 1] != '\n');
    if (total != len)
        bench_fail("an answer of %zu bytes came with %zu", len, total);
}

/* Gives the line of a call of `len` bytes that asks for an answer of `answer_len`. */
static char *make_call(size_t len, size_t answer_len, const char *text)
{
    char head[256];

    snprintf(
        head, sizeof head,
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","
        "\"arguments\":{\"size\":%zu,\"text\":\"",
        BENCH_FIRST_ID, answer_len);
    return bench_make_line(len, head, "\"}}}\n", text);
}

void bench_set_id(char *call, int id)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%0*d", BENCH_ID_DIGITS, id);
    memcpy(call + BENCH_ID_AT, digits, BENCH_ID_DIGITS);
}

/* Returns the time from before the start to the answer to initialize, in microseconds. */
static double start_session(const struct options *opts, char **argv, struct session *ret_session)
{
    static const char initialize[] =
        "{\"jsonrpc\":\"2.0\",\"id\":100000000,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"bench\",\"version\":\"0\"}}}\n";
    static const char initialized[] =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    double started = bench_now_us(), took;

    *ret_session = session_open(opts, argv);
    send_line(ret_session, initialize, strlen(initialize));
    receive_answer(ret_session, BENCH_SMALL_ANSWER);
    took = bench_now_us() - started;
    send_line(ret_session, initialized, strlen(initialized));
    if (ret_session->http != NULL)
        http_receive(ret_session->http, 0);
    return took;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Sends `n` calls, each after the answer to the one before it; returns the median time in µs. */
static double sequential(const struct session *s, char *call, int n)
{
    double *took = bench_alloc((size_t)n * sizeof *took), p50;

    for (int i = 0; i < n; i++) {
        double started;

        bench_set_id(call, BENCH_FIRST_ID + i);
        started = bench_now_us();
        send_line(s, call, BENCH_SMALL_REQUEST);
        receive_answer(s, BENCH_SMALL_ANSWER);
        took[i] = bench_now_us() - started;
    }
    p50 = median(took, n);
    free(took);
    return p50;
}

/* Keeps `n_in_flight` calls out until `n` are answered; returns the answers a second. */
static double piped(const struct session *s, char *call, int n, int n_in_flight)
{
    double started = bench_now_us();
    int n_sent = 0, n_answered = 0;
    size_t total = 0;

    if (s->http != NULL)
        return http_piped(s->http, call, n, n_in_flight);
    while (n_answered < n) {
        const char *p, *end, *lf;

        for (; n_sent < n && n_sent - n_answered < n_in_flight; n_sent++) {
            bench_set_id(call, BENCH_FIRST_ID + n_sent);
            send_line(s, call, BENCH_SMALL_REQUEST);
        }
        size_t len = receive(s, &p);
        total += len;
        for (end = p + len; (lf = memchr(p, '\n', (size_t)(end - p))) != NULL; p = lf + 1)
            n_answered++;
        if (bench_now_us() - started > BENCH_PIPED_MAX_US)
            n = n_sent;
    }
    if (total != (size_t)n * BENCH_SMALL_ANSWER)
        bench_fail("%d answers came with %zu bytes", n, total);
    return n / ((bench_now_us() - started) / 1e6);
}

/* Sends `n` calls of `len` bytes with answers of `answer_len`; returns MiB a second, both ways. */
static double bulk(const struct session *s, size_t len, size_t answer_len, int n, const char *text)
{
    char *call = make_call(len, answer_len, text);
    double started = 0;

    for (int i = -1; i < n; i++) { /* the first is not timed: it makes the server's answer */
        if (i == 0)
            started = bench_now_us();
        bench_set_id(call, BENCH_FIRST_ID + i + 1);
        send_line(s, call, len);
        receive_answer(s, answer_len);
    }
    free(call);
    return (double)n * (double)(len + answer_len) / MIB / ((bench_now_us() - started) / 1e6);
}

/* Returns a field of /proc/PID/status in KiB, such as "VmRSS:". */
static double status_kib(pid_t pid, const char *field)
{
    char path[64], line[256];
    double kib = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        bench_fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0)
            kib = strtod(line + strlen(field), NULL);
    }
    fclose(f);
    return kib;
}

static void tell(int round, const char *figure, double value)
{
    printf("%d %s %s %.3f\n", round, current, figure, value);
}

static void tell_memory(int round, const char *figure, const struct session *s, const char *field)
{
    if (s->http == NULL)
        tell(round, figure, status_kib(s->pid, field));
}

static void measure_piped(const struct options *opts, int round, const struct session *s,
                          char *call)
{
    static const struct {
        const char *figure;
        int n_in_flight;
    } levels[] = {{"calls_s", IN_FLIGHT}, {"calls_1_s", 1}, {"calls_256_s", 256}};
    int n = opts->amounts->n_piped;

    for (size_t i = 0; i < (opts->is_http ? sizeof levels / sizeof levels[0] : 1); i++) {
        (void)piped(s, call, n / 10, levels[i].n_in_flight);
        tell(round, levels[i].figure, piped(s, call, n, levels[i].n_in_flight));
    }
}

/* One session with all figures but the start. */
static void measure(const struct options *opts, int round, const struct arrangement *arr)
{
    const struct amounts *a = opts->amounts;
    char *call = make_call(BENCH_SMALL_REQUEST, BENCH_SMALL_ANSWER, opts->text);
    struct session s;
    double started;

    (void)start_session(opts, arr->argv, &s); /* the start is timed in sessions of its own */
    (void)sequential(&s, call, 10);
    tell_memory(round, "rss_idle_kib", &s, "VmRSS:");
    (void)sequential(&s, call, a->n_sequential / 10); /* warms up */
    tell(round, "p50_us", sequential(&s, call, a->n_sequential));
    measure_piped(opts, round, &s, call);
    tell_memory(round, "rss_calls_kib", &s, "VmRSS:");
    tell(round, "result_1m", bulk(&s, BENCH_SMALL_REQUEST, MIB, a->n_mib, opts->text));
    tell(round, "request_1m", bulk(&s, MIB, BENCH_SMALL_ANSWER, a->n_mib, opts->text));
    if (arr->extent == EXTENT_ALL) {
        tell(round, "result_16m", bulk(&s, BENCH_SMALL_REQUEST, 16 * MIB, a->n_16mib, opts->text));
        tell(round, "request_16m", bulk(&s, 16 * MIB, BENCH_SMALL_ANSWER, a->n_16mib, opts->text));
    }
    (void)sequential(&s, call, 10);
    tell_memory(round, "rss_after_kib", &s, "VmRSS:");
    tell_memory(round, "peak_kib", &s, "VmHWM:");
    started = bench_now_us();
    session_close(&s);
    tell(round, "end_ms", (bench_now_us() - started) / 1e3);
    free(call);
}

static void run_once(const struct options *opts, int round, const struct arrangement *arr)
{
    int n = opts->amounts->n_starts;
    double *took = bench_alloc((size_t)n * sizeof *took);
    struct session s;

    current = arr->name;
    alarm(SESSION_MAX_S);
    for (int i = 0; i < n; i++) {
        took[i] = start_session(opts, arr->argv, &s);
        session_close(&s);
        if (opts->scratch != NULL)
            empty_scratch(opts->scratch);
    }
    tell(round, "start_ms", median(took, n) / 1e3);
    free(took);
    if (arr->extent != EXTENT_START)
        measure(opts, round, arr);
    if (opts->scratch != NULL)
        empty_scratch(opts->scratch);
    alarm(0);
    fflush(stdout);
}

static void on_alarm(int signum)
{
    static const char message[] = "bench: no answer in time, from the arrangement ";

    (void)signum;
    (void)!write(STDERR_FILENO, message, strlen(message));
    (void)!write(STDERR_FILENO, current, strlen(current));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(1);
}

/* Pins this process to a list such as "1" or "0,2"; what it starts inherits that. */
static void pin(const char *list)
{
    cpu_set_t set;
    char *end;

    CPU_ZERO(&set);
    for (const char *p = list;; p = end + 1) {
        unsigned long cpu = strtoul(p, &end, 10);

        if (end == p || cpu >= CPU_SETSIZE || (*end != ',' && *end != '\0'))
            bench_fail("--cpus %s: not a list of CPUs", list);
        CPU_SET(cpu, &set);
        if (*end == '\0')
            break;
    }
    if (sched_setaffinity(0, sizeof set, &set))
        bench_fail("--cpus %s: %s", list, strerror(errno));
}

/* Cuts what stands behind a colon off the name and tells what it means. */
static enum extent cut_extent(char *name)
{
    char *colon = strchr(name, ':');

    if (colon == NULL)
        return EXTENT_ALL;
    *colon = '\0';
    if (strcmp(colon + 1, "start") == 0)
        return EXTENT_START;
    if (strcmp(colon + 1, "small") == 0)
        return EXTENT_SMALL;
    bench_fail("%s: neither :start nor :small follows", name);
}

/* Cuts the arguments at each "+" into arrangements; returns how many there are. */
static int parse_arrangements(char **argv, struct arrangement *arrs)
{
    int n = 0;

    while (*argv != NULL) {
        if (n == MAX_ARRANGEMENTS || argv[1] == NULL || strcmp(argv[1], "+") == 0)
            bench_fail("NAME COMMAND expected, at most %d times", MAX_ARRANGEMENTS);
        arrs[n].name = argv[0];
        arrs[n].extent = cut_extent(argv[0]);
        arrs[n++].argv = argv + 1;
        argv += 2;
        while (*argv != NULL && strcmp(*argv, "+") != 0)
            argv++;
        if (*argv != NULL)
            *argv++ = NULL;
    }
    return n;
}

/* Returns the option's value, which is the next argument, and steps over it. */
static const char *take_value(char **argv, int *i)
{
    if (argv[*i + 1] == NULL)
        bench_fail("%s: a value is missing", argv[*i]);
    return argv[++*i];
}

int main(int argc, char **argv)
{
    struct options opts = {.n_rounds = 1, .amounts = &full_amounts, .text = "prose"};
    struct arrangement arrs[MAX_ARRANGEMENTS];
    int i, n_arrs, is_server = 0, is_http_server = 0;

    for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--server") == 0)
            is_server = 1;
        else if (strcmp(argv[i], "--http-server") == 0)
            is_http_server = 1;
        else if (strcmp(argv[i], "--http") == 0)
            opts.is_http = 1;
        else if (strcmp(argv[i], "--pipe") == 0)
            opts.is_pipe = 1;
        else if (strcmp(argv[i], "--quick") == 0)
            opts.amounts = &quick_amounts;
        else if (strcmp(argv[i], "--rounds") == 0)
            opts.n_rounds = (int)strtol(take_value(argv, &i), NULL, 10);
        else if (strcmp(argv[i], "--cpus") == 0)
            opts.cpus = take_value(argv, &i);
        else if (strcmp(argv[i], "--scratch") == 0)
            opts.scratch = take_value(argv, &i);
        else if (strcmp(argv[i], "--errors") == 0)
            opts.errors = take_value(argv, &i);
        else if (strcmp(argv[i], "--text") == 0)
            opts.text = take_value(argv, &i);
        else
            bench_fail("unknown option %s", argv[i]);
    }
    if (is_server)
        return bench_run_server(opts.text);
    if (opts.cpus != NULL)
        pin(opts.cpus);
    signal(SIGPIPE, SIG_IGN);
    if (is_http_server)
        return bench_run_http_server(opts.text);
    n_arrs = parse_arrangements(argv + i, arrs);
    if (n_arrs == 0)
        bench_fail("no arrangement given");
    signal(SIGALRM, on_alarm);
    for (int round = 0; round < opts.n_rounds; round++) {
        for (int k = 0; k < n_arrs; k++)
            run_once(&opts, round, &arrs[(round + k) % n_arrs]);
    }
    return 0;
}
