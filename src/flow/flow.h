#pragma once

/*
 * A flow: all that is needed to decide, after one of the agent's calls, on a read-only lookup and
 * its arguments. Here is its form in memory, loading it from a file and saving it. The file's
 * format is in docs/formats.md.
 *
 * Every list is kept as an array in the order in which it is written, for saving and for walking;
 * maps and finders beside the arrays answer what serving asks. Whoever builds a flow or changes one
 * puts arrays into the flow's arena in any order and calls flow_index(), which brings them into
 * theirs; until then no finder may be used. After that, and after loading, a flow is read only.
 *
 * Views look into the flow's arena or, for constant texts, anywhere that outlives the flow.
 *
 * Thread: any, one at a time; one that nobody changes any more, any number of them.
 */

#include <stdint.h>

#include "base/sp_arena.h"
#include "base/sp_err.h"
#include "base/sp_map.h"
#include "trace/manifest.h"

struct program;

/* The longest history that a flow counts. */
#define FLOW_MAX_ORDER 16

/* The folds of a flow that has an arbiter. */
#define FLOW_N_FOLDS 5

/* The symbol of a step that is not there, before the first. */
#define FLOW_PADDING UINT32_MAX

/* How often something was counted. */
struct flow_tally {
    struct sp_str name;
    uint64_t n;
};

struct flow_tallies {
    struct flow_tally *of; /* sorted by name */
    size_t n;
};

/* How many of `n` came out right. */
struct flow_ratio {
    uint64_t hits;
    uint64_t n;
};

struct flow_provenance {
    struct sp_str stretto; /* the version of the program that wrote it */
    struct sp_str *sources;
    size_t n_sources;
    uint64_t habit_episodes;
    uint64_t arbiter_cases;
    uint64_t compiled_unix_ms;
};

struct flow_kind {
    struct sp_str name;
    enum manifest_kind kind;
};

struct flow_doc {
    struct sp_str name;
    struct sp_str summary;
    struct manifest_arg *args; /* sorted by name */
    size_t n_args;
};

/* A place in a tool's output of which a code feature is made. */
struct flow_field {
    bool is_len;        /* how many elements there are, else the scalar itself */
    struct sp_str path; /* keys joined by "." */
};

struct flow_fields {
    struct sp_str tool;
    struct flow_field *of; /* in the order of a feature's values */
    size_t n;
};

struct flow_feature {
    struct sp_str tool;
    struct sp_str *values;
    size_t n_values;
    uint64_t id;
};

struct flow_action_count {
    uint64_t action; /* may be one that the flow does not know */
    double n;
};

struct flow_counts {
    struct flow_action_count *by_action; /* sorted by action */
    size_t n;
    double total;
};

/* What followed a history. */
struct flow_context {
    uint64_t group;    /* in `top` only, else 0 */
    uint32_t *history; /* symbols, the oldest first */
    size_t n_history;
    struct flow_counts counts;
};

struct flow_level {
    struct flow_context *contexts; /* sorted by group, then history */
    size_t n;
    struct sp_map by_history; /* private; from a history's bytes; in `top` those of the group */
};

/* Counts of actions after histories of every length up to `order`. */
struct flow_model {
    uint64_t order;
    double alpha;
    uint64_t vocab_size; /* one more than the flow has actions: the last id is any other action */
    struct flow_level *levels; /* levels[j] has the histories of j symbols */
    size_t n_levels;           /* order + 1 */
};

/* After a call to `tool` that failed or not, the lookups that were made next. */
struct flow_next {
    struct sp_str tool;
    bool failed;
    struct flow_tallies lookups;
};

/* How many sessions passed a value from a lookup's results to an argument of a write. */
struct flow_fed {
    struct sp_str write;
    struct sp_str arg;
    uint64_t n;
};

struct flow_feed {
    struct sp_str lookup;
    struct flow_fed *of; /* sorted by write, then argument */
    size_t n;
};

struct flow_sites {
    struct sp_str *reads; /* in the order of their numbers, as the file has them */
    size_t n_reads;
    struct flow_next *next; /* sorted by tool; one that did not fail comes first */
    size_t n_next;
    struct flow_feed *feeds; /* sorted by lookup */
    size_t n_feeds;
    bool every_read;       /* every site offers all of `reads` */
    struct sp_map by_read; /* private */
};

enum flow_favors_kind {
    FLOW_SAME_LOOKUP,
    FLOW_ANY_LOOKUP,
    FLOW_HAND_BACK,
    FLOW_ONE_LOOKUP,
};

/* The option that a predicate's yes speaks for. */
struct flow_favors {
    enum flow_favors_kind kind;
    struct sp_str lookup; /* with FLOW_ONE_LOOKUP: the tool */
};

/* A yes/no question asked at each decision. */
struct flow_predicate {
    struct sp_str id;
    struct flow_favors favors;
    struct sp_str question;
    struct sp_str yes;
    struct sp_str no;
};

struct flow_predicates {
    struct flow_predicate *of; /* in the order of the weights */
    size_t n;
};

struct flow_rate {
    struct sp_str site;
    double decisions;
    double agreed;
    double covered;
};

/* One fit of the arbiter. */
struct flow_fold {
    double *weights;
    size_t n_weights;
    struct flow_rate *sites; /* sorted by site */
    size_t n_sites;
    double agree;
    double cover;
};

/* How often a tool was called, and with which arguments. */
struct flow_args {
    struct sp_str lookup;
    uint64_t calls;
    struct flow_tallies args;
};

/* How many values of an argument were found at a path of a tool's results. */
struct flow_found {
    struct sp_str tool;
    struct sp_str path;
    uint64_t n;
};

struct flow_traced {
    struct sp_str lookup;
    struct sp_str arg;
    uint64_t values;
    struct flow_found *found; /* sorted by tool, then path */
    size_t n_found;
};

struct flow_traces {
    struct flow_traced *of; /* sorted by lookup, then argument */
    size_t n;
};

struct flow_agreed {
    struct sp_str lookup;
    struct flow_ratio unmentioned; /* picks that the customer had not mentioned */
    struct flow_ratio mentioned;
};

/* Of the picks of a kind, how many were used. */
struct flow_used {
    struct sp_str lookup;
    struct flow_ratio ratio;
};

struct flow_useds {
    struct flow_used *of; /* sorted by lookup */
    size_t n;
};

struct flow_site_source {
    struct sp_str tool;
    struct sp_str arg;
    struct sp_str site;
    struct sp_str source_tool;
    struct sp_str source_path;
    uint64_t values;
};

/* An argument that was always passed with one value. */
struct flow_constant {
    struct sp_str lookup;
    struct sp_str arg;
    struct sp_str value; /* canonical JSON of any type */
};

struct flow_bindings {
    struct flow_args *args; /* sorted by lookup */
    size_t n_args;
    struct flow_traces sources;
    struct flow_agreed *agreed; /* sorted by lookup */
    size_t n_agreed;
    struct flow_useds named_other;
    struct flow_useds described_read;
    struct flow_site_source *site_sources; /* sorted by tool, argument, site, source */
    size_t n_site_sources;
    struct flow_traces lists;
    struct flow_tallies bare;
    struct flow_constant *constants; /* sorted by lookup, then argument */
    size_t n_constants;
};

struct flow_promoted_site {
    struct sp_str site;
    uint64_t decisions;
    uint64_t lookups;
    uint64_t used;
    uint64_t tasks;
    double lower;
    bool promoted;
};

struct flow_promoted {
    double threshold; /* the bar, as the next three */
    double min_used;
    double min_lower;
    uint64_t min_tasks;
    struct flow_promoted_site *sites; /* sorted by site */
    size_t n_sites;
};

struct flow_threshold {
    struct sp_str site;
    double threshold;
};

struct flow_contract {
    struct sp_str tool;
    struct sp_str text;
};

struct flow {
    struct flow_provenance provenance;

    /*
     * The actions by id. The first is a message to the customer, whose `p` is NULL; the others are
     * the names of tools.
     */
    struct sp_str *actions;
    size_t n_actions;

    struct sp_str domain;
    struct flow_kind *kinds; /* of the domain's tools, sorted by name */
    size_t n_kinds;
    struct flow_doc *docs; /* sorted by name */
    size_t n_docs;

    struct flow_fields *fields; /* sorted by tool */
    size_t n_fields;
    struct flow_feature *features; /* sorted by tool, then values */
    size_t n_features;

    uint64_t group;
    struct flow_model habit;
    double beta;
    struct flow_level top;

    struct flow_sites sites;
    struct flow_predicates predicates;
    struct flow_predicates weighed;
    struct flow_fold *folds; /* none or FLOW_N_FOLDS */
    size_t n_folds;
    struct flow_bindings bindings;
    struct sp_str model; /* empty without an arbiter */

    struct program
        *program; /* the flow's own, freed with it; NULL: flow_index() sets the standard */
    bool has_standard_program;

    bool is_promoted;
    struct flow_promoted promoted;     /* if is_promoted */
    struct flow_threshold *thresholds; /* sorted by site */
    size_t n_thresholds;
    struct flow_contract *contracts; /* sorted by tool */
    size_t n_contracts;
    bool has_reach;
    struct flow_model reach; /* if has_reach; `total` counts steps, so counts may add up to more */

    struct sp_arena arena;
    struct sp_map by_action; /* private */
};

/* Gives an empty flow, all of it zero. */
struct flow *flow_new(void);

/* Frees a flow, its arena, its maps and its program. */
void flow_free(struct flow *f);

/*
 * Sorts every sorted array, drops all but the last of what has the same key (site_sources keep
 * all), makes the maps, gives a flow without a program the standard one, and sees whether it has
 * that. Called again after a change of a flow, it starts afresh.
 */
void flow_index(struct flow *f);

/* The same for a fold that is in no flow yet. */
void flow_index_fold(struct flow_fold *fold);

/* The version of the format that the flow has to be written in: 1 or 2. */
unsigned flow_version(const struct flow *f);

/*
 * Checks what serving relies on: sizes that have to match, numbers that have to be finite. Never
 * reads out of bounds, whatever the flow holds. For a flow that was indexed.
 *
 * Returns: 0, or negative, told in ret_err by naming the member.
 */
int flow_check(const struct flow *f, struct sp_err *ret_err);

/* The same for a fold of an arbiter that weighs that many predicates; `name` is the member's. */
int flow_check_fold(const struct flow_fold *fold, size_t n_weighed, const char *name,
                    struct sp_err *ret_err);

/*
 * Reads a flow from the text of its file.
 *
 * Returns: 0; negative when it is none or one that this build does not serve, told in ret_err.
 */
int flow_parse(struct sp_str text, struct flow **ret, struct sp_err *ret_err);

/* The same from a file; one that cannot be read gives "reading PATH: REASON", one that is no flow
 * "PATH: REASON". */
int flow_load(const char *path, struct flow **ret, struct sp_err *ret_err);

/*
 * Appends the text of the flow's file: one line without its end. Writing what was read gives the
 * same bytes, if this program wrote it.
 */
void flow_put(struct sp_buf *b, const struct flow *f);

/*
 * Saves a flow under `path`, readable by its owner only. A file that was there stays until the new
 * one is complete, and stays when saving fails; a device or a pipe is written to.
 *
 * Returns: 0, or negative, told in ret_err: "writing PATH: REASON".
 */
int flow_save(const char *path, const struct flow *f, struct sp_err *ret_err);

/* The id of a tool's action: n_actions when the flow does not list it. */
uint64_t flow_action(const struct flow *f, struct sp_str tool);

/* Finders: what the flow, or a part of it, has under a name; NULL for nothing. */
const struct flow_kind *flow_kind_of(const struct flow *f, struct sp_str tool);
const struct flow_doc *flow_doc_of(const struct flow *f, struct sp_str tool);
const struct flow_fields *flow_fields_of(const struct flow *f, struct sp_str tool);
const struct flow_next *flow_next_of(const struct flow *f, struct sp_str tool, bool failed);
const struct flow_feed *flow_feed_of(const struct flow *f, struct sp_str lookup);
const struct flow_rate *flow_rate_of(const struct flow_fold *fold, struct sp_str site);
const struct flow_args *flow_args_of(const struct flow *f, struct sp_str lookup);
const struct flow_agreed *flow_agreed_of(const struct flow *f, struct sp_str lookup);
const struct flow_used *flow_used_of(const struct flow_useds *useds, struct sp_str lookup);
const struct flow_tally *flow_tally_of(const struct flow_tallies *tallies, struct sp_str name);
const struct flow_traced *flow_traced_of(const struct flow_traces *traces, struct sp_str lookup,
                                         struct sp_str arg);
const struct flow_promoted_site *flow_promoted_of(const struct flow *f, struct sp_str site);
const struct flow_threshold *flow_threshold_of(const struct flow *f, struct sp_str site);
const struct flow_contract *flow_contract_of(const struct flow *f, struct sp_str tool);

/* The constants of a lookup stand together: gives the first and sets ret_n; NULL for none. */
const struct flow_constant *flow_constants_of(const struct flow *f, struct sp_str lookup,
                                              size_t *ret_n);

/* The site_sources of an argument stand together, and of these those of a site; the same. */
const struct flow_site_source *flow_site_sources_of(const struct flow *f, struct sp_str lookup,
                                                    struct sp_str arg, size_t *ret_n);

/* Orders lists of texts: element by element, a shorter one before a longer one it begins. */
int flow_cmp_texts(const struct sp_str *a, size_t n_a, const struct sp_str *b, size_t n_b);

/* The id of a tool's feature with these values; 0 for none. */
uint64_t flow_feature_of(const struct flow *f, struct sp_str tool, const struct sp_str *values,
                         size_t n_values);

/* The place of a lookup in `reads`; n_reads when it is not one. */
size_t flow_read_of(const struct flow *f, struct sp_str lookup);

/*
 * What followed a history of `n` symbols; NULL when it never occurred or the model has no such
 * level. The second asks the layer of the flow's group, whose histories have habit.order symbols.
 */
const struct flow_counts *flow_counts_of(const struct flow_model *m, const uint32_t *history,
                                         size_t n);
const struct flow_counts *flow_top_of(const struct flow *f, const uint32_t *history);

/* The count of an action; 0 when it has none. */
double flow_count(const struct flow_counts *counts, uint64_t action);
