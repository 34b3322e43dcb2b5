import FireLiteCore
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
        package var explain: (FHIRStoreError) -> any Error = { $0 }

        package init() {}
    }

    private let types: [String]
    /// The numbers of the resources to write; nil for all.
    private let roots: Set<Int64>?
    private let options: Options
    private let handlers: Handlers
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
        try write(store, to: buffer)
        try buffer.flush()
    }

    /// Writes one type after another; each resource is two pieces, its JSON and a line feed.
    mutating func write(_ store: FHIRStore, to output: any ByteOutput) throws {
        try store.read { transaction in
            try transaction.asOneCall {
                let types = try typesToWrite(transaction)
                try frame(output) { for type in types { try write(type, transaction, to: output) } }
            }
        }
    }

    /// Writes a file for each type.
    package mutating func export(_ store: FHIRStore, to folder: ExportFolder) throws {
        try store.read { transaction in
            try transaction.asOneCall {
                for type in try typesToWrite(transaction) {
                    try folder.write("\(type).\(options.format.rawValue)") { output in
                        try frame(output) { try write(type, transaction, to: output) }
                    }
                    counts.files += 1
                }
            }
        }
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
            return transaction.storedTypeNames
        }
    }

    private mutating func write(_ type: String, _ transaction: ReadTransaction, to output: any ByteOutput) throws {
        var (counts, bytes) = (counts, bytes)
        func report() throws {
            try Cancellation.checkCall()
            try handlers.progress(StoreProgress(.exporting, counts.exported, of: total, .resources, bytes: bytes))
        }
        func write(_ stored: FHIRResource) throws {
            if let roots, transaction.number(of: stored).map(roots.contains) != true { return }
            let hasID = stored.id != nil
            var resource = options.assignsIDs ? try transaction.withAssignedIDs(stored) : stored
            resource = try transaction.whole(resource)
            let line: Data
            do {
                line = options.format == .xml ? try FHIRXML.entry(resource) : FHIRJSON.data(resource)
            } catch let error as FHIRXMLError where options.skips && error.concernsContent {
                counts.unreadable += 1
                let number = (stored.objectExtras as? StoreTie)?.root ?? 0
                let reason = "XML cannot hold it: \(error)"
                return try handlers.skip(UnreadableResource(typeName: type, id: stored.id, number: number, reason: reason))
            }
            if !hasID { if options.assignsIDs { counts.assignedIDs += 1 } else { counts.withoutID += 1 } }
            try output.write(line)
            try output.write("\n")
            counts.exported += 1
            bytes += line.count + 1
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
                try transaction.forEach(typeName: type) { try write($0) }
            } catch let error as FHIRStoreError where error.code == .notAStore {
                throw handlers.explain(error)
            }
        }
        try report()
        (self.counts, self.bytes) = (counts, bytes)
    }
}
