/* The questions of the confirmation judge. Cached answers are lost if a byte of them changes. */

#include "base/sp_utf8.h"
#include "json/jput.h"
#include "judge/confirmation.h"

#define MAX_PROPOSAL_CHARS 1500
#define MAX_CUSTOMER_CHARS 600

#define OPENING "A customer-service agent wants to make the change given in call_about_to_be_made. "

struct wording {
    struct sp_str id;
    struct sp_str instructions;
    struct sp_str yes;
    struct sp_str no;
};

static const struct wording wordings[] = {
    [CONFIRMATION_CONFIRMED] =
        {
            SP_STR("confirmed"),
            SP_STR(OPENING "Before such a change it must tell the customer what it will do and "
                           "hear a clear yes. Read customer_replied as the answer to "
                           "agent_said_last: does the customer clearly agree to this change?"),
            SP_STR("The customer accepts this very change, as the agent had set it out: a plain "
                   "yes, or words to that effect."),
            SP_STR("Anything else: the customer asks something, supplies details, turns the change "
                   "down or accepts another one, or the agent had not set this change out."),
        },
    [CONFIRMATION_PROPOSED] =
        {
            SP_STR("proposed"),
            SP_STR(OPENING "It must put a change forward and hear a yes before making it. Had the "
                           "agent put this change forward when the customer replied?"),
            SP_STR("agent_said_last puts this change forward, lists it among choices of which the "
                   "customer took it, or mentions it as something the agent had already set out."),
            SP_STR("The customer's reply brings up a change that agent_said_last neither puts "
                   "forward nor mentions, or one unlike what it puts forward: a different order or "
                   "booking, different items, a different address or amount."),
        },
    [CONFIRMATION_DESCRIBED] =
        {
            SP_STR("described"),
            SP_STR(OPENING "It must set a change out before the customer can agree to it. Does "
                           "agent_said_last, its message just before the customer's reply, set out "
                           "this very change?"),
            SP_STR("The message states this change: the action, the order, booking or items it "
                   "touches, and every amount, address or means of payment that the call sets."),
            SP_STR("The message states no action, only asks for details, or states some other "
                   "change: another action, other items, another amount or another means of "
                   "payment."),
        },
};

struct sp_str confirmation_id(enum confirmation_kind kind)
{
    return wordings[kind].id;
}

static struct sp_str first_chars(struct sp_str text, size_t n)
{
    struct sp_str rest = text;

    for (; n > 0 && rest.len > 0; n--)
        sp_utf8_next(&rest);
    return sp_str_sub(text, 0, text.len - rest.len);
}

static struct sp_str last_chars(struct sp_str text, size_t n)
{
    struct sp_str rest = text;

    for (; n > 0 && rest.len > 0; n--)
        sp_utf8_last(&rest);
    return sp_str_sub(text, rest.len, text.len);
}

static void put_state(struct sp_buf *b, const struct exchange *exchange, struct sp_str tool,
                      struct sp_str arguments)
{
    sp_buf_add(b, SP_STR("{\"agent_said_last\":"));
    if (exchange->proposal.len > 0)
        jput_string(b, last_chars(exchange->proposal, MAX_PROPOSAL_CHARS));
    else
        sp_buf_add(b, SP_STR("\"\""));
    sp_buf_add(b, SP_STR(",\"call_about_to_be_made\":{\"arguments\":"));
    sp_buf_add(b, arguments);
    sp_buf_add(b, SP_STR(",\"tool\":"));
    jput_string(b, tool);
    sp_buf_add(b, SP_STR("},\"customer_replied\":"));
    if (exchange->customer.len > 0)
        jput_string(b, first_chars(exchange->customer, MAX_CUSTOMER_CHARS));
    else
        sp_buf_add(b, SP_STR("\"\""));
    sp_buf_add_char(b, '}');
}

void confirmation_make(enum confirmation_kind kind, struct sp_str model,
                       const struct exchange *exchange, struct sp_str tool, struct sp_str arguments,
                       struct oracle_request *ret)
{
    const struct wording *wording = &wordings[kind];
    struct sp_buf state = {0};

    *ret = (struct oracle_request){.model = model, .n_questions = 1};
    put_state(&state, exchange, tool, arguments);
    ret->state = sp_arena_copy(&ret->arena, sp_buf_str(&state));
    ret->questions = sp_arena_alloc(&ret->arena, sizeof *ret->questions);
    ret->questions[0] = (struct oracle_question){
        .id = wording->id,
        .type = ORACLE_NOUL,
        .instructions = wording->instructions,
        .yes = wording->yes,
        .no = wording->no,
    };
    sp_buf_deinit(&state);
}
