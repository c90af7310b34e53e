/* The commands of `stretto`. */

#include "cmd/cmd.h"

static const struct cmd *const commands[] = {
    &cmd_sessions,       &cmd_show,           &cmd_episodes,  &cmd_manifest, &cmd_redact,
    &cmd_learn,          &cmd_flow_show,      &cmd_flow_diff, &cmd_replay,   &cmd_promote,
    &cmd_audit,          &cmd_evaluate,       &cmd_guards,    &cmd_confirm,  &cmd_ask,
    &cmd_export_answers, &cmd_import_answers, &cmd_jev_check, &cmd_init,     &cmd_doctor,
    &cmd_completions,
};

const struct cmd *cmd_at(size_t i)
{
    return i < sizeof commands / sizeof commands[0] ? commands[i] : NULL;
}
