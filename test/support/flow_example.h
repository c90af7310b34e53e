#pragma once

/*
 * Flows as their files are, on one line. The first is of two tools that read a customer's tickets,
 * learned from three sessions. The second, which has no program of its own, is of a desk that looks
 * up customers and their orders. The third is the first with all that a flow can hold.
 */

#define FLOW_EXAMPLE                                                                              \
    "{"                                                                                           \
    "\"stretto_flow\":1,"                                                                         \
    "\"provenance\":{\"stretto\":\"0.1.0\",\"sources\":[\"glm-5\"],\"habit_episodes\":3,"         \
    "\"arbiter_cases\":0,"                                                                        \
    "\"compiled_unix_ms\":1790198400000},"                                                        \
    "\"vocab\":[\"Respond\",{\"Tool\":\"find_tickets\"},{\"Tool\":\"get_ticket\"}],"              \
    "\"manifest\":{\"domain\":\"tickets\",\"tools\":{\"find_tickets\":\"read\","                  \
    "\"get_ticket\":\"read\"},\"docs\":{"                                                         \
    "\"find_tickets\":{\"summary\":\"List a customer's tickets.\",\"args\":{"                     \
    "\"email\":\"The customer's address.\"}},"                                                    \
    "\"get_ticket\":{\"summary\":\"One ticket.\",\"args\":{"                                      \
    "\"ticket_id\":\"The ticket's id.\"}}}},"                                                     \
    "\"map\":{\"fields\":{},\"ids\":[]},"                                                         \
    "\"group\":1,"                                                                                \
    "\"habit\":{\"base\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":4,\"levels\":["                \
    "["                                                                                           \
    "[[],{\"by_action\":[[0,5.0],[1,4.0],[2,4.0]],\"total\":13.0}]"                               \
    "],"                                                                                          \
    "["                                                                                           \
    "[[8192],{\"by_action\":[[0,1.0],[1,1.0]],\"total\":2.0}],"                                   \
    "[[16384],{\"by_action\":[[2,3.0]],\"total\":3.0}],"                                          \
    "[[20480],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                          \
    "[[32768],{\"by_action\":[[0,3.0],[2,1.0]],\"total\":4.0}],"                                  \
    "[[4294967295],{\"by_action\":[[1,3.0]],\"total\":3.0}]"                                      \
    "],"                                                                                          \
    "["                                                                                           \
    "[[8192,16384],{\"by_action\":[[2,1.0]],\"total\":1.0}],"                                     \
    "[[16384,32768],{\"by_action\":[[0,2.0],[2,1.0]],\"total\":3.0}],"                            \
    "[[20480,8192],{\"by_action\":[[1,1.0]],\"total\":1.0}],"                                     \
    "[[32768,8192],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                     \
    "[[32768,32768],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                    \
    "[[4294967295,16384],{\"by_action\":[[2,2.0]],\"total\":2.0}],"                               \
    "[[4294967295,20480],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                               \
    "[[4294967295,4294967295],{\"by_action\":[[1,3.0]],\"total\":3.0}]"                           \
    "]"                                                                                           \
    "]},\"beta\":1.0,\"top\":["                                                                   \
    "[[1,[8192,16384]],{\"by_action\":[[2,1.0]],\"total\":1.0}],"                                 \
    "[[1,[16384,32768]],{\"by_action\":[[0,2.0],[2,1.0]],\"total\":3.0}],"                        \
    "[[1,[20480,8192]],{\"by_action\":[[1,1.0]],\"total\":1.0}],"                                 \
    "[[1,[32768,8192]],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                 \
    "[[1,[32768,32768]],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                \
    "[[1,[4294967295,16384]],{\"by_action\":[[2,2.0]],\"total\":2.0}],"                           \
    "[[1,[4294967295,20480]],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                           \
    "[[1,[4294967295,4294967295]],{\"by_action\":[[1,3.0]],\"total\":3.0}]"                       \
    "]},"                                                                                         \
    "\"sites\":{\"reads\":[\"find_tickets\",\"get_ticket\"],"                                     \
    "\"next\":[[[\"find_tickets\",false],{\"get_ticket\":3}],[[\"get_ticket\",false],{"           \
    "\"get_ticket\":1}]],\"feeds\":{}},"                                                          \
    "\"predicates\":[],"                                                                          \
    "\"weighed\":[],"                                                                             \
    "\"folds\":[],"                                                                               \
    "\"bindings\":{\"args\":{\"find_tickets\":[4,{\"email\":4}],\"get_ticket\":[4,{"              \
    "\"ticket_id\":4}]},"                                                                         \
    "\"sources\":["                                                                               \
    "[[\"find_tickets\",\"email\"],{\"values\":4,\"found\":[]}],"                                 \
    "[[\"get_ticket\",\"ticket_id\"],{\"values\":4,\"found\":[[[\"find_tickets\",\"$.tickets["    \
    "*]\"],4]]}]],"                                                                               \
    "\"agreed\":{\"get_ticket\":[[4,4],[0,0]]}},"                                                 \
    "\"model\":\"\","                                                                             \
    "\"program\":{\"fugue_program\":1,\"body\":["                                                 \
    "{\"stmt\":\"let\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"call\"}},"           \
    "{\"stmt\":\"let\",\"var\":\"failed\",\"value\":{\"op\":\"var\",\"name\":\"call_failed\"}},"  \
    "{\"stmt\":\"for\",\"var\":\"i\",\"start\":{\"op\":\"int\",\"value\":0},\"end\":{"            \
    "\"op\":\"var\",\"name\":\"max_lookups\"},\"body\":["                                         \
    "{\"stmt\":\"sample\",\"var\":\"d\",\"addr\":{\"name\":\"decide\",\"index\":{\"op\":\"var\"," \
    "\"name\":\"i\"}},"                                                                           \
    "\"dist\":{\"name\":\"Decide\",\"args\":[{\"op\":\"var\",\"name\":\"prev\"},{\"op\":\"var\"," \
    "\"name\":\"failed\"}]}},"                                                                    \
    "{\"stmt\":\"if\",\"cond\":{\"op\":\"eq\",\"lhs\":{\"op\":\"var\",\"name\":\"d\"},\"rhs\":{"  \
    "\"op\":\"int\",\"value\":0}},"                                                               \
    "\"then\":[{\"stmt\":\"break\"}]},"                                                           \
    "{\"stmt\":\"sample\",\"var\":\"ok\",\"addr\":{\"name\":\"outcome\",\"index\":{"              \
    "\"op\":\"var\",\"name\":\"i\"}},"                                                            \
    "\"dist\":{\"name\":\"Outcome\",\"args\":[{\"op\":\"var\",\"name\":\"d\"}]}},"                \
    "{\"stmt\":\"assign\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"d\"}},"           \
    "{\"stmt\":\"assign\",\"var\":\"failed\",\"value\":{\"op\":\"not\",\"arg\":{\"op\":\"var\","  \
    "\"name\":\"ok\"}}}"                                                                          \
    "]}"                                                                                          \
    "],\"ret\":{\"op\":\"var\",\"name\":\"prev\"}},"                                              \
    "\"contracts\":{\"find_tickets\":\"email:string!\",\"get_ticket\":\"ticket_id:string!\"},"    \
    "\"reach\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":4,\"levels\":["                          \
    "["                                                                                           \
    "[[],{\"by_action\":[[0,13.0],[1,5.0],[2,9.0]],\"total\":13.0}]"                              \
    "],"                                                                                          \
    "["                                                                                           \
    "[[8192],{\"by_action\":[[0,2.0],[1,1.0],[2,1.0]],\"total\":2.0}],"                           \
    "[[16384],{\"by_action\":[[0,3.0],[2,3.0]],\"total\":3.0}],"                                  \
    "[[20480],{\"by_action\":[[0,1.0],[1,1.0],[2,1.0]],\"total\":1.0}],"                          \
    "[[32768],{\"by_action\":[[0,4.0],[2,1.0]],\"total\":4.0}],"                                  \
    "[[4294967295],{\"by_action\":[[0,3.0],[1,3.0],[2,3.0]],\"total\":3.0}]"                      \
    "],"                                                                                          \
    "["                                                                                           \
    "[[8192,16384],{\"by_action\":[[0,1.0],[2,1.0]],\"total\":1.0}],"                             \
    "[[16384,32768],{\"by_action\":[[0,3.0],[2,1.0]],\"total\":3.0}],"                            \
    "[[20480,8192],{\"by_action\":[[0,1.0],[1,1.0],[2,1.0]],\"total\":1.0}],"                     \
    "[[32768,8192],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                     \
    "[[32768,32768],{\"by_action\":[[0,1.0]],\"total\":1.0}],"                                    \
    "[[4294967295,16384],{\"by_action\":[[0,2.0],[2,2.0]],\"total\":2.0}],"                       \
    "[[4294967295,20480],{\"by_action\":[[0,1.0],[1,1.0],[2,1.0]],\"total\":1.0}],"               \
    "[[4294967295,4294967295],{\"by_action\":[[0,3.0],[1,3.0],[2,3.0]],\"total\":3.0}]"           \
    "]"                                                                                           \
    "]}"                                                                                          \
    "}"

#define FLOW_DESK                                                                                  \
    "{\"stretto_flow\":1,"                                                                         \
    "\"provenance\":{\"stretto\":\"0.1.0\",\"sources\":[\"fixture\"],\"habit_episodes\":8,"        \
    "\"arbiter_cases\":0,\"compiled_unix_ms\":0},"                                                 \
    "\"vocab\":[\"Respond\",{\"Tool\":\"cancel_order\"},{\"Tool\":\"find_customer\"},{"            \
    "\"Tool\":\"get_customer\"},{\"Tool\":\"get_order\"}],"                                        \
    "\"manifest\":{\"domain\":\"desk\",\"tools\":{\"cancel_order\":\"write\","                     \
    "\"find_customer\":\"read\",\"get_customer\":\"read\",\"get_order\":\"read\"},\"docs\":{}},"   \
    "\"map\":{\"fields\":{},\"ids\":[]},\"group\":1,"                                              \
    "\"habit\":{\"base\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":6,\"levels\":["                 \
    "[[[],{\"by_action\":[[0,16.0],[1,8.0],[2,8.0],[3,8.0],[4,8.0]],\"total\":48.0}]],"            \
    "[[[8192],{\"by_action\":[[1,8.0]],\"total\":8.0}],[[16384],{\"by_action\":[[0,8.0]],"         \
    "\"total\":8.0}],"                                                                             \
    "[[32768],{\"by_action\":[[3,8.0]],\"total\":8.0}],[[49152],{\"by_action\":[[4,8.0]],"         \
    "\"total\":8.0}],"                                                                             \
    "[[65536],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[4294967295],{\"by_action\":[[2,8.0]],"    \
    "\"total\":8.0}]],"                                                                            \
    "[[[8192,16384],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[32768,49152],{\"by_action\":[[4,"   \
    "8.0]],\"total\":8.0}],"                                                                       \
    "[[49152,65536],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[65536,8192],{\"by_action\":[[1,"    \
    "8.0]],\"total\":8.0}],"                                                                       \
    "[[4294967295,32768],{\"by_action\":[[3,8.0]],\"total\":8.0}],[[4294967295,4294967295],{"      \
    "\"by_action\":[[2,8.0]],\"total\":8.0}]]]},"                                                  \
    "\"beta\":1.0,\"top\":["                                                                       \
    "[[1,[8192,16384]],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[1,[32768,49152]],{"              \
    "\"by_action\":[[4,8.0]],\"total\":8.0}],"                                                     \
    "[[1,[49152,65536]],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[1,[65536,8192]],{"              \
    "\"by_action\":[[1,8.0]],\"total\":8.0}],"                                                     \
    "[[1,[4294967295,32768]],{\"by_action\":[[3,8.0]],\"total\":8.0}],[[1,[4294967295,"            \
    "4294967295]],{\"by_action\":[[2,8.0]],\"total\":8.0}]]},"                                     \
    "\"sites\":{\"reads\":[\"find_customer\",\"get_customer\",\"get_order\"],"                     \
    "\"next\":[[[\"find_customer\",false],{\"get_customer\":8}],[[\"get_customer\",false],{"       \
    "\"get_order\":8}]],\"feeds\":{}},"                                                            \
    "\"predicates\":[],\"weighed\":[],\"folds\":[],"                                               \
    "\"bindings\":{\"args\":{\"find_customer\":[8,{\"email\":8}],\"get_customer\":[8,{"            \
    "\"customer_id\":8}],\"get_order\":[8,{\"order_id\":8}]},"                                     \
    "\"sources\":[[[\"find_customer\",\"email\"],{\"values\":8,\"found\":[]}],"                    \
    "[[\"get_customer\",\"customer_id\"],{\"values\":8,\"found\":[[[\"find_customer\",\"$\"],"     \
    "8]]}],"                                                                                       \
    "[[\"get_order\",\"order_id\"],{\"values\":8,\"found\":[[[\"get_customer\",\"$.orders[*]\"],"  \
    "8]]}]],"                                                                                      \
    "\"agreed\":{\"get_customer\":[[8,8],[0,0]],\"get_order\":[[8,8],[0,0]]}},"                    \
    "\"model\":\"\","                                                                              \
    "\"reach\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":6,\"levels\":["                           \
    "[[[],{\"by_action\":[[0,40.0],[2,8.0],[3,16.0],[4,24.0]],\"total\":48.0}]],"                  \
    "[[[8192],{\"by_action\":[],\"total\":8.0}],[[16384],{\"by_action\":[[0,8.0]],"                \
    "\"total\":8.0}],"                                                                             \
    "[[32768],{\"by_action\":[[0,8.0],[3,8.0],[4,8.0]],\"total\":8.0}],[[49152],{\"by_action\":[[" \
    "0,8.0],[4,8.0]],\"total\":8.0}],"                                                             \
    "[[65536],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[4294967295],{\"by_action\":[[0,8.0],[2,"  \
    "8.0],[3,8.0],[4,8.0]],\"total\":8.0}]],"                                                      \
    "[[[8192,16384],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[32768,49152],{\"by_action\":[[0,"   \
    "8.0],[4,8.0]],\"total\":8.0}],"                                                               \
    "[[49152,65536],{\"by_action\":[[0,8.0]],\"total\":8.0}],[[65536,8192],{\"by_action\":[],"     \
    "\"total\":8.0}],"                                                                             \
    "[[4294967295,32768],{\"by_action\":[[0,8.0],[3,8.0],[4,8.0]],\"total\":8.0}],"                \
    "[[4294967295,4294967295],{\"by_action\":[[0,8.0],[2,8.0],[3,8.0],[4,8.0]],"                   \
    "\"total\":8.0}]]]}}"

#define FLOW_FULL                                                                                    \
    "{\"stretto_flow\":2,\"provenance\":{\"stretto\":\"0.1.0\",\"sources\":[\"glm-5\"],"             \
    "\"habit_episodes\":3,\"arbiter_cases\":0,\"compiled_unix_ms\":1790198400000},\"vocab\":["       \
    "\"Respond\",{\"Tool\":\"find_tickets\"},{\"Tool\":\"get_ticket\"}],\"manifest\":{"              \
    "\"domain\":\"tickets\",\"tools\":{\"close_ticket\":\"write\",\"find_tickets\":\"read\","        \
    "\"get_ticket\":\"read\",\"ping\":\"generic\"},\"docs\":{\"find_tickets\":{"                     \
    "\"summary\":\"List a customer's tickets.\",\"args\":{"                                          \
    "\"email\":\"The customer's address.\"}},\"get_ticket\":{\"summary\":\"One ticket.\","           \
    "\"args\":{\"ticket_id\":\"The ticket's id.\"}}}},\"map\":{\"fields\":{\"find_tickets\":[{"      \
    "\"Len\":\"\"},{\"Scalar\":\"owner.name\"}],\"get_ticket\":[{\"Len\":\"notes\"}]},\"ids\":[[["   \
    "\"find_tickets\",[\"0\",\"x\"]],1],[[\"find_tickets\",[\"1\",\"é∅\"]],2],[[\"get_ticket\",[" \
    "\"2+\"]],3]]},\"group\":1,\"habit\":{\"base\":{\"order\":2,\"alpha\":1.0,\"vocab_size\":4,"     \
    "\"levels\":[[[[],{\"by_action\":[[0,5.0],[1,4.0],[2,4.0]],\"total\":13.0}]],[[[8192],{"         \
    "\"by_action\":[[0,1.0],[1,1.0]],\"total\":2.0}],[[16384],{\"by_action\":[[2,3.0]],"             \
    "\"total\":3.0}],[[20480],{\"by_action\":[[0,1.0]],\"total\":1.0}],[[32768],{\"by_action\":[["   \
    "0,3.0],[2,1.0]],\"total\":4.0}],[[4294967295],{\"by_action\":[[1,3.0]],\"total\":3.0}]],[[["    \
    "8192,16384],{\"by_action\":[[2,1.0]],\"total\":1.0}],[[16384,32768],{\"by_action\":[[0,2.0],"   \
    "[2,1.0]],\"total\":3.0}],[[20480,8192],{\"by_action\":[[1,1.0]],\"total\":1.0}],[[32768,"       \
    "8192],{\"by_action\":[[0,1.0]],\"total\":1.0}],[[32768,32768],{\"by_action\":[[0,1.0]],"        \
    "\"total\":1.0}],[[4294967295,16384],{\"by_action\":[[2,2.0]],\"total\":2.0}],[[4294967295,"     \
    "20480],{\"by_action\":[[0,1.0]],\"total\":1.0}],[[4294967295,4294967295],{\"by_action\":[[1,"   \
    "3.0]],\"total\":3.0}]]]},\"beta\":1.0,\"top\":[[[1,[8192,16384]],{\"by_action\":[[2,1.0]],"     \
    "\"total\":1.0}],[[1,[16384,32768]],{\"by_action\":[[0,2.0],[2,1.0]],\"total\":3.0}],[[1,["      \
    "20480,8192]],{\"by_action\":[[1,1.0]],\"total\":1.0}],[[1,[32768,8192]],{\"by_action\":[[0,"    \
    "1.0]],\"total\":1.0}],[[1,[32768,32768]],{\"by_action\":[[0,1.0]],\"total\":1.0}],[[1,["        \
    "4294967295,16384]],{\"by_action\":[[2,2.0]],\"total\":2.0}],[[1,[4294967295,20480]],{"          \
    "\"by_action\":[[0,1.0]],\"total\":1.0}],[[1,[4294967295,4294967295]],{\"by_action\":[[1,"       \
    "3.0]],\"total\":3.0}],[[2,[8192,16384]],{\"by_action\":[],\"total\":0.5}]]},\"sites\":{"        \
    "\"reads\":[\"find_tickets\",\"get_ticket\"],\"next\":[[[\"find_tickets\",false],{"              \
    "\"find_tickets\":1,\"get_ticket\":3}],[[\"find_tickets\",true],{\"find_tickets\":2}],[["        \
    "\"get_ticket\",false],{\"get_ticket\":1}]],\"feeds\":{\"get_ticket\":[[[\"close_ticket\","      \
    "\"id\"],3],[[\"close_ticket\",\"owner\"],4],[[\"ping\",\"id\"],1]]},\"every_read\":true},"      \
    "\"predicates\":[{\"id\":\"more_listed\",\"favors\":\"same_lookup\","                            \
    "\"question\":\"Is there more?\",\"yes\":\"Yes.\",\"no\":\"No: \\\"none\\\".\"},{"               \
    "\"id\":\"b\",\"favors\":\"any_lookup\",\"question\":\"Is there more?\",\"yes\":\"Yes.\","       \
    "\"no\":\"No: \\\"none\\\".\"},{\"id\":\"a\",\"favors\":\"hand_back\","                          \
    "\"question\":\"Is there more?\",\"yes\":\"Yes.\",\"no\":\"No: \\\"none\\\".\"},{"               \
    "\"id\":\"c\",\"favors\":{\"lookup\":\"get_ticket\"},\"question\":\"Is there more?\","           \
    "\"yes\":\"Yes.\",\"no\":\"No: \\\"none\\\".\"}],\"weighed\":[{\"id\":\"more_listed\","          \
    "\"favors\":\"same_lookup\",\"question\":\"Is there more?\",\"yes\":\"Yes.\","                   \
    "\"no\":\"No: \\\"none\\\".\"}],\"folds\":[{\"weights\":[0.5,0.3,0.2,0.1,0.6,-0.4],"             \
    "\"rates\":{\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]],[\"find_tickets (error)\",[1.0,0.0,"     \
    "0.0]]],\"agree\":0.7,\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6,-0.4],\"rates\":{"      \
    "\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]],[\"find_tickets (error)\",[1.0,0.0,0.0]]],"         \
    "\"agree\":0.7,\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6,-0.4],\"rates\":{"             \
    "\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]],[\"find_tickets (error)\",[1.0,0.0,0.0]]],"         \
    "\"agree\":0.7,\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6,-0.4],\"rates\":{"             \
    "\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]],[\"find_tickets (error)\",[1.0,0.0,0.0]]],"         \
    "\"agree\":0.7,\"cover\":0.95}},{\"weights\":[0.5,0.3,0.2,0.1,0.6,-0.4],\"rates\":{"             \
    "\"sites\":[[\"find_tickets\",[8.0,6.0,8.0]],[\"find_tickets (error)\",[1.0,0.0,0.0]]],"         \
    "\"agree\":0.7,\"cover\":0.95}}],\"bindings\":{\"args\":{\"find_tickets\":[4,{\"email\":4}],"    \
    "\"get_ticket\":[4,{\"ticket_id\":4}]},\"sources\":[[[\"find_tickets\",\"email\"],{"             \
    "\"values\":4,\"found\":[]}],[[\"get_ticket\",\"ticket_id\"],{\"values\":4,\"found\":[[["        \
    "\"find_tickets\",\"$.tickets[*]\"],4]]}]],\"agreed\":{\"get_ticket\":[[4,4],[0,0]]},"           \
    "\"named_other\":{\"find_tickets\":[1,2],\"get_ticket\":[0,3]},\"described_read\":{"             \
    "\"get_ticket\":[2,3]},\"site_sources\":[{\"tool\":\"get_ticket\",\"arg\":\"ticket_id\","        \
    "\"site\":\"find_tickets\",\"source\":[\"find_tickets\",\"$.tickets[*]\"],\"values\":4},{"       \
    "\"tool\":\"get_ticket\",\"arg\":\"ticket_id\",\"site\":\"get_ticket\",\"source\":["             \
    "\"find_tickets\",\"$.tickets[*]\"],\"values\":1}],\"lists\":[[[\"get_ticket\",\"ids\"],{"       \
    "\"values\":3,\"found\":[[[\"find_tickets\",\"$.tickets\"],2],[[\"get_ticket\",\"$.more\"],"     \
    "1]]}]],\"bare\":{\"find_tickets\":2},\"constants\":[[[\"find_tickets\",\"limit\"],"             \
    "18446744073709551615],[[\"find_tickets\",\"open\"],true],[[\"get_ticket\",\"with\"],{\"a\":["   \
    "null,\"é\\n\"],\"b\":1.5}]]},\"model\":\"jev-latest\",\"program\":{\"fugue_program\":1,"       \
    "\"body\":[{\"stmt\":\"let\",\"var\":\"prev\",\"value\":{\"op\":\"var\",\"name\":\"call\"}},{"   \
    "\"stmt\":\"let\",\"var\":\"failed\",\"value\":{\"op\":\"var\",\"name\":\"call_failed\"}},{"     \
    "\"stmt\":\"for\",\"var\":\"i\",\"start\":{\"op\":\"int\",\"value\":0},\"end\":{"                \
    "\"op\":\"var\",\"name\":\"max_lookups\"},\"body\":[{\"stmt\":\"sample\",\"var\":\"d\","         \
    "\"addr\":{\"name\":\"decide\",\"index\":{\"op\":\"var\",\"name\":\"i\"}},\"dist\":{"            \
    "\"name\":\"Decide\",\"args\":[{\"op\":\"var\",\"name\":\"prev\"},{\"op\":\"var\","              \
    "\"name\":\"failed\"}]}},{\"stmt\":\"if\",\"cond\":{\"op\":\"eq\",\"lhs\":{\"op\":\"var\","      \
    "\"name\":\"d\"},\"rhs\":{\"op\":\"int\",\"value\":0}},\"then\":[{\"stmt\":\"break\"}]},{"       \
    "\"stmt\":\"sample\",\"var\":\"ok\",\"addr\":{\"name\":\"outcome\",\"index\":{\"op\":\"var\","   \
    "\"name\":\"i\"}},\"dist\":{\"name\":\"Outcome\",\"args\":[{\"op\":\"var\","                     \
    "\"name\":\"d\"}]}},{\"stmt\":\"assign\",\"var\":\"prev\",\"value\":{\"op\":\"var\","            \
    "\"name\":\"d\"}},{\"stmt\":\"assign\",\"var\":\"failed\",\"value\":{\"op\":\"not\",\"arg\":{"   \
    "\"op\":\"var\",\"name\":\"ok\"}}}]}],\"ret\":{\"op\":\"var\",\"name\":\"prev\"}},"              \
    "\"promoted\":{\"bar\":{\"threshold\":0.3,\"min_used\":0.5,\"min_lower\":0.25,"                  \
    "\"min_tasks\":3},\"sites\":{\"find_tickets\":{\"decisions\":9,\"lookups\":8,\"used\":7,"        \
    "\"tasks\":4,\"lower\":0.4,\"promoted\":true},\"get_ticket\":{\"decisions\":1,\"lookups\":0,"    \
    "\"used\":0,\"tasks\":1,\"lower\":0.0,\"promoted\":false}}},\"thresholds\":{"                    \
    "\"find_tickets\":0.95,\"get_ticket (error)\":1.5},\"contracts\":{"                              \
    "\"find_tickets\":\"email:string!\",\"get_ticket\":\"ticket_id:string!\"},\"reach\":{"           \
    "\"order\":2,\"alpha\":1.0,\"vocab_size\":4,\"levels\":[[[[],{\"by_action\":[[0,13.0],[1,"       \
    "5.0],[2,9.0]],\"total\":13.0}]],[[[8192],{\"by_action\":[[0,2.0],[1,1.0],[2,1.0]],"             \
    "\"total\":2.0}],[[16384],{\"by_action\":[[0,3.0],[2,3.0]],\"total\":3.0}],[[20480],{"           \
    "\"by_action\":[[0,1.0],[1,1.0],[2,1.0]],\"total\":1.0}],[[32768],{\"by_action\":[[0,4.0],[2,"   \
    "1.0]],\"total\":4.0}],[[4294967295],{\"by_action\":[[0,3.0],[1,3.0],[2,3.0]],"                  \
    "\"total\":3.0}]],[[[8192,16384],{\"by_action\":[[0,1.0],[2,1.0]],\"total\":1.0}],[[16384,"      \
    "32768],{\"by_action\":[[0,3.0],[2,1.0]],\"total\":3.0}],[[20480,8192],{\"by_action\":[[0,"      \
    "1.0],[1,1.0],[2,1.0]],\"total\":1.0}],[[32768,8192],{\"by_action\":[[0,1.0]],"                  \
    "\"total\":1.0}],[[32768,32768],{\"by_action\":[[0,1.0]],\"total\":1.0}],[[4294967295,16384],"   \
    "{\"by_action\":[[0,2.0],[2,2.0]],\"total\":2.0}],[[4294967295,20480],{\"by_action\":[[0,"       \
    "1.0],[1,1.0],[2,1.0]],\"total\":1.0}],[[4294967295,4294967295],{\"by_action\":[[0,3.0],[1,"     \
    "3.0],[2,3.0]],\"total\":3.0}]]]}}"
