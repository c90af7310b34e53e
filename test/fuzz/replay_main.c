/*
 * A plain main for a fuzz target: runs it once on every file named, and on every file of every
 * directory named.
 */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/sp_alloc.h"
#include "base/sp_buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *path)
{
    perror(path);
    exit(1);
}

static void replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct sp_buf b = {0};
    uint8_t *data;
    size_t n;

    if (f == NULL)
        fail(path);
    do {
        n = fread(sp_buf_reserve(&b, 65536), 1, 65536, f);
        b.len += n;
    } while (n > 0);
    if (ferror(f))
        fail(path);
    fclose(f);

    /* The target gets memory of exactly the input's size, so that reading past it is noticed. */
    data = sp_malloc(b.len);
    memcpy(data, sp_buf_str(&b).p, b.len);
    LLVMFuzzerTestOneInput(data, b.len);
    free(data);
    sp_buf_deinit(&b);
}

/* Replays a file, or the files of a directory; gives their number. */
static size_t replay(const char *path)
{
    struct sp_buf inner = {0};
    struct dirent *entry;
    struct stat st;
    size_t n = 0;
    DIR *dir;

    if (stat(path, &st) != 0)
        fail(path);
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path);
        return 1;
    }
    dir = opendir(path);
    if (dir == NULL)
        fail(path);
    while ((entry = readdir(dir)) != NULL) {
        sp_buf_clear(&inner);
        sp_buf_addf(&inner, "%s/%s", path, entry->d_name);
        if (stat(sp_buf_cstr(&inner), &st) == 0 && S_ISREG(st.st_mode)) {
            replay_file(sp_buf_cstr(&inner));
            n++;
        }
    }
    closedir(dir);
    sp_buf_deinit(&inner);
    return n;
}

int main(int argc, char **argv)
{
    size_t n = 0;

    for (int i = 1; i < argc; i++)
        n += replay(argv[i]);
    printf("%zu inputs replayed\n", n);
    return n > 0 ? 0 : 1;
}
