import FireLiteCore
import FireLiteSQLiteBridge

/// Goes through a table's rows for resources in the order of their numbers.
final class RowCursor {
    let reader: RowReader
    /// The same, without counting references.
    private let unmanagedReader: Unmanaged<RowReader>
    @exclusivity(unchecked) private var root: Int64 = -1
    private let lastKey: Int64
    /// The number of rows it has visited.
    @exclusivity(unchecked) private(set) var rows = 0

    /// A resource no further on than this, by number, is reached by stepping.
    private let near: Int64

    init(_ reader: RowReader, from first: Int64, to last: Int64, near: Int64) throws {
        self.near = near
        self.reader = reader
        unmanagedReader = .passUnretained(reader)
        lastKey = RowKey.last(last)
        reader.start(RowKey.key(first), lastKey)
        try step()
    }

    private func step() throws {
        try unmanagedReader._withUnsafeGuaranteedRef { reader in
            guard try reader.statement.step() else {
                root = Int64.max
                return
            }
            root = RowKey.root(reader.row.value(0).int)
            rows += 1
        }
    }

    /// Goes to the rows of a resource, or to where they would be.
    @inline(__always)
    private func seek(_ wanted: Int64) throws {
        if root < wanted - near {
            reader.start(RowKey.key(wanted), lastKey)
            try step()
        }
        while root < wanted { try step() }
    }

    /// Reads the rows of a resource, and stops at the row after them.
    func take(_ wanted: Int64, into assembler: inout ResourceAssembler) throws {
        try seek(wanted)
        while root == wanted {
            unmanagedReader._withUnsafeGuaranteedRef { assembler.take($0.row, $0.columns) }
            try step()
        }
    }

    /// The same for an encoder.
    func take(_ wanted: Int64, into encoder: RowEncoder) throws {
        try seek(wanted)
        while root == wanted {
            unmanagedReader._withUnsafeGuaranteedRef { encoder.take($0.row, $0.columns) }
            try step()
        }
    }

    /// The same for cells.
    func take(_ wanted: Int64, into buffer: inout RowBuffer) throws {
        try seek(wanted)
        while root == wanted {
            unmanagedReader._withUnsafeGuaranteedRef { buffer.append($0.row, $0.columns) }
            try step()
        }
    }
}
