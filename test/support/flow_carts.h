#pragma once

/*
 * A flow of a shop that reads a customer's carts behind their profile, and hands back at a cart. By
 * its counts a cart follows a profile in 98 of 100 cases; it has made 8 of 8 such calls right.
 */

#define FLOW_CARTS                                                                                 \
    "{\"stretto_flow\":1,\"provenance\":{\"stretto\":\"0.1.0\",\"sources\":[],"                    \
    "\"habit_episodes\":8,\"arbiter_cases\":0,\"compiled_unix_ms\":0},"                            \
    "\"vocab\":[\"Respond\",{\"Tool\":\"cart\"},{\"Tool\":\"profile\"}],"                          \
    "\"manifest\":{\"domain\":\"shop\",\"tools\":{\"cart\":\"read\",\"order\":\"write\","          \
    "\"profile\":\"read\",\"stock\":\"read\"}},\"map\":{\"fields\":{},\"ids\":[]},\"group\":1,"    \
    "\"habit\":{\"base\":{\"order\":1,\"alpha\":1.0,\"vocab_size\":4,\"levels\":["                 \
    "[[[],{\"by_action\":[[1,8.0]],\"total\":8.0}]],"                                              \
    "[[[32768],{\"by_action\":[[1,8.0]],\"total\":8.0}]]]},\"beta\":1.0,\"top\":[]},"              \
    "\"sites\":{\"reads\":[\"cart\",\"profile\",\"stock\"],"                                       \
    "\"next\":[[[\"profile\",false],{\"cart\":8}]],\"feeds\":{}},"                                 \
    "\"predicates\":[],\"weighed\":[],\"folds\":[],"                                               \
    "\"bindings\":{\"args\":{\"cart\":[8,{\"id\":8}]},"                                            \
    "\"sources\":[[[\"cart\",\"id\"],{\"values\":8,\"found\":[[[\"profile\",\"$.carts[*]\"],8]]}]" \
    "],\"agreed\":{\"cart\":[[8,8],[0,0]]}},\"model\":\"\"}"
