import FireLiteCore
import FireLiteSQLiteBridge
import FireLiteXML
import Foundation

/// Writes the resources of one snapshot of a store as NDJSON or XML.
package struct Exporter {
    package struct Options {
        /// Whether resources without an id get one.
        package var assignsIDs = false
        /// Whether unreadable resources are skipped and listed.
        package var skips = false

        package var format = ExportOptions.Format.ndjson

        package init(assignsIDs: Bool = false, skips: Bool = false, format: ExportOptions.Format = .ndjson) {
            self.assignsIDs = assignsIDs
            self.skips = skips
            self.format = format
        }
    }

    /// What is called during an export, on the calling thread.
    package struct Handlers {
        /// Called with each skipped resource.
        package var skip: (UnreadableResource) throws -> Void = { _ in }
        /// Called after every 1,000 resources and after each type.
        package var progress: StoreProgressHandler = { _ in }
        /// Explains that a resource cannot be read.
        package var explain: (any Error) -> any Error = { $0 }

        package init() {}
    }

    private let types: [String]
    /// The numbers of the resources to write; nil for all.
    private let roots: Set<Int64>?
    private let options: Options
    private let handlers: Handlers
    private let memory = ExportedPieces()
    private var bytes = 0
    /// The number of resources in total, if known.
    private var total: Int?
    /// The results so far.
    package private(set) var counts = ExportResult()

    private static let resourcesPerReport = 1_000

    /// - Parameters:
    ///   - types: the resource types to write; empty for all stored ones.
    ///   - roots: the numbers of the resources to write. Default: all of the types.
    package init(types: [String], roots: Set<Int64>? = nil, options: Options, handlers: Handlers = Handlers()) {
        self.types = types
        self.roots = roots
        self.options = options
        self.handlers = handlers
    }

    /// Writes one type after another, in large pieces.
    package mutating func export(_ store: FHIRStore, to output: any ByteOutput) throws {
        let buffer = BufferedOutput(output)
        do { try write(store, to: buffer) } catch {
            // Who reads along gets all that came before the error.
            try? buffer.flush()
            throw error
        }
        try buffer.flush()
    }

    /// Writes one type after another; each resource is two pieces, its JSON and a line feed.
    mutating func write(_ store: FHIRStore, to output: any ByteOutput) throws {
        try reading(store) { transaction, readers in
            try transaction.asOneCall {
                let types = try typesToWrite(transaction)
                try frame(output) { for type in types { try write(type, transaction, readers, to: output) } }
            }
        }
    }

    /// Writes a file for each type.
    package mutating func export(_ store: FHIRStore, to folder: ExportFolder) throws {
        try reading(store) { transaction, readers in
            try transaction.asOneCall {
                for type in try typesToWrite(transaction) {
                    try folder.write("\(type).\(options.format.rawValue)") { output in
                        try frame(output) { try write(type, transaction, readers, to: output) }
                    }
                    counts.files += 1
                }
            }
        }
    }

    /// Reads with several threads, unless faults or payloads must be dealt with one by one.
    private func reading(_ store: FHIRStore, _ body: (ReadTransaction, SnapshotReaders?) throws -> Void) throws {
        let isSimple = !options.skips && store.payloads.keeper == nil && store.sealing.sealer == nil
        if isSimple { return try store.readTogether(body) }
        try store.read { try body($0, nil) }
    }

    /// Writes what is around the resources.
    private func frame(_ output: any ByteOutput, _ body: () throws -> Void) throws {
        if options.format == .xml { try output.write(FHIRXML.bundle.start) }
        try body()
        if options.format == .xml { try output.write(FHIRXML.bundle.end) }
    }

    private mutating func typesToWrite(_ transaction: ReadTransaction) throws -> [String] {
        try transaction.requirePayloads()
        if !types.isEmpty { return types }
        do {
            let stored = try transaction.counts().filter { $0.count > 0 }
            total = stored.reduce(0) { $0 + $1.count }
            return stored.map(\.typeName)
        } catch let error as FHIRStoreError where options.skips && error.code == .notAStore {
            // A table that cannot be counted may be readable in part.
            return try transaction.storedTypeNames
        }
    }

    private mutating func write(
        _ type: String, _ transaction: ReadTransaction, _ readers: SnapshotReaders?, to output: any ByteOutput
    ) throws {
        var (counts, bytes) = (counts, bytes)
        func report() throws {
            try Cancellation.checkCall()
            try handlers.progress(StoreProgress(.exporting, counts.exported, of: total, .resources, bytes: bytes))
        }
        let lines = JSONBuffer()
        func write(_ stored: FHIRResource) throws {
            if let roots, transaction.number(of: stored).map(roots.contains) != true { return }
            do {
                try Self.line(of: stored, in: transaction, options: options, buffer: lines) { line in
                    try output.write(UnsafeRawBufferPointer(line))
                    bytes += line.count
                }
            } catch {
                guard options.skips, let reason = Self.reasonToSkip(error) else { throw error }
                counts.unreadable += 1
                let number = transaction.number(of: stored) ?? 0
                return try handlers.skip(UnreadableResource(typeName: type, id: stored.id, number: number, reason: reason))
            }
            counts.add(hasID: stored.id != nil, options)
            if counts.exported % Self.resourcesPerReport == 0 { try report() }
        }
        if options.skips {
            func leaveOut(_ resource: UnreadableResource) throws {
                counts.unreadable += 1
                try handlers.skip(resource)
            }
            try transaction.forEach(typeName: type, unreadable: leaveOut) { try write($0) }
        } else {
            do {
                if let readers {
                    try transaction.forEachBatch(ofTypeNamed: type, on: readers, transform: pieces()) { piece in
                        let written = try piece.lines.write(to: output)
                        memory.giveBack(piece.lines)
                        let reports = counts.exported / Self.resourcesPerReport
                        counts.add(piece.counts)
                        bytes += written
                        if counts.exported / Self.resourcesPerReport > reports { try report() }
                    }
                } else if transaction.restriction == nil, Self.needsNoObjects(transaction, options) {
                    let roots = roots
                    try transaction.forEachBatch(ofTypeNamed: type) { registrations in
                        let wanted = Self.wanted(registrations, roots)
                        try Self.forEachLine(of: wanted, in: transaction, options: options, buffer: lines) { line, hasID in
                            try Cancellation.check()
                            try output.write(UnsafeRawBufferPointer(line))
                            bytes += line.count
                            counts.add(hasID: hasID, options)
                            if counts.exported % Self.resourcesPerReport == 0 { try report() }
                        }
                    }
                } else {
                    try transaction.forEach(typeName: type) { try write($0) }
                }
            } catch  where Self.isUnreadable(error) {
                throw handlers.explain(error)
            }
        }
        try report()
        (self.counts, self.bytes) = (counts, bytes)
    }

    // MARK: - Faults

    /// Whether an error says that one resource, or what belongs to it, cannot be read.
    private static func isUnreadable(_ error: any Error) -> Bool {
        switch error {
        case let error as FHIRStoreError where error.code == .notAStore: true
        case let error as any ResourceFault: error.concernsOneResource
        default: false
        }
    }

    /// Why a resource that was read cannot be written; nil for errors that concern the others too.
    private static func reasonToSkip(_ error: any Error) -> String? {
        switch error {
        case let error as FHIRXMLError where error.concernsContent: "XML cannot hold it: \(error)"
        case let error as SQLiteError where error.isDamage: "what belongs to it cannot be read: the file is damaged"
        case let error as any ResourceFault where isUnreadable(error): error.text.problem
        default: nil
        }
    }

    // MARK: - Lines

    /// The lines of some resources.
    private struct Piece: Sendable {
        let lines: ExportedPieces.Lines
        var counts = ExportResult()
    }

    /// Makes pieces on any thread.
    private func pieces() -> @Sendable (ReadTransaction, [Registration]) -> PartialResult<Piece> {
        { [roots, options, memory] transaction, registrations in
            var piece = Piece(lines: memory.take())
            let wanted = Self.wanted(registrations, roots)
            do {
                try transaction.store.mapping {
                    try Self.forEachLine(of: wanted, in: transaction, options: options, buffer: JSONBuffer()) { line, hasID in
                        piece.lines.append(line)
                        piece.counts.add(hasID: hasID, options)
                    }
                }
                return PartialResult(piece)
            } catch {
                return PartialResult(piece, failure: error)
            }
        }
    }

    /// Those of the resources that are to be written.
    private static func wanted(_ registrations: [Registration], _ roots: Set<Int64>?) -> [Registration] {
        guard let roots else { return registrations }
        return registrations.filter { roots.contains($0.root) }
    }

    /// Whether the lines can be made from rows alone.
    private static func needsNoObjects(_ transaction: ReadTransaction, _ options: Options) -> Bool {
        options.format == .ndjson && !options.assignsIDs && transaction.loader.hasOnlyRows
    }

    /// Calls `body` with the line of each resource, a line feed included, and with whether it has an id.
    private static func forEachLine(
        of registrations: [Registration], in transaction: ReadTransaction, options: Options, buffer: JSONBuffer,
        _ body: (UnsafeBufferPointer<UInt8>, _ hasID: Bool) throws -> Void
    ) throws {
        if needsNoObjects(transaction, options) {
            return try transaction.loader.forEachLine(registrations, buffer) { _, line, hasID in try body(line, hasID) }
        }
        try transaction.loader.forEach(registrations) { stored in
            try line(of: stored, in: transaction, options: options, buffer: buffer) { try body($0, stored.id != nil) }
        }
    }

    /// Calls `body` with the line of a resource and a line feed.
    private static func line(
        of stored: FHIRResource, in transaction: ReadTransaction, options: Options, buffer: JSONBuffer,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        var resource = options.assignsIDs ? try transaction.withAssignedIDs(stored) : stored
        resource = try transaction.whole(resource)
        guard options.format == .xml else { return try buffer.withLine(of: resource, body) }
        var entry = try FHIRXML.entry(resource)
        entry.append(UInt8(ascii: "\n"))
        try entry.withUnsafeBytes { try body($0.bindMemory(to: UInt8.self)) }
    }
}

extension ExportResult {
    /// Counts a resource that was written.
    fileprivate mutating func add(hasID: Bool, _ options: Exporter.Options) {
        exported += 1
        if !hasID { if options.assignsIDs { assignedIDs += 1 } else { withoutID += 1 } }
    }

    fileprivate mutating func add(_ other: ExportResult) {
        exported += other.exported
        withoutID += other.withoutID
        assignedIDs += other.assignedIDs
    }
}
