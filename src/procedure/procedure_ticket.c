/* What a procedure reads in a ticket. */

#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "procedure/procedure_text.h"
#include "procedure/procedure_ticket.h"

/* Takes the next run of a to z from a text; whether there was one. */
static bool next_word(struct sp_str *rest, struct sp_str *ret)
{
    size_t from = 0, to;

    while (from < rest->len && (rest->p[from] < 'a' || rest->p[from] > 'z'))
        from++;
    for (to = from; to < rest->len && rest->p[to] >= 'a' && rest->p[to] <= 'z';)
        to++;
    *ret = sp_str_sub(*rest, from, to);
    *rest = sp_str_sub(*rest, to, rest->len);
    return ret->len > 0;
}

void procedure_ticket_words(struct sp_str ticket, procedure_ticket_fn fn, void *data)
{
    struct sp_buf lower = {0}, pair = {0};
    struct sp_str last = {0}, word, rest;

    sp_unicode_put_lower(&lower, ticket);
    rest = sp_buf_str(&lower);
    while (next_word(&rest, &word)) {
        fn(data, word);
        if (last.len > 0) {
            sp_buf_clear(&pair);
            sp_buf_add(&pair, last);
            sp_buf_add_char(&pair, ' ');
            sp_buf_add(&pair, word);
            fn(data, sp_buf_str(&pair));
        }
        last = word;
    }
    sp_buf_deinit(&lower);
    sp_buf_deinit(&pair);
}

static bool is_of_identifier(uint32_t c)
{
    return c == '_' || c == '.' || c == '@' || c == '-' || sp_unicode_is_alnum(c);
}

void procedure_ticket_identifiers(struct sp_str ticket, procedure_ticket_fn fn, void *data)
{
    struct sp_str rest = ticket;

    while (rest.len > 0) {
        struct sp_str piece = rest;
        const char *end = rest.p;

        while (rest.len > 0 && is_of_identifier(sp_utf8_next(&rest)))
            end = rest.p;
        piece.len = (size_t)(end - piece.p);
        if (procedure_text_length(piece) >= 4 && procedure_text_has_digit(piece))
            fn(data, piece);
    }
}
