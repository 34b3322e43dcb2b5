import FireLiteCore
import FireLiteSQLiteBridge

/// The FHIR paths of the elements that a comparison of rows has found changed: `name[0].given[1]`, `maritalStatus.text`.
///
/// An added or removed element is one path, whatever it contains; elements that only moved give the path of their list. Positions are
/// those after the change, of removed elements those before.
struct ChangedPaths {
    private let schema: StorageSchema
    private(set) var paths: [String] = []
    private var seen: Set<String> = []

    /// The index of the first new row of the resource, from which parents of new rows count.
    private let firstRow: Int

    init(_ schema: StorageSchema, firstRow: Int = 0) {
        self.schema = schema
        self.firstRow = firstRow
    }

    private mutating func insert(_ path: String) { if !path.isEmpty, seen.insert(path).inserted { paths.append(path) } }

    // MARK: - Rows

    /// A stored row was removed. Its parent is the number of a row.
    mutating func removed(_ index: Int, _ stored: borrowing RowBuffer) {
        if let owner = Self.owner(of: index, stored), stored.rows[owner].match < 0 { return }
        insert(path(ofStored: index, stored))
    }

    /// A row was added. Its parent is the index of a row of the resource.
    mutating func added(_ index: Int, _ new: borrowing RowBuffer) {
        let parent = Int(new.rows[index].parent)
        if parent >= 0, new.rows[firstRow + parent].match < 0 { return }
        insert(path(ofNew: index, new))
    }

    /// Columns of a row were changed.
    mutating func updated(_ index: Int, _ new: borrowing RowBuffer, _ columns: [UpdatedColumn]) {
        let plan = schema.tables[Int(new.rows[index].table)]
        let row = path(ofNew: index, new)
        for column in columns {
            switch column {
            case .parent: insert(row)
            case .order: insert(Self.list(row))
            case .values(let number):
                let column = plan.columns[Int(number)]
                switch column.role {
                case .pk: continue
                case .member: insert(row)
                case .main, .aside: insert(Self.joined(row, Self.path(of: column, in: plan)))
                }
            }
        }
    }

    // MARK: - Paths

    private static func owner(of index: Int, _ stored: borrowing RowBuffer) -> Int? {
        let parent = stored.rows[index].parent
        guard parent >= 0 else { return nil }
        return stored.rows.firstIndex { Int64($0.node) == parent }
    }

    private func path(ofStored index: Int, _ stored: borrowing RowBuffer) -> String {
        guard stored.rows[index].parent >= 0 else { return "" }
        let owner = Self.owner(of: index, stored).map { path(ofStored: $0, stored) } ?? ""
        return Self.joined(owner, step(stored.rows[index], stored))
    }

    private func path(ofNew index: Int, _ new: borrowing RowBuffer) -> String {
        let parent = Int(new.rows[index].parent)
        guard parent >= 0 else { return "" }
        return Self.joined(path(ofNew: firstRow + parent, new), step(new.rows[index], new))
    }

    /// The last step to a row: the member of its owner, and its position.
    private func step(_ row: RowBuffer.Row, _ buffer: borrowing RowBuffer) -> String {
        let plan = schema.tables[Int(row.table)]
        let member = Self.member(row, plan, buffer) ?? plan.ownerGroup.map { $0.path(to: plan.ownerSlot) } ?? ""
        return row.order < 0 ? member : "\(member)[\(row.order)]"
    }

    /// The member that a contained resource, or a row of a shared table, fills.
    private static func member(_ row: RowBuffer.Row, _ plan: TablePlan, _ buffer: borrowing RowBuffer) -> String? {
        for index in Int(row.cellStart)..<Int(row.cellEnd) where buffer.cells[index].column == plan.memberColumn {
            let cell = buffer.cells[index]
            guard plan.memberColumn >= 0, cell.kind == .text else { return nil }
            return String(decoding: buffer.bytes[Int(cell.payload)..<Int(cell.payload) + cell.length], as: UTF8.self)
        }
        return nil
    }

    private static func path(of column: ColumnPlan, in plan: TablePlan) -> String {
        let group = plan.groups[column.group]
        // The value of a list of primitives is the row itself.
        guard column.slot >= 0 else { return "" }
        return group.path(to: column.slot)
    }

    private static func joined(_ first: String, _ second: String) -> String {
        first.isEmpty ? second : second.isEmpty ? first : first + "." + second
    }

    /// The path without its last position.
    private static func list(_ path: String) -> String {
        guard path.hasSuffix("]"), let bracket = path.lastIndex(of: "[") else { return path }
        return String(path[..<bracket])
    }
}
