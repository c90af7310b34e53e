/* The key of a request, by OpenSSL's EVP. */

#include <assert.h>
#include <openssl/evp.h>

#include "oracle/oracle_key.h"

void oracle_key_of(struct sp_str canonical, char ret[ORACLE_KEY_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char digest[ORACLE_KEY_LEN / 2];
    size_t len = 0;
    int is_done = EVP_Q_digest(NULL, "SHA256", NULL, canonical.p, canonical.len, digest, &len);

    assert(is_done == 1 && len == sizeof digest); /* the default provider has it */
    for (size_t i = 0; i < len; i++) {
        ret[2 * i] = hex[digest[i] >> 4];
        ret[2 * i + 1] = hex[digest[i] & 0xf];
    }
    ret[ORACLE_KEY_LEN] = '\0';
}
