/// Commands of a shell that the pages can run. They read the store, and nothing else.
package struct CommandConsole: Sendable {
    /// A command that can be run.
    package struct Command: Sendable, Hashable {
        /// The words of its name, such as `doc get`.
        package let name: String
        /// A sentence about its purpose.
        package let abstract: String
        /// An example; `nil` if there is none.
        package let example: String?

        package init(name: String, abstract: String, example: String?) {
            self.name = name
            self.abstract = abstract
            self.example = example
        }
    }

    /// A command that is refused.
    package struct Refusal: Sendable, Hashable {
        package let name: String
        /// Why, in a sentence.
        package let reason: String

        package init(name: String, reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    /// The output of a command.
    package struct Output: Sendable, Hashable {
        /// Its standard output.
        package var results = ""
        /// Its standard error.
        package var messages = ""
        /// The exit code; 0 for a command that did what was asked.
        package var exitCode: Int32 = 0
        /// Whether the results continue after what is kept of them.
        package var isCut = false

        package init() {}
    }

    /// How the results are written.
    package enum Form: Sendable {
        /// As tables.
        case people
        /// As lines of JSON, as into a pipe.
        case programs
    }

    /// The commands that can be run, in the order of the shell's help.
    package let commands: [Command]
    /// The commands that are refused, in the same order.
    package let refusals: [Refusal]
    /// Runs a line on the newest state of the store, on the thread of the caller. The cancellation of the task stops it.
    package let run: @Sendable (_ line: String, _ form: Form, _ byteLimit: Int) throws -> Output

    package init(
        commands: [Command], refusals: [Refusal], run: @escaping @Sendable (String, Form, Int) throws -> Output
    ) {
        self.commands = commands
        self.refusals = refusals
        self.run = run
    }
}
