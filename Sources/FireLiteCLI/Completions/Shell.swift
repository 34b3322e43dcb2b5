import FireLite
import FireLiteCore

/// A shell that the tool has completions for.
enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The script with the completions, without a line break at its end.
    ///
    /// - Parameter types: the names of the resource types.
    func script(_ commands: [CommandDefinition], types: [String]) -> String {
        let lines: [String] =
            switch self {
            case .bash: BashCompletions(commands: commands, types: types).lines
            case .zsh: ZshCompletions(commands: commands, types: types).lines
            case .fish: FishCompletions(commands: commands, types: types).lines
            }
        return lines.joined(separator: "\n")
    }

    /// The first comment of a script.
    var note: String { "# Completions of firelite \(FireLiteBuild.version) for \(rawValue), made by `firelite completions \(rawValue)`." }

    /// The text in single quotes, as one word.
    func quoted(_ text: String) -> String {
        switch self {
        case .bash, .zsh: "'" + text.replacingBytes("'", with: "'\\''") + "'"
        case .fish: "'" + text.replacingBytes("\\", with: "\\\\").replacingBytes("'", with: "\\'") + "'"
        }
    }
}
