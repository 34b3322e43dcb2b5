import FireLite

/// The tables of samples in the store's file.
enum SampleTables {
    /// A row for each sample that the store has as an Observation, whose id is the sample's UUID: what statistics need of it. A deleted one keeps
    /// a row without times, for those who read by number.
    private static let samples = ModuleTable(
        "_samples", key: "number",
        columns: [
            .init("uuid", .blob), .init("type", .integer), .init("start", .integer), .init("finish", .integer), .init("value", .real),
            .init("origin", .integer), .init("digest", .integer), .init("series", .integer),
        ], indexes: [.init("uuid", isUnique: true), .init("type", "start", "finish", "value", "origin")])

    /// A row for each Observation that holds a series of samples: its id as a UUID, and the times between which it holds samples of a type.
    private static let series = ModuleTable(
        "_samples_series", key: "number",
        columns: [.init("observation", .blob), .init("type", .integer), .init("start", .integer), .init("finish", .integer)],
        indexes: [.init("observation", isUnique: true)])

    /// A row for each type and each origin.
    private static let names = ModuleTable(
        "_samples_name", key: "number", columns: [.init("kind", .text), .init("name", .text), .init("label", .text)],
        indexes: [.init("kind", "name", isUnique: true)])

    /// A row for each sample that an external store has.
    private static let sent = ModuleTable(
        "_samples_sent", key: "number",
        columns: [.init("target", .integer), .init("uuid", .blob), .init("digest", .integer), .init("location", .text)],
        indexes: [.init("target", "uuid", isUnique: true)])

    /// A row for each external store, source and type: how far the source was read.
    private static let anchors = ModuleTable(
        "_samples_anchor", key: "number",
        columns: [
            .init("target", .text), .init("source", .text), .init("type", .text), .init("anchor", .blob), .init("saved", .integer),
        ], indexes: [.init("target", "source", "type", isUnique: true)])

    static let module = ModuleTables(module: "samples", version: 1, tables: [samples, series, names, sent, anchors])
}

extension ReadTransaction {
    /// The rows that a statement selects from the tables of samples.
    func sampleRows(_ sql: String, _ arguments: [SQLValue] = []) throws -> [SQLRow] { try rows(of: SampleTables.module, sql, arguments) }

    func sampleName(_ kind: String, _ name: String) throws -> Int64? {
        try sampleRows("SELECT number FROM _samples_name WHERE kind = ? AND name = ?", [.text(kind), .text(name)]).first?[0].integer
    }
}

extension WriteTransaction {
    @discardableResult
    func runSamples(_ sql: String, _ arguments: [SQLValue] = []) throws -> Int { try run(on: SampleTables.module, sql, arguments) }

    /// The number of a name, which gets one if it has none.
    func numberOfSampleName(_ kind: String, _ name: String, label: String = "") throws -> Int64 {
        if let number = try sampleName(kind, name) { return number }
        try runSamples("INSERT INTO _samples_name(kind, name, label) VALUES (?, ?, ?)", [.text(kind), .text(name), .text(label)])
        return try sampleName(kind, name) ?? 0
    }
}
