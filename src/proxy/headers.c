/* Headers from the environment. */

#include <stdlib.h>
#include <uv.h>

#include "base/sp_alloc.h"
#include "base/sp_header.h"
#include "base/sp_utf8.h"
#include "proxy/headers.h"

/* A "variable" with a space in it may be a value that was given by mistake; it is not shown. */
static bool is_variable(const char *name)
{
    for (; *name != '\0'; name++)
        if ((unsigned char)*name <= ' ')
            return false;
    return true;
}

/* The value that an option stands for; NULL with the cause in ret_err. */
static const char *value_of(struct sp_str option, struct sp_err *ret_err)
{
    size_t equals = sp_str_find(option, '=');
    struct sp_str name = sp_str_sub(option, 0, equals);
    const char *variable, *value;

    if (equals == option.len) {
        sp_err_set(ret_err, "--upstream-header takes NAME=VAR");
        return NULL;
    }
    if (!sp_header_is_name(name)) {
        sp_err_set(ret_err, "--upstream-header takes NAME=VAR, with a NAME that can be set");
        return NULL;
    }
    variable = option.p + equals + 1; /* an argument's end is NUL-terminated */
    value = variable[0] != '\0' ? getenv(variable) : NULL;
    if (value == NULL || !sp_utf8_is_valid(sp_str_of(value))) {
        sp_err_set(ret_err, "--upstream-header %.*s: the environment variable %s is not set%s",
                   SP_STR_ARG(name), is_variable(variable) ? variable : "after it",
                   value != NULL ? " to valid UTF-8" : "");
        return NULL;
    }
    if (!sp_header_is_value(sp_str_of(value))) {
        sp_err_set(ret_err, "--upstream-header %.*s: the value of %s has a control character",
                   SP_STR_ARG(name), variable);
        return NULL;
    }
    return value;
}

int headers_resolve(const struct sp_opt_list *options, struct httpc_header **ret,
                    struct sp_err *ret_err)
{
    struct httpc_header *headers = sp_calloc(options->n, sizeof *headers);

    for (size_t i = 0; i < options->n; i++) {
        struct sp_str option = options->v[i];
        const char *value = value_of(option, ret_err);

        if (value == NULL) {
            free(headers);
            return UV_EINVAL;
        }
        headers[i] = (struct httpc_header){sp_str_sub(option, 0, sp_str_find(option, '=')),
                                           sp_str_of(value)};
    }
    *ret = headers;
    return 0;
}
