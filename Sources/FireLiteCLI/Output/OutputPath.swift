import FireLite
import Foundation

/// A path of the command line that a command writes to.
///
/// Only `ParsedArguments` makes one, of what a definition declares as an output, after `check`; and no other code of the tool creates files. So every
/// output refuses databases, their companions, links and files of other kinds, and what is written is for its owner only.
struct OutputPath {
    /// A path of the command line with its name: `--rejects`, or `FILE` for an operand.
    struct Argument {
        let name: String
        let path: String
        let kind: ValueKind
    }

    let path: String
    let name: String
    let kind: OutputKind

    /// - Throws: `ToolError` with status 2 if the path must not be written to.
    fileprivate init(_ argument: Argument, _ kind: OutputKind, others: [Argument]) throws {
        (path, name, self.kind) = (argument.path, argument.name, kind)
        if isStandardOutput { return }
        try check(others)
    }

    /// The outputs among the paths of a command line, by their names.
    ///
    /// - Throws: `ToolError` with status 2 if one must not be written to.
    static func outputs(among arguments: [Argument]) throws -> [String: OutputPath] {
        var outputs: [String: OutputPath] = [:]
        for (index, argument) in arguments.enumerated() {
            guard case .output(let kind) = argument.kind else { continue }
            let others = arguments.indices.filter { $0 != index }.map { arguments[$0] }
            outputs[argument.name] = try OutputPath(argument, kind, others: others)
        }
        return outputs
    }

    /// The database that a command makes if its command line names none.
    static func standardDatabase(_ path: String) throws -> OutputPath {
        let argument = Argument(name: "--database", path: path, kind: .output(.database))
        return try OutputPath(argument, .database, others: [])
    }

    /// An output beside another one, under a name that the tool chooses.
    func sibling(_ suffix: String, as kind: OutputKind) throws -> OutputPath {
        try OutputPath(Argument(name: name, path: path + suffix, kind: .output(kind)), kind, others: [])
    }

    /// Whether `-` stands for standard output.
    var isStandardOutput: Bool { path == "-" && (kind.isLines || kind == .folder) }

    // MARK: - Checking

    /// Refuses a path at which something is, for a command that makes a new file.
    ///
    /// - Parameter alternative: what the command can do instead, by an option of its own; nil for nothing.
    /// - Throws: `ToolError` with status 2.
    func requireNew(or alternative: String? = nil) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw Self.exists(path, or: alternative) }
    }

    /// The one message about an output that is there and is not replaced.
    static func exists(_ path: String, or alternative: String? = nil) -> ToolError {
        .usage("\(path) exists already: name a new file\(alternative.map { ", or \($0)" } ?? "")")
    }

    private func check(_ others: [Argument]) throws {
        if path.isEmpty { throw ToolError.usage("\(name) needs the name of a \(kind == .folder ? "folder" : "file")") }
        if path == ":memory:", kind == .database { return }
        if kind != .folder, Self.isNameOfFolder(path) { throw refusal("it is the name of a folder", remedy: "name a file") }
        for other in others where other.path != "-" && FileTarget.isPart(path, of: other.path) {
            throw refusal("\(other.name) names it, or what it is a part of")
        }
        if let database = FileTarget.database(with: path) { throw refusal("it would be taken for a part of the database \(database)") }
        var status = stat()
        guard lstat(path, &status) == 0 else { return try checkNew() }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        if isLink {
            if kind.isLines || kind == .copy { throw refusal("it is a link") }
            guard stat(path, &status) == 0 else { throw refusal("it is a link to nothing") }
        }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        if kind == .folder {
            if !isFolder { throw refusal("it is not a folder", remedy: "name a folder") }
            return
        }
        if isFolder { throw refusal("it is a folder", remedy: "name a file") }
        // A pipe would make the command wait for ever.
        guard status.st_mode & S_IFMT == S_IFREG else { throw refusal("it is not an ordinary file") }
        if case .lines(let form) = kind, try !form.fits(fileAt: path) {
            throw refusal("it exists, and its lines are not those that \(name) writes")
        }
        if kind == .secret, try beginning(Self.header.count) == Self.header { throw refusal("it is a database") }
    }

    /// A file of such a name cannot be, but Foundation leaves out the slash, so that a command would write to another file or fail at its end.
    private static func isNameOfFolder(_ path: String) -> Bool {
        ["", ".", ".."].contains(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
    }

    /// SQLite would take what is left of another database for the new one's, and delete it; and a new database for what is left of another one.
    private func checkNew() throws {
        guard kind == .database || kind == .copy else { return }
        if let suffix = FileTarget.companions.first(where: path.hasSuffix) {
            throw refusal("SQLite gives names that end in \(suffix) to files that belong to a database")
        }
        var status = stat()
        for suffix in FileTarget.companions where lstat(path + suffix, &status) == 0 && status.st_size > 0 {
            throw refusal("there is no such database, and \(path)\(suffix) exists", remedy: "move that away, or name another file")
        }
    }

    /// Source: SQLite, Database File Format, section 1.3.
    private static let header = Array("SQLite format 3\0".utf8)

    private func beginning(_ count: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ToolError.system(path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let size = read(descriptor, &bytes, count)
        guard size >= 0 else { throw ToolError.system(path) }
        return Array(bytes[..<size])
    }

    private func refusal(_ reason: String, remedy: String = "name another file") -> ToolError {
        .usage("\(name) is \(path), which cannot be written to: \(reason): \(remedy)")
    }
}

/// What a command writes at a path of its command line.
enum OutputKind: Equatable {
    /// Lines of JSON in a form, which replace a file of lines in the same form.
    case lines(LineForm)
    /// Files in a folder, which is made if there is none.
    case folder
    /// A copy of a database, where no file is unless the command replaces it: the library refuses to replace other files.
    case copy
    /// A database, which is made if there is none.
    case database
    /// Keys or credentials, which are read if they are there and made otherwise.
    case secret

    fileprivate var isLines: Bool { if case .lines = self { true } else { false } }
}
