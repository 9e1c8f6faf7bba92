/// Completion for the shells that people start lkrepl from, made from ``CommandCatalog``.
///
/// The first word is a command or a database; behind a command come its options and files. What is in a database is
/// completed inside lkrepl's own shell only: opening one at each Tab would take its lock.
enum CompletionScript {
    /// The shells there are scripts for.
    enum Kind: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    /// The script.
    static func text(_ kind: Kind) -> String {
        switch kind {
        case .bash: bash()
        case .zsh: zsh()
        case .fish: fish()
        }
    }

    private static var catalog: CommandCatalog { .current }
    private static let shellOptions = ["-c", "-f", "--keep-going", "--no-history", "--no-config"]

    /// Options before a command behind which a value stands, as a pattern.
    private static var valuedOptions: String { SharedOptions.valued.sorted().joined(separator: "|") }

    private static func options(_ command: CommandCatalog.Command) -> [CommandCatalog.Argument] {
        command.arguments.filter { $0.kind != .positional && $0.isShown }
    }

    private static func bash() -> String {
        var cases: [String] = []
        for command in catalog.commands {
            let words =
                command.subcommands.isEmpty
                ? options(command).flatMap(\.names) : command.subcommands.map { $0.words.last ?? "" }
            cases.append("        \(command.words[0])) words='\(words.joined(separator: " "))' ;;")
            for below in command.subcommands {
                cases.append(
                    "        '\(below.name)') words='\(options(below).flatMap(\.names).joined(separator: " "))' ;;")
            }
        }
        let names = catalog.commands.map { $0.words[0] } + ["help"]
        let nested = catalog.commands.filter { !$0.subcommands.isEmpty }.map { $0.words[0] }
        return """
            # Completion of lkrepl \(Version.text) for bash. Made by: lkrepl generate bash
            _lkrepl() {
                local word=${COMP_WORDS[COMP_CWORD]} words='' command=''
                local i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case ${COMP_WORDS[i]} in
                        \(valuedOptions)) ((i++)) ;;
                        -*) ;;
                        *) command=${COMP_WORDS[i]}; break ;;
                    esac
                done
                if [[ -z $command ]]; then
                    COMPREPLY=($(compgen -W '\(names.joined(separator: " "))' -- "$word") $(compgen -d -- "$word"))
                    return
                fi
                case $command in
                    \(nested.joined(separator: "|")))
                        if ((COMP_CWORD > i + 1)); then command="$command ${COMP_WORDS[i+1]}"; fi ;;
                esac
                case $command in
            \(cases.joined(separator: "\n"))
                    *) words='\(shellOptions.joined(separator: " "))' ;;
                esac
                if [[ $word == -* || $words != -* ]]; then
                    COMPREPLY=($(compgen -W "$words" -- "$word"))
                else
                    COMPREPLY=($(compgen -f -- "$word"))
                fi
            }
            complete -o filenames -o bashdefault -F _lkrepl lkrepl

            """
    }

    private static func zsh() -> String {
        func quoted(_ text: String) -> String {
            text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
                .replacing(":", with: "\\:")
        }
        func specs(_ command: CommandCatalog.Command) -> String {
            options(command).flatMap { option in
                option.names.map { name in
                    "'\(name)[\(quoted(option.abstract))]\(option.kind == .option ? ":\(option.valueName):" : "")'"
                }
            }.joined(separator: " ")
        }
        var cases: [String] = []
        for command in catalog.commands {
            guard command.subcommands.isEmpty else {
                let names = command.subcommands.map { "'\($0.words.last ?? ""):\(quoted($0.abstract))'" }
                cases.append(
                    """
                            \(command.words[0]))
                                if (( CURRENT == 2 )); then
                                    local -a below=(\(names.joined(separator: " ")))
                                    _describe 'command' below
                                else
                                    case $words[2] in
                    \(command.subcommands.map { "                    \($0.words.last ?? "")) shift words; (( CURRENT-- )); _arguments -S \(specs($0)) '*:file:_files' ;;" }.joined(separator: "\n"))
                                    esac
                                fi ;;
                    """)
                continue
            }
            cases.append("        \(command.words[0])) _arguments -S \(specs(command)) '*:file:_files' ;;")
        }
        let names = catalog.commands.map { "'\($0.words[0]):\(quoted($0.abstract))'" }
        return """
            #compdef lkrepl
            # Completion of lkrepl \(Version.text) for zsh. Made by: lkrepl generate zsh
            _lkrepl() {
                local -a commands=(\(names.joined(separator: " ")))
                # Options may stand before the command.
                local -i place=2
                while (( place < CURRENT )); do
                    case $words[place] in
                        \(valuedOptions)) (( place += 2 )) ;;
                        -*) (( place++ )) ;;
                        *) break ;;
                    esac
                done
                if (( place >= CURRENT )); then
                    _describe 'command' commands
                    _files -/
                    return
                fi
                shift $(( place - 1 )) words
                (( CURRENT -= place - 1 ))
                case $words[1] in
            \(cases.joined(separator: "\n"))
                    *) _arguments '*:option:(\(shellOptions.joined(separator: " ")))' ;;
                esac
            }
            if [ "$funcstack[1]" = "_lkrepl" ]; then _lkrepl "$@"; else compdef _lkrepl lkrepl; fi

            """
    }

    private static func fish() -> String {
        func quoted(_ text: String) -> String {
            "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        }
        var lines = [
            """
            # Completion of lkrepl \(Version.text) for fish. Made by: lkrepl generate fish
            # The words from the command on: options may stand before it.
            function __lkrepl_words
                set -l words (commandline -opc)
                set -e words[1]
                while set -q words[1]
                    switch $words[1]
                        case \(SharedOptions.valued.sorted().joined(separator: " "))
                            set -e words[1]
                            set -q words[1]; and set -e words[1]
                        case '-*'
                            set -e words[1]
                        case '*'
                            break
                    end
                end
                set -q words[1]; and string join -- \\n $words
            end
            # Whether the command is still to be typed, or the one below the command of the argument.
            function __lkrepl_expects
                set -l words (__lkrepl_words)
                test (count $words) -eq (count $argv); and __lkrepl_is $argv
            end
            # Whether the command is that of the arguments.
            function __lkrepl_is
                set -l words (__lkrepl_words)
                for position in (seq (count $argv))
                    test "$words[$position]" = "$argv[$position]"; or return 1
                end
            end
            complete -c lkrepl -n __lkrepl_expects -a '(__fish_complete_directories)'
            """
        ]
        for command in catalog.commands {
            let name = command.words[0]
            lines.append("complete -c lkrepl -n __lkrepl_expects -a \(name) -d \(quoted(command.abstract))")
            for below in command.subcommands {
                let word = below.words.last ?? ""
                lines.append(
                    "complete -c lkrepl -n '__lkrepl_expects \(name)' -f -a \(word) -d \(quoted(below.abstract))")
            }
            for leaf in command.subcommands.isEmpty ? [command] : command.subcommands {
                let condition = "__lkrepl_is \(leaf.words.joined(separator: " "))"
                for option in options(leaf) {
                    var line = "complete -c lkrepl -n '\(condition)'"
                    for spelling in option.names {
                        line +=
                            spelling.hasPrefix("--") ? " -l \(spelling.dropFirst(2))" : " -s \(spelling.dropFirst())"
                    }
                    lines.append(line + (option.kind == .option ? " -r" : "") + " -d \(quoted(option.abstract))")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
