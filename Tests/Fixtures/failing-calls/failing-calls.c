// Makes system calls on files in one directory fail. Loaded with LD_PRELOAD; Linux only.
//
//     FAILING_CALLS_DIRECTORY  the directory, an absolute path without symbolic links
//     FAILING_CALLS_NUMBER     the number of the failing call, from 1; 0 for none
//     FAILING_CALLS_MODE       io: the call fails with EIO
//                              short: the same, but a write writes its first half
//                              space: the call and all later ones except unlink fail with ENOSPC
//                              exit: the process exits at the call
//                              half: the same, but a write writes its first half
//                              dies: the call fails with EIO, and the process exits at the next one
//     FAILING_CALLS_COUNT      a file that receives the number of calls when the process exits
//
//     FAILING_CALLS_SYNCED     a file that receives a line for each successful fsync and fdatasync: the size in bytes
//                              of the synced file before the call, and its path; a power loss discards later bytes.
//                              Also lines "mkdir PATH" and "rename OLD TO NEW" for calls relative to a directory, and
//                              "lost PATH" for each sync that fails: the system may forget what it has not written
//     FAILING_CALLS_TABLES     the number of microseconds by which each sync of a table file is delayed
//     FAILING_CALLS_PERMISSIONS  if set, chmod, fchmod and fchmodat fail with EPERM, so that the permissions of a file
//                              are those of its creation. These calls are not counted
//
// Counts write, pwrite, rename, renameat, linkat, mkdirat, fsync, fdatasync, sync_file_range, unlink, unlinkat and
// ftruncate.

#ifdef __linux__

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long count;

static bool is_below(const char *path) {
    const char *directory = getenv("FAILING_CALLS_DIRECTORY");
    if (directory == NULL) return false;
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// Stores the path of an open file in a buffer of PATH_MAX bytes.
static bool path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return false;
    path[length] = 0;
    return true;
}

static bool is_file_below(int descriptor) {
    char path[PATH_MAX];
    return path_of(descriptor, path) && is_below(path);
}

// Stores the path of a name in an open directory in a buffer of 2 * PATH_MAX bytes.
static bool path_in(int directory, const char *name, char *path) {
    if (name[0] == '/' || directory == AT_FDCWD) {
        snprintf(path, 2 * PATH_MAX, "%s", name);
        return true;
    }
    if (!path_of(directory, path)) return false;
    size_t length = strlen(path);
    snprintf(path + length, 2 * PATH_MAX - length, "/%s", name);
    return true;
}

static bool is_name_below(int directory, const char *name) {
    char path[2 * PATH_MAX];
    return path_in(directory, name, path) && is_below(path);
}

static bool is_mode(const char *name) {
    const char *mode = getenv("FAILING_CALLS_MODE");
    return mode != NULL && strcmp(mode, name) == 0;
}

enum outcome { works, fails, fails_half };

// Counts a call and returns its outcome.
static enum outcome next(bool is_unlink, bool can_be_half) {
    const char *text = getenv("FAILING_CALLS_NUMBER");
    long failing = text == NULL ? 0 : atol(text);
    long number = atomic_fetch_add(&count, 1) + 1;
    if (failing == 0 || number < failing) return works;
    if (is_mode("space")) {
        if (is_unlink) return works;
        errno = ENOSPC;
        return fails;
    }
    if (number == failing + 1 && is_mode("dies")) _exit(9);
    if (number > failing) return works;
    if (is_mode("exit")) _exit(9);
    errno = EIO;
    if (is_mode("short") || is_mode("half")) return can_be_half ? fails_half : fails;
    return fails;
}

// The function in the C library, looked up once.
#define ORIGINAL(name)                          \
    static _Atomic(__typeof__(&name)) found;    \
    __typeof__(&name) original = found;         \
    if (original == NULL) found = original = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static ssize_t end_half(ssize_t written) {
    (void)written;
    if (is_mode("half")) _exit(9);
    errno = EIO;
    return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    ORIGINAL(write);
    if (is_file_below(descriptor)) {
        switch (next(false, true)) {
        case works: break;
        case fails: return -1;
        case fails_half: return end_half(original(descriptor, bytes, size / 2));
        }
    }
    return original(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    ORIGINAL(pwrite);
    if (is_file_below(descriptor)) {
        switch (next(false, true)) {
        case works: break;
        case fails: return -1;
        case fails_half: return end_half(original(descriptor, bytes, size / 2, offset));
        }
    }
    return original(descriptor, bytes, size, offset);
}

static int other(bool is_below, bool is_unlink) {
    if (!is_below) return 0;
    if (next(is_unlink, false) == works) return 0;
    if (is_mode("half")) _exit(9);
    return -1;
}

// Appends a line to the file of synced files.
static void note(const char *verb, const char *path, const char *target) {
    const char *synced = getenv("FAILING_CALLS_SYNCED");
    if (synced == NULL) return;
    int error = errno;
    int file = open(synced, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        dprintf(file, "%s %s%s%s\n", verb, path, target == NULL ? "" : " TO ", target == NULL ? "" : target);
        close(file);
    }
    errno = error;
}

// Counts a sync. Returns -1 if it fails.
static int fail_sync(int descriptor) {
    char path[PATH_MAX];
    if (other(true, false) == 0) return 0;
    if (path_of(descriptor, path)) note("lost", path, NULL);
    return -1;
}

static int sync_with(int (*original)(int), int descriptor) {
    char path[PATH_MAX];
    if (!is_file_below(descriptor)) return original(descriptor);
    if (fail_sync(descriptor) != 0) return -1;
    bool has_path = path_of(descriptor, path);
    const char *delay = getenv("FAILING_CALLS_TABLES");
    size_t length = has_path ? strlen(path) : 0;
    if (delay != NULL && length > 4 && strcmp(path + length - 4, ".ldb") == 0) usleep((useconds_t)atol(delay));
    struct stat before;
    bool has_size = fstat(descriptor, &before) == 0;
    if (original(descriptor) != 0) return -1;
    const char *synced = getenv("FAILING_CALLS_SYNCED");
    if (synced != NULL && has_path && has_size) {
        int file = open(synced, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file < 0) return 0;
        dprintf(file, "%lld %s\n", (long long)before.st_size, path);
        close(file);
    }
    return 0;
}

int fsync(int descriptor) {
    ORIGINAL(fsync);
    return sync_with(original, descriptor);
}

int fdatasync(int descriptor) {
    ORIGINAL(fdatasync);
    return sync_with(original, descriptor);
}

int sync_file_range(int descriptor, off64_t offset, off64_t size, unsigned int flags) {
    ORIGINAL(sync_file_range);
    if (is_file_below(descriptor) && fail_sync(descriptor) != 0) return -1;
    return original(descriptor, offset, size, flags);
}

int ftruncate(int descriptor, off_t size) {
    ORIGINAL(ftruncate);
    return other(is_file_below(descriptor), false) == 0 ? original(descriptor, size) : -1;
}

int rename(const char *from, const char *to) {
    ORIGINAL(rename);
    return other(is_below(from) || is_below(to), false) == 0 ? original(from, to) : -1;
}

int unlink(const char *path) {
    ORIGINAL(unlink);
    return other(is_below(path), true) == 0 ? original(path) : -1;
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    ORIGINAL(renameat);
    bool is_inside = is_name_below(from_directory, from) || is_name_below(to_directory, to);
    if (other(is_inside, false) != 0) return -1;
    char old[2 * PATH_MAX], new[2 * PATH_MAX];
    bool has_paths = path_in(from_directory, from, old) && path_in(to_directory, to, new);
    if (original(from_directory, from, to_directory, to) != 0) return -1;
    if (is_inside && has_paths) note("rename", old, new);
    return 0;
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
    ORIGINAL(linkat);
    return other(is_name_below(to_directory, to), false) == 0
        ? original(from_directory, from, to_directory, to, flags) : -1;
}

int mkdirat(int directory, const char *name, mode_t mode) {
    ORIGINAL(mkdirat);
    bool is_inside = is_name_below(directory, name);
    if (other(is_inside, false) != 0) return -1;
    if (original(directory, name, mode) != 0) return -1;
    char path[2 * PATH_MAX];
    if (is_inside && path_in(directory, name, path)) note("mkdir", path, NULL);
    return 0;
}

int unlinkat(int directory, const char *name, int flags) {
    ORIGINAL(unlinkat);
    return other(is_name_below(directory, name), true) == 0 ? original(directory, name, flags) : -1;
}

static bool keeps_permissions(bool is_below) {
    if (!is_below || getenv("FAILING_CALLS_PERMISSIONS") == NULL) return false;
    errno = EPERM;
    return true;
}

int chmod(const char *path, mode_t mode) {
    ORIGINAL(chmod);
    return keeps_permissions(is_below(path)) ? -1 : original(path, mode);
}

int fchmod(int descriptor, mode_t mode) {
    ORIGINAL(fchmod);
    return keeps_permissions(is_file_below(descriptor)) ? -1 : original(descriptor, mode);
}

int fchmodat(int directory, const char *name, mode_t mode, int flags) {
    ORIGINAL(fchmodat);
    return keeps_permissions(is_name_below(directory, name)) ? -1 : original(directory, name, mode, flags);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAILING_CALLS_COUNT");
    if (path == NULL) return;
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    fprintf(file, "%ld\n", atomic_load(&count));
    fclose(file);
}

#endif
