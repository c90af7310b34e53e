#pragma once

/*
 * The directory of cached answers: DIR/<first two characters of the key>/<key>.json, each with the
 * text of oracle_put_response(). Any number of processes may share one: a file appears whole, under
 * its name, or not at all.
 *
 * The functions work at once; the files are small.
 *
 * Thread: any.
 */

#include "base/sp_alloc.h"
#include "oracle/oracle.h"

/* The directory where none is named: the proxy's (expanded by sp_file_expand()), and stretto's. */
#define ORACLE_CACHE_PROXY   "~/.stretto/oracle-cache"
#define ORACLE_CACHE_STRETTO ".oracle-cache"

/* The largest answer that is read, in bytes: of a file, and of the service. */
#define ORACLE_CACHE_MAX ((size_t)16 * 1024 * 1024)

/* An outcome: there is no such answer, or no such directory. */
#define ORACLE_CACHE_E_ABSENT 1

/* Whether a text can be a key: 3 or more hexadecimal digits, so no way to another directory. */
bool oracle_cache_is_key(struct sp_str text);

/*
 * Reads an answer.
 *
 * key:     passes oracle_cache_is_key().
 * ret:     the caller's, ended by oracle_response_deinit(); untouched unless the result is 0.
 * Returns: 0; ORACLE_CACHE_E_ABSENT; negative when there is a file and it cannot be read or holds
 *          no response, with the cause in ret_err, which names the file.
 */
int oracle_cache_read(const char *dir, const char *key, struct oracle_response *ret,
                      struct sp_err *ret_err) SP_MUST_CHECK;

/*
 * Keeps an answer, in place of one that is there. Directories are made as needed, mode 0700; the
 * file has mode 0600, both less the umask. It is written under a temporary name, which does not end
 * in ".json", and renamed; when that fails nothing stays behind.
 *
 * key:     as above.
 * Returns: 0, or negative with the cause in ret_err, which names the file.
 */
int oracle_cache_store(const char *dir, const char *key, const struct oracle_response *response,
                       struct sp_err *ret_err) SP_MUST_CHECK;
