#include <lmdb.h>

#ifdef __linux__
// For what kind a file system is; Swift's module of the C library leaves it out.
#include <sys/vfs.h>
#endif
