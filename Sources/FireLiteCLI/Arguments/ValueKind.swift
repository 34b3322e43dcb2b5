/// What an option's value or an operand names, so that a shell can complete it.
enum ValueKind: Equatable {
    /// A file that is only read, possibly from a pipe of a shell.
    case file
    /// A database that exists.
    case database
    case folder
    /// What the command writes.
    case output(OutputKind)
    /// One of these words.
    case choice([String])
    /// The name of a resource type.
    case resourceType
    /// `Type/id`.
    case resource
    /// Anything else, which no shell can know.
    case other

    /// Whether it is the path of a file or a folder.
    var isPath: Bool {
        switch self {
        case .file, .database, .folder, .output: true
        case .choice, .resourceType, .resource, .other: false
        }
    }

    /// What a shell offers: the names of files or of folders, whether they are read or written.
    var offered: ValueKind {
        switch self {
        case .output(.folder): .folder
        case .database, .output: .file
        default: self
        }
    }
}
