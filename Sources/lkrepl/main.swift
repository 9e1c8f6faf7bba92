// The entry point: passes the process's arguments to `Program` and exits with its exit code.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// A mask that takes rights from the owner would leave files behind that this user cannot read or delete.
umask(umask(0o077) & ~0o700)

exit(Program.run().rawValue)
