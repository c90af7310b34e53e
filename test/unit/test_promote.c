/* Tests of learn/promote.h: how lookups are scored, and which sites pass. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_carts.h"
#include "flow_edit.h"
#include "learn/promote.h"
#include "sessiontext.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* The flow looks up cart K7 behind the profile, and hands back at a cart. */
#define PROFILE "0 C 1 profile {}; 9 R 1 {\"carts\":[\"K7\"]}"
#define CART_K7 "{\"id\":\"K7\"}"
#define USED    PROFILE "; 1000 C 2 cart " CART_K7 "; 1009 R 2 open; 2000 A so"
#define DETOUR  PROFILE "; 1000 A so"

struct fixture {
    struct flow *flow;
    struct promote *p;
    struct sp_arena arena;
    struct flow_promoted found;
    struct promote_counts counts;
};

static struct promote_options with_bar(double min_used, double min_lower, uint64_t min_tasks)
{
    return (struct promote_options){
        .decider = DECIDE_HABIT,
        .threshold = 0.3,
        .per_call = 8,
        .min_used = min_used,
        .min_lower = min_lower,
        .min_tasks = min_tasks,
    };
}

static void begin(struct fixture *f, const struct flow_edit *edits, size_t n,
                  struct promote_options options)
{
    *f = (struct fixture){.flow = flow_parsed(FLOW_CARTS, edits, n)};
    options.flow = f->flow;
    f->p = promote_new(&options);
}

static void end(struct fixture *f)
{
    promote_free(f->p);
    flow_free(f->flow);
    sp_arena_deinit(&f->arena);
}

static void add(struct fixture *f, const char *log, const char *task)
{
    struct turns *turns = sessiontext_new(log);
    struct episode *e = turns_episode(turns);

    e->task_id = sp_str_of(task);
    promote_add(f->p, e, turns);
    turns_free(turns); /* nothing of it is kept */
}

static void find(struct fixture *f)
{
    f->counts = promote_find(f->p, &f->arena, &f->found);
}

/* What was found of a site; all zero if nothing. */
static struct flow_promoted_site record(const struct fixture *f, const char *site)
{
    for (size_t i = 0; i < f->found.n_sites; i++) {
        if (sp_str_eq(f->found.sites[i].site, sp_str_of(site)))
            return f->found.sites[i];
    }
    return (struct flow_promoted_site){0};
}

static void check(const char *what, struct flow_promoted_site r, uint64_t decisions,
                  uint64_t lookups, uint64_t used)
{
    if (r.decisions != decisions || r.lookups != lookups || r.used != used)
        fail_msg("%s: %ju decisions, %ju lookups, %ju used", what, (uintmax_t)r.decisions,
                 (uintmax_t)r.lookups, (uintmax_t)r.used);
}

/* Scores one session with a bar that promotes every site, so that chains go on everywhere. */
static void score(struct fixture *f, const struct flow_edit *edits, size_t n, const char *log)
{
    begin(f, edits, n, with_bar(0, 0, 0));
    add(f, log, "t");
    find(f);
}

/* ---- the bound and the bar ---- */

static void promote_wilson_bounds_a_share_from_below(void **state)
{
    static const struct {
        uint64_t used, n;
        double lower;
    } cases[] = {
        {0, 0, 0},       {0, 5, 0},        {1, 1, 0.2699},   {2, 2, 0.4250},
        {3, 3, 0.5258},  {4, 5, 0.4353},   {7, 10, 0.4417},  {8, 10, 0.5408},
        {9, 13, 0.4648}, {14, 20, 0.5162}, {36, 40, 0.7950}, {80, 100, 0.7267},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        double lower = promote_wilson(cases[i].used, cases[i].n);

        if (!(fabs(lower - cases[i].lower) <= 0.00005))
            fail_msg("%ju of %ju: %.6f", (uintmax_t)cases[i].used, (uintmax_t)cases[i].n, lower);
    }
    assert_true(fabs(promote_wilson(8, 8) - 0.7472764088) < 1e-10);
}

static void promote_judges_a_site_by_the_bar(void **state)
{
    static const struct {
        uint64_t used, n, tasks;
        double min_used, min_lower;
        bool promoted;
    } cases[] = {
        {3, 3, 3, 0.7, 0.5, true},    {3, 3, 2, 0.7, 0.5, false},    {2, 2, 2, 0.7, 0.5, false},
        {7, 10, 10, 0.7, 0.5, false}, {14, 20, 3, 0.7, 0.5, true},   {36, 40, 2, 0.7, 0.5, false},
        {36, 40, 12, 0.6, 0.6, true}, {12, 40, 12, 0.6, 0.6, false}, {3, 3, 3, 0.6, 0.6, false},
        {7, 10, 10, 0.7, 0.4, true},  {6, 10, 10, 0.7, 0.1, false},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        static const char *const tasks[] = {"a", "b", "c", "d", "e", "f",
                                            "g", "h", "i", "j", "k", "l"};
        struct fixture f;
        struct flow_promoted_site r;

        begin(&f, NULL, 0, with_bar(cases[i].min_used, cases[i].min_lower, 3));
        for (uint64_t k = 0; k < cases[i].n; k++)
            add(&f, k < cases[i].used ? USED : DETOUR, tasks[k % cases[i].tasks]);
        find(&f);
        r = record(&f, "profile");
        check("profile", r, cases[i].n, cases[i].n, cases[i].used);
        assert_int_equal(r.tasks, cases[i].tasks);
        assert_true(r.lower == promote_wilson(cases[i].used, cases[i].n));
        if (r.promoted != cases[i].promoted)
            fail_msg("case %zu is %s", i, r.promoted ? "promoted" : "not promoted");
        /* A site without lookups never is. */
        assert_false(record(&f, "cart").promoted);
        end(&f);
    }
}

static void promote_says_what_it_found(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, NULL, 0, with_bar(0.5, 0.25, 1));
    find(&f);
    assert_int_equal(f.counts.episodes + f.counts.sites + f.counts.promoted, 0);
    add(&f, USED, "t");
    find(&f);
    add(&f, DETOUR, "t");
    find(&f); /* of all so far */
    assert_int_equal(f.counts.episodes, 2);
    assert_int_equal(f.counts.unanswered, 0);
    assert_int_equal(f.counts.sites, 2);
    assert_int_equal(f.counts.promoted, 0);
    assert_true(f.found.threshold == 0.3 && f.found.min_used == 0.5 && f.found.min_lower == 0.25);
    assert_int_equal(f.found.min_tasks, 1);
    assert_int_equal(f.found.n_sites, 2);
    assert_true(sp_str_eq(f.found.sites[0].site, SP_STR("cart")));
    assert_true(sp_str_eq(f.found.sites[1].site, SP_STR("profile")));
    assert_int_equal(record(&f, "profile").tasks, 1);
    end(&f);
}

/* ---- one session ---- */

static void promote_scores_what_became_of_a_lookup(void **state)
{
    static const struct {
        const char *log;
        uint64_t decisions, lookups, used;
        uint64_t at_cart; /* decisions there */
    } cases[] = {
        {USED, 1, 1, 1, 2},
        {PROFILE "; 1000 C 2 cart {\"id\":\"K7\",\"full\":true}; 1009 R 2 open; 2000 A so", 1, 1, 1,
         2},
        {PROFILE "; 1000 C 2 cart {\"id\":\"K8\"}; 1009 R 2 open; 2000 A so", 1, 1, 0, 1},
        {DETOUR, 1, 1, 0, 0},
        {PROFILE, 0, 0, 0, 0},
        {PROFILE "; 1000 C 2 cart " CART_K7 "; 2000 A so", 1, 1, 1, 0},
        /* Another tool's call is none, nor is one without the argument. */
        {PROFILE "; 1000 C 2 stock " CART_K7 "; 1009 R 2 open; 2000 A so", 1, 1, 0, 0},
        {PROFILE "; 1000 C 2 cart {}; 1009 R 2 open; 2000 A so", 1, 1, 0, 1},
        {PROFILE "; 1000 C 2 cart [\"K7\"]; 1009 R 2 open; 2000 A so", 1, 1, 0, 1},
        /* After a write and after a message it is used all the same. */
        {PROFILE
         "; 1000 C 2 order {}; 1009 R 2 done; 2000 A so; 3000 U well; 4000 C 3 cart " CART_K7
         "; 4009 R 3 open; 5000 A so",
         1, 1, 1, 2},
        /* One later call makes the lookups of two results used. */
        {PROFILE "; 1000 C 2 profile {}; 1009 R 2 {\"carts\":[\"K7\"]}; 2000 C 3 cart " CART_K7
                 "; 2009 R 3 open; 3000 A so",
         2, 2, 2, 3},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct fixture f;

        score(&f, NULL, 0, cases[i].log);
        check(cases[i].log, record(&f, "profile"), cases[i].decisions, cases[i].lookups,
              cases[i].used);
        check(cases[i].log, record(&f, "cart"), cases[i].at_cart, 0, 0);
        assert_false(record(&f, "cart").promoted); /* there is no lookup */
        end(&f);
    }
}

static void promote_compares_values_by_their_text(void **state)
{
    static const struct {
        const char *shown; /* in the profile */
        const char *passed;
        uint64_t used;
    } cases[] = {
        {"5", "5", 1},
        {"5", "\"5\"", 1},
        {"5", "5.0", 0},
        {"1.5", "1.50", 1},
        {"true", "true", 1},
        {"{}", "{}", 1},
        {"{\\\"a\\\":1}", "{ \"a\" : 1 }", 1},
        {"\\u00e9\\n", "\"\u00e9\\u000a\"", 1},
        {"5", "[5]", 0},
        {"", "\"\"", 1},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct fixture f;
        struct sp_buf log = {0};

        sp_buf_addf(&log,
                    "0 C 1 profile {}; 9 R 1 {\"carts\":[\"%s\"]}; 1000 C 2 cart {\"id\":%s}; "
                    "1009 R 2 open; 2000 A so",
                    cases[i].shown, cases[i].passed);
        score(&f, NULL, 0, sp_buf_cstr(&log));
        check(sp_buf_cstr(&log), record(&f, "profile"), 1, 1, cases[i].used);
        end(&f);
        sp_buf_deinit(&log);
    }
}

/* Calls of the turn itself make no lookup used; those that were sent are not proposed. */
static void promote_knows_which_calls_were_asked_for(void **state)
{
    static const struct {
        const char *log;
        uint64_t decisions, lookups, used;
    } cases[] = {
        /* The cart was sent: nothing is left to look up. */
        {"0 C 1 profile {}; 1 C 2 cart " CART_K7
         "; 9 R 1 {\"carts\":[\"K7\"]}; 12 R 2 open; 2000 A so",
         1, 0, 0},
        {"0 C 1 profile {}; 1 C 2 cart " CART_K7
         "; 9 R 1 {\"carts\":[\"K7\",\"K8\"]}; 12 R 2 open; 2000 C 3 cart {\"id\":\"K8\"}; 2009 R "
         "3 open; 3000 A so",
         1, 1, 1},
        /* Of calls 1, 2 and 3, the cart, 3 is sent when 2 was answered: behind 2 it is looked up.
         */
        {"0 C 1 profile {}; 1 C 2 profile {\"n\":2}; 5 R 2 {\"carts\":[\"K7\"]}; 6 C 3 "
         "cart " CART_K7 "; 9 R 1 {\"carts\":[]}; 12 R 3 open; 2000 A so",
         2, 1, 0},
        {"0 C 1 profile {}; 1 C 2 profile {\"n\":2}; 5 R 2 {\"carts\":[\"K7\"]}; 6 C 3 "
         "cart " CART_K7 "; 9 R 1 {\"carts\":[]}; 12 R 3 open; 2000 C 4 cart " CART_K7
         "; 2009 R 4 open; 3000 A so",
         2, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct fixture f;

        score(&f, NULL, 0, cases[i].log);
        check(cases[i].log, record(&f, "profile"), cases[i].decisions, cases[i].lookups,
              cases[i].used);
        end(&f);
    }
}

static void promote_takes_all_calls_as_sent_when_nothing_says_when(void **state)
{
    struct fixture f;
    struct turns *turns = sessiontext_new(
        "0 C 1 profile {}; 1 C 2 profile {\"n\":2}; 5 R 2 {\"carts\":[\"K7\"]}; 6 C "
        "3 cart " CART_K7 "; 9 R 1 {\"carts\":[]}; 12 R 3 open; 2000 A so");

    (void)state;
    begin(&f, NULL, 0, with_bar(0, 0, 0));
    promote_add(f.p, turns_episode(turns), NULL);
    find(&f);
    check("profile", record(&f, "profile"), 2, 0, 0);
    turns_free(turns);
    end(&f);
}

/* Where the agent went on before an answer came, the last step is what it went on with. */
static void promote_decides_at_the_last_step(void **state)
{
    struct fixture f;

    (void)state;
    score(&f, NULL, 0, "0 C 1 profile {}; 5 A so; 9 R 1 {\"carts\":[\"K7\"]}; 1000 A so");
    assert_int_equal(f.counts.sites, 0);
    assert_int_equal(f.counts.unanswered, 0);
    end(&f);
    score(&f, NULL, 0,
          "0 C 1 profile {}; 1 X 1; 1000 C 2 stock {}; 1005 R 1 {\"carts\":[\"K7\"]}; 1006 A so");
    assert_int_equal(f.counts.sites, 1);
    check("stock", record(&f, "stock (error)"), 1, 0, 0);
    end(&f);
    /* All of a turn is in the view that is not the call's own, even what was sent after that. */
    score(&f, NULL, 0,
          "0 C 1 profile {}; 1 X 1; 1000 C 2 stock {}; 1005 R 1 {\"carts\":[\"K7\"]}; 1006 C 3 "
          "cart {\"id\":\"K7\"}; 1009 R 3 open; 1010 R 2 1; 2000 A so");
    check("cart", record(&f, "cart (error)"), 1, 0, 0);
    check("cart", record(&f, "cart"), 1, 0, 0);
    check("stock", record(&f, "stock"), 1, 0, 0);
    assert_int_equal(f.counts.sites, 3);
    end(&f);
}

/* ---- chains ---- */

/* A cart follows a cart as long as there are any. */
static const struct flow_edit cart_after_cart[] = {
    {"[[[\"profile\",false],{\"cart\":8}]]",
     "[[[\"cart\",false],{\"cart\":8}],[[\"profile\",false],{\"cart\":8}]]"},
};

#define THREE_CARTS                                                                   \
    "0 C 1 profile {}; 9 R 1 {\"carts\":[\"K1\",\"K2\",\"K3\"]}; 1000 C 2 cart "      \
    "{\"id\":\"K1\"}; 1001 C 3 cart {\"id\":\"K2\"}; 1002 C 4 cart {\"id\":\"K3\"}; " \
    "1009 R 2 a; 1010 R 3 b; 1011 R 4 c; 2000 A so"

static void promote_follows_a_chain_of_lookups(void **state)
{
    static const struct {
        uint64_t per_call;
        uint64_t used;    /* at a cart, in the chain */
        uint64_t at_cart; /* decisions there, three of them behind the agent's own calls */
    } cases[] = {{8, 2, 6}, {3, 2, 5}, {2, 1, 4}, {1, 0, 3}, {0, 0, 3}};

    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct promote_options options = with_bar(0, 0, 0);
        struct fixture f;

        options.per_call = cases[i].per_call;
        begin(&f, cart_after_cart, N_OF(cart_after_cart), options);
        add(&f, THREE_CARTS, "t");
        find(&f);
        check("profile", record(&f, "profile"), 1, 1, 1);
        check("cart", record(&f, "cart"), cases[i].at_cart, cases[i].used, cases[i].used);
        end(&f);
    }
}

/* The chain's lookups are calls of a turn that the agent has left behind. */
static void promote_follows_a_chain_behind_a_late_answer(void **state)
{
    struct fixture f;

    (void)state;
    score(&f, cart_after_cart, N_OF(cart_after_cart),
          "0 C 1 profile {}; 1 X 1; 1000 C 2 cart {\"id\":\"K0\"}; 1009 R 2 a; 1010 R 1 "
          "{\"carts\":[\"K1\",\"K2\",\"K3\"]}; 2000 C 3 cart {\"id\":\"K1\"}; 2001 C 4 cart "
          "{\"id\":\"K2\"}; 2002 C 5 cart {\"id\":\"K3\"}; 2009 R 3 b; 2010 R 4 c; 2011 R 5 d; "
          "3000 A so");
    /* One behind each of the agent's carts, and four in the chain: the last has nothing left. */
    check("cart", record(&f, "cart"), 8, 3, 3);
    end(&f);
}

/* A lookup that the agent's call answers with an error has failed. */
static void promote_decides_on_what_the_agent_was_answered(void **state)
{
    struct fixture f;

    (void)state;
    score(&f, NULL, 0,
          PROFILE "; 1000 C 2 cart " CART_K7
                  "; 1009 Js {\"id\":2,\"error\":{\"code\":1,\"message\":\"no\"}}; 2000 A so");
    check("cart", record(&f, "cart"), 0, 0, 0);
    check("cart (error)", record(&f, "cart (error)"), 2, 0, 0);
    end(&f);
}

static void promote_goes_on_at_promoted_sites_only(void **state)
{
    struct fixture f;

    (void)state;
    /* At profiles a lookup is used in one case of two: the chain behind it is not followed. */
    begin(&f, cart_after_cart, N_OF(cart_after_cart), with_bar(0.7, 0, 0));
    add(&f, THREE_CARTS, "t");
    add(&f, PROFILE "; 1000 A so", "t");
    find(&f);
    check("profile", record(&f, "profile"), 2, 2, 1);
    check("cart", record(&f, "cart"), 3, 0, 0);
    assert_int_equal(f.counts.promoted, 0);
    end(&f);
    begin(&f, cart_after_cart, N_OF(cart_after_cart), with_bar(0.5, 0, 0));
    add(&f, THREE_CARTS, "t");
    add(&f, PROFILE "; 1000 A so", "t");
    find(&f);
    check("cart", record(&f, "cart"), 6, 2, 2);
    assert_int_equal(f.counts.promoted, 2);
    end(&f);
}

/* What the session has under the first lookup's name is another call. */
static void promote_gives_lookups_ids_of_their_own(void **state)
{
    struct fixture f;

    (void)state;
    score(&f, cart_after_cart, N_OF(cart_after_cart),
          "0 P \"stretto-1\" profile {}; 9 R \"stretto-1\" {\"carts\":[\"K1\",\"K2\"]}; 1000 C 2 "
          "cart {\"id\":\"K1\"}; 1001 C 3 cart {\"id\":\"K2\"}; 1009 R 2 a; 1010 R 3 b; 2000 A so");
    check("profile", record(&f, "profile"), 1, 1, 1);
    check("cart", record(&f, "cart"), 4, 1, 1);
    end(&f);
}

/* ---- the flow ---- */

static void promote_sets_the_flows_promotion_aside(void **state)
{
    static const struct flow_edit edits[] = {
        {"\"model\":\"\"", "\"model\":\"\",\"promoted\":{\"bar\":{\"threshold\":0.3,"
                           "\"min_used\":0.7,\"min_lower\":0.5,\"min_tasks\":3},\"sites\":{}}"},
    };
    struct fixture f;

    (void)state;
    score(&f, edits, N_OF(edits), USED);
    assert_true(f.flow->is_promoted);
    check("profile", record(&f, "profile"), 1, 1, 1);
    end(&f);
}

static void promote_keeps_to_the_sites_thresholds(void **state)
{
    static const struct flow_edit edits[] = {
        {"\"stretto_flow\":1", "\"stretto_flow\":2"},
        {"\"model\":\"\"", "\"model\":\"\",\"thresholds\":{\"profile\":1.5}"},
    };
    struct fixture f;

    (void)state;
    score(&f, edits, N_OF(edits), USED);
    check("profile", record(&f, "profile"), 1, 0, 0);
    end(&f);
}

static void promote_asks_the_threshold(void **state)
{
    struct promote_options options = with_bar(0, 0, 0);
    struct fixture f;

    (void)state;
    options.threshold = 0.95;
    begin(&f, NULL, 0, options);
    add(&f, USED, "t");
    find(&f);
    check("profile", record(&f, "profile"), 1, 0, 0);
    end(&f);
}

/* ---- questions ---- */

#define FOLD                                                                              \
    "{\"weights\":[0.5,0.3,0.2,0.1,0.6],\"rates\":{\"sites\":[],\"agree\":0.9,\"cover\":" \
    "0.95}}"

/* An arbiter for the flow in which a cart follows a cart. */
static const struct flow_edit asking[] = {
    {"[[[\"profile\",false],{\"cart\":8}]]",
     "[[[\"cart\",false],{\"cart\":8}],[[\"profile\",false],{\"cart\":8}]]"},
    {"\"folds\":[]", "\"folds\":[" FOLD "," FOLD "," FOLD "," FOLD "," FOLD "]"},
    {"\"model\":\"\"", "\"model\":\"jev-latest\""},
};

struct oracle {
    size_t n_asked;
    size_t n_answered; /* of these, from the first on */
    bool is_brief;     /* what comes then lacks answers; else there is none */
};

static int ask(void *data, const struct oracle_request *request, struct sp_str *ret_key,
               struct oracle_response *ret, struct sp_err *ret_why)
{
    struct oracle *o = data;

    *ret_key = SP_STR("key");
    if (o->n_asked++ >= o->n_answered && !o->is_brief) {
        sp_err_set(ret_why, "no answer");
        return -1;
    }
    oracle_mock(request, ret);
    if (o->n_asked > o->n_answered)
        ret->n_answers = 0;
    return 0;
}

static void score_asking(struct fixture *f, struct oracle *o, double min_used)
{
    struct promote_options options = with_bar(min_used, 0, 0);

    options.decider = DECIDE_ARBITER;
    options.threshold = 0.1;
    options.ask = ask;
    options.ask_data = o;
    begin(f, asking, N_OF(asking), options);
    add(f, THREE_CARTS, "t");
    find(f);
}

static void promote_leaves_unanswered_decisions_out(void **state)
{
    (void)state;
    for (int is_brief = 0; is_brief <= 1; is_brief++) {
        struct oracle o = {.is_brief = is_brief};
        struct fixture f;

        /* Behind the profile, and behind the agent's three carts. */
        score_asking(&f, &o, 0);
        assert_int_equal(f.counts.unanswered, 4);
        assert_int_equal(f.counts.sites, 0);
        assert_int_equal(f.counts.episodes, 1);
        end(&f);
        /* The second question is the chain's. */
        o = (struct oracle){.is_brief = is_brief, .n_answered = 1};
        score_asking(&f, &o, 0);
        assert_int_equal(f.counts.unanswered, 4);
        check("profile", record(&f, "profile"), 1, 1, 1);
        assert_int_equal(f.counts.sites, 1);
        end(&f);
        /* If that is not promoted the question would not have been put. */
        o = (struct oracle){.is_brief = is_brief, .n_answered = 1};
        score_asking(&f, &o, 1.5);
        assert_int_equal(f.counts.unanswered, 3);
        end(&f);
    }
}

static void promote_makes_each_decision_once(void **state)
{
    struct oracle o = {.n_answered = SIZE_MAX};
    struct fixture f;

    (void)state;
    score_asking(&f, &o, 0);
    assert_int_equal(o.n_asked, record(&f, "profile").decisions + record(&f, "cart").decisions);
    o.n_asked = 0;
    find(&f);
    assert_int_equal(o.n_asked, 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(promote_wilson_bounds_a_share_from_below),
        cmocka_unit_test(promote_judges_a_site_by_the_bar),
        cmocka_unit_test(promote_says_what_it_found),
        cmocka_unit_test(promote_scores_what_became_of_a_lookup),
        cmocka_unit_test(promote_compares_values_by_their_text),
        cmocka_unit_test(promote_knows_which_calls_were_asked_for),
        cmocka_unit_test(promote_takes_all_calls_as_sent_when_nothing_says_when),
        cmocka_unit_test(promote_decides_at_the_last_step),
        cmocka_unit_test(promote_follows_a_chain_of_lookups),
        cmocka_unit_test(promote_follows_a_chain_behind_a_late_answer),
        cmocka_unit_test(promote_decides_on_what_the_agent_was_answered),
        cmocka_unit_test(promote_goes_on_at_promoted_sites_only),
        cmocka_unit_test(promote_gives_lookups_ids_of_their_own),
        cmocka_unit_test(promote_sets_the_flows_promotion_aside),
        cmocka_unit_test(promote_keeps_to_the_sites_thresholds),
        cmocka_unit_test(promote_asks_the_threshold),
        cmocka_unit_test(promote_leaves_unanswered_decisions_out),
        cmocka_unit_test(promote_makes_each_decision_once),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
