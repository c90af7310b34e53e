/*
 * The server that the benchmark calls. It answers each line that has an id at once and does as
 * little as it can. A call names the size of its answer ("size", bytes of the whole line), so one
 * server serves small and large results. Ids have the same number of digits, so an answer is made
 * once and only its id changes. Of a long request only the beginning is kept.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

struct server {
    char head[256]; /* the beginning of a line that comes in several reads */
    size_t head_len;
    char *answer; /* the last answer, for the next call that asks for the same size */
    size_t answer_len;
    const char *text;
};

/*
 * What fills messages, as it stands inside a JSON string. Tools answer with prose or source text
 * (a few escapes a line), with JSON in a string (an escape at each quote) or with base64 (none).
 */
static const struct {
    const char *name;
    const char *unit;
} texts[] = {
    {"prose", "Orders placed before noon leave the same day; the others follow the next.\\n"
              "A parcel that nobody takes in goes back after seven days, \\\"free of charge\\\".\\n"
              "Für Sendungen ins Ausland gelten andere Zeiten – see the list by country.\\n"},
    {"json", "{\\\"order\\\":\\\"A-1042\\\",\\\"status\\\":\\\"sent\\\",\\\"items\\\":[1,2,3]},"},
    {"plain", "QWxsIGdvb2QgdGhpbmdzIGNvbWUgdG8gdGhvc2Ugd2hvIHdhaXQ"},
};

int bench_write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Repeats the text's unit; what is left over is filled so that no escape is cut. */
static void fill_text(char *p, size_t len, const char *text)
{
    const char *unit = NULL;
    size_t unit_len;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].name, text) == 0)
            unit = texts[i].unit;
    }
    if (unit == NULL)
        bench_fail("--text %s: no such text", text);
    for (unit_len = strlen(unit); len >= unit_len; p += unit_len, len -= unit_len)
        memcpy(p, unit, unit_len);
    memset(p, '.', len);
}

char *bench_make_line(size_t len, const char *head, const char *tail, const char *text)
{
    size_t head_len = strlen(head), tail_len = strlen(tail);
    char *line;

    if (len < head_len + tail_len)
        bench_fail("a line of %zu bytes is too short", len);
    line = malloc(len);
    if (line == NULL)
        bench_fail("out of memory");
    memcpy(line, head, head_len);
    fill_text(line + head_len, len - head_len - tail_len, text);
    memcpy(line + len - tail_len, tail, tail_len);
    return line;
}

static void handle_line(struct server *s, const char *line, size_t len)
{
    size_t look_len = len < sizeof s->head ? len : sizeof s->head;
    const char *id = memmem(line, look_len, "\"id\":", strlen("\"id\":"));
    const char *size = memmem(line, look_len, "\"size\":", strlen("\"size\":"));
    size_t want = BENCH_SMALL_ANSWER;

    if (id == NULL)
        return;
    if (size != NULL)
        want = strtoul(size + strlen("\"size\":"), NULL, 10);
    if (want != s->answer_len) {
        free(s->answer);
        s->answer = bench_make_line(want,
                                    "{\"jsonrpc\":\"2.0\",\"id\":000000000,\"result\":{\"content\":"
                                    "[{\"type\":\"text\",\"text\":\"",
                                    "\"}],\"isError\":false}}\n", s->text);
        s->answer_len = want;
    }
    memcpy(s->answer + BENCH_ID_AT, id + strlen("\"id\":"), BENCH_ID_DIGITS);
    if (bench_write_all(STDOUT_FILENO, s->answer, s->answer_len))
        bench_fail("server: writing: %s", strerror(errno));
}

static void keep_head(struct server *s, const char *p, size_t len)
{
    size_t room = sizeof s->head - s->head_len;

    if (len > room)
        len = room;
    memcpy(s->head + s->head_len, p, len);
    s->head_len += len;
}

int bench_run_server(const char *text)
{
    static char buf[BENCH_READ_LEN];
    struct server s = {.text = text};
    ssize_t n;

    while ((n = read(STDIN_FILENO, buf, sizeof buf)) > 0) {
        const char *p = buf, *end = buf + n, *lf;

        while ((lf = memchr(p, '\n', (size_t)(end - p))) != NULL) {
            if (s.head_len == 0) {
                handle_line(&s, p, (size_t)(lf - p));
            } else {
                keep_head(&s, p, (size_t)(lf - p));
                handle_line(&s, s.head, s.head_len);
                s.head_len = 0;
            }
            p = lf + 1;
        }
        keep_head(&s, p, (size_t)(end - p));
    }
    free(s.answer);
    return n < 0;
}
