// The entry point: passes the process's arguments to `Program` and exits with its exit code.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

exit(Program.run().rawValue)
