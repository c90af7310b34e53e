#pragma once

/*
 * What bind_*.c share: what is known of a session, kept so that a lookup's arguments are found
 * without walking the session again.
 *
 *     output ──► list: the values that a source has in it ──► entry: a value of an argument
 *                                                               │
 *     call ───── uses ──────────────────────────────────────────┘
 *
 * A source is a place in a tool's outputs. An argument of a lookup has sources as its rules. Each
 * of its values is one entry, wherever the value was seen; the entry knows the last list of each
 * rule that has it, and stands in heaps by the orders in which candidates are visited. All of it
 * lives in the arena until the session ends.
 *
 * Thread: any, one at a time.
 */

#include "flow/bind.h"
#include "flow/mentions.h"
#include "flow/outputs.h"

/* How many characters a sibling has at least that speaks for a value. */
#define BIND_MIN_SIBLING 4

/* A scalar of outputs and arguments that looks like a key. */
struct bind_text {
    struct sp_str text;
    size_t first_output; /* the event of the first output that has it; SIZE_MAX: none */
    size_t n_given;      /* how often calls passed it that no earlier output had */
    size_t mention;      /* its number in `mentions` */
    /*
     * Whether it was given or mentioned, pending calls included, so that it may be from the
     * customer. Outputs that had it before that are in `outputs`.
     */
    bool is_known;
    struct bind_output **outputs;
    size_t n_outputs;
    size_t max_outputs;
    uint64_t mark; /* scratch */
};

/* A successful result. */
struct bind_output {
    struct bind_text **known; /* those of its texts that are known */
    size_t n_known;
    size_t max_known;
};

/* The values that a source has in one output; at least one. */
struct bind_list {
    struct bind_source *source;
    size_t output; /* its number, counted from the first */
    size_t n;
    struct bind_value {
        struct sp_str text;
        bool is_mentioned; /* it or its record; not kept for lists that are passed whole */
    } * values;
    struct bind_entry ***entries; /* of each user of the source: by value; one for a whole list */
};

/* Where an entry was seen; `list` is NULL: nowhere. */
struct bind_spot {
    struct bind_list *list;
    size_t pos; /* of its values the first that is it */
};

enum bind_heap_kind { BIND_HEAP_ALL, BIND_HEAP_MENTIONED, BIND_N_HEAPS };

/* Where an entry stands in an order. */
struct bind_place {
    size_t rule;             /* whose spot is visited first */
    size_t in[BIND_N_HEAPS]; /* one more than its index in the heap; 0: it is not in it */
};

/* A value of an argument. */
struct bind_entry {
    struct sp_str text;
    size_t n_used;             /* calls that passed it */
    struct bind_spot *spots;   /* by rule: the last list */
    struct bind_place *places; /* by order */
    size_t *reads;             /* numbers of calls that passed it and succeeded, ascending */
    size_t n_reads;
    size_t max_reads;
};

/* When something is visited in an order: by the first number, then by the second, the third. */
struct bind_key {
    size_t of[3];
};

struct bind_heap {
    struct bind_ranked {
        struct bind_key key;
        struct bind_entry *entry;
    } * of;
    size_t n;
    size_t max;
};

/*
 * An order in which candidates are visited. By recency: the outputs, the most recent first, and for
 * each the rules. By rule: the rules by their ranks, and for each the outputs.
 */
struct bind_order {
    size_t *ranks;                        /* by rule; NULL: by recency */
    struct bind_heap heaps[BIND_N_HEAPS]; /* of the entries that are not used */
};

/* The order at a site. */
struct bind_site {
    struct sp_str site;
    size_t order;
};

enum bind_arg_kind {
    BIND_ARG_CONSTANT, /* the flow has a constant for it */
    BIND_ARG_LIST,
    BIND_ARG_VALUE,
    BIND_ARG_NAMED, /* of a lookup that training never called */
    BIND_ARG_UNSEEN,
};

struct bind_rule {
    struct bind_source *source;
    size_t user; /* its number among the source's */
};

struct bind_arg {
    struct sp_str name;
    enum bind_arg_kind kind;
    const struct flow_constant *constant; /* of a BIND_ARG_CONSTANT */
    struct bind_rule *rules;              /* in key order */
    size_t n_rules;
    struct bind_order *orders; /* the first is by recency */
    size_t n_orders;
    struct bind_site *sites; /* those whose order is another */
    size_t n_sites;
    bool has_mentioned; /* some value of some list is mentioned, or its record */
    struct sp_map by_text;
    struct bind_entry **entries;
    size_t n_entries;
    size_t max_entries;
};

/* A lookup. */
struct bind_tool {
    struct sp_str name;
    const struct flow_args *trained; /* NULL: it is bound by name */
    bool is_documented;
    struct bind_arg *args; /* those to pass, by name */
    size_t n_args;
    const struct flow_constant *constants;
    size_t n_constants;
    size_t n_made; /* calls */
};

struct bind_user {
    struct bind_arg *arg;
    size_t rule;
};

/* A string found in an output: spans of it. */
struct bind_found {
    struct sp_str value;
    struct sp_str holder;
};

/* A place in outputs: of a tool at a path, or of any tool in members of a name. */
struct bind_source {
    struct sp_str tool; /* of a path */
    struct sp_str name; /* the path or the member's name */
    struct outputs_path path;
    struct bind_user *users;
    size_t n_users;
    size_t max_users;
    bool has_values;          /* some user takes single values */
    struct bind_found *found; /* scratch, as the rest */
    size_t n_found;
    size_t max_found;
};

struct bind_sources {
    struct bind_source **of;
    size_t n;
    size_t max;
};

/* A call. */
struct bind_made {
    const struct bind_id *id;
    struct bind_tool *tool; /* NULL: no lookup that the flow knows */
    size_t turn;
    struct bind_text **given;
    size_t n_given;
    size_t max_given;
    struct bind_entry **used; /* by argument of the tool; NULL: none */
};

/* The calls of one id. */
struct bind_id {
    struct bind_output *output; /* of their last result; NULL: none, or it failed */
    size_t *calls;              /* their numbers, ascending */
    size_t n_calls;
    size_t max_calls;
    uint64_t mark; /* scratch */
};

/* Who has to know when texts become mentioned. */
struct bind_watch {
    struct bind_spot *spots; /* values that are, or whose records have, such a text */
    size_t n_spots;
    size_t max_spots;
    struct bind_text **texts;
    size_t n_texts;
    size_t max_texts;
};

struct bind {
    const struct flow *flow;
    struct bind_tool *tools;
    size_t n_tools;
    struct sp_map by_tool;         /* name -> index of `tools` */
    struct bind_sources *of_tools; /* sources by the tool whose outputs have them */
    size_t n_of_tools;
    size_t max_of_tools;
    struct sp_map by_source_tool; /* tool -> index of `of_tools` */
    struct bind_sources named;
    struct sp_map by_name; /* member's name -> index of `named` */

    size_t n_events;     /* taken in */
    size_t turn;         /* of these the last turn with calls, or SIZE_MAX */
    size_t n_turn_calls; /* of it, taken in */
    size_t last_turn;    /* the last turn, with calls or without, or SIZE_MAX */
    size_t n_outputs;
    size_t n_known;          /* texts that outputs have in `known`, all together */
    struct sp_str last_tool; /* of the last output */
    struct mentions *mentions;
    struct bind_watch *watches; /* by number of mention */
    size_t max_watches;
    struct bind_text **texts;
    size_t n_texts;
    size_t max_texts;
    struct sp_map by_text;
    struct bind_made *calls;
    size_t n_calls;
    size_t max_calls;
    struct bind_id **ids;
    size_t n_ids;
    size_t max_ids;
    struct sp_map by_id;
    struct sp_arena arena;

    uint64_t mark; /* scratch, as the rest: the last that was used */
    struct sp_buf json;
    struct sp_buf text;
};

/* Makes room for one more element behind `n`; `*of` is an array in the arena. */
#define BIND_ROOM(arena, of, n, max) \
    ((n) < (max) ? (void)0 : bind_state_grow((arena), (void **)&(of), &(max), sizeof *(of)))

static inline void bind_state_grow(struct sp_arena *arena, void **of, size_t *max, size_t size)
{
    size_t more = *max > 0 ? 2 * *max : 2;
    void *grown = sp_arena_alloc(arena, more * size);

    if (*max > 0)
        memcpy(grown, *of, *max * size);
    *of = grown;
    *max = more;
}

/* Why a lookup of which nothing is known is not bound. */
#define BIND_UNKNOWN SP_STR("training never called it, and its arguments are not known")

/* bind_plan.c: sets up tools, arguments and sources as the flow has them. */
void bind_plan_make(struct bind *b);

/* The lookup of that name; NULL for one that the flow does not offer. */
struct bind_tool *bind_plan_tool(const struct bind *b, struct sp_str name);

/* bind_rank.c: the entries of an argument, in the orders in which they are candidates. */

/* The entry of a text, made if there is none. */
struct bind_entry *bind_rank_entry(struct bind *b, struct bind_arg *arg, struct sp_str text);

/* One call more, or less, passes the entry. */
void bind_rank_use(struct bind *b, struct bind_arg *arg, struct bind_entry *entry);
void bind_rank_unuse(struct bind *b, struct bind_arg *arg, struct bind_entry *entry);

/* A rule of the argument has a list in a new output. */
void bind_rank_add(struct bind *b, const struct bind_user *user, size_t i_user,
                   struct bind_list *list);

/* A value of a list, or its record, has become mentioned. */
void bind_rank_mention(struct bind *b, const struct bind_user *user, size_t i_user,
                       struct bind_list *list, size_t pos);

/* The order of visiting when `site` is the tool of the last output. */
size_t bind_rank_order(const struct bind_arg *arg, struct sp_str site);

/* The first candidate of an order, or of those that are mentioned; NULL for none. */
struct bind_entry *bind_rank_first(const struct bind_arg *arg, size_t order,
                                   enum bind_heap_kind kind);

/* bind_take.c: what the session says. */
void bind_take_said(struct bind *b, struct sp_str text);
void bind_take_call(struct bind *b, size_t turn, const struct episode_call *call);
void bind_take_result(struct bind *b, size_t event, struct sp_str call_id, struct sp_str tool,
                      bool is_error, struct sp_str content);

/* The value that an argument has in canonical JSON; returns whether it has one, in b->text. */
bool bind_take_value(struct bind *b, struct sp_str arguments, struct sp_str name);

/* The calls of an id; NULL for none. */
struct bind_id *bind_take_id(const struct bind *b, struct sp_str id);

/* bind_pick.c: picks the arguments of a lookup. */
void bind_pick(struct bind *b, const struct episode_view *view, struct bind_tool *tool,
               struct bind_result *ret);
