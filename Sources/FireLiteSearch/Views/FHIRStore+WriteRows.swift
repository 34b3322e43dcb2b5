import FireLite
import FireLiteFHIRPath
import Foundation

extension FHIRStore {
    /// Writes the rows of a view to a file that only its owner can read, and that appears when it is complete.
    ///
    /// - Parameters:
    ///   - view: the definition of the view.
    ///   - format: the form of the rows.
    ///   - file: the file to write.
    ///   - replacing: whether to replace an existing file. Default: false, which is an error if there is one.
    ///   - terminology: what `memberOf`, `subsumes` and `%terminologies` of the view's expressions ask; they are errors without one. Default: none.
    /// - Returns: the number of rows.
    /// - Throws: `ViewError`; `FHIRStoreError`, with code `alreadyExists` for a file that exists, and `cannotOpen` for one that cannot be written.
    @discardableResult
    public func writeRows(
        of view: ViewDefinition, as format: ViewFormat, to file: URL, replacing: Bool = false,
        terminology: (any FHIRPathTerminology)? = nil
    ) throws -> Int {
        let pending = try PendingFile(.text, path: file.filePath, replaces: replacing, database: self.path)
        let handle = FileHandle(fileDescriptor: try pending.open(), closeOnDealloc: true)
        let count = try writeRows(of: view, as: format, terminology: terminology) { try handle.write(contentsOf: $0) }
        try handle.close()
        try pending.finish()
        return count
    }

    /// Writes the rows of a view piece by piece, to a stream or a connection.
    ///
    /// - Parameters:
    ///   - view: the definition of the view.
    ///   - format: the form of the rows.
    ///   - terminology: what `memberOf`, `subsumes` and `%terminologies` of the view's expressions ask; they are errors without one. Default: none.
    ///   - write: receives pieces of 256 KB or more, each of whole lines.
    /// - Returns: the number of rows.
    /// - Throws: `ViewError`; `FHIRStoreError`; what `write` throws.
    @discardableResult
    public func writeRows(
        of view: ViewDefinition, as format: ViewFormat, terminology: (any FHIRPathTerminology)? = nil, _ write: (Data) throws -> Void
    ) throws -> Int {
        var buffer = Data()
        var count = 0
        func passOn() throws {
            guard buffer.count >= Self.pieceSize else { return }
            try write(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
        let plan = try ViewPlan(view, release: release)
        if format == .csv { buffer.append(contentsOf: (ViewRow.csv(view.columnNames) + "\r\n").utf8) }
        try forEachPiece(
            of: plan, terminology,
            make: { rows in
                var lines = Data()
                for row in rows { format.append(row, to: &lines) }
                return (lines: lines, count: rows.count)
            },
            { piece in
                count += piece.count
                buffer.append(piece.lines)
                try passOn()
            },
            alone: { row in
                count += 1
                format.append(row, to: &buffer)
                try passOn()
            })
        if !buffer.isEmpty { try write(buffer) }
        return count
    }

    /// Few enough bytes to keep in memory, and many enough for a system call.
    private static let pieceSize = 1 << 18
}

/// The form in which the rows of a view are written.
public enum ViewFormat: Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a line of column names.
    case csv
    /// JSON, one object a line.
    case ndjson
}

extension ViewFormat {
    /// Adds a row as a line.
    fileprivate func append(_ row: ViewRow, to lines: inout Data) {
        lines.append(contentsOf: (self == .csv ? row.csv : row.json).utf8)
        lines.append(contentsOf: (self == .csv ? "\r\n" : "\n").utf8)
    }
}
