/* Tests of guard/audit.h. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard/audit.h"
#include "guard_session.h"
#include "json/jcanon.h"
#include "json/jget.h"

#define CANCEL "cancel_pending_order"

#define ORDER "{\"order_id\":\"#W100\",\"user_id\":\"mia_7\",\"status\":\"pending\"}"

#define GOOD "{\"order_id\":\"#W100\",\"reason\":\"no longer needed\"}"
#define BAD  "{\"order_id\":\"#W100\",\"reason\":\"found it cheaper\"}"

/* A session up to the point where the order may be cancelled. */
static void begin(struct guard_session *s, const char *id, double reward)
{
    guard_session_init(s, "retail");
    s->episode.id = sp_str_of(id);
    s->episode.task_id = SP_STR("1");
    s->episode.domain = SP_STR("retail");
    s->episode.reward = reward;
    guard_session_says(s, "Cancel #W100, I'm mia@x.com");
    guard_session_calls(s, "find_user_id_by_email", "{\"email\":\"mia@x.com\"}", "mia_7");
    guard_session_calls(s, "get_order_details", "{\"order_id\":\"#W100\"}", ORDER);
    guard_session_says(s, "Yes, please cancel it.");
}

static void count(struct audit *a, struct guard_session *s)
{
    audit_add(a, &s->episode);
    guard_session_deinit(s);
}

/* The four episodes of the worked example. */
static struct audit *worked_example(void)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("retail")));
    struct guard_session s;

    begin(&s, "a", 1);
    guard_session_calls(&s, CANCEL, GOOD, "ok");
    count(a, &s);
    begin(&s, "b", 1);
    guard_session_calls(&s, CANCEL, BAD, "ok");
    count(a, &s);
    begin(&s, "c", 0);
    guard_session_calls(&s, CANCEL, BAD, "ok");
    count(a, &s);
    begin(&s, "d", 0);
    guard_session_fails(&s, CANCEL, BAD, "no");
    count(a, &s);
    return a;
}

static struct sp_str member(struct sp_str object, const char *name)
{
    struct sp_str value = {0};

    if (!jget_member(object, sp_str_of(name), &value))
        fail_msg("no member %s", name);
    return value;
}

static void assert_member(struct sp_str object, const char *name, const char *want)
{
    struct sp_buf text = {0};

    jcanon(&text, member(object, name));
    assert_string_equal(sp_buf_cstr(&text), want);
    sp_buf_deinit(&text);
}

/* The only audit of a text that audit_put_json() wrote. */
static struct sp_str only_audit(const struct sp_buf *text)
{
    struct jscan found;
    struct jget_iter it;

    assert_true(jscan(sp_buf_str(text), 10, &found));
    it = jget_iter(found.value);
    assert_true(jget_next(&it));
    return it.value;
}

static struct sp_str rule_of(struct sp_str audit, const char *id)
{
    for (struct jget_iter it = jget_iter(member(audit, "rules")); jget_next(&it);) {
        if (jget_is_text(member(it.value, "rule"), sp_str_of(id)))
            return it.value;
    }
    fail_msg("no rule %s", id);
    return audit;
}

static void audit_counts_the_worked_example(void **state)
{
    struct audit *a = worked_example();
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct sp_str audit;
    struct sp_str rule;

    (void)state;
    audit_put_json(&text, audits, 1);
    audit = only_audit(&text);
    assert_member(audit, "domain", "\"retail\"");
    assert_member(audit, "episodes", "[2,2]");
    assert_member(audit, "writes", "[3,1]");
    assert_member(audit, "refused", "[1,1]");
    assert_member(audit, "tasks", "{\"1\":[2,2,1,1]}");
    rule = rule_of(audit, "retail.cancel_reason");
    assert_member(rule, "policy", "\"accepted cancellation reasons only\"");
    assert_member(rule, "enforced", "true");
    assert_member(rule, "successful", "[1,1,0]");
    assert_member(rule, "failed", "[0,1,0]");
    assert_member(rule, "refused_by_tool", "[0,1,0]");
    assert_member(rule, "episodes_failed", "[1,1]");
    assert_member(rule, "false_alarms",
                  "[[\"b\",\"1\",\"'found it cheaper' is not an accepted reason\"]]");
    rule = rule_of(audit, "retail.confirmed");
    assert_member(rule, "enforced", "false");
    assert_member(rule, "successful", "[2,0,0]");
    assert_member(rule, "episodes_failed", "[0,0]");
    assert_member(rule, "false_alarms", "[]");
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_writes_members_in_their_order(void **state)
{
    static const char *const outer[] = {"domain",  "episodes", "writes",
                                        "refused", "rules",    "tasks"};
    static const char *const inner[] = {
        "rule",   "policy",          "enforced",        "successful",
        "failed", "refused_by_tool", "episodes_failed", "false_alarms"};
    struct audit *a = worked_example();
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct sp_str last = SP_STR("");
    size_t n = 0;

    (void)state;
    audit_put_json(&text, audits, 1);
    for (struct jget_iter it = jget_iter(only_audit(&text)); jget_next(&it); n++)
        assert_true(jget_is_text(it.name, sp_str_of(outer[n])));
    assert_int_equal(n, 6);
    for (struct jget_iter it = jget_iter(member(only_audit(&text), "rules")); jget_next(&it);) {
        struct sp_str id = member(it.value, "rule");

        n = 0;
        for (struct jget_iter rule = jget_iter(it.value); jget_next(&rule); n++)
            assert_true(jget_is_text(rule.name, sp_str_of(inner[n])));
        assert_int_equal(n, 8);
        assert_true(sp_str_cmp(last, id) < 0);
        last = id;
    }
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_indents_its_json(void **state)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("airline")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};

    (void)state;
    audit_put_json(&text, audits, 1);
    assert_true(sp_str_starts(sp_buf_str(&text), SP_STR("[\n"
                                                        "  {\n"
                                                        "    \"domain\": \"airline\",\n"
                                                        "    \"episodes\": [\n"
                                                        "      0,\n"
                                                        "      0\n"
                                                        "    ],\n")));
    assert_true(sp_str_ends(sp_buf_str(&text), SP_STR("        \"false_alarms\": []\n"
                                                      "      }\n"
                                                      "    ],\n"
                                                      "    \"tasks\": {}\n"
                                                      "  }\n"
                                                      "]\n")));
    sp_buf_clear(&text);
    audit_put_json(&text, NULL, 0);
    assert_string_equal(sp_buf_cstr(&text), "[]\n");
    sp_buf_deinit(&text);
    audit_free(a);
}

static void assert_has(struct sp_buf *text, const char *part)
{
    if (strstr(sp_buf_cstr(text), part) == NULL)
        fail_msg("'%s' is not in:\n%s", part, sp_buf_cstr(text));
}

static void audit_reports_in_markdown(void **state)
{
    struct audit *a = worked_example();
    struct audit *empty = audit_new(guard_domain_find(SP_STR("airline")));
    const struct audit *audits[] = {a, empty};
    struct sp_buf text = {0};

    (void)state;
    audit_put_markdown(&text, audits, 2);
    assert_true(sp_str_starts(sp_buf_str(&text), SP_STR("# ")));
    assert_has(&text,
               "\n\n## retail\n\n"
               "4 episodes: 2 successful, 2 failed. Writes: 3 accepted by the tool, 1 refused by "
               "it. Accepted writes an enforced rule would refuse: in **1 of 2** successful "
               "episodes and **1 of 2** failed ones.\n\n"
               "| Rule | Enforced | Successful: pass / fail / unknown | Failed: pass / fail / "
               "unknown | Refused by the tool: pass / fail / unknown | Episodes: successful / "
               "failed |\n"
               "|---|---|---|---|---|---|\n"
               "| `retail.authenticated` | yes | 2 / 0 / 0 | 1 / 0 / 0 | 1 / 0 / 0 | 0 / 0 |\n"
               "| `retail.cancel_reason` | yes | 1 / 1 / 0 | 0 / 1 / 0 | 0 / 1 / 0 | 1 / 1 |\n"
               "| `retail.confirmed` | logged | 2 / 0 / 0 | 1 / 0 / 0 | 1 / 0 / 0 | 0 / 0 |\n");
    assert_has(&text, "\n\n- `retail.cancel_reason`, task 1 (b): 'found it cheaper' is not an "
                      "accepted reason\n\n## airline\n\n0 episodes:");
    assert_true(sp_str_ends(
        sp_buf_str(&text),
        SP_STR("| `airline.same_passenger_count` | yes | 0 / 0 / 0 | 0 / 0 / 0 | 0 / 0 / 0 | 0 / 0 "
               "|\n")));
    sp_buf_deinit(&text);
    audit_free(a);
    audit_free(empty);
}

static void audit_shows_no_call_of_a_turn_to_another(void **state)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("retail")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct guard_session s;
    size_t turn;

    (void)state;
    begin(&s, "a", 1);
    turn = episode_add_turn(&s.episode, SP_STR("Both at once."));
    for (int i = 0; i < 2; i++)
        episode_add_call(&s.episode, turn,
                         (struct episode_call){i == 0 ? SP_STR("x") : SP_STR("y"),
                                               SP_STR("exchange_delivered_order_items"),
                                               SP_STR("{\"order_id\":\"#W100\"}")});
    episode_add_result(&s.episode, SP_STR("x"), SP_STR("exchange_delivered_order_items"), false,
                       SP_STR("ok"));
    guard_session_calls(&s, "exchange_delivered_order_items", "{\"order_id\":\"#W100\"}", "ok");
    count(a, &s);
    audit_put_json(&text, audits, 1);
    assert_member(rule_of(only_audit(&text), "retail.once"), "successful", "[2,1,0]");
    assert_member(only_audit(&text), "writes", "[3,0]"); /* "y", without a result, is accepted */
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_takes_the_last_result_of_a_call(void **state)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("retail")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct guard_session s;

    (void)state;
    begin(&s, "a", 1);
    guard_session_calls(&s, CANCEL, BAD, "ok");
    episode_add_result(&s.episode, SP_STR("c2"), SP_STR(CANCEL), true, SP_STR("no"));
    count(a, &s);
    audit_put_json(&text, audits, 1);
    assert_member(only_audit(&text), "writes", "[0,1]");
    assert_member(only_audit(&text), "refused", "[0,0]");
    assert_member(rule_of(only_audit(&text), "retail.cancel_reason"), "refused_by_tool", "[0,1,0]");
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_keeps_the_first_five_false_alarms(void **state)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("retail")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct guard_session s;

    (void)state;
    for (int i = 0; i < 3; i++) {
        char id[] = {(char)('p' + i), '\0'};

        begin(&s, id, i == 0 ? 0 : 1 - 1e-10);
        guard_session_calls(&s, CANCEL, BAD, "ok");
        guard_session_calls(&s, CANCEL, "{\"order_id\":\"#W100\",\"reason\":\"a\\n\\u009bb\"}",
                            "ok");
        guard_session_says(&s, "Hm.");
        guard_session_calls(&s, CANCEL, BAD, "ok");
        count(a, &s);
    }
    audit_put_json(&text, audits, 1);
    assert_member(only_audit(&text), "episodes", "[2,1]");
    assert_member(only_audit(&text), "refused", "[2,1]");
    assert_member(rule_of(only_audit(&text), "retail.cancel_reason"), "episodes_failed", "[2,1]");
    assert_member(rule_of(only_audit(&text), "retail.cancel_reason"), "false_alarms",
                  "[[\"q\",\"1\",\"'found it cheaper' is not an accepted reason\"],"
                  "[\"q\",\"1\",\"'a\\n\xc2\x9b"
                  "b' is not an accepted reason\"],"
                  "[\"q\",\"1\",\"'found it cheaper' is not an accepted reason\"],"
                  "[\"r\",\"1\",\"'found it cheaper' is not an accepted reason\"],"
                  "[\"r\",\"1\",\"'a\\n\xc2\x9b"
                  "b' is not an accepted reason\"]]");
    assert_member(rule_of(only_audit(&text), "retail.confirmed"), "episodes_failed", "[2,1]");
    sp_buf_clear(&text);
    audit_put_markdown(&text, audits, 1);
    assert_has(&text, "- `retail.cancel_reason`, task 1 (r): 'a  b' is not an accepted reason\n"
                      "- `retail.confirmed`, task 1 (q): nothing in the customer's last message");
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_counts_logged_fails_as_no_refusal(void **state)
{
    struct audit *a = audit_new(guard_domain_find(SP_STR("retail")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    struct guard_session s;

    (void)state;
    begin(&s, "a", 1);
    guard_session_says(&s, "Hm.");
    guard_session_calls(&s, CANCEL, GOOD, "ok");
    count(a, &s);
    audit_put_json(&text, audits, 1);
    assert_member(only_audit(&text), "refused", "[0,0]");
    assert_member(only_audit(&text), "tasks", "{\"1\":[1,0,0,0]}");
    assert_member(rule_of(only_audit(&text), "retail.confirmed"), "episodes_failed", "[1,0]");
    sp_buf_deinit(&text);
    audit_free(a);
}

static void audit_lists_tasks_in_byte_order(void **state)
{
    static const char *const ids[] = {"9", "10", "\"x\"", "9", "a"};
    struct audit *a = audit_new(guard_domain_find(SP_STR("airline")));
    const struct audit *audits[] = {a};
    struct sp_buf text = {0};
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        struct episode e = {.task_id = sp_str_of(ids[i])};

        audit_add(a, &e);
        episode_deinit(&e);
    }
    audit_put_json(&text, audits, 1);
    for (struct jget_iter it = jget_iter(member(only_audit(&text), "tasks")); jget_next(&it); n++) {
        static const char *const want[] = {"\"x\"", "10", "9", "a"};

        assert_true(jget_is_text(it.name, sp_str_of(want[n])));
    }
    assert_int_equal(n, 4);
    sp_buf_deinit(&text);
    audit_free(a);
    audit_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(audit_counts_the_worked_example),
        cmocka_unit_test(audit_writes_members_in_their_order),
        cmocka_unit_test(audit_indents_its_json),
        cmocka_unit_test(audit_reports_in_markdown),
        cmocka_unit_test(audit_shows_no_call_of_a_turn_to_another),
        cmocka_unit_test(audit_takes_the_last_result_of_a_call),
        cmocka_unit_test(audit_keeps_the_first_five_false_alarms),
        cmocka_unit_test(audit_counts_logged_fails_as_no_refusal),
        cmocka_unit_test(audit_lists_tasks_in_byte_order),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
