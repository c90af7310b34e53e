#pragma once

/*
 * The loadable module "oracle": what a session that asks questions needs and a plain one does not
 * load (libcurl, OpenSSL, jansson). It carries its own copy of the code it shares with the program,
 * and nothing that changes.
 */

#include "io/oracle_client.h"

/* The table that the module exports under ORACLE_MODULE_SYMBOL. */
struct oracle_module {
    const char *version; /* the program's, so that no other one's module is taken */

    /* Readies the module and names the program in its messages; see sp_log_init(). Called first. */
    void (*init)(const char *name);

    /* As in oracle/oracle_key.h and io/oracle_client.h. */
    void (*key_of)(struct sp_str canonical, char ret[ORACLE_KEY_SIZE]);
    struct oracle_client *(*client_new)(uv_loop_t *loop,
                                        const struct oracle_client_settings *settings,
                                        struct sp_err *ret_err);
    const char *(*client_key_error)(const struct oracle_client *c);
    struct oracle_client_ask *(*client_ask)(struct oracle_client *c,
                                            const struct oracle_request *request,
                                            oracle_client_cb cb, void *owner);
    const char *(*client_ask_key)(const struct oracle_client_ask *ask);
    void (*client_cancel)(struct oracle_client_ask *ask);
    void (*client_close)(struct oracle_client *c, oracle_client_closed_cb on_closed, void *owner);
};

#define ORACLE_MODULE_FILE   "stretto-oracle.so"
#define ORACLE_MODULE_SYMBOL "oracle_module"

extern const struct oracle_module oracle_module;
