import FireLiteCore
import FireLiteSQLiteBridge

/// Writes resources as JSON from their rows, without making objects, and computes their digests on the way.
///
/// It does what `ResourceAssembler`, `JSONWriter` and `ContentDigest` do one after the other, for the rows that nearly all resources have. The
/// JSON is passed on only if its digest is that of the resource. Otherwise the caller makes an object: for ids and extensions of primitives,
/// lists whose rows are not in their order, and damaged rows.
final class RowEncoder {
    /// The JSON of a resource and a line feed: valid until the next row is taken.
    struct Line {
        let bytes: UnsafeBufferPointer<UInt8>
        let hasID: Bool
    }

    /// One value: a word, or the position of its text in `bytes`.
    struct Cell {
        /// Its number in the sources of its columns.
        let source: Int32
        /// -1 for a word.
        let length: Int
        let payload: Int64
    }

    /// A row.
    struct Part {
        let columns: Unmanaged<RowColumns>
        let parent: Int64
        let node: UInt32
        let order: Int32
        let cellStart: Int32
        var cellEnd: Int32
        /// The first of its lists, or -1.
        var firstRun: Int32 = -1
        /// The position in `bytes` of the member that the row fills, and its length; -1 for rows whose table is that of one list.
        var member: Int32 = -1
        var memberLength: Int32 = 0
    }

    /// Adjacent rows of one list.
    struct Run {
        let key: WalkKey
        let entry: UnsafePointer<ElementEntry>
        /// The inlined object that the list belongs to.
        let group: Int32
        let rows: Range<Int32>
        let firstOrder: Int32
        let lastOrder: Int32
        let isPrimitive: Bool
        /// The next run of the same owner, in the order of a walk; -1 for none.
        var next: Int32
    }

    // Not checked, as nothing calls back into this type while it changes them.
    @exclusivity(unchecked) var parts = ContiguousArray<Part>()
    @exclusivity(unchecked) var cells = ContiguousArray<Cell>()
    @exclusivity(unchecked) var runs = ContiguousArray<Run>()
    @exclusivity(unchecked) private var byNode = ContiguousArray<Int32>()
    @exclusivity(unchecked) var bytes: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var byteCount = 0
    @exclusivity(unchecked) private var byteCapacity: Int
    @exclusivity(unchecked) var writer = ContentWriter()
    /// Whether the rows of the current resource need an object.
    @exclusivity(unchecked) var isUnusual = false
    /// The number of rows that were written.
    @exclusivity(unchecked) var visited = 0
    private var lines = 0
    private var misses = 0
    private var batchesToSkip = 0

    private static let initialBytes = 1 << 14
    /// The memory of a larger resource is returned.
    private static let keptBytes = 1 << 20
    private static let maximumNode = 1 << 16
    /// The number of batches read as objects after one that mostly needed them.
    private static let skippedBatches = 7

    init() {
        byteCapacity = Self.initialBytes
        bytes = .allocate(capacity: byteCapacity)
    }

    deinit { bytes.deallocate() }

    // MARK: - Batches

    /// Begins a batch; returns false if its resources should be read as objects, as most of an earlier batch needed these.
    func beginBatch() -> Bool {
        if misses > lines { batchesToSkip = Self.skippedBatches }
        (misses, lines) = (0, 0)
        guard batchesToSkip > 0 else { return true }
        batchesToSkip -= 1
        return false
    }

    func clear() {
        parts.removeAll(keepingCapacity: true)
        cells.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        byNode.removeAll(keepingCapacity: true)
        byteCount = 0
        isUnusual = false
        visited = 0
        guard byteCapacity > Self.keptBytes else { return }
        bytes.deallocate()
        byteCapacity = Self.initialBytes
        bytes = .allocate(capacity: byteCapacity)
    }

    // MARK: - Rows

    /// Adds a row of a table with these columns.
    func take(_ row: ResultRow, _ columns: RowColumns) {
        columns.prepareWalk()
        let node = RowKey.node(row.value(0).int)
        let parent = row.value(1)
        let start = Int32(truncatingIfNeeded: cells.count)
        var part = Part(
            columns: .passUnretained(columns), parent: parent.type == .null ? -1 : parent.int, node: node,
            order: Int32(truncatingIfNeeded: row.value(2).int), cellStart: start, cellEnd: start)
        if columns.hasMember {
            // `_member` sorts before every other column.
            let member = row.value(RowColumns.fixedColumns)
            if member.type != .null {
                part.member = Int32(truncatingIfNeeded: byteCount)
                part.memberLength = Int32(truncatingIfNeeded: append(member.textBytes))
            }
        }
        addCells(row, columns)
        part.cellEnd = Int32(truncatingIfNeeded: cells.count)
        note(node, Int32(truncatingIfNeeded: parts.count))
        parts.append(part)
    }

    @inline(__always)
    private func addCells(_ row: ResultRow, _ columns: RowColumns) {
        let sources = columns.sources
        var index = 0
        while index < sources.count {
            let source = sources[index]
            let number = index
            index += source.hasAside ? 2 : 1
            let cell = row.value(number + RowColumns.fixedColumns)
            if cell.type == .null { continue }
            guard source.role == .main else { continue }
            if source.storage == .text {
                if cell.type != .text { isUnusual = true }
                let start = byteCount
                add(number, text: start, append(cell.textBytes))
                continue
            }
            let aside = source.hasAside ? row.value(number + 1 + RowColumns.fixedColumns) : nil
            add(number, value(cell, aside, source), source)
        }
    }

    @inline(__always)
    private func value(_ cell: ResultValue, _ aside: ResultValue?, _ source: RowColumns.Source) -> SlotValue? {
        switch source.storage {
        case .boolean: ValueCodec.boolean(cell)
        case .integer: ValueCodec.integer(cell)
        case .decimal: ValueCodec.decimal(cell, aside: aside)
        case .temporal: ValueCodec.temporal(cell, aside: aside, source.primitive)
        case .text: nil
        }
    }

    @inline(__always)
    private func add(_ source: Int, _ value: SlotValue?, _ columns: RowColumns.Source) {
        // Lists of primitives have literals, whatever their type.
        if case .word(let word)? = value, columns.slot >= 0 {
            cells.append(Cell(source: Int32(truncatingIfNeeded: source), length: -1, payload: word))
        } else {
            addLiteral(source, value?.literal(columns.primitive))
        }
    }

    @inline(never)
    private func addLiteral(_ source: Int, _ literal: String?) {
        guard var literal else {
            isUnusual = true
            return
        }
        let start = byteCount
        add(source, text: start, literal.withUTF8 { append($0) })
    }

    @inline(__always)
    private func add(_ source: Int, text start: Int, _ length: Int) {
        cells.append(Cell(source: Int32(truncatingIfNeeded: source), length: length, payload: Int64(start)))
    }

    /// Copies text, and returns its length.
    @inline(__always)
    private func append(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard let base = text.baseAddress else {
            // Without memory for a text, SQLite returns none.
            isUnusual = true
            return 0
        }
        let count = text.count
        if byteCount + count > byteCapacity { grow(count) }
        let (source, target) = (UnsafeRawPointer(base), UnsafeMutableRawPointer(bytes + byteCount))
        var (offset, seen) = (0, 0 as UInt64)
        while offset + 8 <= count {
            let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            seen |= word
            offset += 8
        }
        while offset < count {
            bytes[byteCount + offset] = base[offset]
            seen |= UInt64(base[offset])
            offset += 1
        }
        byteCount += count
        if seen & 0x8080_8080_8080_8080 != 0, !Self.isUTF8(text) { isUnusual = true }
        return count
    }

    /// Whether a string with these bytes keeps them. A file may contain anything.
    @inline(never)
    private static func isUTF8(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var string = String(decoding: text, as: UTF8.self)
        return string.withUTF8 { copy in
            guard copy.count == text.count, let first = copy.baseAddress, let second = text.baseAddress else {
                return copy.count == text.count
            }
            return sameBytes(first, second, copy.count)
        }
    }

    @inline(never)
    private func grow(_ more: Int) {
        byteCapacity = max(byteCapacity * 2, byteCount + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
        larger.update(from: bytes, count: byteCount)
        bytes.deallocate()
        bytes = larger
    }

    @inline(__always)
    private func note(_ node: UInt32, _ part: Int32) {
        guard Int(node) < Self.maximumNode else {
            isUnusual = true
            return
        }
        while byNode.count <= Int(node) { byNode.append(-1) }
        if byNode[Int(node)] >= 0 { isUnusual = true }
        byNode[Int(node)] = part
    }

    func part(of node: Int64) -> Int? {
        guard node >= 0, node < byNode.count, byNode[Int(node)] >= 0 else { return nil }
        return Int(byNode[Int(node)])
    }

    // MARK: - Lines

    /// Calls `body` with the line of the resource whose rows were taken; with nil if it needs an object. Discards the rows.
    func withLine(digest: ContentDigest.Value, key: UInt64, _ body: (Line?) throws -> Void) throws {
        let isMade = write(key) && writer.end() == digest
        let isNamed = isMade && hasID
        clear()
        guard isMade else {
            misses += 1
            return try body(nil)
        }
        lines += 1
        try writer.withBytes { try body(Line(bytes: $0, hasID: isNamed)) }
    }

    /// Whether the resource's own row has a value for its first element, `id`.
    private var hasID: Bool {
        guard let own = part(of: 0), parts[own].cellStart < parts[own].cellEnd else { return false }
        let source = parts[own].columns._withUnsafeGuaranteedRef { $0.sources[Int(cells[Int(parts[own].cellStart)].source)] }
        return source.group == 0 && source.slot == 0
    }

    private func write(_ key: UInt64) -> Bool {
        writer.begin(key: key)
        guard !isUnusual, let own = part(of: 0), parts[own].parent < 0, linkRuns() else { return false }
        write(row: own, depth: 0)
        // All rows belong to the resource, none of them twice.
        return !isUnusual && visited == parts.count
    }
}
