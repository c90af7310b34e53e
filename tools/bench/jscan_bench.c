/*
 * How fast the scanner is: GB/s of jscan() and jscan_portable() over kinds of text that a proxy
 * meets, and for small messages the time of one.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/sp_buf.h"
#include "json/jscan.h"

#define BIG_LEN     ((size_t)16 << 20)
#define ROUNDS      20
#define ROUND_BYTES ((size_t)8 << 20)

typedef bool (*scan_fn)(struct sp_str text, unsigned max_depth, struct jscan *ret);

static double now_secs(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void scan_many(scan_fn scan, struct sp_str text, long n)
{
    struct jscan found;

    for (; n > 0; n--) {
        if (!scan(text, JSCAN_LOG_DEPTH, &found)) {
            fprintf(stderr, "jscan_bench: a text is not JSON\n");
            exit(1);
        }
    }
}

/* The seconds of one scan: the best of some rounds, each long enough for the clock. */
static double scan_secs(scan_fn scan, struct sp_str text)
{
    long n_scans = (long)(ROUND_BYTES / text.len) + 1;
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now_secs();
        double secs;

        scan_many(scan, text, n_scans);
        secs = (now_secs() - start) / (double)n_scans;
        if (secs < best)
            best = secs;
    }
    return best;
}

static void measure(const char *name, struct sp_str text)
{
    double fast = scan_secs(jscan, text);
    double portable = scan_secs(jscan_portable, text);

    printf("%-28s %9zu bytes  jscan %6.2f GB/s %10.0f ns  portable %6.2f GB/s %10.0f ns\n", name,
           text.len, (double)text.len / fast / 1e9, fast * 1e9, (double)text.len / portable / 1e9,
           portable * 1e9);
}

/* An array of as many `element`s as reach the length. */
static void measure_many(const char *name, struct sp_str element)
{
    struct sp_buf b = {0};

    sp_buf_add_char(&b, '[');
    while (b.len < BIG_LEN) {
        sp_buf_add(&b, element);
        sp_buf_add_char(&b, ',');
    }
    b.p[b.len - 1] = ']';
    measure(name, sp_buf_str(&b));
    sp_buf_deinit(&b);
}

static void measure_string(const char *name, struct sp_str piece)
{
    struct sp_buf b = {0};

    sp_buf_add_char(&b, '"');
    while (b.len < BIG_LEN)
        sp_buf_add(&b, piece);
    sp_buf_add_char(&b, '"');
    measure(name, sp_buf_str(&b));
    sp_buf_deinit(&b);
}

int main(void)
{
    measure_string("one string", SP_STR("The quick brown fox jumps over the lazy dog. "));
    measure_many(
        "tool results, JSON in text",
        SP_STR("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"{\\\"order_id\\\": \\\"W-2378156\\\", \\\"status\\\": \\\"delivered\\\","
               " \\\"items\\\": [{\\\"name\\\": \\\"Mechanical Keyboard\\\", \\\"price\\\": 225.1,"
               " \\\"options\\\": {\\\"switch type\\\": \\\"clicky\\\"}}]}\"}],"
               "\"isError\":false}}"));
    measure_many(
        "tool results, prose",
        SP_STR("{\"jsonrpc\":\"2.0\",\"id\":4711,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"# Release notes\\n\\nThis version reads large files in pieces and no "
               "longer holds them in memory.\\n\\n- The option \\\"--depth\\\" limits how deep "
               "folders are searched.\\n- Links are followed once.\\n\\n## Known problems\\n\\nOn "
               "some systems the watcher reports a file twice when it is renamed.\\n\"}],"
               "\"isError\":false}}"));
    measure_many("structured content",
                 SP_STR("{\"id\":\"user-1093\",\"name\":\"Ada Example\",\"active\":true,\"age\":36,"
                        "\"tags\":[\"admin\",\"beta\"],\"address\":{\"zip\":\"10115\","
                        "\"city\":\"Berlin\"},\"note\":null}"));
    measure_many("numbers",
                 SP_STR("12,0.5,-1093.25,1790198400123,6.02214076e23,[52.5200,13.4050]"));
    measure_string("non-ASCII, Japanese",
                   SP_STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6\x96\x87\xe7\xab\xa0"
                          "\xe3\x82\x92\xe8\xaa\xad\xe3\x82\x80\xe3\x80\x82"));
    measure_string("non-ASCII, French",
                   SP_STR("L'\xc3\xa9t\xc3\xa9 dernier, nous avons visit\xc3\xa9 un "
                          "ch\xc3\xa2teau pr\xc3\xa8s d'ici. "));
    measure("small: ping", SP_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    measure("small: call",
            SP_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":"
                   "\"find_orders\",\"arguments\":{\"customer\":\"C-1093\",\"status\":[\"open\","
                   "\"held\"],\"limit\":20},\"_meta\":{\"progressToken\":3}}}"));
    measure("small: result",
            SP_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\","
                   "\"text\":\"{\\\"orders\\\": [{\\\"id\\\": \\\"W-2378156\\\", \\\"status\\\": "
                   "\\\"open\\\", \\\"total\\\": 225.1}, {\\\"id\\\": \\\"W-2378157\\\", "
                   "\\\"status\\\": \\\"held\\\", \\\"total\\\": 12.0}]}\"}],\"isError\":false}}"));
    return 0;
}
