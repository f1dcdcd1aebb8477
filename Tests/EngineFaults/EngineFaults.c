#define _GNU_SOURCE
#include "EngineFaults.h"

#include <dlfcn.h>
#include <lmdb.h>
#include <stddef.h>

static _Thread_local long remaining = -1;
static _Thread_local long calls = 0;
static _Thread_local int armed_status = 0;
static _Thread_local bool has_fired = false;
static _Thread_local long transactions = 0;
static _Thread_local long cursors = 0;

void engine_fault_arm(long number, int status) {
  remaining = number;
  armed_status = status;
  calls = 0;
  has_fired = false;
}

bool engine_fault_disarm(void) {
  remaining = -1;
  return has_fired;
}

long engine_fault_calls(void) { return calls; }
long engine_open_transactions(void) { return transactions; }
long engine_open_cursors(void) { return cursors; }

/// The status to fail with now, or zero.
static int fault(void) {
  calls++;
  if (remaining < 0) return 0;
  if (remaining-- > 0) return 0;
  has_fired = true;
  return armed_status;
}

#define REAL(name) \
  static _Thread_local __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int mdb_txn_begin(MDB_env *env, MDB_txn *parent, unsigned int flags, MDB_txn **txn) {
  REAL(mdb_txn_begin);
  int status = fault();
  if (status == 0) status = real(env, parent, flags, txn);
  if (status == 0) transactions++;
  return status;
}

int mdb_txn_renew(MDB_txn *txn) {
  REAL(mdb_txn_renew);
  int status = fault();
  if (status == 0) status = real(txn);
  if (status == 0) transactions++;
  return status;
}

void mdb_txn_reset(MDB_txn *txn) {
  REAL(mdb_txn_reset);
  transactions--;
  real(txn);
}

void mdb_txn_abort(MDB_txn *txn) {
  REAL(mdb_txn_abort);
  transactions--;
  real(txn);
}

/// A commit that fails has ended its transaction, as the engine's own does.
int mdb_txn_commit(MDB_txn *txn) {
  REAL(mdb_txn_commit);
  int status = fault();
  if (status != 0) {
    mdb_txn_abort(txn);
    return status;
  }
  transactions--;
  return real(txn);
}

int mdb_dbi_open(MDB_txn *txn, const char *name, unsigned int flags, MDB_dbi *dbi) {
  REAL(mdb_dbi_open);
  int status = fault();
  return status ? status : real(txn, name, flags, dbi);
}

int mdb_get(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
  REAL(mdb_get);
  int status = fault();
  return status ? status : real(txn, dbi, key, data);
}

int mdb_put(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data, unsigned int flags) {
  REAL(mdb_put);
  int status = fault();
  return status ? status : real(txn, dbi, key, data, flags);
}

int mdb_del(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data) {
  REAL(mdb_del);
  int status = fault();
  return status ? status : real(txn, dbi, key, data);
}

int mdb_drop(MDB_txn *txn, MDB_dbi dbi, int del) {
  REAL(mdb_drop);
  int status = fault();
  return status ? status : real(txn, dbi, del);
}

int mdb_stat(MDB_txn *txn, MDB_dbi dbi, MDB_stat *stat) {
  REAL(mdb_stat);
  int status = fault();
  return status ? status : real(txn, dbi, stat);
}

int mdb_cursor_open(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor) {
  REAL(mdb_cursor_open);
  int status = fault();
  if (status == 0) status = real(txn, dbi, cursor);
  if (status == 0) cursors++;
  return status;
}

void mdb_cursor_close(MDB_cursor *cursor) {
  REAL(mdb_cursor_close);
  cursors--;
  real(cursor);
}

int mdb_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op) {
  REAL(mdb_cursor_get);
  int status = fault();
  return status ? status : real(cursor, key, data, op);
}

int mdb_env_sync(MDB_env *env, int force) {
  REAL(mdb_env_sync);
  int status = fault();
  return status ? status : real(env, force);
}
