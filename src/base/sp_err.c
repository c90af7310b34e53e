/* Error texts that grow a prefix on the way up. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sp_err.h"

void sp_err_set(struct sp_err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
}

void sp_err_prefix(struct sp_err *err, const char *format, ...)
{
    struct sp_err inner = *err;
    va_list args;
    size_t len;

    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", inner.text);
}

const char *sp_err_cause(int err)
{
    return strerror(-err);
}
