import FireLiteCore
import Foundation

/// The tables of the library's modules, and which of their rows are about a person.
///
/// The facts are here, and not in the modules, so that a program that erases needs none of them. A table that is not listed is an error.
enum ErasedTables {
    /// Tables without anything of a person: payloads go with their resources, the others have numbers, keys and addresses.
    private static let impersonal: Set<String> = [
        "_blob", "_blob_chunk", "_blob_reference", "_blob_policy", "_blobkey", "_blobfile", "_blobfile_policy", "_thumbnail",
        "_sync_server", "_sync_scope", "_sync_subscription", "_outbox_server", "_samples_anchor", "_trust_key",
        "_trust_nonce", "_audit", "_audit_head", "_audit_node", "_subscription_place", "_package", "_package_definition",
    ]

    private static let personal: Set<String> = [
        "_record", "_record_annotation", "_record_key", "_record_content", "_appdata", "_appdata_annotation", "_appdata_key",
        "_appdata_content", "_outbox", "_sync_resource", "_sync_change", "_sync_unreadable", "_sync_missing", "_samples",
        "_samples_series", "_samples_sent", "_samples_name", "_permission", "_trust_identity", "_subscription", "_subscription_event",
    ]

    /// - Throws: `ErasureError.unknownTables`.
    static func check(_ tx: ReadTransaction) throws {
        let unknown = try tx.moduleTableNames.subtracting(impersonal).subtracting(personal).sorted()
        guard unknown.isEmpty else {
            throw ErasureError(
                .unknownTables,
                "the file has tables that this version cannot erase from: \(unknown.joined(separator: ", ")): use a version that knows them"
            )
        }
    }

    /// Rows of a table by their keys.
    struct Rows {
        let table: String
        let key: String
        let numbers: [Int64]
        /// Records of others that lose annotations, by their numbers: sealed ones are sealed again without these.
        fileprivate(set) var annotated: [Int64: AnnotatedNames.SealedRecord?] = [:]
    }

    // MARK: - Finding

    /// The rows about a person.
    static func rows(_ contents: PersonContents, _ tx: ReadTransaction) throws -> [Rows] {
        var found: [Rows] = []
        func add(_ table: String, key: String, columns: String, where isMeant: (SQLRow) -> Bool) throws {
            var numbers: [Int64] = []
            for row in try tx.rows(ofModuleTable: table, "SELECT \(columns) FROM \(table)") where isMeant(row) {
                if let number = row[0].integer { numbers.append(number) }
            }
            if !numbers.isEmpty { found.append(Rows(table: table, key: key, numbers: numbers)) }
        }
        func isKey(_ type: SQLValue, _ id: SQLValue) -> Bool { contents.keys.contains("\(type.text ?? "")/\(id.text ?? "")") }
        func isAbout(_ value: SQLValue) -> Bool {
            switch value {
            case .text(let text): ReferenceTokens.hasAny(of: contents.keys, in: text)
            case .blob(let bytes): ReferenceTokens.hasAny(of: contents.keys, in: String(decoding: bytes, as: UTF8.self))
            case .null, .integer, .real: false
            }
        }
        let roots = Set(contents.roots)
        try add("_record", key: "root", columns: "root, type, id") { roots.contains($0[0].integer ?? -1) || isKey($0[1], $0[2]) }
        let owners = roots.union(found.first?.numbers ?? [])
        let names = try AnnotatedNames(contents.keys, tx)
        try addAnnotations(of: owners, names, tx, &found)
        for table in ["_record_key", "_record_content"] {
            try add(table, key: "owner", columns: "owner") { owners.contains($0[0].integer ?? -1) }
        }
        try addAppData(contents, names, tx, &found)
        let samples = try addSamples(contents, tx, &found)
        // Where samples are sent, Observations and Devices have their UUIDs as identifiers.
        let identifiers = samples.union(contents.ids.values.joined().compactMap { UUID(uuidString: $0) })
        try add("_outbox", key: "seq", columns: "seq, path, parameters, fields, body, outcome") { row in
            (1...5).contains { isAbout(row[$0]) || ReferenceTokens.hasAny(of: identifiers, in: row[$0]) }
        }
        for (table, key) in [("_sync_resource", "resource"), ("_sync_missing", "missing")] {
            try add(table, key: key, columns: "\(key), type, id") { isKey($0[1], $0[2]) }
        }
        try add("_sync_unreadable", key: "unreadable", columns: "unreadable, type, id, text") { isKey($0[1], $0[2]) || isAbout($0[3]) }
        try add("_sync_change", key: "change", columns: "change, type, id, base, content, earlier, remote") { row in
            isKey(row[1], row[2]) || (3...6).contains { isAbout(row[$0]) }
        }
        // What a Consent that stays has permitted or denied, stays with it.
        let consents = Set(contents.ids["Consent"] ?? [])
        var staying: Set<String> = []
        let permitting = try tx.rows(ofModuleTable: "_permission", "SELECT consent FROM _permission").compactMap { $0[0].text }
        if !consents.isSuperset(of: permitting) {
            try tx.forEach(typeName: "Consent") { consent in
                if let id = consent.id, !consents.contains(id) { staying.insert(id) }
            }
        }
        try add("_permission", key: "number", columns: "number, consent, content") { row in
            let consent = row[1].text ?? ""
            return consents.contains(consent) || !staying.contains(consent) && isAbout(row[2])
        }
        // A subscription of a token for the person, and events about what is erased.
        var subscriptions: Set<String> = []
        try add("_subscription", key: "number", columns: "number, id, patient") { row in
            let isMeant = isKey(.text("Subscription"), row[1]) || contents.keys.contains("Patient/\(row[2].text ?? "")")
            if isMeant { subscriptions.insert(row[1].text ?? "") }
            return isMeant
        }
        try add("_subscription_event", key: "number", columns: "number, type, id, subscription") { row in
            isKey(row[1], row[2]) || subscriptions.contains(row[3].text ?? "")
        }
        try add("_trust_identity", key: "number", columns: "number, reference") {
            $0[1].text.map { ReferenceTokens.hasAny(of: [contents.person], in: $0) } ?? false
        }
        return found
    }

    /// The annotations of the person's records, and those of others' records that name the person or something erased.
    private static func addAnnotations(
        of owners: Set<Int64>, _ names: AnnotatedNames, _ tx: ReadTransaction, _ found: inout [Rows]
    ) throws {
        let sealed = try names.sealedRecords(without: owners, tx)
        let keyed = Set(try tx.rows(ofModuleTable: "_record_key", "SELECT owner FROM _record_key").compactMap { $0[0].integer })
        var numbers: [Int64] = []
        var annotated: [Int64: AnnotatedNames.SealedRecord?] = [:]
        for row in try tx.rows(ofModuleTable: "_record_annotation", "SELECT number, owner, text, keyed FROM _record_annotation") {
            guard let number = row[0].integer, let owner = row[1].integer, let text = row[2].text else { continue }
            if owners.contains(owner) {
                numbers.append(number)
            } else if keyed.contains(owner) {
                // A hash alone does not say what is sealed.
                if sealed[owner]?.erased.contains(text) == true { numbers.append(number) }
            } else if names.areNamed(by: text, isHash: row[3].integer == 1) {
                numbers.append(number)
                annotated.updateValue(nil, forKey: owner)
            }
        }
        for (owner, record) in sealed { annotated[owner] = record }
        guard !numbers.isEmpty || !annotated.isEmpty else { return }
        found.append(Rows(table: "_record_annotation", key: "number", numbers: numbers, annotated: annotated))
    }

    /// App data that names the person by id or annotation.
    private static func addAppData(
        _ contents: PersonContents, _ names: AnnotatedNames, _ tx: ReadTransaction, _ found: inout [Rows]
    ) throws {
        var owners: Set<Int64> = []
        for row in try tx.rows(ofModuleTable: "_appdata", "SELECT number, id FROM _appdata") {
            if ReferenceTokens.hasAny(of: contents.keys, in: row[1].text ?? ""), let number = row[0].integer { owners.insert(number) }
        }
        for row in try tx.rows(ofModuleTable: "_appdata_annotation", "SELECT owner, text, keyed FROM _appdata_annotation") {
            guard let owner = row[0].integer, let text = row[1].text else { continue }
            if names.areNamed(by: text, isHash: row[2].integer == 1) { owners.insert(owner) }
        }
        for item in try AnnotatedNames.sealedItems(tx) where !owners.contains(item.number) {
            if try names.areNamed(bySealed: item.id, tx) { owners.insert(item.number) }
        }
        guard !owners.isEmpty else { return }
        let annotations = try tx.rows(ofModuleTable: "_appdata_annotation", "SELECT number, owner FROM _appdata_annotation")
            .filter { owners.contains($0[1].integer ?? -1) }.compactMap { $0[0].integer }
        found.append(Rows(table: "_appdata", key: "number", numbers: owners.sorted()))
        if !annotations.isEmpty { found.append(Rows(table: "_appdata_annotation", key: "number", numbers: annotations)) }
        for table in ["_appdata_key", "_appdata_content"] {
            let rows = try tx.rows(ofModuleTable: table, "SELECT owner FROM \(table)").compactMap { $0[0].integer }.filter(owners.contains)
            if !rows.isEmpty { found.append(Rows(table: table, key: "owner", numbers: rows)) }
        }
    }

    /// Whether samples are kept as an Observation.
    static func isOfSamples(_ observation: String?, _ tx: ReadTransaction) throws -> Bool {
        guard let uuid = observation.flatMap(UUID.init(uuidString:)) else { return false }
        let key = [SQLValue.blob(bytes(of: uuid))]
        return try !tx.rows(ofModuleTable: "_samples", "SELECT 1 FROM _samples WHERE uuid = ?", key).isEmpty
            || !tx.rows(ofModuleTable: "_samples_series", "SELECT 1 FROM _samples_series WHERE observation = ?", key).isEmpty
    }

    private static func bytes(of uuid: UUID) -> [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    /// Samples, whose UUIDs are the ids of their Observations, and the names of what only these samples came from.
    ///
    /// - Returns: their UUIDs.
    private static func addSamples(_ contents: PersonContents, _ tx: ReadTransaction, _ found: inout [Rows]) throws -> Set<UUID> {
        let observations = Set((contents.ids["Observation"] ?? []).compactMap { UUID(uuidString: $0) })
        guard !observations.isEmpty else { return [] }
        func uuid(_ value: SQLValue) -> UUID? { if case .blob(let bytes) = value { UUID(bytes) } else { nil } }
        let series = try tx.rows(ofModuleTable: "_samples_series", "SELECT number, observation FROM _samples_series")
            .filter { uuid($0[1]).map(observations.contains) ?? false }.compactMap { $0[0].integer }
        let (isOfSeries, erased) = (Set(series), observations)
        var (samples, uuids): ([Int64], Set<UUID>) = ([], [])
        var (origins, others): (Set<Int64>, Set<Int64>) = ([], [])
        for row in try tx.rows(ofModuleTable: "_samples", "SELECT number, uuid, series, origin FROM _samples") {
            let own = uuid(row[1])
            let isMeant = own.map(erased.contains) ?? false || row[2].integer.map(isOfSeries.contains) ?? false
            if let origin = row[3].integer { if isMeant { origins.insert(origin) } else { others.insert(origin) } }
            guard isMeant, let number = row[0].integer else { continue }
            samples.append(number)
            if let own { uuids.insert(own) }
        }
        uuids.formUnion(observations)
        let sent = try tx.rows(ofModuleTable: "_samples_sent", "SELECT number, uuid FROM _samples_sent")
            .filter { uuid($0[1]).map(uuids.contains) ?? false }.compactMap { $0[0].integer }
        for rows in [
            Rows(table: "_samples_series", key: "number", numbers: series), Rows(table: "_samples", key: "number", numbers: samples),
            Rows(table: "_samples_sent", key: "number", numbers: sent),
            Rows(table: "_samples_name", key: "number", numbers: origins.subtracting(others).sorted()),
        ] where !rows.numbers.isEmpty { found.append(rows) }
        return uuids
    }

    // MARK: - Erasing

    /// Deletes rows. An identity keeps its keys, which verify what it has signed, and loses its name.
    static func erase(_ rows: [Rows], _ tx: WriteTransaction) throws {
        for rows in rows {
            if rows.table == "_samples" { try noteErasedSamples(tx) }
            let sql =
                rows.table == "_trust_identity"
                ? "UPDATE _trust_identity SET name = NULL, reference = NULL WHERE number = ?"
                : "DELETE FROM \(rows.table) WHERE \(rows.key) = ?"
            if ["_sync_resource", "_sync_change"].contains(rows.table) {
                // The next write of the journal counts its rows.
                try tx.run(onModuleTable: rows.table, "DELETE FROM _meta WHERE key BETWEEN 'sync.rows ' AND 'sync.rows!'", [])
            }
            for number in rows.numbers { try tx.run(onModuleTable: rows.table, sql, [.integer(number)]) }
            if rows.table != "_trust_identity" { try tx.noteErasedRows(rows.numbers.count, of: rows.table) }
            // Annotations that are sealed again get new rows, whose numbers may be those of deleted ones: hence afterwards.
            for (number, sealed) in rows.annotated { try noteAnnotated(number, sealed, tx) }
        }
    }

    /// Keeps the highest number that samples have had, as their readers remember it, and forgets what the rows add up to: the next write of
    /// samples counts them.
    private static func noteErasedSamples(_ tx: WriteTransaction) throws {
        for sql in [
            """
            INSERT INTO _samples_name(kind, name, label) SELECT 'census', '', (SELECT max(number) FROM _samples)
            WHERE NOT EXISTS (SELECT 1 FROM _samples_name WHERE kind = 'census')
            """,
            """
            UPDATE _samples_name SET label = max(CAST(label AS INTEGER), (SELECT max(number) FROM _samples)) WHERE kind = 'census'
            """, "DELETE FROM _meta WHERE key = 'samples.census'",
        ] { try tx.run(onModuleTable: "_samples_name", sql, []) }
    }

    /// Notes that a record of somebody else has lost annotations, and seals the others again if they are sealed.
    private static func noteAnnotated(_ number: Int64, _ sealed: AnnotatedNames.SealedRecord?, _ tx: WriteTransaction) throws {
        if let sealed {
            try tx.store.records.annotate(sealed.type, id: sealed.id, with: sealed.kept)
            return
        }
        let now = tx.store.sealing.sealer == nil ? tx.store.clock.now() : tx.store.records.clock()
        try tx.run(
            onModuleTable: "_record",
            "UPDATE _record SET updated = ?, edition = edition + 1 WHERE root = ? AND deleted IS NULL",
            [.integer(now.milliseconds()), .integer(number)])
    }

    // MARK: - What is left

    /// What the modules know of copies elsewhere, and what cannot be attributed.
    static func left(_ contents: PersonContents, _ erased: [Rows], _ tx: ReadTransaction) throws -> [ErasureReport.Remainder] {
        var servers: Set<String> = []
        for (table, column) in [("_sync_server", "base"), ("_outbox_server", "server")] {
            for row in try tx.rows(ofModuleTable: table, "SELECT \(column) FROM \(table)") {
                if let base = row[0].text { servers.insert(base) }
            }
        }
        var left = servers.sorted().map { ErasureReport.Remainder(kind: .server, what: $0) }
        let audit = try tx.rows(ofModuleTable: "_audit", "SELECT seq, type, id FROM _audit")
            .filter { contents.keys.contains("\($0[1].text ?? "")/\($0[2].text ?? "")") }.count
        if audit > 0 { left.append(.init(kind: .audit, what: "\(String(counting: audit, "row", "rows")) of the audit trail")) }
        // An identity that is called as the person; its keys verify what it has signed.
        let named = "SELECT id FROM _trust_identity WHERE id = ?"
        let identities = try tx.rows(ofModuleTable: "_trust_identity", named, [.text(contents.person)])
        left += identities.compactMap { $0[0].text }.map { .init(kind: .reference, what: "identity \($0)") }
        let appData = try tx.rows(ofModuleTable: "_appdata", "SELECT count(*) FROM _appdata").first?[0].integer ?? 0
        let items = Set(erased.first { $0.table == "_appdata" }?.numbers ?? [])
        let others = Int(appData) - items.count
        if others > 0 { left.append(.init(kind: .unknown, what: String(counting: others, "item of app data", "items of app data"))) }
        let unread = try AnnotatedNames.unreadItems(tx, without: items)
        if unread > 0 {
            let annotated = String(counting: unread, "item of app data", "items of app data")
            left.append(.init(kind: .unknown, what: "sealed annotations of \(annotated), which their keyring would open"))
        }
        return left
    }
}

extension UUID {
    /// A UUID from its 16 bytes.
    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self = NSUUID(uuidBytes: bytes) as UUID
    }
}
