/*
 * Recording.
 *
 *  1. recorder_add() formats an entry into `queued`. A short line is copied there; a long one stays
 *     where it is, held by a reference, and `queued` notes at which place it belongs.
 *  2. recorder_flush() swaps `queued` and `writing` and sends off one request for all of it.
 *  3. When that is answered, what was written is dropped and 2 goes on with what has gathered.
 *  4. A short write is continued. An error drops everything, now and from then on.
 */

#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/sp_alloc.h"
#include "base/sp_file.h"
#include "base/sp_log.h"
#include "record/recorder.h"

/* From this length on, holding a line is cheaper than copying it. */
#define LONG_LINE (16 * 1024)

/* What one request writes at most. Many a long line waits: the first are let go soon. */
#define MAX_WRITE (2 * 1024 * 1024)
#define MAX_BUFS  64

/* The memory that an empty batch may keep. */
#define BATCH_KEEP (64 * 1024)

/* A log that was behind by more than this gives its memory back to the system when it is not. */
#define FAR_BEHIND (4 * 1024 * 1024)

/* A long line's text, which belongs at `at` in the batch's own text. */
struct insert {
    size_t at;
    struct sp_str text;
    struct line *line; /* a reference; keeps `text` alive */
};

/* Entries, in order: the bytes of `text` with the inserts at their places. */
struct batch {
    struct sp_buf text;
    struct insert *inserts;
    size_t n_inserts;
    size_t max_inserts;
    size_t first_insert; /* those before it are written, their lines dropped */
};

struct recorder {
    uv_loop_t *loop;
    uv_fs_t req;
    uv_file file;
    char *path;
    struct batch queued;
    struct batch writing;
    uv_buf_t *bufs; /* of `writing`; those before first_buf are written */
    size_t n_bufs;
    size_t first_buf;
    bool is_writing;
    bool has_written; /* a request was made before */
    bool has_failed;
    bool is_closing;
    bool was_far_behind; /* since memory was last given back */
    bool is_quiet;       /* nobody is told when recording stops */
    recorder_closed_cb on_closed;
    void *owner;
};

static void batch_clear(struct batch *b)
{
    for (size_t i = 0; i < b->n_inserts; i++)
        line_unref(b->inserts[i].line);
    b->n_inserts = 0;
    b->first_insert = 0;
    if (b->text.cap > BATCH_KEEP)
        sp_buf_deinit(&b->text);
    sp_buf_clear(&b->text);
}

static void batch_deinit(struct batch *b)
{
    batch_clear(b);
    sp_buf_deinit(&b->text);
    free(b->inserts);
}

static void batch_insert(struct batch *b, struct sp_str text, struct line *line)
{
    if (b->n_inserts == b->max_inserts) {
        b->max_inserts = b->max_inserts > 0 ? 2 * b->max_inserts : 4;
        b->inserts = sp_realloc(b->inserts, b->max_inserts * sizeof *b->inserts);
    }
    b->inserts[b->n_inserts++] =
        (struct insert){.at = b->text.len, .text = text, .line = line_ref(line)};
}

/* Sets r->bufs to the pieces of r->writing. */
static void lay_out(struct recorder *r)
{
    const struct batch *b = &r->writing;
    size_t from = 0;

    free(r->bufs);
    r->bufs = sp_calloc(2 * b->n_inserts + 1, sizeof *r->bufs);
    r->n_bufs = 0;
    r->first_buf = 0;
    for (size_t i = 0; i <= b->n_inserts; i++) {
        size_t to = i < b->n_inserts ? b->inserts[i].at : b->text.len;

        if (to > from)
            r->bufs[r->n_bufs++] = (uv_buf_t){.base = b->text.p + from, .len = to - from};
        if (i < b->n_inserts)
            r->bufs[r->n_bufs++] =
                (uv_buf_t){.base = (char *)b->inserts[i].text.p, .len = b->inserts[i].text.len};
        from = to;
    }
}

/* Drops `n` written bytes from the front of r->bufs, and lines with them; whether any are left. */
static bool advance(struct recorder *r, size_t n)
{
    struct batch *b = &r->writing;

    while (r->first_buf < r->n_bufs) {
        uv_buf_t *buf = &r->bufs[r->first_buf];

        if (n < buf->len) {
            buf->base += n;
            buf->len -= n;
            return true;
        }
        n -= buf->len;
        r->first_buf++;
        for (size_t i = b->first_insert; i < b->n_inserts; i++) {
            if (b->inserts[i].line == NULL ||
                b->inserts[i].text.p + b->inserts[i].text.len != buf->base + buf->len)
                break;
            line_unref(b->inserts[i].line);
            b->inserts[i].line = NULL;
            b->first_insert++;
        }
    }
    return false;
}

static void close_file(struct recorder *r)
{
    uv_fs_t req;

    (void)uv_fs_close(r->loop, &req, r->file, NULL); /* every write was checked */
    uv_fs_req_cleanup(&req);
    r->file = -1;
}

static void stop_recording(struct recorder *r, int err)
{
    if (!r->is_quiet)
        sp_log("recording stopped: writing %s: %s", r->path, sp_err_cause(err));
    r->has_failed = true;
    batch_clear(&r->queued);
}

static void on_written(uv_fs_t *req);

/*
 * libuv starts its pool at the first request, with the scheduling policy of the caller. As batch
 * work the pool does not push the host and the server, which were just woken, off the processor.
 */
static void set_policy(int from, int to)
{
    struct sched_param param = {0};

    if (sched_getscheduler(0) == from)
        (void)sched_setscheduler(0, to, &param); /* refused: a matter of speed only */
}

/* Sends off the next part of r->bufs: what is written lets go of its lines. */
static void write_some(struct recorder *r)
{
    uv_buf_t part[MAX_BUFS];
    size_t len = 0;
    unsigned n;
    int err;

    for (n = 0; n < MAX_BUFS && len < MAX_WRITE && r->first_buf + n < r->n_bufs; n++) {
        part[n] = r->bufs[r->first_buf + n];
        if (part[n].len > MAX_WRITE - len)
            part[n].len = MAX_WRITE - len;
        len += part[n].len;
    }

    if (!r->has_written)
        set_policy(SCHED_OTHER, SCHED_BATCH);
    err = uv_fs_write(r->loop, &r->req, r->file, part, n, -1, on_written);
    if (!r->has_written)
        set_policy(SCHED_BATCH, SCHED_OTHER);
    assert(err == 0); /* with a callback, only memory can run out at once */
    r->has_written = true;
    r->is_writing = true;
}

static void on_written(uv_fs_t *req)
{
    struct recorder *r = sp_container_of(req, struct recorder, req);
    ssize_t n = req->result;

    uv_fs_req_cleanup(req);
    r->is_writing = false;
    if (n >= 0 && advance(r, (size_t)n)) {
        write_some(r);
        return;
    }
    batch_clear(&r->writing);
    if (n < 0)
        stop_recording(r, (int)n);
    recorder_flush(r);
    if (r->was_far_behind && !r->is_writing) {
        (void)malloc_trim(0); /* there may be nothing to give back */
        r->was_far_behind = false;
    }
    if (r->is_closing && !r->is_writing) {
        close_file(r);
        r->on_closed(r);
    }
}

void recorder_add(struct recorder *r, struct line *line)
{
    struct sp_str body;

    if (r->has_failed)
        return;
    body = logformat_entry(&r->queued.text, line);
    if (body.len >= LONG_LINE)
        batch_insert(&r->queued, body, line);
    else
        sp_buf_add(&r->queued.text, body);
    sp_buf_add(&r->queued.text, LOGFORMAT_TAIL);
}

void recorder_add_text(struct recorder *r, struct sp_str text)
{
    if (!r->has_failed)
        sp_buf_add(&r->queued.text, text);
}

void recorder_flush(struct recorder *r)
{
    struct batch batch = r->writing;

    if (r->is_writing || r->queued.text.len == 0)
        return;
    r->writing = r->queued;
    r->queued = batch;
    if (r->writing.text.cap > FAR_BEHIND)
        r->was_far_behind = true;
    lay_out(r);
    write_some(r);
}

/* Opens r->path and writes the header, on the loop's thread: the session has not begun. */
static int create_log(struct recorder *r, const struct logformat_header *header,
                      struct sp_err *ret_err)
{
    struct sp_buf text = {0};
    uv_fs_t req;
    int n = uv_fs_open(r->loop, &req, r->path, O_CREAT | O_EXCL | O_WRONLY, 0600, NULL);

    uv_fs_req_cleanup(&req);
    if (n < 0) {
        sp_err_set(ret_err, "creating %s: %s", r->path, sp_err_cause(n));
        return n;
    }
    r->file = n;

    logformat_header(&text, header);
    for (size_t done = 0; done < text.len; done += (size_t)n) {
        uv_buf_t buf = {.base = text.p + done, .len = text.len - done};

        n = uv_fs_write(r->loop, &req, r->file, &buf, 1, -1, NULL);
        uv_fs_req_cleanup(&req);
        if (n < 0)
            break;
    }
    sp_buf_deinit(&text);
    if (n < 0) {
        sp_err_set(ret_err, "writing %s: %s", r->path, sp_err_cause(n));
        recorder_discard(r);
        return n;
    }
    return 0;
}

int recorder_open(uv_loop_t *loop, const char *dir, const struct logformat_header *header,
                  recorder_closed_cb on_closed, void *owner, struct recorder **ret,
                  struct sp_err *ret_err)
{
    int err = sp_file_make_dirs(dir);
    struct recorder *r;
    struct sp_buf path = {0};

    if (err < 0) {
        sp_err_set(ret_err, "creating %s: %s", dir, sp_err_cause(err));
        return err;
    }
    sp_buf_addf(&path, "%s/%s.jsonl", dir, header->session);
    r = sp_calloc(1, sizeof *r);
    *r = (struct recorder){
        .loop = loop,
        .file = -1,
        .path = sp_strdup(sp_buf_cstr(&path)),
        .on_closed = on_closed,
        .owner = owner,
    };
    sp_buf_deinit(&path);

    err = create_log(r, header, ret_err);
    if (err < 0) {
        recorder_free(r);
        return err;
    }
    *ret = r;
    return 0;
}

int recorder_open_append(uv_loop_t *loop, const char *path, recorder_closed_cb on_closed,
                         void *owner, struct recorder **ret, struct sp_err *ret_err)
{
    uv_fs_t req;
    int n = uv_fs_open(loop, &req, path, O_CREAT | O_APPEND | O_WRONLY | O_NONBLOCK, 0600, NULL);
    struct recorder *r;

    uv_fs_req_cleanup(&req);
    if (n < 0) {
        sp_err_set(ret_err, "opening %s: %s", path, sp_err_cause(n));
        return n;
    }
    r = sp_calloc(1, sizeof *r);
    *r = (struct recorder){
        .loop = loop,
        .file = n,
        .path = sp_strdup(path),
        .is_quiet = true,
        .on_closed = on_closed,
        .owner = owner,
    };
    *ret = r;
    return 0;
}

const char *recorder_path(const struct recorder *r)
{
    return r->path;
}

void *recorder_owner(const struct recorder *r)
{
    return r->owner;
}

bool recorder_close(struct recorder *r)
{
    r->is_closing = true;
    recorder_flush(r);
    if (r->is_writing)
        return false;
    if (r->file >= 0)
        close_file(r);
    return true;
}

void recorder_discard(struct recorder *r)
{
    uv_fs_t req;

    close_file(r);
    (void)uv_fs_unlink(r->loop, &req, r->path, NULL); /* a failed start is reported already */
    uv_fs_req_cleanup(&req);
}

void recorder_free(struct recorder *r)
{
    if (r == NULL)
        return;
    assert(r->file < 0 && !r->is_writing);
    batch_deinit(&r->queued);
    batch_deinit(&r->writing);
    free(r->bufs);
    free(r->path);
    free(r);
}
