import FireLiteCore
import FireLiteSQLiteBridge

/// The tables of a file as one connection sees them, and the paths of the release's classes through them.
///
/// Names are paths: `Patient`, `Patient_name`, `Patient_name_given`; columns `period_start`. No FHIR name has
/// an underscore, except the list `fhir_comments` of DSTU2.
final class StorageSchema {
    let release: FHIRRelease
    /// The tables that were used so far, in the file or not. For those of the file see `storedTables`.
    private(set) var tables: [TablePlan] = []
    private var byName: [String: TablePlan] = [:]
    private var resources: [UnsafePointer<LayoutTable>: TablePlan] = [:]
    private let elementLayout: Layout
    /// The tables of types that were not used yet, in the order of the file's catalog: their plans are made with the first use of the type.
    private var unused: ContiguousArray<UnusedTable> = []
    /// The version of the file's catalog when it was last read; nil if it must be read. No number can say that: a file may have any.
    private(set) var version: Int64?
    private var versionStatement: Statement?
    /// The number of changes to tables, after which statements over several of them must be compiled again.
    @exclusivity(unchecked) private(set) var changes = 0
    private var hasNotedModel = false
    /// The tables of the library's own that the file has.
    private(set) var ownTables: Set<String> = []
    /// Tables of the file that the release does not know.
    private(set) var unknownTables: [String] = []
    /// Views of other programs in the file, and their tables whose names begin with an underscore.
    private(set) var others: [String] = []
    /// The definitions of tables whose names begin with an underscore and that are not the store's own: those of modules, and of others.
    private(set) var moduleDefinitions: [String: String] = [:]
    /// The modules, with their versions, whose tables are known to be what they should be.
    private(set) var knownModules: Set<String> = []
    /// The modules that never kept tables in the file.
    private(set) var absentModules: Set<String> = []
    /// What other programs have dropped; nil if that must be found out. See `lostTables(_:)`.
    var lost: LostTables?
    /// How often tables that were used here had vanished from the file.
    private(set) var losses = 0

    /// SQLite's default maximum number of columns of a table, without bookkeeping columns.
    #if SQLCipher
        /// Before SQLite 3.32 a statement can have 999 parameters, which limits a row's columns and keys.
        static let maximumColumns = Connection.libraryNumber >= 3_032_000 ? 1_990 : 990
    #else
        static let maximumColumns = 1_990
    #endif

    init(release: FHIRRelease) throws {
        guard let elementLayout = release.elementLayout else {
            throw FHIRStoreError(.invalidArgument, "FHIR \(release.name) has no type Element: regenerate its module")
        }
        self.release = release
        self.elementLayout = elementLayout
    }

    // MARK: - Paths

    /// The table of a resource type.
    func table(of layout: Layout) -> TablePlan {
        if let known = resources[layout.table] { return known }
        misuse(
            unless: layout.release == release,
            "\(layout.name) is a class of FHIR \(layout.release), but the store has \(release): use the classes of that release")
        let plan = add(
            TablePlan(name: layout.name, index: tables.count, layout: layout, primitive: nil, owner: nil, ownerGroup: nil, ownerSlot: 0))
        resources[layout.table] = plan
        takeUp(layout)
        return plan
    }

    private func add(_ plan: TablePlan) -> TablePlan {
        tables.append(plan)
        byName[plan.name] = plan
        return plan
    }

    /// The table of a repeating element. A recursive element shares the table of the element that it refers to.
    func child(of group: GroupPlan, _ slot: Int) -> TablePlan {
        if let known = group.members[slot].child { return known.takeUnretainedValue() }
        let table = group.table
        let element = group.layout.elements[slot]
        let plan: TablePlan
        if let layout = element.layout, let recursion = recursion(of: layout, in: group) {
            plan = recursion
            group.members[slot].sharesChild = group.layout.elements.filter { $0.isList && $0.typeName == element.typeName }.count > 1
        } else {
            plan = add(
                TablePlan(
                    name: table.name + "_" + group.prefix + element.name, index: tables.count,
                    layout: element.layout ?? elementLayout,
                    primitive: element.primitive, owner: table, ownerGroup: group, ownerSlot: slot))
        }
        group.members[slot].child = .passUnretained(plan)
        return plan
    }

    private func recursion(of layout: Layout, in group: GroupPlan) -> TablePlan? {
        let table = group.table
        if table.primitive == nil, group.index == 0, table.root.layout === layout { return table }
        guard layout.kind == .backbone else { return nil }
        var ancestor: TablePlan? = table
        while let current = ancestor {
            if current.primitive == nil, current.root.layout === layout { return current }
            ancestor = current.owner
        }
        return nil
    }

    // These three do not count references, for the walk through objects: the schema retains its plans.

    /// The object inlined for a to-one complex element.
    func group(_ parent: GroupPlan, _ slot: Int) -> GroupPlan {
        parent.members[slot].group?.takeUnretainedValue() ?? parent.table.group(parent, slot, elementLayout: nil)
    }

    /// The object inlined for the `Element` of a primitive.
    func annotation(_ parent: GroupPlan, _ slot: Int) -> GroupPlan {
        parent.members[slot].group?.takeUnretainedValue() ?? parent.table.group(parent, slot, elementLayout: elementLayout)
    }

    // MARK: - Names

    /// The table with this name, or nil if it is not a path of the release.
    func table(named name: String) -> TablePlan? {
        if let known = byName[name] { return known }
        var text = name
        let plan = text.withUTF8 { table(named: NamePath($0)) }
        return plan?.name == name ? plan : nil
    }

    private func table(named path: NamePath) -> TablePlan? {
        guard let layout = release.resourceLayout(named: String(decoding: path.first, as: UTF8.self)) else { return nil }
        var plan = table(of: layout)
        var group = plan.root
        var path = path
        while let rest = path.rest {
            guard let (slot, step) = group.step(rest) else { return nil }
            path = step
            let kind = group.layout.elements[slot].kind
            if group.layout.elements[slot].isList {
                guard kind != .resource else { return nil }
                plan = child(of: group, slot)
                group = plan.root
            } else if path.rest == nil || kind == .resource {
                return nil
            } else {
                group = kind == .primitive ? annotation(group, slot) : self.group(group, slot)
            }
        }
        return plan
    }

    /// Adds an existing column of the file; returns false if it is not a path of the release.
    private func adopt(column name: NamePath, in plan: TablePlan) -> Bool {
        if name.bytes.isText("_member") { return plan.primitive == nil && plan.memberColumnIndex() >= 0 }
        if let primitive = plan.primitive {
            if name.bytes.isText("value") { return plan.valueColumnIndex() >= 0 }
            if name.first.isText("value"), let rest = name.rest, rest.isAside(primitive) { return plan.valueAsideIndex() >= 0 }
        }
        if name.bytes.isText("_pk") { return plan.pkColumn(plan.root) >= 0 }
        var group = plan.root
        var path = name
        while true {
            guard let slot = group.slot(named: path.first), !group.layout.elements[slot].isList else { return false }
            switch group.layout.elements[slot].kind {
            case .resource: return false
            case .object:
                group = self.group(group, slot)
            case .primitive:
                guard let rest = path.rest else { return plan.mainColumn(group, slot) >= 0 }
                if rest.isAside(group.layout.elements[slot].primitive ?? .string) { return plan.asideColumn(group, slot) >= 0 }
                group = annotation(group, slot)
            }
            guard let rest = path.rest else { return false }
            if rest.bytes.isText("_pk") { return plan.pkColumn(group) >= 0 }
            path = rest
        }
    }

    /// The error for a file with a table, with rows of resources, that the release does not know.
    func unknownTable(_ name: String, path: String) -> FHIRStoreError {
        FHIRStoreError(
            .newerFormat, "\(path) has the table \(name), which this version's FHIR \(release.name) classes do not know: update FireLite"
        )
    }

    // MARK: - The file's catalog

    /// Reads which tables and columns the file has, if that has changed since it was last read.
    ///
    /// - Throws: `SQLiteError`; `FHIRStoreError.newerFormat` if a table has columns that the release does not know.
    func refresh(_ connection: Connection) throws {
        let look = try versionStatement ?? connection.prepare("PRAGMA schema_version")
        versionStatement = look
        defer { look.reset() }
        let current: Int64? = try look.step() ? look.int(0) : nil
        if let current, current == version { return }
        let rows = try CatalogRows(connection)
        let content = try content(of: rows, connection.path)
        ownTables = content.ownTables
        unused = content.unused
        unknownTables = content.unknownTables
        others = content.others
        moduleDefinitions = content.moduleDefinitions
        knownModules = []
        absentModules = []
        lost = nil
        forgetVanished(rows)
        try verify(content.triggers, connection)
        version = current
    }

    /// The names of the tables that the file has.
    var storedNames: Set<Substring> {
        var names = Set(unused.map { Substring($0.name) })
        for plan in tables where plan.isInFile { names.insert(Substring(plan.name)) }
        return names
    }

    /// Takes note that tables which were used here are not in the file any more.
    private func forgetVanished(_ rows: CatalogRows) {
        let used = tables.filter(\.isInFile)
        guard !used.isEmpty else { return }
        let present = Set(rows.rows.filter { $0.kind == .table }.map { rows.text($0.name) })
        for plan in used where !present.contains(plan.name) {
            plan.leaveFile()
            changes += 1
            losses += 1
        }
    }

    /// What the definitions of a catalog are. Those of types that are used already are taken up.
    private func content(of rows: CatalogRows, _ path: String) throws -> CatalogContent {
        guard resources.isEmpty else { return try check(rows, path) }
        if let known = KnownCatalogs.shared.content(of: rows, release) { return known }
        let content = try check(rows, path)
        KnownCatalogs.shared.insert(content, of: rows, release)
        return content
    }

    private func check(_ rows: CatalogRows, _ path: String) throws -> CatalogContent {
        var content = CatalogContent()
        for row in rows.rows {
            let (name, sql) = (rows.text(row.name), rows.text(row.sql))
            if row.kind == .trigger {
                content.triggers.append(CatalogContent.Trigger(name: name, sql: sql))
            } else if row.kind == .view || name.hasPrefix("_") {
                if CatalogText.ownTables.contains(name), row.kind == .view || !CatalogText.isPlainTable(sql) {
                    throw CatalogText.refusal(path, "its \(name) is not a table")
                }
                if CatalogText.ownTables.contains(name) { content.ownTables.insert(name) }
                if row.kind == .view || !CatalogText.isOwn(name) { content.others.append("\(row.kind) \(name)") }
                if row.kind == .table, !CatalogText.isOwn(name) { content.moduleDefinitions[name] = sql }
            } else {
                switch note(name, sql, &content.unused) {
                case .known: continue
                case .unknownTable: content.unknownTables.append(name)
                case .unknownColumn: throw unknownColumn(table: name, path: path)
                case .foreign:
                    throw CatalogText.refusal(path, "the definition of the table \(name) was not written by this library")
                }
            }
        }
        content.others.sort()
        return content
    }

    /// Checks that there are only triggers of full-text indexes, as triggers run with every write.
    private func verify(_ triggers: [CatalogContent.Trigger], _ connection: Connection) throws {
        guard !triggers.isEmpty else { return connection.setTrustedSchema(false) }
        let own = try DeclaredIndexes(schema: self, connection: connection).triggers()
        guard let foreign = triggers.first(where: { own[$0.name] != $0.sql }) else {
            // Only its own triggers are trusted.
            return connection.setTrustedSchema(true)
        }
        // Without the declarations, nothing tells the triggers of full-text indexes from those of other programs.
        if own.isEmpty, foreign.name.hasPrefix("_text_") {
            throw FHIRStoreError(
                .notAStore,
                "\(connection.path) is not a sound store: the table _index, which declares the full-text index of the trigger \(foreign.name), has lost "
                    + "its rows or is missing: use `firelite recover`, and create the index again",
                sqliteCode: ResultCode.corrupt)
        }
        throw CatalogText.refusal(
            connection.path, "the trigger \(foreign.name) was not written by this library, and would run with its writes")
    }

    /// Reads the readable part of a damaged file's catalog.
    ///
    /// - Returns: whether all of it is readable; and the error `newerFormat` if a table has a column that the classes do not know: such a table is
    ///   left out.
    /// - Throws: `FHIRStoreError.notAStore` for a view in place of one of the library's own tables.
    func salvage(_ connection: Connection) throws -> (isWhole: Bool, newer: FHIRStoreError?) {
        var definitions: [String: String] = [:]
        var isWhole = false
        var newer: FHIRStoreError?
        for order in ["", " DESC"] where !isWhole {
            do {
                let statement = try connection.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY rowid\(order)")
                while try statement.step() {
                    guard let kind = statement.text(0), let name = statement.text(1), let sql = statement.text(2) else { continue }
                    if kind == "view", CatalogText.ownTables.contains(name) {
                        // SQLite before 3.30 has no switch for views, and this one may have rows without end.
                        throw FHIRStoreError(
                            .notAStore,
                            "\(connection.path) cannot be recovered while the view \(name) stands in place of a table: drop the view with another program"
                        )
                    }
                    guard kind == "table" else { continue }
                    if !name.hasPrefix("_"), !name.hasPrefix("sqlite_") { definitions[name] = sql }
                }
                isWhole = order.isEmpty
            } catch let error as SQLiteError where error.isDamage {
                continue
            }
        }
        for (name, sql) in definitions.sorted(by: { $0.key < $1.key }) {
            guard let plan = table(named: name) else {
                unknownTables.append(name)
                continue
            }
            switch adopt(sql, in: plan) {
            case .known: continue
            case .unknownTable, .foreign: unknownTables.append(name)
            case .unknownColumn:
                plan.dropPendingColumns()
                plan.isInFile = false
                unknownTables.append(name)
                newer = unknownColumn(table: name, path: connection.path)
            }
        }
        return (isWhole, newer)
    }

    /// The error for a table with a column that the release does not know.
    private func unknownColumn(table name: String, path: String) -> FHIRStoreError {
        FHIRStoreError(
            .newerFormat,
            "\(path): the table \(name) has a column this version of FHIR \(release.name)'s classes does not know: update FireLite")
    }

    /// Adds the columns in a table's definition.
    private func adopt(_ sql: String, in plan: TablePlan) -> DefinitionCheck {
        var sql = sql
        return sql.withUTF8 { sql -> DefinitionCheck in
            guard CatalogText.isPlainTable(sql), let names = CatalogText.columns(sql) else { return .foreign }
            plan.isInFile = true
            guard names.count != plan.fileColumns else { return .known }
            plan.dropPendingColumns()
            for name in names.dropFirst(plan.fileColumns) {
                guard adopt(column: NamePath(UnsafeBufferPointer(rebasing: sql[name])), in: plan) else { return .unknownColumn }
            }
            plan.fileColumns = plan.columns.count
            plan.statements = TableStatements()
            changes += 1
            return .known
        }
    }

    // MARK: - Definitions of types that are not used yet

    /// Takes note of a table of the file: of a type that is used already now, of others when the type is first used. Its definition is checked
    /// either way.
    private func note(_ name: String, _ sql: String, _ unused: inout ContiguousArray<UnusedTable>) -> DefinitionCheck {
        guard let layout = unused.last.flatMap({ Self.isTable(name, of: $0.layout) ? $0.layout : nil }) ?? resourceLayout(ofTable: name)
        else { return .unknownTable }
        if resources[layout.table] != nil {
            guard let plan = table(named: name) else { return .unknownTable }
            return adopt(sql, in: plan)
        }
        let check = DefinitionCheck(name, sql, layout, elementLayout: elementLayout)
        if check == .known { unused.append(UnusedTable(layout: layout, name: name, sql: sql)) }
        return check
    }

    /// The layout of the resource type whose name a table's begins with.
    private func resourceLayout(ofTable name: String) -> Layout? {
        release.resourceLayout(named: String(Substring(name.utf8.prefix { $0 != UInt8(ascii: "_") })))
    }

    /// Whether a table's name begins with that of a resource type. Most tables follow one of the same type.
    private static func isTable(_ name: String, of layout: Layout) -> Bool {
        var (name, type) = (name, layout.name)
        return name.withUTF8 { name in
            type.withUTF8 { type in
                guard name.count > type.count, name[type.count] == UInt8(ascii: "_"), let first = name.baseAddress,
                    let second = type.baseAddress
                else { return false }
                return sameBytes(first, second, type.count)
            }
        }
    }

    /// Makes the plans of a type's tables in the file.
    private func takeUp(_ layout: Layout) {
        let definitions = unused.filter { $0.layout === layout }
        if definitions.isEmpty { return }
        unused.removeAll { $0.layout === layout }
        // No statement was compiled for a table without a plan.
        let before = changes
        defer { changes = before }
        for definition in definitions {
            // Invariant: `DefinitionCheck` accepts no definition of which no plan can be made.
            guard let plan = table(named: definition.name), adopt(definition.sql, in: plan) == .known else {
                preconditionFailure("the definition of \(definition.name) was accepted but cannot be used")
            }
        }
    }

    /// The tables that the file has.
    var storedTables: [TablePlan] {
        for definition in unused { _ = table(of: definition.layout) }
        return tables.filter(\.isInFile)
    }

    /// Whether the tables of some rows, or columns of these, are not in the file yet.
    func needsGrowth(for buffer: borrowing RowBuffer, from first: Int = 0) -> Bool {
        for index in first..<buffer.rows.count {
            let plan = tables[Int(buffer.rows[index].table)]
            if !plan.isInFile || plan.columns.count > plan.fileColumns { return true }
        }
        return false
    }

    /// Extends the file for new rows: creates tables with all their columns at once, and adds columns to existing tables.
    ///
    /// - Returns: whether it did anything.
    /// - Throws: `SQLiteError`.
    func grow(_ connection: Connection) throws -> Bool {
        var grown: [TablePlan] = []
        for plan in tables where plan.columns.count > plan.fileColumns || (!plan.isInFile && plan.isNeeded) {
            if plan.isInFile {
                for column in plan.columns[plan.fileColumns...] {
                    try connection.run("ALTER TABLE \(plan.quotedName) ADD COLUMN \(column.quotedName) \(column.declaredType)")
                }
            } else {
                // A new table in its place would hide what is lost.
                let lost = try lostTables(connection)
                if !lost.shapes(with: plan.name).isEmpty { throw lost.error(plan.resourceName, [plan.name]) }
                // The index of ids needs the column.
                if plan.isResource, plan.root.members[0].main < 0 { _ = plan.mainColumn(plan.root, 0) }
                try connection.run(plan.creation(columns: plan.columns.count))
                plan.isInFile = true
                if plan.isResource { try connection.run(plan.idIndexCreation) }
            }
            plan.fileColumns = plan.columns.count
            plan.statements = TableStatements()
            grown.append(plan)
        }
        guard !grown.isEmpty else { return false }
        changes += 1
        try DeclaredIndexes(schema: self, connection: connection).apply(to: grown)
        try noteChange(connection)
        return true
    }

    /// Takes note that this connection has changed the file's catalog in a way that is known here.
    func noteChange(_ connection: Connection) throws { version = try connection.integer("PRAGMA schema_version") }

    /// Reads the file's catalog again before the next transaction.
    func forgetVersion() { version = nil }

    /// Records in the file which model has last extended it.
    func noteModel(_ connection: Connection) throws {
        guard !hasNotedModel else { return }
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES ('model', ?)")
        statement.bind(1, release.fingerprint)
        try statement.run()
        hasNotedModel = true
    }

    /// Takes note of tables of the library's own that were just created.
    func noteOwnTables(_ names: [String]) { ownTables.formUnion(names) }

    /// Takes note that the tables of a module are what they should be.
    func noteKnown(_ module: String) { knownModules.insert(module) }

    /// Takes note that a module has never kept tables in the file.
    func noteAbsent(_ module: String) { absentModules.insert(module) }

    /// Discards tables and columns that were rolled back.
    func forgetFile() {
        changes += 1
        hasNotedModel = false
        moduleDefinitions = [:]
        knownModules = []
        absentModules = []
        unused = []
        for plan in tables {
            plan.isNeeded = false
            plan.leaveFile()
        }
        lost = nil
        version = nil
    }
}
