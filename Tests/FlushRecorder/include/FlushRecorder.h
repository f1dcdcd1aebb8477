#ifndef FLUSH_RECORDER_H
#define FLUSH_RECORDER_H

// Linked into a program, this stands before the C library's functions that write to files, and
// records what the process writes to the files of a folder and when it flushes them, for the
// simulation of power cuts. Sanitizers stand there too, so under them it is left out.
//
// FLUSH_RECORD names the file the records go to, FLUSH_FOLDER the folder, with a slash at its end;
// without them nothing is recorded.
// Integers are little-endian, u32 unless said otherwise. A record:
//
//     kind, number of the file or folder, u64 offset or size, length, then that many bytes
//
// kinds: 1 write, 2 flush begins, 3 flush ended, 4 size set, 5 name removed (bytes: the path),
// 6 renamed and 7 linked (bytes: from, a zero, to), 8 opened (bytes: the path; the number is its
// file's inode), 9 a line on standard output, 10 a hole made (offset; bytes: its u64 length).
//
// What has kind 1, 4 to 7 and 10 is recorded when it has returned: a flush that begins later covers it.

// FLUSH_FAIL makes the flush of that number, counted from 1, fail with EIO. FLUSH_DIE ends the
// process by SIGABRT when the engine opens its file for meta pages, in the middle of its opening.
// PUNCH_FAIL makes the hole of that number fail as where a file system has none, PUNCH_DIE ends the
// process by SIGKILL behind it.

#endif
