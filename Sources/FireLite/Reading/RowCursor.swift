import FireLiteCore
import FireLiteSQLiteBridge

/// Goes through a table's rows for resources in the order of their numbers: from one to the next, or looking up those that were added.
final class RowCursor {
    let reader: RowReader
    /// The same, without counting references.
    private let unmanagedReader: Unmanaged<RowReader>
    private let looksUp: Bool
    /// The number of the resource whose row it stands on; -1 if resources are to be looked up, and the greatest number at the end.
    @exclusivity(unchecked) private var root: Int64
    private let lastKey: Int64
    /// The number of rows it has visited.
    @exclusivity(unchecked) private(set) var rows = 0

    /// A resource no further on than this, by number, is reached by stepping.
    private let near: Int64
    /// The ranges of the resources that were added, and how many of them have been looked up.
    @exclusivity(unchecked) private var added: [ClosedRange<Int64>] = []
    @exclusivity(unchecked) private var lookedUp = 0

    /// A cursor that steps from resource to resource.
    init(_ reader: RowReader, from first: Int64, to last: Int64, near: Int64) throws {
        self.near = near
        self.reader = reader
        unmanagedReader = .passUnretained(reader)
        looksUp = false
        lastKey = RowKey.last(last)
        root = -1
        reader.start(RowKey.key(first), lastKey)
        try step()
    }

    /// A cursor that looks up the resources that are added.
    init(_ reader: RowReader, near: Int64) {
        self.near = near
        self.reader = reader
        unmanagedReader = .passUnretained(reader)
        looksUp = true
        lastKey = 0
        root = .max
    }

    /// Adds a resource to those that are looked up. It comes after those before.
    @inline(__always)
    func add(_ wanted: Int64) {
        if lookedUp == added.count {
            added.removeAll(keepingCapacity: true)
            lookedUp = 0
        } else if let last = added.last, (0...max(near, 1)).contains(wanted - last.upperBound) {
            added[added.count - 1] = last.lowerBound...wanted
            return
        }
        added.append(wanted...wanted)
        if root == .max { root = -1 }
    }

    private func step() throws {
        try unmanagedReader._withUnsafeGuaranteedRef { reader in
            guard try reader.statement.step() else {
                root = lookedUp < added.count ? -1 : .max
                return
            }
            root = RowKey.root(reader.row.value(0).int)
            rows += 1
        }
    }

    /// Goes to the rows of a resource, or to where they would be.
    @inline(__always)
    private func seek(_ wanted: Int64) throws {
        guard root < wanted else { return }
        if looksUp { return try lookUp(wanted) }
        if root < wanted - near {
            reader.start(RowKey.key(wanted), lastKey)
            try step()
        }
        while root < wanted { try step() }
    }

    /// The same for resources that were added.
    private func lookUp(_ wanted: Int64) throws {
        while root < wanted {
            if root < 0 {
                let end = min(lookedUp + RowReader.group, added.count)
                reader.start(added[lookedUp..<end])
                lookedUp = end
            }
            try step()
        }
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

    /// The same for a comparison.
    func take(_ wanted: Int64, into comparison: inout RowComparison) throws {
        try seek(wanted)
        while root == wanted {
            unmanagedReader._withUnsafeGuaranteedRef { comparison.take($0.row, $0.columns) }
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
