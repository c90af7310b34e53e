#pragma once

/*
 * The writes and numbers of an audit of the confirmation judge, for the two files that count and
 * print them.
 *
 * Thread: any, one at a time.
 */

#include "learn/confirmaudit.h"

/* Episodes that did their task, and the others. */
enum confirmaudit_side {
    CONFIRMAUDIT_SUCCESSFUL,
    CONFIRMAUDIT_FAILED,
    CONFIRMAUDIT_N_SIDES,
};

/* Writes are counted by their episode's side, or as refused by the tool. */
#define CONFIRMAUDIT_REFUSED  CONFIRMAUDIT_N_SIDES
#define CONFIRMAUDIT_N_GROUPS (CONFIRMAUDIT_N_SIDES + 1)

/* By whom a write fails. */
enum confirmaudit_check {
    CONFIRMAUDIT_WORD_LIST,
    CONFIRMAUDIT_JUDGE,
    CONFIRMAUDIT_TWO, /* by the judge, or by its second question */
    CONFIRMAUDIT_N_CHECKS,
};

/* What is worth a look. */
enum confirmaudit_kind {
    CONFIRMAUDIT_JUDGE_ONLY,     /* the judge fails what the word list passes */
    CONFIRMAUDIT_WORD_LIST_ONLY, /* the word list fails what the judge passes */
    CONFIRMAUDIT_SECOND_ONLY,    /* the second question fails what the judge does not */
    CONFIRMAUDIT_N_KINDS,
};

/* A question about a write. */
struct confirmaudit_asked {
    struct sp_str key; /* p is NULL for none */
    bool is_answered;
    double p; /* of a yes, when it is */
};

/* Views look into the audit's arena. */
struct confirmaudit_write {
    struct sp_str task;
    struct sp_str episode;
    size_t number; /* of the episode, from 1 */
    struct sp_str tool;
    struct sp_str arguments; /* JSON */
    struct exchange exchange;
    enum confirmaudit_side side;
    bool is_refused; /* by the tool */
    bool word_list;  /* the word list passes */
    struct confirmaudit_asked first;
    struct confirmaudit_asked second; /* if there is a second question */
};

struct confirmaudit_group {
    size_t writes;
    size_t fails[CONFIRMAUDIT_N_CHECKS];
    size_t both; /* word list and judge fail */
    size_t unanswered;
};

struct confirmaudit_examples {
    const struct confirmaudit_write **of;
    size_t n;
};

struct confirmaudit {
    struct confirmaudit_options options;
    size_t episodes[CONFIRMAUDIT_N_SIDES];
    struct confirmaudit_write *writes; /* in the order of episodes and calls */
    size_t n_writes;
    size_t max_writes;
    bool is_counted; /* the rest is */

    struct confirmaudit_group groups[CONFIRMAUDIT_N_GROUPS];
    size_t failing[CONFIRMAUDIT_N_CHECKS][CONFIRMAUDIT_N_SIDES]; /* episodes, accepted writes */
    size_t last_failing[CONFIRMAUDIT_N_CHECKS]; /* the last of them by number; 0 for none */
    struct confirmaudit_examples examples[CONFIRMAUDIT_N_KINDS];
    struct sp_arena arena;
};
