#include <lmdb.h>

#ifdef __linux__
// For what kind a file system is, and for giving a file's room back; Swift's module of the C library
// leaves both out.
#include <sys/types.h>
#include <sys/vfs.h>

int fallocate(int file, int mode, off_t offset, off_t length);
#endif
