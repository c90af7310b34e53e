/* The words of a confirmation. */

#include "base/sp_buf.h"
#include "base/sp_unicode.h"
#include "base/sp_utf8.h"
#include "guard/guard_words.h"

static const char *const single_words[] = {
    "yes",  "yeah", "yep", "yup",  "confirm", "proceed",
    "sure", "okay", "ok",  "fine", "correct", "absolutely",
};

/* Looked for anywhere in the words: "please do" is in "please don't" too. */
static const char *const phrases[] = {
    "go ahead",      "please do",      "do it",     "that's right", "sounds good",
    "please cancel", "please process", "please go", "let's do",     "i agree",
};

static bool is_single_word(struct sp_str word)
{
    for (size_t i = 0; i < sizeof single_words / sizeof single_words[0]; i++) {
        if (sp_str_eq(word, sp_str_of(single_words[i])))
            return true;
    }
    return false;
}

static bool has_phrase(struct sp_str joined)
{
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (memmem(joined.p, joined.len, phrases[i], strlen(phrases[i])) != NULL)
            return true;
    }
    return false;
}

/*
 * Appends the next word in lower case, after a space if it is not the first.
 *
 * rest: the message after it.
 * ret:  the word, good until `joined` next changes.
 * Returns: whether there is one.
 */
static bool next_word(struct sp_str *rest, struct sp_buf *joined, struct sp_str *ret)
{
    bool is_inside = false;
    size_t start = 0;

    while (rest->len > 0) {
        uint32_t c = sp_unicode_lower(sp_utf8_next(rest));
        char encoded[4];

        if (!sp_unicode_is_alnum(c) && c != '\'') {
            if (is_inside)
                break;
            continue;
        }
        if (!is_inside && joined->len > 0)
            sp_buf_add_char(joined, ' ');
        if (!is_inside)
            start = joined->len;
        is_inside = true;
        sp_buf_add(joined, (struct sp_str){encoded, sp_utf8_encode(c, encoded)});
    }
    *ret = sp_str_sub(sp_buf_str(joined), start, joined->len);
    return is_inside;
}

bool guard_words_confirm(struct sp_str message)
{
    struct sp_buf joined = {0};
    struct sp_str word;
    bool is_confirmed = false;

    while (!is_confirmed && next_word(&message, &joined, &word))
        is_confirmed = is_single_word(word);
    if (!is_confirmed)
        is_confirmed = has_phrase(sp_buf_str(&joined));
    sp_buf_deinit(&joined);
    return is_confirmed;
}
