/* An audit of the confirmation judge as JSON and as Markdown. */

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "json/jcanon.h"
#include "json/jindent.h"
#include "json/jput.h"
#include "learn/confirmaudit_tally.h"

#define EXCERPT_CHARS 160

/* The id of the second question; p is NULL when there is none. */
static struct sp_str second_id(const struct confirmaudit *a)
{
    switch (a->options.second) {
    case JUDGMENT_PROPOSED:
        return confirmation_id(CONFIRMATION_PROPOSED);
    case JUDGMENT_DESCRIBED:
        return confirmation_id(CONFIRMATION_DESCRIBED);
    case JUDGMENT_NO_SECOND:
        break;
    }
    return (struct sp_str){0};
}

/* Appends the beginning of what the customer said, newlines as spaces. */
static void put_excerpt(struct sp_buf *b, struct sp_str text)
{
    for (size_t i = 0; i < EXCERPT_CHARS && text.len > 0; i++) {
        uint32_t c = sp_utf8_next(&text);
        char encoded[4];

        if (c == '\n')
            c = ' ';
        sp_buf_add(b, (struct sp_str){encoded, sp_utf8_encode(c, encoded)});
    }
}

/* ---- JSON; jcanon() sorts the members ---- */

/* Appends the name of a member that is not the first one. */
static void put_name(struct sp_buf *b, const char *name)
{
    sp_buf_addf(b, ",\"%s\":", name);
}

static void put_text(struct sp_buf *b, const char *name, struct sp_str text)
{
    put_name(b, name);
    jput_string(b, text);
}

static void put_bool(struct sp_buf *b, const char *name, bool value)
{
    put_name(b, name);
    sp_buf_add(b, value ? SP_STR("true") : SP_STR("false"));
}

static void put_sides(struct sp_buf *b, const char *name, const size_t counts[])
{
    put_name(b, name);
    sp_buf_addf(b, "[%zu,%zu]", counts[CONFIRMAUDIT_SUCCESSFUL], counts[CONFIRMAUDIT_FAILED]);
}

/* Appends the probabilities of a write; of the first question also that there is none. */
static void put_probabilities(struct sp_buf *b, const struct confirmaudit_write *w)
{
    put_name(b, "p_yes");
    if (w->first.is_answered)
        jput_double(b, w->first.p);
    else
        sp_buf_add(b, SP_STR("null"));
    if (w->second.is_answered) {
        put_name(b, "p_second");
        jput_double(b, w->second.p);
    }
}

/* Appends what examples and writes have in common, without its end. */
static void put_write(struct sp_buf *b, const struct confirmaudit_write *w, struct sp_str customer)
{
    sp_buf_add(b, SP_STR("{\"task_id\":"));
    jput_string(b, w->task);
    put_text(b, "tool", w->tool);
    put_bool(b, "success", w->side == CONFIRMAUDIT_SUCCESSFUL);
    put_probabilities(b, w);
    put_text(b, "customer", customer);
}

static void put_whole_write(struct sp_buf *b, const struct confirmaudit_write *w)
{
    put_write(b, w, w->exchange.customer);
    put_text(b, "episode", w->episode);
    put_bool(b, "refused", w->is_refused);
    put_bool(b, "word_list", w->word_list);
    if (w->first.key.p != NULL)
        put_text(b, "key", w->first.key);
    if (w->second.key.p != NULL)
        put_text(b, "second_key", w->second.key);
    sp_buf_add_char(b, '}');
}

static void put_example_list(struct sp_buf *b, const char *name,
                             const struct confirmaudit_examples *examples)
{
    struct sp_buf customer = {0};

    put_name(b, name);
    sp_buf_add_char(b, '[');
    for (size_t i = 0; i < examples->n; i++) {
        if (i > 0)
            sp_buf_add_char(b, ',');
        sp_buf_clear(&customer);
        put_excerpt(&customer, examples->of[i]->exchange.customer);
        put_write(b, examples->of[i], sp_buf_str(&customer));
        sp_buf_add_char(b, '}');
    }
    sp_buf_add_char(b, ']');
    sp_buf_deinit(&customer);
}

static void put_group(struct sp_buf *b, const struct confirmaudit_group *group)
{
    sp_buf_addf(b,
                "{\"writes\":%zu,\"word_list\":%zu,\"judge\":%zu,\"two_questions\":%zu,"
                "\"both\":%zu,\"unanswered\":%zu}",
                group->writes, group->fails[CONFIRMAUDIT_WORD_LIST],
                group->fails[CONFIRMAUDIT_JUDGE], group->fails[CONFIRMAUDIT_TWO], group->both,
                group->unanswered);
}

static void put_audit(struct sp_buf *b, const struct confirmaudit *a)
{
    struct sp_str second = second_id(a);

    sp_buf_add(b, SP_STR("{\"domain\":"));
    jput_string(b, sp_str_of(a->options.domain->name));
    put_name(b, "threshold");
    jput_double(b, a->options.threshold);
    put_sides(b, "episodes", a->episodes);
    put_name(b, "groups");
    for (size_t i = 0; i < CONFIRMAUDIT_N_GROUPS; i++) {
        sp_buf_add_char(b, i == 0 ? '[' : ',');
        put_group(b, &a->groups[i]);
    }
    sp_buf_add_char(b, ']');
    put_sides(b, "episodes_word_list", a->failing[CONFIRMAUDIT_WORD_LIST]);
    put_sides(b, "episodes_judge", a->failing[CONFIRMAUDIT_JUDGE]);
    put_sides(b, "episodes_two", a->failing[CONFIRMAUDIT_TWO]);
    put_name(b, "second");
    if (second.p != NULL)
        jput_string(b, second);
    else
        sp_buf_add(b, SP_STR("null"));
    put_example_list(b, "judge_only", &a->examples[CONFIRMAUDIT_JUDGE_ONLY]);
    put_example_list(b, "word_list_only", &a->examples[CONFIRMAUDIT_WORD_LIST_ONLY]);
    put_example_list(b, "second_only", &a->examples[CONFIRMAUDIT_SECOND_ONLY]);
    sp_buf_add_char(b, '}');
}

static void put_writes(struct sp_buf *b, const struct confirmaudit *const *audits, size_t n)
{
    const char *between = "";

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < audits[i]->n_writes; k++) {
            sp_buf_addf(b, "%s", between);
            between = ",";
            put_whole_write(b, &audits[i]->writes[k]);
        }
    }
}

void confirmaudit_put_json(struct sp_buf *b, const struct confirmaudit *const *audits, size_t n)
{
    struct sp_buf text = {0};
    struct sp_buf sorted = {0};

    sp_buf_add(&text, SP_STR("{\"audits\":["));
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            sp_buf_add_char(&text, ',');
        put_audit(&text, audits[i]);
    }
    sp_buf_add(&text, SP_STR("],\"writes\":["));
    put_writes(&text, audits, n);
    sp_buf_add(&text, SP_STR("]}"));
    jcanon(&sorted, sp_buf_str(&text));
    jindent(b, sp_buf_str(&sorted));
    sp_buf_add_char(b, '\n');
    sp_buf_deinit(&text);
    sp_buf_deinit(&sorted);
}

/* ---- Markdown ---- */

/* Appends a recorded text so that its line stays one and its quotes are no end of it. */
static void put_inline(struct sp_buf *b, struct sp_str text)
{
    while (text.len > 0) {
        uint32_t c = sp_utf8_next(&text);
        char encoded[4];

        if (sp_unicode_is_control(c))
            c = ' ';
        else if (c == '"')
            c = '\'';
        sp_buf_add(b, (struct sp_str){encoded, sp_utf8_encode(c, encoded)});
    }
}

/* Appends a cell with how many of the group's writes these are. */
static void put_share(struct sp_buf *b, const struct confirmaudit_group *group, size_t n)
{
    if (group->writes == 0)
        sp_buf_add(b, SP_STR(" – |"));
    else
        sp_buf_addf(b, " %zu (%.1f%%) |", n, 100.0 * (double)n / (double)group->writes);
}

static void put_table(struct sp_buf *b, const struct confirmaudit *a)
{
    static const char *const names[CONFIRMAUDIT_N_GROUPS] = {
        [CONFIRMAUDIT_SUCCESSFUL] = "Accepted, successful episodes",
        [CONFIRMAUDIT_FAILED] = "Accepted, failed episodes",
        [CONFIRMAUDIT_REFUSED] = "Refused by the tool",
    };
    bool has_second = a->options.second != JUDGMENT_NO_SECOND;

    sp_buf_addf(b,
                "| Writes | Checked | Word list fails | Judge fails |%s Both fail | Unanswered |\n"
                "|---|---|---|---|%s---|---|\n",
                has_second ? " Two questions fail |" : "", has_second ? "---|" : "");
    for (size_t i = 0; i < CONFIRMAUDIT_N_GROUPS; i++) {
        const struct confirmaudit_group *group = &a->groups[i];

        sp_buf_addf(b, "| %s | %zu |", names[i], group->writes);
        put_share(b, group, group->fails[CONFIRMAUDIT_WORD_LIST]);
        put_share(b, group, group->fails[CONFIRMAUDIT_JUDGE]);
        if (has_second)
            put_share(b, group, group->fails[CONFIRMAUDIT_TWO]);
        put_share(b, group, group->both);
        sp_buf_addf(b, " %zu |\n", group->unanswered);
    }
}

/* Appends in how many episodes of each side a check fails an accepted write. */
static void put_failing(struct sp_buf *b, const struct confirmaudit *a, const char *name,
                        enum confirmaudit_check check)
{
    const size_t *failing = a->failing[check];

    sp_buf_addf(b, "%s %zu of %zu successful and %zu of %zu failed", name,
                failing[CONFIRMAUDIT_SUCCESSFUL], a->episodes[CONFIRMAUDIT_SUCCESSFUL],
                failing[CONFIRMAUDIT_FAILED], a->episodes[CONFIRMAUDIT_FAILED]);
}

static void put_episodes(struct sp_buf *b, const struct confirmaudit *a)
{
    sp_buf_add(b, SP_STR("\nEpisodes with an accepted write that fails:"));
    put_failing(b, a, " by the word list", CONFIRMAUDIT_WORD_LIST);
    put_failing(b, a, "; by the judge", CONFIRMAUDIT_JUDGE);
    if (a->options.second != JUDGMENT_NO_SECOND)
        put_failing(b, a, "; by the two questions", CONFIRMAUDIT_TWO);
    sp_buf_add(b, SP_STR(".\n"));
}

static void put_example(struct sp_buf *b, const struct confirmaudit *a,
                        const struct confirmaudit_write *w)
{
    struct sp_buf customer = {0};

    sp_buf_add(b, SP_STR("- task "));
    put_inline(b, w->task);
    sp_buf_addf(b, ", `%.*s`, P(yes) = ", SP_STR_ARG(w->tool));
    if (w->first.is_answered)
        sp_buf_addf(b, "%.2f", w->first.p);
    else
        sp_buf_add(b, SP_STR("–"));
    if (w->second.is_answered) {
        sp_buf_add(b, SP_STR(", P("));
        sp_buf_add(b, second_id(a));
        sp_buf_addf(b, ") = %.2f", w->second.p);
    }
    sp_buf_addf(b, ", %s episode: \"",
                w->side == CONFIRMAUDIT_SUCCESSFUL ? "successful" : "failed");
    put_excerpt(&customer, w->exchange.customer);
    put_inline(b, sp_buf_str(&customer));
    sp_buf_add(b, SP_STR("\"\n"));
    sp_buf_deinit(&customer);
}

static void put_examples(struct sp_buf *b, const struct confirmaudit *a)
{
    static const char *const headings[CONFIRMAUDIT_N_KINDS] = {
        [CONFIRMAUDIT_JUDGE_ONLY] = "The judge fails, the word list passes",
        [CONFIRMAUDIT_WORD_LIST_ONLY] = "The word list fails, the judge passes",
        [CONFIRMAUDIT_SECOND_ONLY] = "Only the second question fails",
    };

    for (size_t i = 0; i < CONFIRMAUDIT_N_KINDS; i++) {
        const struct confirmaudit_examples *examples = &a->examples[i];

        if (examples->n > 0)
            sp_buf_addf(b, "\n### %s\n\n", headings[i]);
        for (size_t k = 0; k < examples->n; k++)
            put_example(b, a, examples->of[k]);
    }
}

static void put_section(struct sp_buf *b, const struct confirmaudit *a)
{
    sp_buf_addf(b, "\n## %s\n\n%zu episodes: %zu successful, %zu failed. Threshold: ",
                a->options.domain->name, confirmaudit_size(a).episodes,
                a->episodes[CONFIRMAUDIT_SUCCESSFUL], a->episodes[CONFIRMAUDIT_FAILED]);
    jput_double(b, a->options.threshold);
    sp_buf_add(b, SP_STR(".\n\n"));
    put_table(b, a);
    put_episodes(b, a);
    put_examples(b, a);
}

void confirmaudit_put_markdown(struct sp_buf *b, const struct confirmaudit *const *audits, size_t n)
{
    struct sp_str second = n > 0 ? second_id(audits[0]) : (struct sp_str){0};

    sp_buf_add(b, SP_STR("# The confirmation judge on recorded episodes\n\n"
                         "Each write that needs the customer's explicit yes is judged by the "
                         "exchange before its turn: what the agent had said last, and what the "
                         "customer replied. The judge fails it when the probability of a yes is "
                         "below the threshold; a question without an answer fails nothing. The "
                         "word list is the guards' own check. Fails on accepted writes of "
                         "successful episodes are false alarms or lapses that went well.\n"));
    if (second.p != NULL)
        sp_buf_addf(
            b,
            "\nA second question, `%.*s`, was asked about each write as well. Two questions "
            "fail when either of them is answered below the threshold.\n",
            SP_STR_ARG(second));
    for (size_t i = 0; i < n; i++)
        put_section(b, audits[i]);
}
