import FireLiteCore

/// The completions for zsh, by its function `_arguments`.
struct ZshCompletions {
    let commands: [CommandDefinition]
    let types: [String]

    var lines: [String] {
        [
            "#compdef firelite", Shell.zsh.note, "", "__firelite_types() {", "    local -a types=(\(types.joined(separator: " ")))",
            "    compadd \"$@\" -a types", "}", "", "# A command's own operand, or a database in front of it.", "__firelite_or_file() {",
            "    \"$@\"", "    _files", "}", "", "_firelite() {", "    local context state state_descr line", "    typeset -A opt_args",
            "    local -a commands=(",
        ]
            + commands.map { "        " + Shell.zsh.quoted("\($0.name):\($0.summary)") } + ["    )"]
            + [Self.start] + commands.flatMap(command) + [Self.end]
    }

    private static let start = """
            _arguments -C '(- *)--help[print the help]' '(- *)--version[print the version]' '1:command:->command' \
                '*::argument:->argument' && return
            case $state in
                command) _describe -t commands command commands ;;
                argument)
                    case $line[1] in
        """

    /// Both in a folder of `fpath`, where the file is the function's body, and as a script.
    private static let end = """
                    esac
                    ;;
            esac
        }

        if [[ $funcstack[1] == _firelite ]]; then _firelite "$@"; else compdef _firelite firelite; fi
        """

    /// A database in front is taken out of the words, so that the command's own operands keep their numbers.
    private func fileInFront(_ command: CommandDefinition) -> [String] {
        if command.ownOperand == nil { return [] }
        let valued = command.options.filter { $0.value != nil }.map { "--\($0.name)" }.joined(separator: "|")
        return """
                                local -i word
                                for ((word = 2; word < CURRENT; word++)); do
                                    if [[ $words[word] == -* || $words[word-1] == (\(valued)) ]]; then continue; fi
                                    if [[ -f ${(Q)words[word]} ]]; then words[word]=(); ((CURRENT--)); fi
                                    break
                                done
            """.split(separator: "\n").map(String.init)
    }

    private func command(_ command: CommandDefinition) -> [String] {
        let specifications = command.options.map(option) + ["(- *)--help[print the help]"] + operands(command)
        return ["                \(command.name))"] + fileInFront(command)
            + ["                    _arguments \\"]
            + specifications.enumerated().map { index, text in
                "                        \(Shell.zsh.quoted(text))" + (index == specifications.count - 1 ? "" : " \\")
            } + ["                    ;;"]
    }

    private func option(_ option: OptionDefinition) -> String {
        let name = (option.isRepeatable ? "*" : "") + "--\(option.name)"
        let help = "[" + option.help.replacingBytes("[", with: "\\[").replacingBytes("]", with: "\\]") + "]"
        guard let value = option.value else { return name + help }
        return "\(name)=\(help):\(Self.escaped(value)):\(action(option.kind))"
    }

    private func operands(_ command: CommandDefinition) -> [String] {
        command.operandKinds.enumerated().map { index, kind in
            let isLast = index == command.operandKinds.count - 1 && command.operandCount.upperBound > index + 1
            let action = index == 0 && command.ownOperand != nil ? actionOrFile(kind) : action(kind)
            return "\(isLast ? "*" : "\(index + 1)"):\(Self.escaped(command.operands)):\(action)"
        }
    }

    private func action(_ kind: ValueKind) -> String {
        switch kind.offered {
        case .file, .database, .output: "_files"
        case .folder: "_files -/"
        case .resourceType: "__firelite_types"
        case .resource: "__firelite_types -S /"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .other: " "
        }
    }

    private func actionOrFile(_ kind: ValueKind) -> String {
        switch kind.offered {
        case .file, .database, .output, .folder, .choice, .other: "_files"
        // A space in front: words before a call are not added to what is called.
        case .resourceType, .resource: " __firelite_or_file \(action(kind))"
        }
    }

    private static func escaped(_ text: String) -> String { text.replacingBytes(":", with: "\\:") }
}
