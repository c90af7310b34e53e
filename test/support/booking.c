/* Sessions with a confirmation judge. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "booking.h"

struct engine_judge booking_judge(void)
{
    return (struct engine_judge){
        .options = {.model = SP_STR("jev-latest"), .enforces = true, .threshold = 0.5},
        .questions = 100,
    };
}

void booking_begin_with(struct engine_fixture *f, const struct engine_judge *judge)
{
    engine_fixture_init_judge(f, judge, NULL, "airline", true);
}

void booking_begin(struct engine_fixture *f)
{
    struct engine_judge judge = booking_judge();

    booking_begin_with(f, &judge);
}

void booking_expect(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look(f), wanted);
}

void booking_expect_sent(struct engine_fixture *f, const char *wanted)
{
    assert_string_equal(engine_fixture_look_sent(f), wanted);
}
