import FireLiteCore
import FireLiteSQLiteBridge

/// Finds the faults of a store.
struct StoreCheck {
    let access: StoreConnection
    let connection: Connection
    private let digestKey: UInt64
    private let payloadFolder: PayloadFolder?
    private let meter: ProgressMeter

    /// - Parameter payloads: the folder with payloads in files; nil if there can be none.
    init(_ access: StoreConnection, digestKey: UInt64, payloads: PayloadFolder?, _ progress: StoreProgressHandler? = nil) {
        meter = ProgressMeter(progress)
        payloadFolder = payloads
        self.access = access
        self.digestKey = digestKey
        connection = access.connection
    }

    /// All faults.
    ///
    /// - Parameter readers: threads that share the work, and the transaction of this one. Default: none.
    func run(with readers: (threads: SnapshotReaders, transaction: ReadTransaction)? = nil) throws -> [StoreFinding] {
        let parts = try parts()
        guard let (threads, transaction) = readers else {
            return try run(parts, file()) { note in for part in parts { try note(part.find(self)) } }
        }
        let work = SnapshotReaders.Values<Part.Findings>(of: threads, transaction, isBounded: false)
        for part in parts {
            try work.add({ [digestKey] in try part.find(StoreCheck($0.access, digestKey: digestKey, payloads: nil)) }, { _ in })
        }
        // This thread reads the file, as SQLite reports its steps, while the others begin with the parts.
        return try run(parts, file()) { try work.finish($0) }
    }

    /// - Parameters:
    ///   - first: the faults of the file.
    ///   - findEach: passes on what each of the parts finds, in their order.
    private func run(
        _ parts: [Part], _ first: [StoreFinding], _ findEach: ((Part.Findings) throws -> Void) throws -> Void
    ) throws -> [StoreFinding] {
        var findings = first
        var total: Int?
        if meter.isWanted {
            findings += try tolerant("_resource", table: "_resource") {
                total = try Registry.count(connection)
                return []
            }
        }
        let tables = parts.count { $0.subject != nil }
        var (done, resources) = (0, 0)
        try findEach { found in
            let part = parts[done]
            done += 1
            // Damage that several parts meet is one fault.
            for finding in found.findings where finding.kind != .unreadable || !findings.contains(finding) { findings.append(finding) }
            if let subject = part.subject {
                try meter.report(StoreProgress(.checkingTables, done, of: tables, .tables, subject: subject))
            } else if found.resources > 0 {
                resources += found.resources
                try meter.report(StoreProgress(.checkingResources, resources, of: total, .resources))
            }
        }
        findings += try tolerant("_change", table: "_change") { try changes() }
        findings += try tolerant("_meta", table: "_meta") { try modules() + numbers() + duplicates() }
        let isDoubtful = findings.contains(where: Self.concernsReferences)
        findings += try tolerant("the payloads", table: "_blob") {
            try PayloadInventory(connection, access.schema)?.findings(payloadFolder, canCollect: !isDoubtful) ?? []
        }
        return findings
    }

    /// Faults of the file as SQLite sees it, and of the list of tables.
    private func file() throws -> [StoreFinding] {
        connection.forgetPages()
        // It reads every page that is in use.
        var findings = try tolerant("the file") {
            try meter.measure(connection, { StoreProgress(.checkingFile, $0, of: nil, .steps) }) {
                try texts("PRAGMA integrity_check").filter { $0 != "ok" }.map { StoreFinding(.integrity, "SQLite: \($0)") }
            }
        }
        if let doubt = UncheckedPages.text(connection) {
            findings.append(
                StoreFinding(
                    .checksum,
                    "\(doubt), so damage there is not noticed: if another program wrote to the file or moved its log into it, run `firelite reseal`; "
                        + "if not, restore a backup or use `firelite recover`"))
        }
        findings += access.schema.unknownTables.map {
            StoreFinding(.unknownTable, table: $0, "the table \($0) is not part of FHIR \(access.schema.release.name)")
        }
        findings += try lostTables()
        findings += try tolerant("_index", table: "_index") { try indexes() }
        return findings
    }

    /// The tables of the file. Each connection knows them in the order in which it took them up.
    var tables: [TablePlan] { access.schema.storedTables.sorted { $0.name < $1.name } }

    /// The first fault because of which rows may no longer say everything that resources and their older versions refer to; nil if all of them are as
    /// they were stored.
    ///
    /// - Complexity: reads all resources, and all that the store has tracked.
    func resourceDoubt() throws -> StoreFinding? {
        if let lost = try lostTables().first { return lost }
        for table in access.schema.storedTables {
            let unregistered = try tolerant(table.name, table: table.name) { try unregisteredRows(table) }
            if let first = unregistered.first { return first }
        }
        var count = 0
        let resources = try tolerant("_resource", table: "_resource") { try shapes() + contents(&count) }
        if let first = resources.first { return first }
        return try tolerant("_change", table: "_change") { try changes() }.first(where: Self.concernsReferences)
    }

    /// Whether what resources or their older versions refer to may be lost with a fault.
    private static func concernsReferences(_ finding: StoreFinding) -> Bool {
        guard [.orphanRows, .registry, .content, .unreadable].contains(finding.kind) else { return false }
        return finding.table.map { !$0.hasPrefix("_") || $0 == "_resource" || $0 == "_change" } ?? true
    }

    /// A part that is too damaged to be checked is a fault by itself.
    func tolerant(_ part: String, table: String? = nil, _ body: () throws -> [StoreFinding]) throws -> [StoreFinding] {
        do {
            return try body()
        } catch let error as SQLiteError where error.isDamage {
            let reason = error.isChecksumMismatch ? "a page does not match its checksum" : error.message
            return [StoreFinding(.unreadable, table: table, "\(part): cannot be read: \(reason)")]
        }
    }

    private func texts(_ sql: String) throws -> [String] {
        let statement = try connection.prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0) ?? "") }
        return texts
    }

    // MARK: - Indexes and numbers

    private func indexes() throws -> [StoreFinding] {
        let declared = DeclaredIndexes(schema: access.schema, connection: connection)
        let triggers = try triggerNames()
        let missing = try declared.triggers().keys.filter { !triggers.contains($0) }.sorted()
        return try declared.unknown().map { _ in
            StoreFinding(.index, table: "_index", "_index: a declaration was not written by this library")
        } + missing.map { StoreFinding(.index, "the trigger \($0) of a full-text index is missing: create the index again") }
            + declared.undeclared().map {
                StoreFinding(.index, table: "_index", "_index: the declaration of the index \($0) is missing: create it again")
            }
    }

    private func triggerNames() throws -> Set<String> { Set(try texts("SELECT name FROM sqlite_master WHERE type = 'trigger'")) }

    /// Tables of modules that are missing, or that this library did not write, whether or not the module is in use, and rows without an owner. What
    /// else is in them belongs to the modules.
    private func modules() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let records = try ModuleRecord.all(connection)
        // Tables of modules whose row is lost.
        let named = Set(records.flatMap(\.tables))
        let nameless = access.schema.moduleDefinitions.keys.filter { !named.contains($0) }.sorted()
        for table in ModuleRecord.modules(of: nameless).flatMap(\.tables) {
            guard access.schema.moduleDefinitions[table].flatMap({ ModuleTable(definition: $0) })?.name == table else { continue }
            findings.append(StoreFinding(.module, table: table, "_meta does not say which module the table \(table) is of"))
        }
        for record in records {
            for table in record.tables {
                let definition = access.schema.moduleDefinitions[table]
                if let definition, isUnchanged(table, definition) { continue }
                let fault =
                    definition == nil
                    ? "is missing" : "was not written by this library, or another program has changed its definition"
                findings.append(StoreFinding(.module, table: table, "the table \(table) of \(record.module) \(fault)"))
            }
        }
        let tables = access.schema.moduleDefinitions.values.compactMap { ModuleTable(definition: $0) }
        for owned in LibraryModules.owned where owned.isIn(tables) {
            let count = try connection.integer("SELECT count(*) FROM \(owned.table) WHERE \(owned.isOwnerless)") ?? 0
            findings += Self.orphans(
                count, owned.table, "belongs to no row of \(owned.owner)", "belong to no row of \(owned.owner)")
        }
        return findings
    }

    /// Whether a definition is the one that this library has for a table, or may be that of another program's module.
    private func isUnchanged(_ table: String, _ definition: String) -> Bool {
        guard let own = LibraryModules.table(named: table) else { return ModuleTable(definition: definition) != nil }
        return own.creation == definition
    }

    /// Duplicate ids, if the store keeps them unique.
    private func duplicates() throws -> [StoreFinding] {
        let unique = UniqueIDs(access)
        guard try unique.isPromised else { return [] }
        return try unique.duplicates().map {
            StoreFinding(
                .duplicateID, table: $0.type, typeName: $0.type,
                "\($0.type): \($0.ids) duplicate ids, although the store keeps ids unique")
        }
    }

    /// Whether the next resource would get a number that is in use.
    private func numbers() throws -> [StoreFinding] {
        guard let next = try RootNumbers.next(connection) else {
            return [StoreFinding(.nextNumber, table: "_meta", "_meta: the number of the next resource is not valid")]
        }
        let greatest = try Registry.greatestRoot(connection)
        guard greatest >= next else { return [] }
        let text = "_meta: the next resource would get the number \(next), and numbers up to \(greatest) are in use"
        return [StoreFinding(.nextNumber, table: "_meta", text)]
    }

    // MARK: - Rows

    /// Tables that resources have rows in by the registry, and that other programs have dropped.
    private func lostTables() throws -> [StoreFinding] {
        let lost = try access.schema.lostTables(connection)
        var findings: [StoreFinding] = []
        for name in Set(lost.shapes.values.flatMap(\.tables)).sorted() {
            for (type, losses) in Dictionary(grouping: lost.shapes.filter { $0.value.tables.contains(name) }, by: \.value.type)
                .sorted(by: { $0.key < $1.key })
            {
                let count = try access.registry.roots(withShapes: losses.map(\.key)).count
                let resources = String(counting: Int64(count), "resource", "resources")
                let rows = "rows of \(resources) of the type \(type)"
                findings.append(
                    StoreFinding(
                        .unreadable, table: name, typeName: type,
                        "the table \(name) is missing, and with it \(rows): another program has dropped it"))
            }
        }
        return findings
    }

    /// Rows of a table that belong to no resource, or to no row of the tables that can own them.
    func orphans(_ table: TablePlan) throws -> [StoreFinding] {
        var findings = try unregisteredRows(table)
        func note(_ count: Int64, _ one: String, _ several: String) {
            findings += Self.orphans(count, table.name, typeName: table.resourceName, one, several)
        }
        // Nearly all rows are owned by rows of one table or, for recursive elements, of the same table. With many tables, comparing each with
        // each takes minutes.
        let likely = [table.owner, table].compactMap { $0 }
        let owners = likely + access.schema.storedTables.filter { other in !likely.contains { $0 === other } }
        // A row number is unique in a resource, so no row is counted for two owners.
        var ownerless = try connection.integer("SELECT count(*) FROM \(table.quotedName) WHERE _parent IS NOT NULL") ?? 0
        for owner in owners where ownerless > 0 && owner.isInFile && (table.isResource || table.link(from: owner) != nil) {
            ownerless -=
                try connection.integer(
                    """
                    SELECT count(*) FROM \(table.quotedName) t CROSS JOIN \(owner.quotedName) o ON o._k = (t._k & ~\(RowKey.lastNode) | t._parent)
                    WHERE t._parent IS NOT NULL
                    """) ?? 0
        }
        note(ownerless, "has no owner", "have no owner")
        if !table.isResource {
            let nameless = try connection.integer("SELECT count(*) FROM \(table.quotedName) WHERE _parent IS NULL") ?? 0
            note(nameless, "names no owner", "name no owner")
        }
        return findings
    }

    private func unregisteredRows(_ table: TablePlan) throws -> [StoreFinding] {
        let count = try access.registry.unregisteredRows(of: table)
        return Self.orphans(count, table.name, typeName: table.resourceName, "belongs to no resource", "belong to no resource")
    }

    private static func orphans(
        _ count: Int64, _ table: String, typeName: String? = nil, _ one: String, _ several: String
    ) -> [StoreFinding] {
        guard count > 0 else { return [] }
        let rows = String(counting: count, "row \(one)", "rows \(several)")
        return [StoreFinding(.orphanRows, table: table, typeName: typeName, "\(table): \(rows)")]
    }

    /// Resources with rows in a table that their shape does not name, or with no rows in a table that it names.
    func shapes() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        func note(_ count: Int64, _ table: TablePlan?, _ text: String) {
            guard count > 0 else { return }
            findings.append(
                StoreFinding(
                    .registry, table: table?.name ?? "_resource", typeName: table?.resourceName,
                    "\(table?.name ?? "_resource"): \(String(counting: count, "resource has", "resources have")) \(text)"))
        }
        var shapes: [Int: [Int64]] = [:]
        for number in try Registry.usedShapes(connection) {
            guard let shape = try access.registry.shape(number, evenIfLost: true) else { continue }
            for table in shape.tables { shapes[table.index, default: []].append(number) }
            let name = try access.registry.typeName(ofShape: number)
            guard let own = name.flatMap({ access.schema.table(named: $0) }), own.isInFile else { continue }
            note(try access.registry.resources(withShape: number, notIn: own), own, "another type than the list of tables says")
        }
        for table in tables {
            let (unlisted, missing) = try access.registry.disagreements(with: table, shapes: shapes[table.index] ?? [])
            note(unlisted, table, "rows that the list of tables does not name")
            note(missing, table, "no row though the list of tables names it")
        }
        note(try access.registry.resourcesWithoutShape(), nil, "no list of tables")
        return findings
    }

    // MARK: - Contents

    /// Resources that do not match their digest, of those with numbers in a range.
    ///
    /// - Parameter count: is increased by the number of resources.
    func contents(in range: ClosedRange<Int64> = .min ... .max, _ count: inout Int) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let lost = try access.schema.lostTables(connection)
        var last: Int64? = range.lowerBound == .min ? .min : range.lowerBound - 1
        while let after = last {
            try Cancellation.check()
            let read = try access.registry.registrations(after: after, limit: 256)
            let batch = read.last.map { range.contains($0.root) } ?? true ? read : read.filter { range.contains($0.root) }
            last = batch.count == read.count ? batch.last?.root : nil
            count += batch.count
            for registration in batch where !registration.hasPossibleRevision {
                findings.append(
                    StoreFinding(
                        .registry, table: "_resource", typeName: try typeName(of: registration), number: registration.root,
                        "the version \(registration.revision) of the resource with number \(registration.root) is not valid"))
            }
            for registration in try damaged(batch.filter { lost.shapes[$0.shape] == nil }) {
                findings.append(
                    StoreFinding(
                        .content, typeName: try typeName(of: registration), number: registration.root,
                        "the rows of the resource with number \(registration.root) are not what was stored"))
            }
        }
        return findings
    }

    /// Replaced contents that do not match their digest, and changes numbered like later ones.
    private func changes() throws -> [StoreFinding] {
        let table = ChangeTable(connection: connection)
        guard try table.exists else {
            guard try connection.integer("PRAGMA user_version") == StoreOpener.trackingFormat else { return [] }
            return [StoreFinding(.unreadable, table: "_change", "_change: the table is missing, and with it what the store tracked")]
        }
        var findings: [StoreFinding] = []
        if try !TrackingSettings.isStored(connection) {
            findings.append(StoreFinding(.unreadable, table: "_meta", "_meta: what the store tracks is missing"))
        }
        if try connection.integer("SELECT 1 FROM sqlite_master WHERE name = '_change_reader' AND type = 'table'") == nil {
            let text = "_change_reader: the table is missing, and with it what readers of the log have seen"
            findings.append(StoreFinding(.unreadable, table: "_change_reader", text))
        }
        let (settings, faults) = try TrackingSettings.readTolerantly(connection)
        findings += faults.map { StoreFinding(.nextNumber, table: "_meta", "_meta: \($0)") }
        var keys = RisingKeys("_change")
        while true {
            try Cancellation.check()
            let rows = try table.rows("seq > ?", [.integer(keys.last)], limit: 256)
            guard let end = rows.last?.sequence else { break }
            try keys.advance(to: end)
            findings += try mismatches(rows)
            for row in rows where row.verified(release: access.schema.release, digestKey: digestKey) == nil {
                findings.append(
                    StoreFinding(
                        .content, table: "_change", typeName: row.typeName, number: row.root,
                        "the content before change \(row.sequence) is not what was stored"))
            }
        }
        guard faults.isEmpty else { return findings }
        if keys.last >= settings.next {
            findings.append(
                StoreFinding(
                    .nextNumber, table: "_meta",
                    "_meta: the next change would get the number \(settings.next), and numbers up to \(keys.last) are in use"
                ))
        }
        if let lost = try settings.mark?.lost(in: settings.start..<settings.next, table), !lost.isEmpty {
            let text = "_change: the rows of the changes \(ChangeLogMark.text(lost)) are missing"
            findings.append(StoreFinding(.content, table: "_change", text))
        }
        return findings
    }

    /// Rows of changes that are not of the type that their resource has, or that replaced a version without a next one.
    private func mismatches(_ rows: [ChangeTable.Row]) throws -> [StoreFinding] {
        var types = Dictionary(
            try access.registry.names(ofRoots: Set(rows.map(\.root)).sorted()).map { ($0.root, $0.typeName) },
            uniquingKeysWith: { first, _ in first })
        return rows.compactMap { row in
            if row.revision == .max {
                return StoreFinding(
                    .content, table: "_change", typeName: row.typeName, number: row.root,
                    "the version \(Int64.max) before change \(row.sequence) is not valid")
            }
            guard let type = row.typeName else { return nil }
            // A deleted resource has the type of its other rows.
            let known = types[row.root] ?? type
            types[row.root] = known
            guard known != type else { return nil }
            return StoreFinding(
                .content, table: "_change", typeName: type, number: row.root,
                "change \(row.sequence) has the type \(type), but its resource \(known)")
        }
    }

    private func typeName(of registration: Registration) throws -> String? {
        do {
            return try access.registry.typeName(ofShape: registration.shape)
        } catch let error as SQLiteError where error.isDamage {
            return nil
        }
    }

    private func damaged(_ batch: [Registration]) throws -> [Registration] {
        var damaged: [Registration] = []
        var count = 0
        do {
            try access.reader.forEach(batch) { registration, resource in
                count += 1
                if !isWhatWasStored(resource, registration) { damaged.append(registration) }
            }
        } catch let error as SQLiteError where error.isDamage {
            // The cursors may have met the damage when looking ahead from a sound resource.
            for registration in batch.dropFirst(count) where try !canBeRead(registration) { damaged.append(registration) }
        }
        return damaged
    }

    private func isWhatWasStored(_ resource: FHIRResource?, _ registration: Registration) -> Bool {
        resource.map { ContentDigest.digest(of: $0, key: digestKey) == registration.digest } ?? false
    }

    private func canBeRead(_ registration: Registration) throws -> Bool {
        do {
            return isWhatWasStored(try access.reader.resource(registration), registration)
        } catch let error as SQLiteError where error.isDamage {
            return false
        }
    }
}
