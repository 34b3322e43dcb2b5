/// Where an import reads from.
enum ImportSource: Sendable, Equatable {
    case file(path: String)
    /// The descriptor of standard input.
    case standardInput(Int32)

    /// What messages call it.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}
