import FireLite

/// Writes the resources of one snapshot of a store as NDJSON.
struct Exporter {
    struct Options {
        /// Whether resources without an id get one.
        var assignsIDs = false
        /// Whether unreadable resources are skipped and listed.
        var skips = false
        /// Whether the list names logical ids.
        var showsIDs = false
    }

    struct Counts: Equatable {
        var exported = 0
        var files = 0
        var unreadable = 0
        /// Resources without an id that were given none, and those that were given one.
        var withoutID = 0
        var assigned = 0

        /// The line about resources without an id.
        var idLine: String? {
            if assigned > 0 { return "given an id: \(assigned)" }
            if withoutID == 0 { return nil }
            return "without an id: \(withoutID); references to them are broken in other databases: --assign-ids gives them ids"
        }

        func report(_ duration: Duration) -> Report {
            var report = Report()
            report.addLine([
                .init("exported", .number(exported)), .init("files", .number(files)),
                .init("withoutID", .number(withoutID), isShown: false), .init("assignedIDs", .number(assigned), isShown: false),
                .init("unreadable", .number(unreadable), isShown: false), .init("seconds", .seconds(duration)),
            ])
            if let idLine { report.addNote(idLine) }
            return report
        }
    }

    let types: [String]
    let options: Options
    let report: (String) -> Void
    private(set) var counts = Counts()

    /// - Parameters:
    ///   - types: the resource types to write; empty for all stored ones.
    ///   - report: called with a line for each skipped resource.
    init(types: [String], options: Options, report: @escaping (String) -> Void) {
        self.types = types
        self.options = options
        self.report = report
    }

    /// Writes one type after another.
    mutating func export(_ store: FHIRStore, to output: any ByteOutput) throws {
        let buffer = BufferedOutput(output)
        try store.read { transaction in
            for type in try typesToWrite(transaction) { try write(type, transaction, to: buffer) }
        }
        try buffer.flush()
    }

    /// Writes a file for each type.
    mutating func export(_ store: FHIRStore, to folder: ExportFolder) throws {
        try store.read { transaction in
            for type in try typesToWrite(transaction) {
                try folder.write("\(type).ndjson") { try write(type, transaction, to: $0) }
                counts.files += 1
            }
        }
    }

    private func typesToWrite(_ transaction: ReadTransaction) throws -> [String] {
        if !types.isEmpty { return types }
        do {
            return try transaction.counts().filter { $0.count > 0 }.map(\.typeName)
        } catch let error as FHIRStoreError where options.skips && error.code == .notAStore {
            // A table that cannot be counted may be readable in part.
            return transaction.storedTypeNames
        }
    }

    private mutating func write(_ type: String, _ transaction: ReadTransaction, to output: any ByteOutput) throws {
        var counts = counts
        func write(_ resource: FHIRResource) throws {
            var resource = resource
            if resource.id == nil { if options.assignsIDs { counts.assigned += 1 } else { counts.withoutID += 1 } }
            if options.assignsIDs { resource = try transaction.withAssignedIDs(resource) }
            try output.write(FHIRJSON.data(resource))
            try output.write("\n")
            counts.exported += 1
        }
        if options.skips {
            func leaveOut(_ resource: UnreadableResource) {
                counts.unreadable += 1
                report(line(resource))
            }
            try transaction.forEach(typeName: type, unreadable: leaveOut) { try write($0) }
        } else {
            do {
                try transaction.forEach(typeName: type) { try write($0) }
            } catch let error as FHIRStoreError where error.code == .notAStore {
                throw ToolError.failed("\(error): `firelite export --on-error skip` skips what cannot be read")
            }
        }
        self.counts = counts
    }

    private func line(_ resource: UnreadableResource) -> String {
        let type = resource.typeName ?? "a resource"
        let name = options.showsIDs ? resource.id.map { "\(type)/\($0)" } : nil
        return "skipped \(name ?? "\(type) number \(resource.number)"): \(resource.reason)"
    }
}
