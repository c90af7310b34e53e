#pragma once

/*
 * The tables of the flow file: which members it has, in the order in which they are written. The
 * format's version comes before them and is no part of them; neither is its meaning checked here.
 */

#include "flow/flowjson.h"

extern const struct flowjson_type flowtable_flow;       /* struct flow */
extern const struct flowjson_type flowtable_tools;      /* struct flow: its kinds and docs */
extern const struct flowjson_type flowtable_provenance; /* struct flow_provenance */
extern const struct flowjson_type flowtable_predicates; /* struct flow_predicates */
extern const struct flowjson_type flowtable_fold;       /* struct flow_fold */
