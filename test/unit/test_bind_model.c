/*
 * Random sessions and flows in flow/bind.h against a plain model of it. Tools return objects, lists
 * and lines of text, values come again in other records, results fail, come late and twice, ids are
 * used again, calls join the turn before, and the customer mentions what there is or will be.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bind_model.h"
#include "json/jcanon.h"
#include "json/jput.h"
#include "json_gen.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))
#define N_FLOWS     500
#define N_EVENTS    34

/* The last two were never called in training, and nothing is known of the very last. */
static const char *const tools[] = {"find", "get", "list", "today", "named", "unknown"};

static const char *const args[] = {"id", "name", "x 1", "zip"};

/* Some stand here twice as they are the likelier ones. */
static const char *const paths[] = {
    "$",      "$[*]",    "$.id",  "$.ids[*]",  "$.rows[*].id", "$.rows[*].name", "$.ids[*]",
    "$.name", "$[*].id", "$.x 1", "$.rows[*]", "$.rows[*].id", "$.rows[*].id",   "$[*].id",
};

static const char *const values[] = {
    "K1",       "#K1", "k1",   "T-41",   "T-42",  "T-43",  "t-41",     "open",
    "Open tab", "",    " ",    "#",      "Ä-1",   "ä-1",   "a\nb1",    "#\nT-4",
    "1",        "12",  "1234", "zip 99", "ann@x", "8821 ", "[\"K1\"]", "{\"a\":1}",
};

static const char *const said[] = {"Where is ", "T-4", "1",    "2",    "K1",  "a",
                                   "\n",        "b1",  "open", " tab", "Ä-1", "99",
                                   "zip ",      "#",   "1234", " ",    "88"};

static const char *pick(struct json_gen *g, const char *const *of, size_t n)
{
    return of[json_gen_below(g, n)];
}

#define PICK(g, of) pick((g), (of), N_OF(of))

static struct sp_str pick_str(struct json_gen *g, const char *const *of, size_t n)
{
    return sp_str_of(pick(g, of, n));
}

#define PICK_STR(g, of) pick_str((g), (of), N_OF(of))

static bool chance(struct json_gen *g, unsigned one_in)
{
    return json_gen_below(g, one_in) == 0;
}

/* Of an argument: where its values come from. */
static void gen_traced(struct json_gen *g, struct flow *f, struct flow_traced *t)
{
    t->values = json_gen_below(g, 25);
    t->n_found = json_gen_below(g, 8);
    t->found = sp_arena_alloc(&f->arena, t->n_found * sizeof *t->found);
    for (size_t i = 0; i < t->n_found; i++)
        t->found[i] =
            (struct flow_found){sp_str_of(tools[json_gen_below(g, 3)]), PICK_STR(g, paths),
                                chance(g, 5) ? json_gen_below(g, 3) : 4};
}

static void gen_traces(struct json_gen *g, struct flow *f, struct flow_traces *traces,
                       unsigned one_in)
{
    traces->of = sp_arena_alloc(&f->arena, (N_OF(tools) * N_OF(args) + 1) * sizeof *traces->of);
    for (size_t i = 0; i < N_OF(tools); i++) {
        for (size_t k = 0; k < N_OF(args); k++) {
            struct flow_traced *t = &traces->of[traces->n];

            if (!chance(g, one_in))
                continue;
            t->lookup = sp_str_of(tools[i]);
            t->arg = sp_str_of(args[k]);
            gen_traced(g, f, t);
            traces->n++;
        }
    }
}

static void gen_args(struct json_gen *g, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;

    b->n_args = N_OF(tools) - 2;
    b->args = sp_arena_alloc(&f->arena, b->n_args * sizeof *b->args);
    for (size_t i = 0; i < b->n_args; i++) {
        struct flow_args *a = &b->args[i];

        a->lookup = sp_str_of(tools[i]);
        a->calls = 10;
        a->args.of = sp_arena_alloc(&f->arena, N_OF(args) * sizeof *a->args.of);
        for (size_t k = 0; k < N_OF(args) && !sp_str_eq(a->lookup, SP_STR("today")); k++) {
            if (chance(g, 3))
                a->args.of[a->args.n++] =
                    (struct flow_tally){sp_str_of(args[k]), chance(g, 4) ? 8 : 9};
        }
    }
}

static void gen_site_sources(struct json_gen *g, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;

    for (size_t i = 0; i < b->sources.n; i++)
        b->n_site_sources += 3 * b->sources.of[i].n_found;
    b->site_sources = sp_arena_alloc(&f->arena, b->n_site_sources * sizeof *b->site_sources);
    b->n_site_sources = 0;
    for (size_t i = 0; i < b->sources.n && !chance(g, 3); i++) {
        const struct flow_traced *t = &b->sources.of[i];

        for (size_t k = 0; k < 3 * t->n_found; k++)
            b->site_sources[b->n_site_sources++] = (struct flow_site_source){
                t->lookup,
                t->arg,
                PICK_STR(g, tools),
                t->found[k % t->n_found].tool,
                t->found[k % t->n_found].path,
                json_gen_below(g, 8),
            };
    }
}

static void gen_counts(struct json_gen *g, struct flow *f)
{
    struct flow_bindings *b = &f->bindings;
    size_t n = N_OF(tools);

    b->agreed = sp_arena_alloc(&f->arena, n * sizeof *b->agreed);
    b->named_other.of = sp_arena_alloc(&f->arena, n * sizeof *b->named_other.of);
    b->described_read.of = sp_arena_alloc(&f->arena, n * sizeof *b->described_read.of);
    b->bare.of = sp_arena_alloc(&f->arena, n * sizeof *b->bare.of);
    for (size_t i = 0; i < n; i++) {
        struct sp_str tool = sp_str_of(tools[i]);

        if (chance(g, 2))
            b->agreed[b->n_agreed++] = (struct flow_agreed){tool, {2, 7}, {5, 6}};
        if (chance(g, 2))
            b->named_other.of[b->named_other.n++] = (struct flow_used){tool, {1, 9}};
        if (chance(g, 2))
            b->described_read.of[b->described_read.n++] = (struct flow_used){tool, {3, 11}};
        if (chance(g, 2))
            b->bare.of[b->bare.n++] = (struct flow_tally){tool, 4};
    }
}

static void gen_constants(struct json_gen *g, struct flow *f)
{
    static const char *const constants[] = {"true", "\"T-41\"", "[1.5,null]"};
    struct flow_bindings *b = &f->bindings;

    b->constants = sp_arena_alloc(&f->arena, N_OF(tools) * N_OF(args) * sizeof *b->constants);
    for (size_t i = 0; i < N_OF(tools); i++) {
        for (size_t k = 0; k < N_OF(args); k++) {
            if (chance(g, 10))
                b->constants[b->n_constants++] = (struct flow_constant){
                    sp_str_of(tools[i]), sp_str_of(args[k]), PICK_STR(g, constants)};
        }
    }
}

static void gen_docs(struct json_gen *g, struct flow *f)
{
    struct flow_doc *doc = sp_arena_alloc(&f->arena, sizeof *doc);

    doc->name = SP_STR("named");
    doc->args = sp_arena_alloc(&f->arena, N_OF(args) * sizeof *doc->args);
    for (size_t k = 0; k < N_OF(args); k++) {
        if (chance(g, 3))
            doc->args[doc->n_args++] =
                (struct manifest_arg){.name = sp_str_of(args[k]), .text = SP_STR("")};
    }
    f->docs = doc;
    f->n_docs = 1;
}

/*
 * The argument of "get" comes from the list that "find" returns, or from the records of that list,
 * and from nowhere else.
 */
static void make_orderly(struct json_gen *g, struct flow *f)
{
    struct flow_args *get = &f->bindings.args[1];
    struct flow_traced *id = &f->bindings.sources.of[f->bindings.sources.n++];

    get->args.of[0] = (struct flow_tally){SP_STR("id"), 10};
    get->args.n = 1;
    id->lookup = SP_STR("get");
    id->arg = SP_STR("id");
    id->values = 4;
    id->n_found = 1;
    id->found = sp_arena_alloc(&f->arena, sizeof *id->found);
    id->found[0] = (struct flow_found){
        SP_STR("find"), chance(g, 3) ? SP_STR("$.ids[*].id") : SP_STR("$.ids[*]"), 4};
}

static struct flow *gen_flow(struct json_gen *g, bool is_orderly)
{
    struct flow *f = flow_new();

    f->sites.n_reads = N_OF(tools);
    f->sites.reads = sp_arena_alloc(&f->arena, N_OF(tools) * sizeof *f->sites.reads);
    for (size_t i = 0; i < N_OF(tools); i++)
        f->sites.reads[i] = sp_str_of(tools[i]);
    gen_args(g, f);
    gen_traces(g, f, &f->bindings.lists, is_orderly ? 1000 : 8);
    gen_traces(g, f, &f->bindings.sources, chance(g, 4) ? 2 : 1);
    if (is_orderly)
        make_orderly(g, f);
    flow_index(f); /* drops sources that occur twice */
    gen_site_sources(g, f);
    gen_counts(g, f);
    gen_docs(g, f);
    if (chance(g, 3))
        gen_constants(g, f);
    flow_index(f);
    return f;
}

static void put_scalar(struct json_gen *g, struct sp_buf *b)
{
    static const char *const others[] = {"null", "true", "12", "1234", "[]", "{}", "1e3"};

    if (chance(g, 6))
        sp_buf_add(b, PICK_STR(g, others));
    else if (chance(g, 2))
        sp_buf_addf(b, "\"T-%u\"", 40 + (unsigned)json_gen_below(g, 30));
    else
        jput_string(b, PICK_STR(g, values));
}

static void put_list(struct json_gen *g, struct sp_buf *b,
                     void (*put)(struct json_gen *g, struct sp_buf *b))
{
    size_t n = json_gen_below(g, 7);

    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        put(g, b);
    }
    sp_buf_add_char(b, ']');
}

/* An object with some of the members that paths lead to. */
static void put_record(struct json_gen *g, struct sp_buf *b)
{
    static const char *const names[] = {"id", "name", "state", "x 1", "zip", "id", "id"};
    size_t n = json_gen_below(g, 4);

    sp_buf_add_char(b, '{');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        jput_string(b, PICK_STR(g, names));
        sp_buf_add_char(b, ':');
        put_scalar(g, b);
    }
    sp_buf_add_char(b, '}');
}

static void put_content(struct json_gen *g, struct sp_buf *b)
{
    switch (json_gen_below(g, 7)) {
    case 0:
        put_list(g, b, put_scalar);
        break;
    case 1:
        put_record(g, b);
        break;
    case 2:
        for (size_t i = json_gen_below(g, 4); i > 0; i--) {
            sp_buf_add(b, PICK_STR(g, values));
            sp_buf_add(b, chance(g, 2) ? SP_STR(" \r\n") : SP_STR("\n"));
        }
        break;
    case 3:
        put_list(g, b, put_record);
        break;
    case 4:
        sp_buf_add(b, SP_STR("{\"name\":\"T-42\",\"ids\":"));
        put_list(g, b, put_scalar);
        sp_buf_add_char(b, '}');
        break;
    default:
        sp_buf_add(b, SP_STR("{\"rows\":"));
        put_list(g, b, put_record);
        sp_buf_add(b, SP_STR(",\"id\":"));
        put_scalar(g, b);
        sp_buf_add_char(b, '}');
        break;
    }
}

/* A record of a value that often comes again, and of a state that is often mentioned. */
static void put_row(struct json_gen *g, struct sp_buf *b)
{
    static const char *const states[] = {"open", "zip 99", "gone"};

    sp_buf_addf(b, "{\"id\":\"T-%u\",\"state\":\"%s\"}", 50 + (unsigned)json_gen_below(g, 9),
                PICK(g, states));
}

/* What "find" and "get" return in an orderly session: a list, and a record with a number. */
static void put_orderly(struct json_gen *g, struct sp_str tool, struct sp_buf *b)
{
    if (sp_str_eq(tool, SP_STR("find"))) {
        sp_buf_addf(b, "{\"ids\":");
        put_list(g, b, chance(g, 3) ? put_row : put_scalar);
        sp_buf_add_char(b, '}');
    } else {
        sp_buf_addf(b, "{\"state\":\"open\",\"tel\":\" Tel 55%u\"}",
                    (unsigned)json_gen_below(g, 8));
    }
}

static void put_arguments(struct json_gen *g, struct sp_buf *b)
{
    struct sp_buf raw = {0};

    if (chance(g, 12)) {
        put_scalar(g, &raw);
    } else {
        sp_buf_add_char(&raw, '{');
        for (size_t i = 0; i < N_OF(args); i++) {
            if (!chance(g, 2))
                continue;
            sp_buf_addf(&raw, "%s\"%s\":", raw.len > 1 ? "," : "", args[i]);
            if (chance(g, 5))
                put_list(g, &raw, put_scalar);
            else
                put_scalar(g, &raw);
        }
        sp_buf_add_char(&raw, '}');
    }
    jcanon(b, sp_buf_str(&raw));
    sp_buf_deinit(&raw);
}

/* A session that grows, and the ids it has. */
struct session {
    struct json_gen *g;
    struct bind *bind;
    const struct flow *flow;
    struct episode e;
    size_t turn; /* the last with calls; SIZE_MAX: none */
    bool is_orderly;
    bool is_silent; /* the customer says nothing */
    struct sp_str ids[8 * N_EVENTS];
    struct sp_str tools[8 * N_EVENTS]; /* of the id's call */
    size_t n_ids;
    struct bind_result last; /* what was bound last, so that the agent may do it too */
    struct sp_str last_tool;
};

static void add_call(struct session *s, size_t turn)
{
    struct sp_buf arguments = {0}, id = {0};
    struct episode_call call = {.name = PICK_STR(s->g, tools)};

    if (s->n_ids > 0 && chance(s->g, 8))
        sp_buf_add(&id, s->ids[json_gen_below(s->g, s->n_ids)]);
    else
        sp_buf_addf(&id, "%zu", s->n_ids);
    if (s->last.is_bound && !chance(s->g, 4)) {
        call.name = s->last_tool;
        sp_buf_add(&arguments, sp_buf_str(&s->last.arguments));
    } else if (s->is_orderly) {
        sp_buf_addf(&arguments, "{\"zip\":\"tel 55%u\"}", (unsigned)json_gen_below(s->g, 8));
    } else {
        put_arguments(s->g, &arguments);
    }
    call.id = sp_buf_str(&id);
    call.arguments = sp_buf_str(&arguments);
    episode_add_call(&s->e, turn, call);
    s->turn = turn;
    s->ids[s->n_ids] = s->e.events[turn].calls[s->e.events[turn].n_calls - 1].id;
    s->tools[s->n_ids++] = call.name;
    sp_buf_deinit(&arguments);
    sp_buf_deinit(&id);
}

static void add_result(struct session *s)
{
    size_t i = json_gen_below(s->g, s->n_ids);
    struct sp_buf b = {0};

    /* Mostly one that has none yet. */
    for (size_t k = 0; k < s->n_ids && !chance(s->g, 8); k++) {
        if (episode_result_of(&s->e, s->ids[i]) == NULL)
            break;
        i = (i + 1) % s->n_ids;
    }
    if (s->is_orderly && !chance(s->g, 10))
        put_orderly(s->g, s->tools[i], &b);
    else
        put_content(s->g, &b);
    episode_add_result(&s->e, s->ids[i], s->tools[i], chance(s->g, 5), sp_buf_str(&b));
    sp_buf_deinit(&b);
}

static void add_event(struct session *s)
{
    struct sp_buf b = {0};
    uint64_t what = json_gen_below(s->g, 12);
    size_t turn;

    if (what < 5 && s->n_ids > 0) {
        add_result(s);
    } else if (what == 5 && !s->is_silent) {
        for (size_t i = json_gen_below(s->g, 6); i > 0; i--)
            sp_buf_add(&b, PICK_STR(s->g, said));
        episode_add_user(&s->e, sp_buf_str(&b));
        sp_buf_deinit(&b);
    } else if (what == 6) {
        (void)episode_add_turn(&s->e, SP_STR("T-41?"));
    } else if (what < 9 && s->turn != SIZE_MAX) {
        add_call(s, s->turn);
    } else {
        turn = episode_add_turn(&s->e, (struct sp_str){0});
        if (chance(s->g, 4))
            bind_update(s->bind, &s->e);
        for (size_t i = 1 + json_gen_below(s->g, 3); i > 0; i--)
            add_call(s, turn);
    }
}

static void tell_session(const struct session *s)
{
    for (size_t i = 0; i < s->e.n_events; i++) {
        const struct episode_event *event = &s->e.events[i];

        print_message("# %zu: kind %d %.*s %.*s %s '%.*s'\n", i, (int)event->kind,
                      SP_STR_ARG(event->call_id), SP_STR_ARG(event->name),
                      event->is_error ? "error" : "", SP_STR_ARG(event->text));
        for (size_t k = 0; k < event->n_calls; k++)
            print_message("#    %.*s %.*s %.*s\n", SP_STR_ARG(event->calls[k].id),
                          SP_STR_ARG(event->calls[k].name), SP_STR_ARG(event->calls[k].arguments));
    }
}

static void assert_same(const struct session *s, struct sp_str tool, const struct bind_result *got,
                        const struct bind_result *want)
{
    double off = got->chance - want->chance;

    if (got->is_bound == want->is_bound && got->class == want->class && off < 1e-12 &&
        off > -1e-12 && sp_str_eq(sp_buf_str(&got->arguments), sp_buf_str(&want->arguments)) &&
        sp_str_eq(sp_buf_str(&got->why), sp_buf_str(&want->why)))
        return;
    tell_session(s);
    fail_msg("%.*s: %.*s %.*s class %d %g, not %.*s %.*s class %d %g", SP_STR_ARG(tool),
             SP_STR_ARG(sp_buf_str(&got->arguments)), SP_STR_ARG(sp_buf_str(&got->why)),
             (int)got->class, got->chance, SP_STR_ARG(sp_buf_str(&want->arguments)),
             SP_STR_ARG(sp_buf_str(&want->why)), (int)want->class, want->chance);
}

/* What the sessions came to, so that the test sees that it has tried everything. */
struct tried {
    size_t classes[BIND_DESCRIBED + 1];
    size_t n_failed;
};

static void check_view(struct session *s, const struct episode_view *view, struct tried *tried)
{
    for (size_t i = 0; i < N_OF(tools); i++) {
        struct sp_str tool = sp_str_of(tools[i]);
        struct bind_result got, want;

        bind_lookup(s->bind, view, tool, &got);
        bind_model(s->flow, view, tool, &want);
        assert_same(s, tool, &got, &want);
        bind_result_deinit(&want);
        if (!got.is_bound) {
            tried->n_failed++;
        } else {
            tried->classes[got.class]++;
        }
        if (got.is_bound && (s->is_orderly ? i == 1 : chance(s->g, 2))) {
            bind_result_deinit(&s->last);
            s->last = got;
            s->last_tool = tool;
        } else {
            bind_result_deinit(&got);
        }
    }
}

static void check(struct session *s, struct tried *tried)
{
    struct episode_view view;
    struct episode_call ahead[2] = {
        {SP_STR("a"), PICK_STR(s->g, tools), SP_STR("{\"id\":\"T-41\",\"name\":\"K1\"}")},
        {SP_STR("0"), PICK_STR(s->g, tools), SP_STR("{\"id\":\"T-42\",\"zip\":[]}")},
    };

    bind_update(s->bind, &s->e);
    if (s->n_ids > 0) {
        episode_view_after(&s->e, s->ids[json_gen_below(s->g, s->n_ids)], &view);
        check_view(s, &view, tried);
        episode_view_deinit(&view);
    }
    view = episode_view_whole(&s->e);
    if (chance(s->g, 2)) {
        view.pending = ahead;
        view.n_pending = json_gen_below(s->g, 3);
    }
    check_view(s, &view, tried);
}

static void bind_agrees_with_a_plain_model_of_the_chapter(void **state)
{
    struct json_gen g = {20240921};
    struct tried tried = {0};

    (void)state;
    for (size_t i = 0; i < N_FLOWS; i++) {
        bool is_orderly = i % 2 == 1;
        struct flow *f = gen_flow(&g, is_orderly);
        struct session s = {.g = &g,
                            .bind = bind_new(f),
                            .flow = f,
                            .turn = SIZE_MAX,
                            .is_orderly = is_orderly,
                            .is_silent = chance(&g, 2)};

        for (size_t k = 0; k < N_EVENTS; k++) {
            add_event(&s);
            /* At times several events are taken in at once. */
            if (!chance(&g, 4))
                check(&s, &tried);
        }
        bind_result_deinit(&s.last);
        episode_deinit(&s.e);
        bind_free(s.bind);
        flow_free(f);
    }
    assert_true(tried.n_failed > 1000);
    for (size_t i = 0; i < N_OF(tried.classes); i++)
        assert_true(tried.classes[i] > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bind_agrees_with_a_plain_model_of_the_chapter),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
