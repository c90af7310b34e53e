/* The arbiter's question: the texts of its parts. */

#include "base/sp_unicode.h"
#include "flow/question.h"
#include "flow/question_text.h"

#define CONTEXT                                                                                    \
    "An agent serves a customer. Between its messages to the customer it can look things up with " \
    "tools. It changes something, or transfers the customer, only once the customer has "          \
    "confirmed it. "

#define NEXT \
    "What does the agent do now? Choose the lookup it makes, or 'respond' if it hands back."
#define GO_ON                                                                                \
    "Does the agent look anything else up now, before it writes to the customer or changes " \
    "anything?"
#define GO_ON_YES "It lacks information that a lookup can give before it can answer or act."
#define GO_ON_NO  "It has enough for now, and writes to the customer or makes a change."
#define TOOL      "If the agent makes one more lookup now, which one is it?"

#define RESPOND                                                                                   \
    "Hand back: the agent now writes to the customer (a question, a request for confirmation, a " \
    "report or an answer), makes a change, or transfers the customer."

/* A hint names so many arguments, so many writes of each, and counts from here on. */
#define MAX_HINT_ARGS   2
#define MAX_HINT_WRITES 2
#define MIN_FED         3

/* How many characters of a lookup's description are sent. */
#define MAX_CRITERION 250

/* The texts of one request go into its arena. */
struct maker {
    const struct flow *f;
    struct sp_arena *arena;
    struct sp_str tool;   /* that was called */
    struct sp_str ending; /* how it ended */
};

static struct sp_str keep(struct sp_arena *arena, struct sp_buf *b)
{
    struct sp_str copy = sp_arena_copy(arena, sp_buf_str(b));

    sp_buf_deinit(b);
    return copy;
}

/* What is asked at a call: the situation, what just happened, and the question. */
static struct sp_str instructions(const struct maker *m, struct sp_str question)
{
    struct sp_buf b = {0};

    sp_buf_add(&b, SP_STR(CONTEXT "Its call to `"));
    sp_buf_add(&b, m->tool);
    sp_buf_add(&b, m->ending);
    sp_buf_add(&b, question);
    return keep(m->arena, &b);
}

/* Whether `a` comes before `b` by its count, or else by its name. */
static bool is_before(const struct flow_tally *a, const struct flow_tally *b)
{
    return a->n != b->n ? a->n > b->n : sp_str_cmp(a->name, b->name) < 0;
}

/* Puts a tally into the `*n` first ones, of which there are `max` at most. */
static void rank(struct flow_tally *first, size_t *n, size_t max, struct flow_tally tally)
{
    size_t i = *n;

    while (i > 0 && is_before(&tally, &first[i - 1]))
        i--;
    if (i == max)
        return;
    *n += *n < max;
    for (size_t k = *n - 1; k > i; k--)
        first[k] = first[k - 1];
    first[i] = tally;
}

/* The arguments that a lookup feeds most often. */
static size_t rank_args(const struct flow_feed *feed, struct flow_tally first[MAX_HINT_ARGS])
{
    size_t n = 0;

    for (size_t i = 0; i < feed->n; i++) {
        struct flow_tally total = {.name = feed->of[i].arg};
        bool is_seen = false;

        for (size_t k = 0; k < feed->n; k++) {
            if (feed->of[k].n < MIN_FED || !sp_str_eq(feed->of[k].arg, total.name))
                continue;
            is_seen = is_seen || k < i;
            total.n += feed->of[k].n;
        }
        if (feed->of[i].n >= MIN_FED && !is_seen)
            rank(first, &n, MAX_HINT_ARGS, total);
    }
    return n;
}

static size_t rank_writes(const struct flow_feed *feed, struct sp_str arg,
                          struct flow_tally first[MAX_HINT_WRITES])
{
    size_t n = 0;

    for (size_t i = 0; i < feed->n; i++) {
        if (feed->of[i].n >= MIN_FED && sp_str_eq(feed->of[i].arg, arg))
            rank(first, &n, MAX_HINT_WRITES, (struct flow_tally){feed->of[i].write, feed->of[i].n});
    }
    return n;
}

static void put_quoted(struct sp_buf *b, const char *before, struct sp_str name)
{
    sp_buf_add(b, sp_str_of(before));
    sp_buf_add_char(b, '`');
    sp_buf_add(b, name);
    sp_buf_add_char(b, '`');
}

/* Appends what a lookup's results are good for, if training saw it often enough. */
static void put_hint(struct sp_buf *b, const struct flow_feed *feed)
{
    struct flow_tally args[MAX_HINT_ARGS];
    struct flow_tally writes[MAX_HINT_WRITES];
    size_t n_args = rank_args(feed, args);

    for (size_t i = 0; i < n_args; i++) {
        size_t n_writes = rank_writes(feed, args[i].name, writes);

        put_quoted(b, i == 0 ? " Supplies " : ", and ", args[i].name);
        for (size_t k = 0; k < n_writes; k++)
            put_quoted(b, k == 0 ? " to " : " or ", writes[k].name);
    }
    if (n_args > 0)
        sp_buf_add_char(b, '.');
}

static struct sp_str criterion(const struct maker *m, struct sp_str lookup)
{
    const struct flow_doc *doc = flow_doc_of(m->f, lookup);
    const struct flow_feed *feed = flow_feed_of(m->f, lookup);
    struct sp_str summary = doc != NULL ? sp_unicode_trim(doc->summary) : SP_STR("");
    struct sp_buf text = {0};
    struct sp_buf clipped = {0};

    if (summary.len > 0)
        sp_buf_add(&text, summary);
    else
        sp_buf_addf(&text, "Call the tool %.*s.", SP_STR_ARG(lookup));
    if (feed != NULL)
        put_hint(&text, feed);
    question_text_clip(&clipped, sp_buf_str(&text), MAX_CRITERION);
    sp_buf_deinit(&text);
    return keep(m->arena, &clipped);
}

static struct oracle_question ask_next(const struct maker *m, const struct predict_options *options)
{
    struct oracle_question q = {
        .id = QUESTION_NEXT,
        .type = ORACLE_CHOICE,
        .instructions = instructions(m, SP_STR(NEXT)),
        .options = sp_arena_alloc(m->arena, options->n * sizeof *q.options),
        .n_options = options->n,
    };

    for (size_t i = 0; i < options->n; i++) {
        q.options[i].name = options->of[i];
        q.options[i].text = i == options->respond ? SP_STR(RESPOND) : criterion(m, options->of[i]);
    }
    return q;
}

/* The options of `next` but for handing back. */
static struct oracle_question ask_tool(const struct maker *m, const struct oracle_question *next,
                                       size_t respond)
{
    struct oracle_question q = {
        .id = QUESTION_TOOL,
        .type = ORACLE_CHOICE,
        .instructions = instructions(m, SP_STR(TOOL)),
        .options = sp_arena_alloc(m->arena, next->n_options * sizeof *q.options),
    };

    for (size_t i = 0; i < next->n_options; i++) {
        if (i != respond)
            q.options[q.n_options++] = next->options[i];
    }
    return q;
}

static struct oracle_question ask_predicate(const struct maker *m, const struct flow_predicate *p)
{
    struct sp_buf id = {0};
    struct sp_buf text = {0};

    sp_buf_add(&id, QUESTION_PREDICATE);
    sp_buf_add(&id, p->id);
    sp_buf_add(&text, SP_STR(CONTEXT));
    sp_buf_add(&text, p->question);
    return (struct oracle_question){
        .id = keep(m->arena, &id),
        .type = ORACLE_NOUL,
        .instructions = keep(m->arena, &text),
        .yes = p->yes,
        .no = p->no,
    };
}

/* Whether a later predicate has the same id; of these the last counts. */
static bool is_replaced(const struct flow_predicates *predicates, size_t i)
{
    for (size_t k = i + 1; k < predicates->n; k++) {
        if (sp_str_eq(predicates->of[k].id, predicates->of[i].id))
            return true;
    }
    return false;
}

void question_make(const struct flow *f, const struct episode_view *view,
                   const struct recall *recall, const struct predict_site *site,
                   const struct predict_options *options, struct oracle_request *ret)
{
    struct oracle_request r = {.model = f->model};
    struct maker m = {
        .f = f,
        .arena = &r.arena,
        .tool = site->prev,
        .ending = site->failed ? SP_STR("` has just failed. ") : SP_STR("` has just returned. "),
    };
    struct sp_buf state = {0};

    question_text_put_state(&state, view, recall);
    r.state = keep(m.arena, &state);
    r.questions = sp_arena_alloc(m.arena, (3 + f->predicates.n) * sizeof *r.questions);
    r.questions[r.n_questions++] = ask_next(&m, options);
    r.questions[r.n_questions++] = (struct oracle_question){
        .id = QUESTION_GO_ON,
        .type = ORACLE_NOUL,
        .instructions = instructions(&m, SP_STR(GO_ON)),
        .yes = SP_STR(GO_ON_YES),
        .no = SP_STR(GO_ON_NO),
    };
    if (options->n > 2)
        r.questions[r.n_questions++] = ask_tool(&m, &r.questions[0], options->respond);
    for (size_t i = 0; i < f->predicates.n; i++) {
        if (!is_replaced(&f->predicates, i))
            r.questions[r.n_questions++] = ask_predicate(&m, &f->predicates.of[i]);
    }
    *ret = r;
}
