/*
 * A growing text with an index of where its grams, runs of a few bytes, begin.
 *
 *  1. The text is indexed in blocks of 64 chunks. A block has rows of 64 bits, a bit a chunk. Every
 *     gram of four bytes hashes to two rows, every gram of six to one, and sets there the bit of
 *     the chunk it begins in. So only a chunk whose bit is set in the rows of all grams of a value
 *     can hold that value, and one read of memory asks 64 chunks. These few are searched.
 *  2. Blocks double in size as the text grows, up to half a megabyte, so that there are few of them
 * and a short text has a small index. The rows of the block being filled stay in the cache.
 *  3. Beside the blocks is the exact set of all runs of three bytes. It answers for values that are
 *     no longer, and most others that are not in the text fall through there already.
 *  4. The end of the text, for which no whole chunk is there yet, is searched as it is. So is all
 *     of a text that is not worth an index.
 */

#include <assert.h>
#include <stdlib.h>

#include "base/sp_alloc.h"
#include "trace/saidtext.h"

/* A text below this length has no index. */
#define MIN_INDEXED (64 * 1024)

/* An index below this length is made again rather than moved, so that there are few blocks. */
#define MIN_MOVED (1024 * 1024)

#define N_CHUNKS       64
#define MIN_CHUNK_BITS 10
#define MAX_CHUNK_BITS 13

/* A block has that many rows (as a power of two) for each byte of a chunk. */
#define ROWS_PER_BYTE_BITS 3

/*
 * Only the last bytes of a value are looked up. A chunk also has the grams that begin this far
 * into its successor, so it has all of those bytes when they begin in it.
 */
#define WINDOW 64

#define SHORT_GRAM 4
#define LONG_GRAM  6
#define LOOK_AHEAD 8 /* bytes that a position must have from it on to be indexed */

#define TRIGRAM_WORDS ((1U << 24) / 64)

struct saidtext_block {
    size_t start;
    size_t n_chunks; /* filled */
    unsigned chunk_bits;
    uint64_t *rows;
};

/* The hashes of a value's grams, those that tell most first. */
struct grams {
    uint64_t hashes[2 * WINDOW];
    size_t n_long; /* of `n`, the first */
    size_t n;
};

static uint64_t hash_short(uint64_t eight_bytes)
{
    return (eight_bytes & 0xffffffff) * 0x9e3779b97f4a7c15;
}

static uint64_t hash_long(uint64_t eight_bytes)
{
    return (eight_bytes << 16) * 0xd6e8feb86659fd93;
}

static size_t row_of(uint64_t hash, unsigned row_bits)
{
    return (size_t)(hash >> (64 - row_bits));
}

static size_t second_row_of(uint64_t hash, unsigned row_bits)
{
    return row_of(hash << row_bits, row_bits);
}

static unsigned row_bits_of(const struct saidtext_block *b)
{
    return b->chunk_bits + ROWS_PER_BYTE_BITS;
}

static size_t chunk_start(const struct saidtext_block *b, size_t chunk)
{
    return b->start + (chunk << b->chunk_bits);
}

/* Notes all grams that begin at [from, to), which are followed by LOOK_AHEAD bytes. */
static void index_grams(struct saidtext *t, struct saidtext_block *b, size_t from, size_t to)
{
    const unsigned char *p = (const unsigned char *)t->text.p;
    uint64_t *rows = b->rows, *trigrams = t->trigrams;
    uint64_t bit = (uint64_t)1 << b->n_chunks, eight_bytes = 0;
    unsigned row_bits = row_bits_of(b);
    uint32_t trigram = (uint32_t)p[from] << 8 | p[from + 1];

    for (unsigned i = 0; i < 7; i++)
        eight_bytes |= (uint64_t)p[from + i] << (8 * (i + 1));
    for (size_t i = from; i < to; i++) {
        uint64_t hash;

        eight_bytes = eight_bytes >> 8 | (uint64_t)p[i + 7] << 56;
        trigram = (trigram << 8 | p[i + 2]) & 0xffffff;
        trigrams[trigram / 64] |= (uint64_t)1 << trigram % 64;
        hash = hash_short(eight_bytes);
        rows[row_of(hash, row_bits)] |= bit;
        rows[second_row_of(hash, row_bits)] |= bit;
        rows[row_of(hash_long(eight_bytes), row_bits)] |= bit;
    }
}

static void free_index(struct saidtext *t)
{
    for (size_t i = 0; i < t->n_blocks; i++)
        free(t->blocks[i].rows);
    free(t->trigrams);
    t->trigrams = NULL;
    t->n_blocks = 0;
    t->n_indexed = 0;
}

static struct saidtext_block *add_block(struct saidtext *t)
{
    struct saidtext_block *b;

    if (t->n_blocks == t->max_blocks) {
        t->max_blocks = t->max_blocks > 0 ? 2 * t->max_blocks : 8;
        t->blocks = sp_realloc(t->blocks, t->max_blocks * sizeof *t->blocks);
    }
    assert(t->blocks != NULL);
    b = &t->blocks[t->n_blocks++];
    *b = (struct saidtext_block){.start = t->n_indexed, .chunk_bits = MIN_CHUNK_BITS};
    while (b->chunk_bits < MAX_CHUNK_BITS && (size_t)2 * N_CHUNKS << b->chunk_bits <= b->start)
        b->chunk_bits++;
    b->rows = sp_calloc((size_t)1 << row_bits_of(b), sizeof *b->rows);
    return b;
}

/* The block that the next chunk goes to. */
static struct saidtext_block *filling_block(struct saidtext *t)
{
    struct saidtext_block *b = t->n_blocks > 0 ? &t->blocks[t->n_blocks - 1] : NULL;

    if (t->trigrams == NULL)
        t->trigrams = sp_calloc(TRIGRAM_WORDS, sizeof *t->trigrams);
    return b != NULL && b->n_chunks < N_CHUNKS ? b : add_block(t);
}

/* Indexes the whole chunks of the first `len` bytes, which WINDOW and LOOK_AHEAD bytes follow. */
static void index_chunks(struct saidtext *t, size_t len)
{
    for (;;) {
        struct saidtext_block *b = filling_block(t);
        size_t end = chunk_start(b, b->n_chunks + 1);

        if (end > len)
            return;
        index_grams(t, b, t->n_indexed, end + WINDOW);
        b->n_chunks++;
        t->n_indexed = end;
    }
}

void saidtext_add(struct saidtext *t, struct sp_str piece)
{
    sp_buf_add(&t->text, piece);
    if (t->text.len >= MIN_INDEXED)
        index_chunks(t, t->text.len - WINDOW - LOOK_AHEAD);
}

/* Indexes the first `len` bytes, and ends the last block with what makes no whole chunk. */
static void index_up_to(struct saidtext *t, size_t len)
{
    struct saidtext_block *b;

    index_chunks(t, len);
    b = filling_block(t);
    index_grams(t, b, t->n_indexed, len + WINDOW);
    b->n_chunks = N_CHUNKS;
    t->n_indexed = len;
}

/* Appends the index of `from`, whose text is already there, from `start` on. */
static void move_index(struct saidtext *t, struct saidtext *from, size_t start)
{
    t->max_blocks = t->n_blocks + from->n_blocks;
    t->blocks = sp_realloc(t->blocks, t->max_blocks * sizeof *t->blocks);
    for (size_t i = 0; i < from->n_blocks; i++) {
        from->blocks[i].start += start;
        t->blocks[t->n_blocks++] = from->blocks[i];
    }
    for (size_t i = 0; i < TRIGRAM_WORDS; i++)
        t->trigrams[i] |= from->trigrams[i];
    t->n_indexed = start + from->n_indexed;
    from->n_blocks = 0;
}

void saidtext_move(struct saidtext *t, struct saidtext *from)
{
    size_t start = t->text.len;

    if (from->n_indexed < MIN_MOVED) {
        saidtext_add(t, saidtext_str(from));
    } else {
        sp_buf_add(&t->text, saidtext_str(from));
        index_up_to(t, start);
        move_index(t, from, start);
    }
    free_index(from);
    sp_buf_clear(&from->text);
}

/* Whether a value begins at [from, to) of the text. */
static bool is_within(const struct saidtext *t, struct sp_str value, size_t from, size_t to)
{
    size_t end =
        value.len > t->text.len || to > t->text.len - value.len ? t->text.len : to + value.len - 1;

    return from < end && memmem(t->text.p + from, end - from, value.p, value.len) != NULL;
}

static bool has_trigram(const struct saidtext *t, uint32_t trigram)
{
    return t->trigrams[trigram / 64] >> trigram % 64 & 1;
}

/* Whether the indexed part has all trigrams of a value, or one that begins with a value of two
 * bytes; those of the end are the likelier to be new. */
static bool has_trigrams(const struct saidtext *t, struct sp_str value)
{
    const unsigned char *p = (const unsigned char *)value.p;

    if (value.len == 2) {
        for (uint32_t i = 0; i < 256; i += 64) {
            if (t->trigrams[((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | i) / 64] != 0)
                return true;
        }
        return false;
    }
    for (size_t i = value.len - 2; i-- > 0;) {
        if (!has_trigram(t, (uint32_t)p[i] << 16 | (uint32_t)p[i + 1] << 8 | p[i + 2]))
            return false;
    }
    return true;
}

static struct grams grams_of(struct sp_str tail)
{
    struct grams g;
    uint64_t eight_bytes = 0;

    g.n_long = tail.len >= LONG_GRAM ? tail.len - LONG_GRAM + 1 : 0;
    g.n = g.n_long;
    for (size_t i = tail.len, n_long = 0; i-- > 0;) {
        eight_bytes = eight_bytes << 8 | (unsigned char)tail.p[i];
        if (tail.len - i >= LONG_GRAM)
            g.hashes[n_long++] = hash_long(eight_bytes);
        if (tail.len - i >= SHORT_GRAM)
            g.hashes[g.n++] = hash_short(eight_bytes);
    }
    return g;
}

/* The chunks of a block that may hold all grams. */
static uint64_t find_chunks(const struct saidtext_block *b, const struct grams *g)
{
    unsigned row_bits = row_bits_of(b);
    uint64_t chunks = UINT64_MAX;

    for (size_t i = 0; i < g->n && chunks != 0; i++) {
        chunks &= b->rows[row_of(g->hashes[i], row_bits)];
        if (i >= g->n_long)
            chunks &= b->rows[second_row_of(g->hashes[i], row_bits)];
    }
    return chunks;
}

/* Whether a value of at least a short gram begins in the indexed part, up to `end`; what was said
 * last is looked at first. */
static bool is_indexed(const struct saidtext *t, struct sp_str value, size_t end)
{
    size_t skipped = value.len > WINDOW ? value.len - WINDOW : 0, cost = 0;
    struct grams g = grams_of(sp_str_sub(value, skipped, value.len));

    for (size_t i = t->n_blocks; i-- > 0;) {
        const struct saidtext_block *b = &t->blocks[i];

        for (uint64_t chunks = find_chunks(b, &g); chunks != 0;) {
            unsigned chunk = 63 - (unsigned)__builtin_clzll(chunks);
            size_t from = chunk_start(b, chunk), to = chunk_start(b, chunk + 1);

            chunks -= (uint64_t)1 << chunk;
            cost += to - from + value.len;
            if (cost > end)
                return is_within(t, value, 0, end);
            if (to > skipped &&
                is_within(t, value, from > skipped ? from - skipped : 0, to - skipped))
                return true;
        }
    }
    return false;
}

bool saidtext_has(const struct saidtext *t, struct sp_str value)
{
    size_t n_whole; /* values that begin before this are within the indexed part */

    if (value.len == 0)
        return true;
    if (value.len > t->text.len)
        return false;
    n_whole = value.len > 1 && t->n_indexed >= value.len ? t->n_indexed - value.len + 1 : 0;
    if (is_within(t, value, n_whole, t->text.len - value.len + 1))
        return true;
    if (n_whole == 0 || !has_trigrams(t, value))
        return false;
    return value.len < SHORT_GRAM || is_indexed(t, value, n_whole);
}

void saidtext_deinit(struct saidtext *t)
{
    free_index(t);
    free(t->blocks);
    sp_buf_deinit(&t->text);
    *t = (struct saidtext){0};
}
