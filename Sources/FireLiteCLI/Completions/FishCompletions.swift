/// The completions for fish, from version 3.0.
struct FishCompletions {
    let commands: [CommandDefinition]
    let types: [String]

    var lines: [String] {
        [
            Shell.fish.note, "", "set -g __firelite_take_file \(fileCommands)", "", Self.functions, "", "function __firelite_types",
            "    printf '%s\\n' \(types.joined(separator: " "))",
            "end", "", "complete -c firelite -f",
        ]
            + commands.map { line("__firelite_is_first", "-a \($0.name)", $0.summary) }
            + [line("__firelite_is_first", "-l help", "print the help"), line("__firelite_is_first", "-l version", "print the version")]
            + commands.flatMap(command)
    }

    /// The commands that take a database in front of their own operands.
    private var fileCommands: String { commands.filter { $0.ownOperand != nil }.map(\.name).joined(separator: " ") }

    private static let functions = """
        function __firelite_is_first
            test (count (commandline -opc)) -eq 1
        end

        function __firelite_is
            set -l words (commandline -opc)
            test (count $words) -ge 2; and test "$words[2]" = $argv[1]
        end

        # Whether no word after the command is a file, and the word at the cursor is not empty.
        function __firelite_has_no_file
            set -l current (commandline -ct)
            test -n "$current"; or return 1
            for word in (commandline -opc)[3..-1]
                test -f "$word"; and return 1
            end
            return 0
        end

        # Whether the word at the cursor may be an operand of command $argv[1] whose number compares as $argv[2] (-eq or -ge) with $argv[3]. The
        # other arguments are the options with a value.
        function __firelite_is_operand
            __firelite_is $argv[1]; or return 1
            set -l words (commandline -opc)
            set -e words[1..2]
            set -l number 1
            set -l isValue 0
            set -l takesFile 0
            contains -- $argv[1] $__firelite_take_file; and set takesFile 1
            for word in $words
                if test $isValue -eq 1
                    set isValue 0
                else if contains -- $word $argv[4..-1]
                    set isValue 1
                else if string match -q -- '-?*' $word
                    continue
                else if test $takesFile -eq 1 -a $number -eq 1 -a -f "$word"
                    set takesFile 0
                else
                    set number (math $number + 1)
                end
            end
            test $isValue -eq 0; and test $number $argv[2] $argv[3]
        end
        """

    private func line(_ condition: String, _ arguments: String, _ help: String? = nil) -> String {
        "complete -c firelite -n \(Shell.fish.quoted(condition)) \(arguments)" + (help.map { " -d \(Shell.fish.quoted($0))" } ?? "")
    }

    private func command(_ command: CommandDefinition) -> [String] {
        let valued = command.options.filter { $0.value != nil }.map { "--\($0.name)" }.joined(separator: " ")
        let options = command.options.map { option in
            line("__firelite_is \(command.name)", "-l \(option.name)" + (option.value == nil ? "" : " " + value(option.kind)), option.help)
        }
        let operands = command.operandKinds.enumerated().compactMap { index, kind -> String? in
            if kind == .other { return nil }
            let isLast = index == command.operandKinds.count - 1 && command.operandCount.upperBound > index + 1
            let condition = "__firelite_is_operand \(command.name) \(isLast ? "-ge" : "-eq") \(index + 1) \(valued)"
            return line(condition, kind.offered == .file ? "-F" : value(kind))
        }
        // A database in front of the command's own operand, while none has been given.
        let file =
            command.ownOperand == nil || command.operandKinds.first?.offered == .file
            ? [] : [line("__firelite_is_operand \(command.name) -eq 1 \(valued); and __firelite_has_no_file", "-F")]
        return [""] + options + [line("__firelite_is \(command.name)", "-l help", "print the help")] + operands + file
    }

    private func value(_ kind: ValueKind) -> String {
        switch kind.offered {
        case .file, .database, .output: "-r -F"
        case .folder: "-x -a '(__fish_complete_directories)'"
        case .resourceType: "-x -a '(__firelite_types)'"
        case .resource: "-x -a '(__firelite_types)/'"
        case .choice(let words): "-x -a \(Shell.fish.quoted(words.joined(separator: " ")))"
        case .other: "-x"
        }
    }
}
