#pragma once

/*
 * The text of an error on its way to the user. It is made where the facts are and prefixed on the
 * way up: sp_err_set(e, "no such tool 'foo'"), then sp_err_prefix(e, "site 3"), gives
 * "site 3: no such tool 'foo'". A text longer than the struct holds is cut.
 */

struct sp_err {
    char text[8192]; /* NUL-terminated; room for a path of the greatest length */
};

void sp_err_set(struct sp_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the text. */
void sp_err_prefix(struct sp_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The system's description of a negative errno ("No such file or directory"), as libuv's codes of
 * files, pipes and processes are. Good until the next call.
 */
const char *sp_err_cause(int err);
