// Tells the thread sanitizer what a contended `Mutex` of Swift's Synchronization orders.
//
// Its uncontended path is compiled into its callers, where the sanitizer sees it. A thread that has
// to wait gets the lock inside of the library, which isn't instrumented, and so does who hands it on:
// what the thread before wrote looks like a race then. Here both calls note the order.
#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
// Synchronization._MutexHandle._lockSlow(UInt32) and _unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static SWIFT void (*real_lock)(uint32_t, SELF void *);
static SWIFT void (*real_unlock)(SELF void *);

__attribute__((constructor)) static void find(void) {
  *(void **)&real_lock = dlsym(RTLD_NEXT, LOCK);
  *(void **)&real_unlock = dlsym(RTLD_NEXT, UNLOCK);
  if (!real_lock || !real_unlock) abort();
}

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  real_lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
  __tsan_release(mutex);
  real_unlock(mutex);
}

#endif
#endif
