/* What a check has found. */

#include <stdint.h>

#include "base/sp_utf8.h"
#include "cmd/findings.h"
#include "cmd/screen.h"

#define MARK_COLUMNS 9
#define ITEM_INDENT  11

__attribute__((format(printf, 4, 0))) static void
put_line(struct findings *f, struct sp_str first, size_t width, const char *format, va_list args)
{
    struct sp_buf text = {0}, valid = {0};

    sp_buf_addv(&text, format, args);
    sp_utf8_repair(&valid, sp_buf_str(&text));
    screen_put_left(&f->text, first, width);
    (void)screen_put(&f->text, sp_buf_str(&valid), SIZE_MAX);
    sp_buf_add_char(&f->text, '\n');
    sp_buf_deinit(&text);
    sp_buf_deinit(&valid);
}

void findings_add(struct findings *f, enum findings_mark mark, const char *format, ...)
{
    static const struct sp_str names[] = {
        [FINDINGS_OK] = SP_STR("ok"),
        [FINDINGS_NOTE] = SP_STR("note"),
        [FINDINGS_PROBLEM] = SP_STR("problem"),
    };
    va_list args;

    f->n_problems += mark == FINDINGS_PROBLEM;
    va_start(args, format);
    put_line(f, names[mark], MARK_COLUMNS, format, args);
    va_end(args);
}

void findings_add_item(struct findings *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_line(f, SP_STR(""), ITEM_INDENT, format, args);
    va_end(args);
}

void findings_put_path(struct sp_buf *b, const char *path, const char *home)
{
    size_t len = home != NULL ? strlen(home) : 0;

    if (len > 0 && strncmp(path, home, len) == 0 && path[len] == '/') {
        sp_buf_add_char(b, '~');
        path += len;
    }
    sp_buf_add(b, sp_str_of(path));
}

void findings_deinit(struct findings *f)
{
    sp_buf_deinit(&f->text);
}
