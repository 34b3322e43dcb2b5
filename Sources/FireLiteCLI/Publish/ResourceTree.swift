import FireLite
import FireLiteCore

/// Where a file has the elements of its resources: for each element of a type its column, or the table of its list, as the page *File format* names them.
///
/// Elements that the file has no column or table for are left out, as no resource has them. So are resources within others, for which the published
/// shape has no place.
struct ResourceTree {
    /// The columns of each table.
    private let columns: [String: Set<String>]
    /// The beginnings of the names of tables and columns, up to an underscore: what has anything below it.
    private let beginnings: Set<String>
    private let elementLayout: Layout?
    private let release: FHIRRelease

    /// A table on the way to an element, with the layout of its rows; nil for a list of primitives.
    private struct Owner {
        let table: String
        let layout: Layout?
    }

    /// Reads the file's catalog.
    ///
    /// - Throws: `FHIRStoreError`.
    init(_ store: FHIRStore) throws {
        var columns: [String: Set<String>] = [:]
        var beginnings: Set<String> = []
        for row in try store.sql("SELECT name FROM sqlite_master WHERE type = 'table'") {
            guard case .text(let table) = row["name"], !table.hasPrefix("_") else { continue }
            Self.add(beginningsOf: table, to: &beginnings)
            let quoted = table.replacingBytes("'", with: "''")
            for column in try store.sql("PRAGMA table_info('\(quoted)')") {
                guard case .text(let name) = column["name"] else { continue }
                columns[table, default: []].insert(name)
                Self.add(beginningsOf: table + "/" + name, to: &beginnings)
            }
        }
        self.columns = columns
        self.beginnings = beginnings
        release = store.release
        elementLayout = store.release.elementLayout
    }

    private static func add(beginningsOf name: String, to beginnings: inout Set<String>) {
        for place in name.indices where name[place] == "_" { beginnings.insert(String(name[...place])) }
    }

    /// The types with a table, in alphabetical order, as JSON.
    func json() -> String {
        let types = columns.keys.filter { !$0.contains("_") }.sorted()
        return JSONText.array(
            types.compactMap { type in
                guard let layout = release.resourceLayout(named: type) else { return nil }
                let found = members(of: layout, prefix: "", owners: [Owner(table: type, layout: layout)])
                return JSONText.object([("type", JSONText.string(type)), ("members", JSONText.array(found))])
            })
    }

    /// The elements of an object: one with a row of its own in the last table of `owners`, or one in columns with a prefix there.
    private func members(of layout: Layout, prefix: String, owners: [Owner]) -> [String] {
        guard let owner = owners.last else { return [] }
        return layout.elements.flatMap { element -> [String] in
            guard element.kind != .resource else { return [] }
            if element.isList { return list(element, of: layout, prefix: prefix, owners: owners) }
            let path = prefix + element.name
            if element.primitive != nil {
                return value(element, path, in: owner.table) + annotation(of: element.name, prefix: path + "_", owners: owners)
            }
            guard let inner = element.layout, hasElements(owner.table, path + "_") else { return [] }
            return object(element.name, members(of: inner, prefix: path + "_", owners: owners))
        }
    }

    private func hasElements(_ table: String, _ prefix: String) -> Bool {
        beginnings.contains(table + "/" + prefix) || beginnings.contains(table + "_" + prefix)
    }

    private func object(_ name: String, _ members: [String]) -> [String] {
        members.isEmpty ? [] : [JSONText.object([("name", JSONText.string(name)), ("members", JSONText.array(members))])]
    }

    private func value(_ element: LayoutElement, _ column: String, in table: String) -> [String] {
        guard columns[table]?.contains(column) == true else { return [] }
        return [JSONText.object([("name", JSONText.string(element.name))] + columnMembers(column, element, in: table))]
    }

    private func columnMembers(_ column: String, _ element: LayoutElement, in table: String) -> [(name: String, json: String)] {
        let aside = column + (element.primitive == .decimal ? "_literal" : "_offset")
        let hasAside = columns[table]?.contains(aside) == true
        return [
            // A list may have positions with extensions alone.
            ("column", columns[table]?.contains(column) == true ? JSONText.string(column) : "null"),
            ("type", JSONText.string(element.typeName)),
            ("aside", hasAside ? JSONText.string(aside) : "null"),
        ]
    }

    /// The id and the extensions of a primitive, which FHIR's JSON has under its name with an underscore.
    private func annotation(of name: String, prefix: String, owners: [Owner]) -> [String] {
        guard let elementLayout, let owner = owners.last, hasElements(owner.table, prefix) else { return [] }
        return object("_" + name, members(of: elementLayout, prefix: prefix, owners: owners))
    }

    private func list(_ element: LayoutElement, of layout: Layout, prefix: String, owners: [Owner]) -> [String] {
        guard let owner = owners.last else { return [] }
        let name = JSONText.string(element.name)
        if let inner = element.layout, let table = recursion(of: inner, prefix: prefix, owners: owners) {
            let isShared = layout.elements.filter { $0.isList && $0.typeName == element.typeName }.count > 1
            // Without the column, no resource has such an element.
            if isShared, columns[table]?.contains("_member") != true { return [] }
            let member = isShared ? JSONText.string(prefix.replacingBytes("_", with: ".") + element.name) : "null"
            return [JSONText.object([("name", name), ("recursion", JSONText.string(table)), ("member", member)])]
        }
        let table = owner.table + "_" + prefix + element.name
        guard columns[table] != nil, let inner = element.layout ?? elementLayout else { return [] }
        let rows = members(of: inner, prefix: "", owners: owners + [Owner(table: table, layout: element.primitive == nil ? inner : nil)])
        let values = element.primitive == nil ? [] : columnMembers("value", element, in: table)
        return [JSONText.object([("name", name), ("table", JSONText.string(table))] + values + [("members", JSONText.array(rows))])]
    }

    /// The table that a recursive element shares with the one that it refers to.
    private func recursion(of layout: Layout, prefix: String, owners: [Owner]) -> String? {
        if prefix.isEmpty, let owner = owners.last, owner.layout === layout { return owner.table }
        return layout.kind == .backbone ? owners.last { $0.layout === layout }?.table : nil
    }
}
