#ifndef ENGINE_FAULTS_H
#define ENGINE_FAULTS_H

#include <stdbool.h>

/// Stand-ins for the engine's functions, linked into tests before the engine itself, which they pass
/// calls on to. Everything here is counted and armed for the calling thread alone.

/// Lets the `number`th call from now on, counted from zero, fail with `status`.
void engine_fault_arm(long number, int status);

/// Lets no call fail; whether the armed one did.
bool engine_fault_disarm(void);

/// How many calls there were since arming.
long engine_fault_calls(void);

/// How many transactions, and cursors, were begun and not ended; a reset reader counts as ended.
long engine_open_transactions(void);
long engine_open_cursors(void);

#endif
