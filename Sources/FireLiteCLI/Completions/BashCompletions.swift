import FireLiteCore

/// The completions for bash, from version 3.2.
struct BashCompletions {
    let commands: [CommandDefinition]
    let types: [String]

    var lines: [String] {
        [Shell.bash.note]
            + ["", "# Sets the kind of the value of option $2 of command $1, unless it has none.", "__firelite_option() {"]
            + cases(commands.flatMap { command in command.options.compactMap { option(command, $0) } }, otherwise: "return 1")
            + ["}", "", "# Sets the kind of operand $2, counted from 1, of command $1.", "__firelite_operand() {"]
            + cases(commands.flatMap(operands), otherwise: "kind=none")
            + ["}", "", "# Sets the options of command $1.", "__firelite_options() {"]
            + cases(commands.map { ("\($0.name) ", "options='\(options($0))'") })
            + ["}", "", "# Whether command $1 takes a database in front of its own operands.", "__firelite_takes_file() {"]
            + cases(commands.filter { $0.ownOperand != nil }.map { ("\($0.name) ", "return 0") }, otherwise: "return 1")
            + ["}", "", "__firelite_types='\(types.joined(separator: " "))'", ""]
            + [Self.function.replacingBytes("COMMANDS", with: (commands.map(\.name) + ["--help", "--version"]).joined(separator: " "))]
    }

    private func cases(_ cases: [(pattern: String, action: String)], otherwise: String? = nil) -> [String] {
        ["    case \"$1 $2\" in"] + cases.map { "        '\($0.pattern)'\($0.pattern.hasSuffix(" ") ? "*" : "")) \($0.action) ;;" }
            + (otherwise.map { ["        *) \($0) ;;"] } ?? []) + ["    esac"]
    }

    private func options(_ command: CommandDefinition) -> String {
        (command.options.map { "--\($0.name)" } + ["--help"]).joined(separator: " ")
    }

    private func option(_ command: CommandDefinition, _ option: OptionDefinition) -> (pattern: String, action: String)? {
        option.value == nil ? nil : ("\(command.name) --\(option.name)", kind(option.kind))
    }

    private func operands(_ command: CommandDefinition) -> [(pattern: String, action: String)] {
        command.operandKinds.enumerated().map { index, kind in
            let isLast = index == command.operandKinds.count - 1 && command.operandCount.upperBound > index + 1
            return (command.name + " " + (isLast ? "" : "\(index + 1)"), self.kind(kind))
        }
    }

    private func kind(_ kind: ValueKind) -> String {
        switch kind.offered {
        case .file, .database, .output: "kind=file"
        case .folder: "kind=folder"
        case .resourceType: "kind=type"
        case .resource: "kind=resource"
        case .choice(let words): "kind='words \(words.joined(separator: " "))'"
        case .other: "kind=none"
        }
    }

    /// Bash makes three words of `--name=value`.
    private static let function = #"""
        _firelite() {
            local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} kind= options= operand=1 index=2 value word plain= file=
            COMPREPLY=()
            if ((COMP_CWORD == 1)); then
                kind='words COMMANDS'
            else
                while ((index < COMP_CWORD)) && [[ -z $kind ]]; do
                    word=${COMP_WORDS[index]}
                    if [[ -z $plain && $word == -- ]]; then
                        plain=1
                    elif [[ -z $plain && $word == --* ]] && __firelite_option "$command" "$word"; then
                        value=$((index + 1))
                        if [[ ${COMP_WORDS[value]} == = ]]; then value=$((value + 1)); fi
                        if ((COMP_CWORD > value)); then kind=; elif [[ $current == = ]]; then current=; fi
                        index=$value
                    elif [[ -n $plain || $word != -?* ]]; then
                        if [[ $operand == 1 && -z $file && -f $word ]] && __firelite_takes_file "$command"; then
                            file=given
                        else
                            operand=$((operand + 1))
                        fi
                    fi
                    index=$((index + 1))
                done
                if [[ -z $kind ]]; then
                    __firelite_options "$command"
                    __firelite_operand "$command" "$operand"
                    if [[ -z $file && $operand == 1 && $current == [!-]* ]] && __firelite_takes_file "$command"; then file=wanted; fi
                    if [[ -z $plain && ( $current == -* || $kind == none ) ]]; then kind="words $options"; fi
                fi
            fi
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
                case $kind in
                    file) compgen -f -- "$current" ;;
                    folder) compgen -d -- "$current" ;;
                    type) compgen -W "$__firelite_types" -- "$current" ;;
                    resource) compgen -S / -W "$__firelite_types" -- "$current" ;;
                    words*) compgen -W "${kind#words}" -- "$current" ;;
                esac
                if [[ $file == wanted && $kind != file ]]; then compgen -f -- "$current"; fi
            )
            # Bash 3 has no compopt.
            case $kind in
                file | folder) compopt -o filenames 2>/dev/null ;;
                resource) compopt -o nospace 2>/dev/null ;;
            esac
            return 0
        }

        complete -F _firelite firelite
        """#
}
