/* Headers that a user may set. */

#include <strings.h>

#include "base/sp_header.h"
#include "base/sp_utf8.h"

bool sp_header_is_name(struct sp_str name)
{
    static const struct sp_str reserved[] = {SP_STR("Host"), SP_STR("Content-Length"),
                                             SP_STR("Transfer-Encoding"), SP_STR("Connection")};

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (name.len == reserved[i].len && strncasecmp(name.p, reserved[i].p, name.len) == 0)
            return false;
    return sp_str_is_token(name);
}

bool sp_header_is_value(struct sp_str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (((unsigned char)value.p[i] < 0x20 && value.p[i] != '\t') || value.p[i] == 0x7f)
            return false;
    return sp_utf8_is_valid(value);
}
