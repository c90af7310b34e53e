#pragma once

/* The names of the types in JSON, for the files that read and write it. */

#include "oracle/oracle.h"

static inline struct sp_str oracle_type_name(enum oracle_type type)
{
    switch (type) {
    case ORACLE_NOUL:
        return SP_STR("noul");
    case ORACLE_CHOICE:
        return SP_STR("choice");
    case ORACLE_SCORE:
        return SP_STR("score");
    }
    return SP_STR("");
}
