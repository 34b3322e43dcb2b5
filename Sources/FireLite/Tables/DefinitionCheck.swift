import FireLiteCore

/// The definition of a table in a file, of a resource type that was not used yet.
struct UnusedTable {
    /// The resource type.
    let layout: Layout
    let name: String
    let sql: String
}

/// What a table's definition in a file's catalog is to this version of the library.
///
/// The check goes by layouts, and accepts what `StorageSchema` makes the same table and columns of: most opened files have many more tables than
/// are used, and plans are a few times as much work.
enum DefinitionCheck {
    /// The release has such a table, and each of its columns.
    case known
    /// The release has no such element.
    case unknownTable
    /// The release has the element, but not everything in it.
    case unknownColumn
    /// This library writes no such definition.
    case foreign

    init(_ name: String, _ sql: String, _ resource: Layout, elementLayout: Layout) {
        var (name, sql) = (name, sql)
        self = name.withUTF8 { name in
            guard let place = TablePlace(NamePath(name), of: resource, elementLayout: elementLayout) else { return .unknownTable }
            return sql.withUTF8 { sql in
                guard CatalogText.isPlainTable(sql), let columns = CatalogText.columns(sql) else { return .foreign }
                let isKnown = columns.allSatisfy { place.hasColumn(NamePath(UnsafeBufferPointer(rebasing: sql[$0]))) }
                return isKnown ? .known : .unknownColumn
            }
        }
    }
}

/// The element that a table is named after.
private struct TablePlace {
    /// The class of its rows; `Element` for a list of primitives.
    private let layout: Layout
    /// The type of a list of primitives.
    private let primitive: PrimitiveType?
    private let elementLayout: Layout

    /// - Returns: nil if the path is none of the release, or leads to an element whose rows are in another table, as `Extension.extension`.
    init?(_ path: NamePath, of resource: Layout, elementLayout: Layout) {
        var layout = resource
        var primitive: PrimitiveType?
        // The classes of the rows on the way.
        var rows: ContiguousArray<Layout> = [resource]
        var isRow = true
        var path = path
        while let rest = path.rest {
            guard let (slot, step) = layout.step(rest) else { return nil }
            path = step
            let entry = layout.table.pointee.entries[slot]
            guard entry.kind != .resource else { return nil }
            let inner = entry.kind == .object ? layout.elements[slot].layout : nil
            if entry.isList {
                if let inner {
                    if primitive == nil, isRow, layout === inner { return nil }
                    if inner.kind == .backbone, rows.contains(where: { $0 === inner }) { return nil }
                    rows.append(inner)
                }
                primitive = inner == nil ? entry.primitive : nil
            } else if path.rest == nil {
                return nil
            }
            isRow = entry.isList
            layout = inner ?? elementLayout
        }
        self.layout = layout
        self.primitive = primitive
        self.elementLayout = elementLayout
    }

    func hasColumn(_ name: NamePath) -> Bool {
        if name.bytes.isText("_member") { return primitive == nil }
        if let primitive {
            if name.bytes.isText("value") { return true }
            if name.first.isText("value"), let rest = name.rest, rest.isAside(primitive) { return true }
        }
        if name.bytes.isText("_pk") { return true }
        var layout = layout
        var path = name
        while true {
            guard let slot = layout.slot(named: path.first) else { return false }
            let entry = layout.table.pointee.entries[slot]
            guard !entry.isList else { return false }
            switch entry.kind {
            case .resource: return false
            case .object: layout = layout.elements[slot].layout ?? layout
            case .primitive:
                guard let rest = path.rest else { return true }
                if rest.isAside(entry.primitive) { return true }
                layout = elementLayout
            }
            guard let rest = path.rest else { return false }
            if rest.bytes.isText("_pk") { return true }
            path = rest
        }
    }
}
