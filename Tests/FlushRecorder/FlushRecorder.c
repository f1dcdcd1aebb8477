#define _GNU_SOURCE
#include "FlushRecorder.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED
#endif
#endif

#if defined(__linux__) && !defined(IS_SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  written = 1, flushing, flushed, sized, unlinked, renamed, linked, opened, line, punched
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;
static const char *folder;
static size_t folder_length;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static ssize_t real_write(int fd, const void *bytes, size_t count) {
  REAL(write);
  return real(fd, bytes, count);
}

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(open);
  return real(path, flags, mode);
}

__attribute__((constructor)) static void start(void) {
  folder = getenv("FLUSH_FOLDER");
  const char *path = getenv("FLUSH_RECORD");
  if (!folder || !path) return;
  folder_length = strlen(folder);
  out = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void record(
    uint32_t kind, uint64_t file, uint64_t offset, const void *bytes, uint32_t length) {
  if (out < 0) return;
  uint32_t head[5] = {kind, (uint32_t)file, (uint32_t)offset, (uint32_t)(offset >> 32), length};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, length}};
  REAL(writev);
  pthread_mutex_lock(&lock);
  real(out, parts, length ? 2 : 1);
  pthread_mutex_unlock(&lock);
}

// Whether a descriptor is of a file that was opened in the folder, or of the folder.
static unsigned char known[4096];
static uint64_t inodes[4096];

static int is_known(int fd) { return fd >= 0 && fd < 4096 && known[fd]; }

static void note(int fd, const char *path) {
  if (out < 0 || fd < 0 || fd >= 4096) return;
  known[fd] = 0;
  size_t length = strlen(path);
  int is_folder = length + 1 == folder_length && !memcmp(path, folder, length);
  if (!is_folder && (length < folder_length || memcmp(path, folder, folder_length))) return;
  struct stat information;
  if (fstat(fd, &information)) return;
  known[fd] = 1;
  inodes[fd] = information.st_ino;
  record(opened, information.st_ino, information.st_size, path, length);
}

static int open_noting(const char *path, int flags, mode_t mode) {
  if ((flags & O_DSYNC) && getenv("FLUSH_DIE")) abort();
  int fd = real_open(path, flags, mode);
  note(fd, path);
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_noting(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_noting(path, flags, mode);
}

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < 4096) known[fd] = 0;
  return real(fd);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite);
  ssize_t done = real(fd, bytes, count, offset);
  if (done > 0 && is_known(fd)) record(written, inodes[fd], offset, bytes, done);
  return done;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t offset) {
  return pwrite(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  off_t offset = is_known(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t done = real_write(fd, bytes, count);
  if (done > 0 && fd == 1) record(line, 0, 0, bytes, done);
  if (done > 0 && is_known(fd)) record(written, inodes[fd], offset, bytes, done);
  return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  off_t offset = is_known(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  ssize_t done = real(fd, parts, count);
  ssize_t left = done;
  for (int part = 0; is_known(fd) && part < count && left > 0; part++) {
    size_t length = (size_t)left < parts[part].iov_len ? (size_t)left : parts[part].iov_len;
    record(written, inodes[fd], offset, parts[part].iov_base, length);
    offset += length;
    left -= length;
  }
  return done;
}

// Whether this is the flush that is to fail.
static int fails(void) {
  static int count, wanted = -1;
  if (wanted < 0) {
    const char *text = getenv("FLUSH_FAIL");
    wanted = text ? atoi(text) : 0;
  }
  if (!wanted || __sync_add_and_fetch(&count, 1) != wanted) return 0;
  errno = EIO;
  return 1;
}

int fsync(int fd) {
  REAL(fsync);
  if (fails()) return -1;
  if (is_known(fd)) record(flushing, inodes[fd], 0, 0, 0);
  int status = real(fd);
  if (!status && is_known(fd)) record(flushed, inodes[fd], 0, 0, 0);
  return status;
}

int fdatasync(int fd) {
  REAL(fdatasync);
  if (fails()) return -1;
  if (is_known(fd)) record(flushing, inodes[fd], 0, 0, 0);
  int status = real(fd);
  if (!status && is_known(fd)) record(flushed, inodes[fd], 0, 0, 0);
  return status;
}

// How many holes a process makes before it dies, or finds that the file system can't; 0 for no end.
static int count_of(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

int fallocate(int fd, int mode, off_t offset, off_t count) {
  REAL(fallocate);
  static int holes;
  int number = mode & FALLOC_FL_PUNCH_HOLE ? __sync_add_and_fetch(&holes, 1) : 0;
  if (number && number == count_of("PUNCH_FAIL")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  int status = real(fd, mode, offset, count);
  uint64_t length = count;
  if (!status && number && is_known(fd))
    record(punched, inodes[fd], offset, &length, sizeof length);
  if (!status && number && number == count_of("PUNCH_DIE")) raise(SIGKILL);
  return status;
}

int fallocate64(int fd, int mode, off_t offset, off_t count) {
  return fallocate(fd, mode, offset, count);
}

int ftruncate(int fd, off_t size) {
  REAL(ftruncate);
  int status = real(fd, size);
  if (!status && is_known(fd)) record(sized, inodes[fd], size, 0, 0);
  return status;
}

static void record_names(uint32_t kind, const char *from, const char *to) {
  if (strncmp(from, folder, folder_length) || strncmp(to, folder, folder_length)) return;
  size_t first = strlen(from), second = strlen(to);
  char both[first + second + 1];
  memcpy(both, from, first + 1);
  memcpy(both + first + 1, to, second);
  record(kind, 0, 0, both, first + second + 1);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  int status = real(from, to);
  if (!status && out >= 0) record_names(renamed, from, to);
  return status;
}

int link(const char *from, const char *to) {
  REAL(link);
  int status = real(from, to);
  if (!status && out >= 0) record_names(linked, from, to);
  return status;
}

int unlink(const char *path) {
  REAL(unlink);
  int status = real(path);
  if (!status && out >= 0 && !strncmp(path, folder, folder_length))
    record(unlinked, 0, 0, path, strlen(path));
  return status;
}

#endif
