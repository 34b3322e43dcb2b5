/// The source of an import.
enum ImportSource: Sendable, Equatable {
    case file(path: String)
    /// The descriptor of standard input.
    case standardInput(Int32)

    /// The name in messages.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}
