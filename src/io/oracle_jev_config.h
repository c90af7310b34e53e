#pragma once

/*
 * What the settings of the Jev service come to: the URL, the key, the trust store; and the texts
 * that must not show the key.
 *
 * Thread: any, one at a time.
 */

#include "base/sp_alloc.h"
#include "base/sp_buf.h"
#include "io/oracle_jev.h"

/* Strings are owned. */
struct oracle_jev_config {
    char *url;
    char *key; /* NULL when there is no usable one: then there is an error */
    char *key_error;
    char *ssl_cert_file; /* NULL: none, as the next */
    char *ssl_cert_dir;
    uint64_t wait_ms;
    uint64_t timeout_ms;
};

/*
 * Reads the settings, and the files that they name.
 *
 * ret:     ended by oracle_jev_config_deinit(); untouched on failure.
 * Returns: 0, or negative with the cause in ret_err: a base that is no http or https URL, a
 *          SSL_CERT_FILE that cannot be read.
 */
int oracle_jev_config_init(struct oracle_jev_config *ret,
                           const struct oracle_jev_settings *settings,
                           struct sp_err *ret_err) SP_MUST_CHECK;

/* Wipes the key. */
void oracle_jev_config_deinit(struct oracle_jev_config *config);

/* Whether a text holds the key; one of fewer than 8 bytes is found everywhere and not looked for.
 */
bool oracle_jev_config_is_told(const struct oracle_jev_config *config, struct sp_str text);

/*
 * Appends a text that somebody else wrote as part of an error: valid UTF-8 on one line, at most a
 * thousand characters, and "[key]" in place of the key.
 */
void oracle_jev_config_put_line(const struct oracle_jev_config *config, struct sp_buf *b,
                                struct sp_str text);
