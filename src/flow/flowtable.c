/* The tables of the flow file, from the simplest types to the whole. */

#include "flow/flow.h"
#include "flow/flowtable.h"
#include "flow/program.h"
#include "json/jcanon.h"
#include "json/jput.h"

/* One value, a list or a map; the member of the struct named last is the number of elements. */
#define ONE(key, key_rule, of, t, member)                                       \
    {                                                                           \
        .name = (key), .rule = (key_rule), .shape = FLOWJSON_ONE, .type = &(t), \
        .offset = offsetof(struct of, member),                                  \
    }
#define MANY(key, key_rule, key_shape, of, t, member, n_member)                           \
    {                                                                                     \
        .name = (key), .rule = (key_rule), .shape = (key_shape), .type = &(t),            \
        .offset = offsetof(struct of, member), .n_offset = offsetof(struct of, n_member), \
    }
#define LIST(key, key_rule, of, t, member, n_member) \
    MANY(key, key_rule, FLOWJSON_LIST, of, t, member, n_member)
#define MAP(key, key_rule, of, t, member, n_member) \
    MANY(key, key_rule, FLOWJSON_MAP, of, t, member, n_member)

/* One value that may be absent: the bool named last tells. */
#define PRESENT(key, key_rule, of, t, member, is_member) \
    MANY(key, key_rule, FLOWJSON_ONE, of, t, member, is_member)

/* A part of the JSON that is no struct of its own: its members lie in the struct around it. */
#define PART(key, key_rule, t)                                                  \
    {                                                                           \
        .name = (key), .rule = (key_rule), .shape = FLOWJSON_ONE, .type = &(t), \
    }

#define REQUIRED     FLOWJSON_REQUIRED
#define OPTIONAL     FLOWJSON_OPTIONAL
#define UNLESS_EMPTY FLOWJSON_UNLESS_EMPTY

#define N_OF(array) (sizeof(array) / sizeof *(array))

#define TYPE(type_form, of, table)                                         \
    {                                                                      \
        .form = (type_form), .size = sizeof(struct of), .fields = (table), \
        .n_fields = N_OF(table),                                           \
    }
#define OBJECT(of, table) TYPE(FLOWJSON_OBJECT, of, table)
#define TUPLE(of, table)  TYPE(FLOWJSON_TUPLE, of, table)
#define BARE(of, table)   TYPE(FLOWJSON_BARE, of, table)

/* The string that is the member `name` of an object; whether there is one. */
static bool get_tagged(const struct flowjson_at *at, struct sp_str value, struct sp_str name,
                       struct sp_str *ret)
{
    struct sp_str text;

    if (!jget_member(value, name, &text) || jget_type(text) != JSCAN_STRING)
        return false;
    *ret = flowjson_text(at, text);
    return true;
}

static void put_tagged(struct sp_buf *b, const char *name, struct sp_str text)
{
    sp_buf_addf(b, "{\"%s\":", name);
    jput_string(b, text);
    sp_buf_add_char(b, '}');
}

static const struct flowjson_field provenance_fields[] = {
    ONE("stretto", REQUIRED, flow_provenance, flowjson_string, stretto),
    LIST("sources", REQUIRED, flow_provenance, flowjson_string, sources, n_sources),
    ONE("habit_episodes", REQUIRED, flow_provenance, flowjson_integer, habit_episodes),
    ONE("arbiter_cases", REQUIRED, flow_provenance, flowjson_integer, arbiter_cases),
    ONE("compiled_unix_ms", REQUIRED, flow_provenance, flowjson_integer, compiled_unix_ms),
};
const struct flowjson_type flowtable_provenance = OBJECT(flow_provenance, provenance_fields);

static int read_action(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    struct sp_str *action = ret;

    if (jget_type(value) == JSCAN_STRING && jget_is_text(value, SP_STR("Respond"))) {
        action->p = NULL;
        return 0;
    }
    if (!get_tagged(at, value, SP_STR("Tool"), action))
        return flowjson_fail(at, "expected \"Respond\" or {\"Tool\": NAME}");
    return 0;
}

static void put_action(struct sp_buf *b, const void *value)
{
    const struct sp_str *action = value;

    if (action->p == NULL)
        sp_buf_add(b, SP_STR("\"Respond\""));
    else
        put_tagged(b, "Tool", *action);
}

static const struct flowjson_type action = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct sp_str),
    .read = read_action,
    .put = put_action,
};

static int read_kind(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    static const enum manifest_kind kinds[] = {MANIFEST_READ, MANIFEST_WRITE, MANIFEST_GENERIC};

    for (size_t i = 0; i < N_OF(kinds) && jget_type(value) == JSCAN_STRING; i++) {
        if (jget_is_text(value, manifest_kind_name(kinds[i]))) {
            *(enum manifest_kind *)ret = kinds[i];
            return 0;
        }
    }
    return flowjson_fail(at, "expected \"read\", \"write\" or \"generic\"");
}

static void put_kind(struct sp_buf *b, const void *value)
{
    jput_string(b, manifest_kind_name(*(const enum manifest_kind *)value));
}

static const struct flowjson_type kind = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(enum manifest_kind),
    .read = read_kind,
    .put = put_kind,
};

static const struct flowjson_field tool_kind_fields[] = {
    ONE(NULL, REQUIRED, flow_kind, kind, kind),
};
static const struct flowjson_type tool_kind = BARE(flow_kind, tool_kind_fields);

static const struct flowjson_field doc_arg_fields[] = {
    ONE(NULL, REQUIRED, manifest_arg, flowjson_string, text),
};
static const struct flowjson_type doc_arg = BARE(manifest_arg, doc_arg_fields);

static const struct flowjson_field doc_fields[] = {
    ONE("summary", REQUIRED, flow_doc, flowjson_string, summary),
    MAP("args", REQUIRED, flow_doc, doc_arg, args, n_args),
};
static const struct flowjson_type doc = OBJECT(flow_doc, doc_fields);

static const struct flowjson_field manifest_fields[] = {
    ONE("domain", REQUIRED, flow, flowjson_string, domain),
    MAP("tools", REQUIRED, flow, tool_kind, kinds, n_kinds),
    MAP("docs", OPTIONAL, flow, doc, docs, n_docs),
};
static const struct flowjson_type manifest = OBJECT(flow, manifest_fields);

const struct flowjson_type flowtable_tools = {
    .form = FLOWJSON_OBJECT,
    .size = sizeof(struct flow),
    .fields = manifest_fields + 1, /* without the domain */
    .n_fields = N_OF(manifest_fields) - 1,
};

static int read_place(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    struct flow_field *field = ret;

    if (get_tagged(at, value, SP_STR("Scalar"), &field->path))
        return 0;
    if (!get_tagged(at, value, SP_STR("Len"), &field->path))
        return flowjson_fail(at, "expected {\"Scalar\": PATH} or {\"Len\": PATH}");
    field->is_len = true;
    return 0;
}

static void put_place(struct sp_buf *b, const void *value)
{
    const struct flow_field *field = value;

    put_tagged(b, field->is_len ? "Len" : "Scalar", field->path);
}

static const struct flowjson_type place = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct flow_field),
    .read = read_place,
    .put = put_place,
};

static const struct flowjson_field tool_fields_fields[] = {
    LIST(NULL, REQUIRED, flow_fields, place, of, n),
};
static const struct flowjson_type tool_fields = BARE(flow_fields, tool_fields_fields);

static const struct flowjson_field feature_key_fields[] = {
    ONE(NULL, REQUIRED, flow_feature, flowjson_string, tool),
    LIST(NULL, REQUIRED, flow_feature, flowjson_string, values, n_values),
};
static const struct flowjson_type feature_key = TUPLE(flow_feature, feature_key_fields);

static const struct flowjson_field feature_fields[] = {
    PART(NULL, REQUIRED, feature_key),
    ONE(NULL, REQUIRED, flow_feature, flowjson_integer, id),
};
static const struct flowjson_type feature = TUPLE(flow_feature, feature_fields);

static const struct flowjson_field map_fields[] = {
    MAP("fields", REQUIRED, flow, tool_fields, fields, n_fields),
    LIST("ids", REQUIRED, flow, feature, features, n_features),
};
static const struct flowjson_type map = OBJECT(flow, map_fields);

static const struct flowjson_field action_count_fields[] = {
    ONE(NULL, REQUIRED, flow_action_count, flowjson_integer, action),
    ONE(NULL, REQUIRED, flow_action_count, flowjson_real, n),
};
static const struct flowjson_type action_count = TUPLE(flow_action_count, action_count_fields);

static const struct flowjson_field counts_fields[] = {
    LIST("by_action", REQUIRED, flow_counts, action_count, by_action, n),
    ONE("total", REQUIRED, flow_counts, flowjson_real, total),
};
static const struct flowjson_type counts = OBJECT(flow_counts, counts_fields);

static const struct flowjson_field context_fields[] = {
    LIST(NULL, REQUIRED, flow_context, flowjson_symbol, history, n_history),
    ONE(NULL, REQUIRED, flow_context, counts, counts),
};
static const struct flowjson_type context = TUPLE(flow_context, context_fields);

static const struct flowjson_field level_fields[] = {
    LIST(NULL, REQUIRED, flow_level, context, contexts, n),
};
static const struct flowjson_type level = BARE(flow_level, level_fields);

static const struct flowjson_field model_fields[] = {
    ONE("order", REQUIRED, flow_model, flowjson_integer, order),
    ONE("alpha", REQUIRED, flow_model, flowjson_real, alpha),
    ONE("vocab_size", REQUIRED, flow_model, flowjson_integer, vocab_size),
    LIST("levels", REQUIRED, flow_model, level, levels, n_levels),
};
static const struct flowjson_type model = OBJECT(flow_model, model_fields);

static const struct flowjson_field top_key_fields[] = {
    ONE(NULL, REQUIRED, flow_context, flowjson_integer, group),
    LIST(NULL, REQUIRED, flow_context, flowjson_symbol, history, n_history),
};
static const struct flowjson_type top_key = TUPLE(flow_context, top_key_fields);

static const struct flowjson_field top_context_fields[] = {
    PART(NULL, REQUIRED, top_key),
    ONE(NULL, REQUIRED, flow_context, counts, counts),
};
static const struct flowjson_type top_context = TUPLE(flow_context, top_context_fields);

static const struct flowjson_field habit_fields[] = {
    ONE("base", REQUIRED, flow, model, habit),
    ONE("beta", REQUIRED, flow, flowjson_real, beta),
    LIST("top", REQUIRED, flow, top_context, top.contexts, top.n),
};
static const struct flowjson_type habit = OBJECT(flow, habit_fields);

static const struct flowjson_field tally_fields[] = {
    ONE(NULL, REQUIRED, flow_tally, flowjson_integer, n),
};
static const struct flowjson_type tally = BARE(flow_tally, tally_fields);

static const struct flowjson_field tallies_fields[] = {
    MAP(NULL, REQUIRED, flow_tallies, tally, of, n),
};
static const struct flowjson_type tallies = BARE(flow_tallies, tallies_fields);

static const struct flowjson_field site_fields[] = {
    ONE(NULL, REQUIRED, flow_next, flowjson_string, tool),
    ONE(NULL, REQUIRED, flow_next, flowjson_bool, failed),
};
static const struct flowjson_type site = TUPLE(flow_next, site_fields);

static const struct flowjson_field next_fields[] = {
    PART(NULL, REQUIRED, site),
    ONE(NULL, REQUIRED, flow_next, tallies, lookups),
};
static const struct flowjson_type next = TUPLE(flow_next, next_fields);

static const struct flowjson_field fed_key_fields[] = {
    ONE(NULL, REQUIRED, flow_fed, flowjson_string, write),
    ONE(NULL, REQUIRED, flow_fed, flowjson_string, arg),
};
static const struct flowjson_type fed_key = TUPLE(flow_fed, fed_key_fields);

static const struct flowjson_field fed_fields[] = {
    PART(NULL, REQUIRED, fed_key),
    ONE(NULL, REQUIRED, flow_fed, flowjson_integer, n),
};
static const struct flowjson_type fed = TUPLE(flow_fed, fed_fields);

static const struct flowjson_field feed_fields[] = {
    LIST(NULL, REQUIRED, flow_feed, fed, of, n),
};
static const struct flowjson_type feed = BARE(flow_feed, feed_fields);

static const struct flowjson_field sites_fields[] = {
    LIST("reads", REQUIRED, flow_sites, flowjson_string, reads, n_reads),
    LIST("next", REQUIRED, flow_sites, next, next, n_next),
    MAP("feeds", REQUIRED, flow_sites, feed, feeds, n_feeds),
    ONE("every_read", FLOWJSON_WHEN_TRUE, flow_sites, flowjson_bool, every_read),
};
static const struct flowjson_type sites = OBJECT(flow_sites, sites_fields);

static const char *const favors_names[] = {
    [FLOW_SAME_LOOKUP] = "same_lookup",
    [FLOW_ANY_LOOKUP] = "any_lookup",
    [FLOW_HAND_BACK] = "hand_back",
};

static int read_favors(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    struct flow_favors *favors = ret;

    for (size_t i = 0; i < N_OF(favors_names) && jget_type(value) == JSCAN_STRING; i++) {
        if (jget_is_text(value, sp_str_of(favors_names[i]))) {
            favors->kind = (enum flow_favors_kind)i;
            return 0;
        }
    }
    if (!get_tagged(at, value, SP_STR("lookup"), &favors->lookup))
        return flowjson_fail(at, "expected \"same_lookup\", \"any_lookup\", \"hand_back\" or "
                                 "{\"lookup\": TOOL}");
    favors->kind = FLOW_ONE_LOOKUP;
    return 0;
}

static void put_favors(struct sp_buf *b, const void *value)
{
    const struct flow_favors *favors = value;

    if (favors->kind == FLOW_ONE_LOOKUP)
        put_tagged(b, "lookup", favors->lookup);
    else
        jput_string(b, sp_str_of(favors_names[favors->kind]));
}

static const struct flowjson_type favors = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct flow_favors),
    .read = read_favors,
    .put = put_favors,
};

static const struct flowjson_field predicate_fields[] = {
    ONE("id", REQUIRED, flow_predicate, flowjson_string, id),
    ONE("favors", REQUIRED, flow_predicate, favors, favors),
    ONE("question", REQUIRED, flow_predicate, flowjson_string, question),
    ONE("yes", REQUIRED, flow_predicate, flowjson_string, yes),
    ONE("no", REQUIRED, flow_predicate, flowjson_string, no),
};
static const struct flowjson_type predicate = OBJECT(flow_predicate, predicate_fields);

static const struct flowjson_field predicates_fields[] = {
    LIST(NULL, REQUIRED, flow_predicates, predicate, of, n),
};
const struct flowjson_type flowtable_predicates = BARE(flow_predicates, predicates_fields);

static const struct flowjson_field rate_numbers_fields[] = {
    ONE(NULL, REQUIRED, flow_rate, flowjson_real, decisions),
    ONE(NULL, REQUIRED, flow_rate, flowjson_real, agreed),
    ONE(NULL, REQUIRED, flow_rate, flowjson_real, covered),
};
static const struct flowjson_type rate_numbers = TUPLE(flow_rate, rate_numbers_fields);

static const struct flowjson_field rate_fields[] = {
    ONE(NULL, REQUIRED, flow_rate, flowjson_string, site),
    PART(NULL, REQUIRED, rate_numbers),
};
static const struct flowjson_type rate = TUPLE(flow_rate, rate_fields);

static const struct flowjson_field rates_fields[] = {
    LIST("sites", REQUIRED, flow_fold, rate, sites, n_sites),
    ONE("agree", REQUIRED, flow_fold, flowjson_real, agree),
    ONE("cover", REQUIRED, flow_fold, flowjson_real, cover),
};
static const struct flowjson_type rates = OBJECT(flow_fold, rates_fields);

static const struct flowjson_field fold_fields[] = {
    LIST("weights", REQUIRED, flow_fold, flowjson_real, weights, n_weights),
    PART("rates", REQUIRED, rates),
};
const struct flowjson_type flowtable_fold = OBJECT(flow_fold, fold_fields);

static const struct flowjson_field args_fields[] = {
    ONE(NULL, REQUIRED, flow_args, flowjson_integer, calls),
    ONE(NULL, REQUIRED, flow_args, tallies, args),
};
static const struct flowjson_type args = TUPLE(flow_args, args_fields);

static const struct flowjson_field found_key_fields[] = {
    ONE(NULL, REQUIRED, flow_found, flowjson_string, tool),
    ONE(NULL, REQUIRED, flow_found, flowjson_string, path),
};
static const struct flowjson_type found_key = TUPLE(flow_found, found_key_fields);

static const struct flowjson_field found_fields[] = {
    PART(NULL, REQUIRED, found_key),
    ONE(NULL, REQUIRED, flow_found, flowjson_integer, n),
};
static const struct flowjson_type found = TUPLE(flow_found, found_fields);

static const struct flowjson_field traced_key_fields[] = {
    ONE(NULL, REQUIRED, flow_traced, flowjson_string, lookup),
    ONE(NULL, REQUIRED, flow_traced, flowjson_string, arg),
};
static const struct flowjson_type traced_key = TUPLE(flow_traced, traced_key_fields);

static const struct flowjson_field traced_value_fields[] = {
    ONE("values", REQUIRED, flow_traced, flowjson_integer, values),
    LIST("found", REQUIRED, flow_traced, found, found, n_found),
};
static const struct flowjson_type traced_value = OBJECT(flow_traced, traced_value_fields);

static const struct flowjson_field traced_fields[] = {
    PART(NULL, REQUIRED, traced_key),
    PART(NULL, REQUIRED, traced_value),
};
static const struct flowjson_type traced = TUPLE(flow_traced, traced_fields);

static const struct flowjson_field traces_fields[] = {
    LIST(NULL, REQUIRED, flow_traces, traced, of, n),
};
static const struct flowjson_type traces = BARE(flow_traces, traces_fields);

static const struct flowjson_field ratio_fields[] = {
    ONE(NULL, REQUIRED, flow_ratio, flowjson_integer, hits),
    ONE(NULL, REQUIRED, flow_ratio, flowjson_integer, n),
};
static const struct flowjson_type ratio = TUPLE(flow_ratio, ratio_fields);

static const struct flowjson_field agreed_fields[] = {
    ONE(NULL, REQUIRED, flow_agreed, ratio, unmentioned),
    ONE(NULL, REQUIRED, flow_agreed, ratio, mentioned),
};
static const struct flowjson_type agreed = TUPLE(flow_agreed, agreed_fields);

static const struct flowjson_field used_fields[] = {
    ONE(NULL, REQUIRED, flow_used, ratio, ratio),
};
static const struct flowjson_type used = BARE(flow_used, used_fields);

static const struct flowjson_field useds_fields[] = {
    MAP(NULL, REQUIRED, flow_useds, used, of, n),
};
static const struct flowjson_type useds = BARE(flow_useds, useds_fields);

static const struct flowjson_field site_source_place_fields[] = {
    ONE(NULL, REQUIRED, flow_site_source, flowjson_string, source_tool),
    ONE(NULL, REQUIRED, flow_site_source, flowjson_string, source_path),
};
static const struct flowjson_type site_source_place =
    TUPLE(flow_site_source, site_source_place_fields);

static const struct flowjson_field site_source_fields[] = {
    ONE("tool", REQUIRED, flow_site_source, flowjson_string, tool),
    ONE("arg", REQUIRED, flow_site_source, flowjson_string, arg),
    ONE("site", REQUIRED, flow_site_source, flowjson_string, site),
    PART("source", REQUIRED, site_source_place),
    ONE("values", REQUIRED, flow_site_source, flowjson_integer, values),
};
static const struct flowjson_type site_source = OBJECT(flow_site_source, site_source_fields);

static int read_canonical(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    struct sp_buf text = {0};

    jcanon(&text, value);
    *(struct sp_str *)ret = sp_arena_copy(at->arena, sp_buf_str(&text));
    sp_buf_deinit(&text);
    return 0;
}

static void put_canonical(struct sp_buf *b, const void *value)
{
    sp_buf_add(b, *(const struct sp_str *)value);
}

static const struct flowjson_type canonical = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct sp_str),
    .read = read_canonical,
    .put = put_canonical,
};

static const struct flowjson_field constant_key_fields[] = {
    ONE(NULL, REQUIRED, flow_constant, flowjson_string, lookup),
    ONE(NULL, REQUIRED, flow_constant, flowjson_string, arg),
};
static const struct flowjson_type constant_key = TUPLE(flow_constant, constant_key_fields);

static const struct flowjson_field constant_fields[] = {
    PART(NULL, REQUIRED, constant_key),
    ONE(NULL, REQUIRED, flow_constant, canonical, value),
};
static const struct flowjson_type constant = TUPLE(flow_constant, constant_fields);

static const struct flowjson_field bindings_fields[] = {
    MAP("args", REQUIRED, flow_bindings, args, args, n_args),
    ONE("sources", REQUIRED, flow_bindings, traces, sources),
    MAP("agreed", REQUIRED, flow_bindings, agreed, agreed, n_agreed),
    ONE("named_other", UNLESS_EMPTY, flow_bindings, useds, named_other),
    ONE("described_read", UNLESS_EMPTY, flow_bindings, useds, described_read),
    LIST("site_sources", UNLESS_EMPTY, flow_bindings, site_source, site_sources, n_site_sources),
    ONE("lists", UNLESS_EMPTY, flow_bindings, traces, lists),
    ONE("bare", UNLESS_EMPTY, flow_bindings, tallies, bare),
    LIST("constants", UNLESS_EMPTY, flow_bindings, constant, constants, n_constants),
};
static const struct flowjson_type bindings = OBJECT(flow_bindings, bindings_fields);

/* That it is an object is seen in its turn; what it says is read and checked last of all. */
static int read_program(const struct flowjson_at *at, struct sp_str value, void *ret)
{
    (void)ret;
    return jget_type(value) == JSCAN_OBJECT ? 0 : flowjson_fail(at, "expected an object");
}

static void put_program(struct sp_buf *b, const void *value)
{
    program_put(b, *(struct program *const *)value);
}

static const struct flowjson_type program = {
    .form = FLOWJSON_SCALAR,
    .size = sizeof(struct program *),
    .read = read_program,
    .put = put_program,
};

static const struct flowjson_field bar_fields[] = {
    ONE("threshold", REQUIRED, flow_promoted, flowjson_real, threshold),
    ONE("min_used", REQUIRED, flow_promoted, flowjson_real, min_used),
    ONE("min_lower", REQUIRED, flow_promoted, flowjson_real, min_lower),
    ONE("min_tasks", REQUIRED, flow_promoted, flowjson_integer, min_tasks),
};
static const struct flowjson_type bar = OBJECT(flow_promoted, bar_fields);

static const struct flowjson_field promoted_site_fields[] = {
    ONE("decisions", REQUIRED, flow_promoted_site, flowjson_integer, decisions),
    ONE("lookups", REQUIRED, flow_promoted_site, flowjson_integer, lookups),
    ONE("used", REQUIRED, flow_promoted_site, flowjson_integer, used),
    ONE("tasks", REQUIRED, flow_promoted_site, flowjson_integer, tasks),
    ONE("lower", REQUIRED, flow_promoted_site, flowjson_real, lower),
    ONE("promoted", REQUIRED, flow_promoted_site, flowjson_bool, promoted),
};
static const struct flowjson_type promoted_site = OBJECT(flow_promoted_site, promoted_site_fields);

static const struct flowjson_field promoted_fields[] = {
    PART("bar", REQUIRED, bar),
    MAP("sites", REQUIRED, flow_promoted, promoted_site, sites, n_sites),
};
static const struct flowjson_type promoted = OBJECT(flow_promoted, promoted_fields);

static const struct flowjson_field threshold_fields[] = {
    ONE(NULL, REQUIRED, flow_threshold, flowjson_real, threshold),
};
static const struct flowjson_type threshold = BARE(flow_threshold, threshold_fields);

static const struct flowjson_field contract_fields[] = {
    ONE(NULL, REQUIRED, flow_contract, flowjson_string, text),
};
static const struct flowjson_type contract = BARE(flow_contract, contract_fields);

static const struct flowjson_field flow_fields[] = {
    ONE("provenance", REQUIRED, flow, flowtable_provenance, provenance),
    LIST("vocab", REQUIRED, flow, action, actions, n_actions),
    PART("manifest", REQUIRED, manifest),
    PART("map", REQUIRED, map),
    ONE("group", REQUIRED, flow, flowjson_integer, group),
    PART("habit", REQUIRED, habit),
    ONE("sites", REQUIRED, flow, sites, sites),
    ONE("predicates", REQUIRED, flow, flowtable_predicates, predicates),
    ONE("weighed", REQUIRED, flow, flowtable_predicates, weighed),
    LIST("folds", REQUIRED, flow, flowtable_fold, folds, n_folds),
    ONE("bindings", REQUIRED, flow, bindings, bindings),
    ONE("model", REQUIRED, flow, flowjson_string, model),
    ONE("program", OPTIONAL, flow, program, program),
    PRESENT("promoted", FLOWJSON_NULL_IS_ABSENT, flow, promoted, promoted, is_promoted),
    MAP("thresholds", UNLESS_EMPTY, flow, threshold, thresholds, n_thresholds),
    MAP("contracts", UNLESS_EMPTY, flow, contract, contracts, n_contracts),
    PRESENT("reach", FLOWJSON_WHEN_PRESENT, flow, model, reach, has_reach),
};
const struct flowjson_type flowtable_flow = OBJECT(flow, flow_fields);
