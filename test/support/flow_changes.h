#pragma once

/* What flowdiff.h lists of the changes from one flow to another, there and back. */

#include "flow/flowdiff.h"
#include "flow_edit.h"

/* As `stretto flow-diff` has them. */
extern const struct flowdiff_options flow_changes_defaults;

/* The line above the changes that need review. */
#define FLOW_CHANGES_REVIEW "**Needs review:**\n\n"

/* The bullets below a line of a report; empty if it is not there. The caller's. */
struct sp_buf flow_changes_below(const char *report, const char *line);

/* How a flow differs from another, and what is listed of it; nothing is NULL. */
struct flow_changes_case {
    struct flow_edit both[5]; /* of both flows */
    struct flow_edit edits[5];
    const char *there;        /* what a group has, from the flow to the changed one */
    const char *there_review; /* what needs review, in all groups */
    const char *back;
    const char *back_review;
};

/*
 * Fails the test unless a group, and the list of what needs review, have what the cases say of
 * changes of FLOW_EXAMPLE.
 */
void flow_changes_check(const char *group, const struct flow_changes_case *cases, size_t n);

/* The same with other options. */
void flow_changes_check_at(const char *group, const struct flowdiff_options *options,
                           const struct flow_changes_case *cases, size_t n);

/* ---- changes of FLOW_EXAMPLE ---- */

#define VERSION_2                \
    {                            \
        "_flow\":1", "_flow\":2" \
    }

/* The lookups behind get_ticket. */
#define NEXT "[[\"get_ticket\",false],{\"get_ticket\":1}]"

/* What followed get_ticket, of a total of 4. */
#define SHARES(of)                                                   \
    {                                                                \
        "[[32768],{\"by_action\":[[0,3.0],[2,1.0]],\"total\":4.0}]", \
            "[[32768],{\"by_action\":[" of "],\"total\":4.0}]"       \
    }

/* A promotion, and a site's record in it. */
#define PROMOTED(sites)                                                                 \
    {                                                                                   \
        ",\"contracts\"", ",\"promoted\":{\"bar\":{\"threshold\":0.3,\"min_used\":0.7," \
                          "\"min_lower\":0.5,\"min_tasks\":3},\"sites\":{" sites "}},"  \
                          "\"contracts\""                                               \
    }
#define SCORED(site, promoted)                                                              \
    "\"" site "\":{\"decisions\":41,\"lookups\":40,\"used\":36,\"tasks\":12,\"lower\":0.8," \
    "\"promoted\":" promoted "}"
