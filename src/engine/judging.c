/*
 * The confirmation judge in a session.
 *
 *  1. engine_check() begins a judgment of a call that the guards let pass. Its questions are put
 *     one after the other; while one is out, the call is held: a line of the host, or a commit.
 *  2. Meanwhile the host's later lines are put off, and a commit whose next call is to be judged
 *     waits. Lines of the server go on.
 *  3. When the last question is answered, the judgment is logged, the call is sent or refused, and
 *     what waited goes on in order: commits, then lines, until the judge is busy again.
 */

#include <stdlib.h>

#include "base/sp_alloc.h"
#include "engine/engine_state.h"

struct later {
    STAILQ_ENTRY(later) entry;
    struct line *line;
};
STAILQ_HEAD(laters, later);

struct waiter {
    STAILQ_ENTRY(waiter) entry;
    struct commit *commit;
};

struct judging {
    const struct engine_judge *judge;
    struct exchange exchange;
    uint64_t n_questions;      /* put so far */
    struct judgment *judgment; /* NULL: none is under way */
    char key[ORACLE_KEY_SIZE]; /* of the question that is out */
    struct line *line;         /* what is held: one of these two */
    struct commit *commit;
    STAILQ_HEAD(, waiter) waiters;
    struct laters lines; /* of the host */
    bool has_host_ended; /* behind them */
};

void judging_init(struct engine *e)
{
    if (e->options->judge == NULL)
        return;
    e->judging = sp_calloc(1, sizeof *e->judging);
    e->judging->judge = e->options->judge;
    STAILQ_INIT(&e->judging->waiters);
    STAILQ_INIT(&e->judging->lines);
}

bool engine_is_judging(const struct engine *e)
{
    return e->judging != NULL && e->judging->judgment != NULL;
}

/* Takes the first line that was put off, with its reference; NULL when there is none. */
static struct line *take_line(struct judging *j)
{
    struct later *later = STAILQ_FIRST(&j->lines);
    struct line *line;

    if (later == NULL)
        return NULL;
    STAILQ_REMOVE_HEAD(&j->lines, entry);
    line = later->line;
    free(later);
    return line;
}

static struct commit *take_waiter(struct judging *j)
{
    struct waiter *waiter = STAILQ_FIRST(&j->waiters);
    struct commit *cm;

    if (waiter == NULL)
        return NULL;
    STAILQ_REMOVE_HEAD(&j->waiters, entry);
    cm = waiter->commit;
    free(waiter);
    return cm;
}

void judging_deinit(struct engine *e)
{
    struct judging *j = e->judging;
    struct commit *cm;
    struct line *line;

    if (j == NULL)
        return;
    while ((cm = take_waiter(j)) != NULL)
        commit_drop(cm);
    while ((line = take_line(j)) != NULL)
        line_unref(line);
    if (j->commit != NULL)
        commit_drop(j->commit);
    if (j->line != NULL)
        line_unref(j->line);
    judgment_free(j->judgment);
    free(j);
}

/* ---- what waits ---- */

void judging_hold_line(struct engine *e, struct line *line)
{
    e->judging->line = line_ref(line);
}

void judging_hold_commit(struct engine *e, struct commit *cm)
{
    e->judging->commit = cm;
}

void judging_wait(struct engine *e, struct commit *cm)
{
    struct waiter *waiter = sp_calloc(1, sizeof *waiter);

    waiter->commit = cm;
    STAILQ_INSERT_TAIL(&e->judging->waiters, waiter, entry);
}

void judging_put_off(struct engine *e, struct line *line)
{
    struct later *later = sp_calloc(1, sizeof *later);

    later->line = line_ref(line);
    STAILQ_INSERT_TAIL(&e->judging->lines, later, entry);
}

bool judging_put_off_end(struct engine *e)
{
    if (!engine_is_judging(e))
        return false;
    e->judging->has_host_ended = true;
    return true;
}

/*
 * Handles a line that was put off; takes its reference. What is put off again of it, the rest of a
 * batch behind a call that is judged, stays before the lines behind it.
 */
static void handle_later(struct engine *e, struct line *line)
{
    struct judging *j = e->judging;
    struct laters behind = STAILQ_HEAD_INITIALIZER(behind);

    STAILQ_CONCAT(&behind, &j->lines);
    engine_handle_host(e, line);
    STAILQ_CONCAT(&j->lines, &behind);
    line_unref(line);
}

/* Goes on with what waited, until the judge is busy again. */
static void go_on(struct engine *e)
{
    struct judging *j = e->judging;

    while (!engine_is_judging(e)) {
        struct commit *cm = take_waiter(j);
        struct line *line = cm == NULL ? take_line(j) : NULL;

        if (cm != NULL && (e->is_server_ended || e->is_interrupted)) {
            commit_resume(e, cm, ENGINE_NOT_NOW, SP_STR(""));
        } else if (cm != NULL) {
            commit_go_on(e, cm);
        } else if (line != NULL) {
            handle_later(e, line);
        } else {
            break;
        }
    }
    if (!engine_is_judging(e) && j->has_host_ended) {
        j->has_host_ended = false;
        if (!e->is_server_ended)
            conversation_read(e);
    }
}

/* Goes on with the call that was held. */
static void release(struct engine *e, enum engine_verdict verdict, struct sp_str reasons)
{
    struct judging *j = e->judging;
    struct line *line = j->line;
    struct commit *cm = j->commit;

    j->line = NULL;
    j->commit = NULL;
    if (line != NULL) {
        engine_resume_call(e, line, verdict, reasons);
        line_unref(line);
    } else if (cm != NULL) {
        commit_resume(e, cm, verdict, reasons);
    }
    go_on(e);
}

/* ---- a judgment ---- */

/* Logs the judgment, which is over, and says what it comes to. */
static enum engine_verdict end_judgment(struct engine *e, struct sp_buf *ret_reasons)
{
    struct judging *j = e->judging;
    bool is_refused = judgment_refuses(j->judgment);
    struct sp_buf line = {0};

    judgment_put_record(j->judgment, e->now_ms, &line);
    sp_buf_add_char(&line, '\n');
    e->ops->log_confirm(e->owner, sp_buf_str(&line));
    sp_buf_deinit(&line);
    if (is_refused)
        judgment_put_reasons(j->judgment, ret_reasons);
    judgment_free(j->judgment);
    j->judgment = NULL;
    return is_refused ? ENGINE_REFUSED : ENGINE_MAY_CALL;
}

/* Puts the next question, or ends the judgment when there is none. */
static enum engine_verdict advance(struct engine *e, struct sp_buf *ret_reasons)
{
    struct judging *j = e->judging;
    const struct oracle_request *question;

    while ((question = judgment_question(j->judgment)) != NULL) {
        if (j->n_questions < j->judge->questions) {
            j->n_questions++;
            e->ops->ask(e->owner, ENGINE_ASK_JUDGE, question, j->key);
            return ENGINE_JUDGED;
        }
        e->ops->key_of(e->owner, question, j->key);
        judgment_skip(j->judgment, j->key);
    }
    return end_judgment(e, ret_reasons);
}

enum engine_verdict judging_begin(struct engine *e, const struct engine_call *call, bool word_list,
                                  struct sp_buf *ret_reasons)
{
    struct judging *j = e->judging;
    const struct episode *episode = turns_episode(e->turns);

    if (e->is_interrupted || e->is_server_ended)
        return ENGINE_NOT_NOW;
    if (j->judgment != NULL)
        return ENGINE_WAITS;
    exchange_update(&j->exchange, episode, episode->n_events);
    j->judgment = judgment_begin(&j->judge->options, episode, &j->exchange, call->name,
                                 call->arguments, word_list, e->now_ms);
    return advance(e, ret_reasons);
}

void judging_answer(struct engine *e, const struct oracle_response *response, const char *error)
{
    struct judging *j = e->judging;
    struct sp_buf reasons = {0};
    enum engine_verdict verdict;

    if (response != NULL) {
        judgment_answer(j->judgment, j->key, response);
    } else {
        judgment_no_answer(j->judgment, j->key, error);
        engine_note(e, "the confirmation judge cannot answer: %s", judgment_error(j->judgment));
    }
    verdict = advance(e, &reasons);
    if (verdict != ENGINE_JUDGED)
        release(e, verdict, sp_buf_str(&reasons));
    sp_buf_deinit(&reasons);
}

void judging_stop(struct engine *e)
{
    struct judging *j = e->judging;

    if (!engine_is_judging(e))
        return;
    e->ops->cancel(e->owner, ENGINE_ASK_JUDGE);
    judgment_free(j->judgment);
    j->judgment = NULL;
    release(e, ENGINE_NOT_NOW, SP_STR(""));
}
