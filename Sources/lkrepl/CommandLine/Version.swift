/// The version of the program, as written to dumps.
enum Version {
    static let text = "0.1.0"
}
