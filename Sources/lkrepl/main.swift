// The entry of the program: the arguments of the process in, an exit code out.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

exit(Program.run().rawValue)
