/* Output that is held back. */

#include <errno.h>

#include "cmd/spool.h"

/* How much waits in memory, bytes. */
#define MAX_TEXT ((size_t)4 * 1024 * 1024)

static int write_text(struct sp_str text, FILE *out)
{
    errno = 0;
    if (text.len > 0 && fwrite(text.p, 1, text.len, out) != text.len)
        return errno != 0 ? -errno : -EIO;
    return 0;
}

int spool_added(struct spool *s)
{
    int err;

    if (s->text.len <= MAX_TEXT)
        return 0;
    if (s->file == NULL)
        s->file = tmpfile();
    if (s->file == NULL)
        return -errno;
    err = write_text(sp_buf_str(&s->text), s->file);
    if (err == 0 && fflush(s->file) != 0) /* else rewind() does it, and tells of no failure */
        err = -errno;
    sp_buf_clear(&s->text);
    return err;
}

int spool_print(struct spool *s, FILE *out)
{
    char block[64 * 1024];
    size_t n;
    int err = 0;

    if (s->file != NULL) {
        rewind(s->file);
        while (err == 0 && (n = fread(block, 1, sizeof block, s->file)) > 0)
            err = write_text((struct sp_str){block, n}, out);
        if (err == 0 && ferror(s->file))
            err = -EIO;
    }
    if (err == 0)
        err = write_text(sp_buf_str(&s->text), out);
    if (err == 0 && fflush(out) != 0)
        err = -errno;
    return err;
}

void spool_deinit(struct spool *s)
{
    if (s->file != NULL)
        fclose(s->file);
    sp_buf_deinit(&s->text);
    *s = (struct spool){0};
}
