/// What a command writes at a path of its command line.
enum OutputKind {
    /// Lines of JSON, which replace a file of such lines.
    case lines
    /// Files in a folder, which is made if there is none.
    case folder
    /// A copy of a database, where no file is unless the command replaces it.
    case copy
    /// A database, which is made if there is none.
    case database
    /// Keys or credentials, which are read if they are there and made otherwise.
    case secret
}
