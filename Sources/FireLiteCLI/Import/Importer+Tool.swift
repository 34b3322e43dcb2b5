import FireLite
import FireLiteTerminal
import Foundation

extension Importer {
    /// An import whose outcomes go to a rejects file and a terminal; each file is one transaction.
    init(
        store: FHIRStore, options: ContentOptions, origin: WriteOrigin = .local, rejects: NDJSONFile?,
        progress: ProgressLine? = nil, report: @escaping (String) -> Void = { _ in },
        noteMends: @escaping ([MendedPlace]) throws -> Void = { _ in }
    ) {
        var handlers = Handlers()
        handlers.reject = { try rejects?.append($0.map(RejectedLine.init)) }
        handlers.note = { notes in
            try progress?.clear()
            for note in notes { report(note) }
        }
        handlers.mend = noteMends
        handlers.progress = { try progress?.update(resources: $0.resources ?? 0, bytes: $0.completed) }
        self.init(store: store, options: options, origin: origin, handlers: handlers)
    }
}

extension ImportCounts {
    /// The summary of an import.
    func report(_ duration: Duration) -> Report {
        var report = Report()
        report.addLine([
            .init("added", .number(added)), .init("updated", .number(updated)), .init("unchanged", .number(unchanged)),
            .init("superseded", .number(superseded), isShown: superseded > 0), .init("outcomes", .number(outcomes), isShown: outcomes > 0),
            .init("rejected", .number(rejected)), .init("seconds", .seconds(duration)),
        ])
        return report
    }
}

extension LineForm {
    /// The lines of a rejects file: `RejectedLine`.
    static let rejects = LineForm(["file", "line", "reason", "text"], ["file", "line", "reason", "resource", "text"])
    /// The lines of a report on mended places: `MendedPlace`.
    static let mends = LineForm(["file", "kind", "line", "path", "resource"])
}

/// A line of a rejects file; its form is `LineForm.rejects`.
struct RejectedLine: Encodable {
    let file: String
    let line: Int
    let reason: String
    let text: String
    let resource: String?

    init(_ rejected: RejectedText) {
        file = rejected.fault.file
        line = rejected.fault.line
        reason = rejected.fault.reason
        text = rejected.text
        resource = rejected.fault.resource
    }
}

extension ImportSource {
    /// The sources that operands name; a folder stands for its files, `-` for standard input.
    ///
    /// - Throws: `TransferError` if a folder cannot be read or has no input file.
    static func all(_ operands: [String], standardInput: Int32) throws -> [ImportSource] {
        try operands.flatMap { $0 == "-" ? [.standardInput(standardInput)] : try all(at: $0) }
    }

    /// Whether a path is that of a file with a plain SQLite database. What is read only once, such as a pipe, is not looked at.
    ///
    /// Source: SQLite, Database File Format, section 1.3.
    static func isDatabase(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let handle = FileHandle(forReadingAtPath: path) else {
            return false
        }
        do { return try handle.read(upToCount: 16) == Data("SQLite format 3\0".utf8) } catch { return false }
    }

    /// Standard input can be read only once.
    ///
    /// - Throws: `ToolError` with status 2 if it is named twice.
    static func checkOperands(_ operands: [String]) throws {
        guard operands.count(where: { $0 == "-" }) <= 1 else {
            throw ToolError.usage("- is given twice, but standard input can be read only once")
        }
    }

    /// An output file is replaced, so it must not be a file of a folder that is read.
    ///
    /// - Throws: `ToolError` with status 2.
    static func checkOutput(_ output: OutputPath?, _ sources: [ImportSource]) throws {
        guard let output else { return }
        if sources.contains(where: { if case .file(let input) = $0 { FileTarget.isSame(input, output.path) } else { false } }) {
            throw ToolError.usage("\(output.name) is \(output.path), which is an input file: name another file")
        }
    }
}
