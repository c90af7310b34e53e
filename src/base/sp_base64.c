/* Base64. */

#include <stdint.h>

#include "base/sp_base64.h"

void sp_base64_put(struct sp_buf *ret, struct sp_str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t n = bytes.len - i < 3 ? bytes.len - i : 3;
        uint32_t group = 0;
        char text[4];

        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (k < n ? (unsigned char)bytes.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            text[k] = k <= n ? digits[group >> (18 - 6 * k) & 63] : '=';
        sp_buf_add(ret, (struct sp_str){text, sizeof text});
    }
}
