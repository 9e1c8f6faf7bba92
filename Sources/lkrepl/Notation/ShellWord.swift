/// Quotes arguments for the system's shell.
enum ShellWord {
    /// The argument, in single quotes if a shell would otherwise interpret it.
    static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "+"):
                    true
                default: byte >= 0x80
                }
            }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }
}
