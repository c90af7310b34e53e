/*
 * Reads a response, and checks that what is kept of one reads as the same. Where the input is JSON
 * it is also the state of a request, whose canonical bytes are JSON of a form that does not change.
 */

#include <stdint.h>
#include <stdlib.h>

#include "json/jget.h"
#include "oracle/oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_order(const struct oracle_response *r)
{
    for (size_t i = 0; i < r->n_answers; i++) {
        const struct oracle_answer *a = &r->answers[i];

        require(i == 0 || sp_str_cmp(r->answers[i - 1].id, a->id) < 0);
        require(oracle_answer_of(r, a->id) == a);
        for (size_t k = 1; k < a->n_chances; k++)
            require(sp_str_cmp(a->chances[k - 1].name, a->chances[k].name) < 0);
    }
}

static void check_response(struct sp_str input)
{
    struct oracle_response response, again;
    struct sp_buf first = {0}, second = {0};
    struct sp_err err = {0};

    if (oracle_parse_response(input, &response, &err) < 0) {
        require(err.text[0] != '\0' && strpbrk(err.text, "\r\n\t\033") == NULL);
        return;
    }
    check_order(&response);
    oracle_put_response(&first, &response);
    require(oracle_parse_response(sp_buf_str(&first), &again, &err) == 0);
    oracle_put_response(&second, &again);
    require(sp_str_eq(sp_buf_str(&first), sp_buf_str(&second)));
    oracle_response_deinit(&response);
    oracle_response_deinit(&again);
    sp_buf_deinit(&first);
    sp_buf_deinit(&second);
}

static void check_request(struct sp_str input)
{
    struct oracle_question question = {.id = SP_STR("q"), .yes = input, .no = input};
    struct oracle_request r = {.model = input, .questions = &question, .n_questions = 1};
    struct sp_buf first = {0}, second = {0};
    struct jscan found;

    if (!jscan(input, JSCAN_MAX_DEPTH, &found))
        return;
    r.state = input;
    oracle_put_request(&first, &r);
    require(jscan_grammar(sp_buf_str(&first), &found));
    require(jget_member(found.value, SP_STR("state"), &r.state));
    oracle_put_request(&second, &r);
    require(sp_str_eq(sp_buf_str(&first), sp_buf_str(&second)));
    sp_buf_deinit(&first);
    sp_buf_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_str input = {(const char *)data, size};

    check_response(input);
    check_request(input);
    return 0;
}
