import FireLiteCore
import FireLiteSQLiteBridge

extension QueryStatement {
    /// The columns of a path: its first value in the document, and its literal or offset.
    func firstValue(_ path: QueryPath) throws -> (columns: [SQLFragment], type: PrimitiveType) {
        let (main, column) = try compiler.value(path, scope, .first(aside: false))
        guard let column else { return ([main, "NULL"], .string) }
        guard column.aside != nil else { return ([main, "NULL"], column.type) }
        let isDirect = column.alias == Self.alias
        let aside = isDirect ? column.asideSQL ?? "NULL" : try compiler.value(path, scope, .first(aside: true)).sql
        return ([main, aside], column.type)
    }

    // MARK: - Keys of sections

    /// The columns that name a result's section, and the type of the values; see `SectionPath.key(_:_:at:)`.
    func sectionColumns(_ section: SectionPath) throws -> (columns: [SQLFragment], type: PrimitiveType) {
        let (columns, type) = try firstValue(section.path)
        guard let unit = section.unit else { return (columns, type) }
        return (["\(raw: QueryFunctions.section)(\(columns[0]), \(columns[1]), \(unit.rawValue))"], type)
    }

    /// The condition that a result is in a section.
    func isIn(_ test: SectionTest) throws -> SQLFragment {
        let (columns, type) = try sectionColumns(test.section)
        switch test.key {
        case .absent: return "\(columns[0]) IS NULL"
        case .date(let date):
            let isSame: SQLFragment = "\(columns[0]) = \(bind: .integer(Int64(date.number)))"
            // An index on the dates leads to those near it, if each resource has one.
            guard let rows = try compiler.rows(test.section.path, scope), rows.isDirect, rows.condition.isAlways,
                case .column(let column) = rows.leaf, column.name != nil
            else { return isSame }
            let bounds = date.storedBounds
            return .all(["\(column) >= \(bind: .text(bounds.lower))", "\(column) < \(bind: .text(bounds.upper))", isSame])
        case .literal(let literal):
            let (main, aside) = ValueCodec.cells(of: literal, type)
            return .all(["\(columns[0]) = \(bind: main)", "\(columns[1]) IS \(bind: aside)"])
        }
    }

    // MARK: - Sizes

    /// `SELECT` of the sections of all results, ignoring limits: the key's columns, the number of results, the first sort value of the
    /// one that comes first, and whether that is absent. Sections are in the order of these values.
    func sections(_ section: SectionPath) throws -> SQLFragment {
        let (columns, _) = try sectionColumns(section)
        let term = try sortTerms.first
        let value = term?.sql ?? "\(Self.alias)._k"
        let isDescending = term?.isDescending ?? false
        let first: SQLFragment = "\(raw: isDescending ? "max" : "min")(\(value))"
        // An absent value comes first or last of all.
        let precedes = term?.nulls == .first
        let isAbsent: SQLFragment = precedes ? "count(\(value)) < count(*)" : "\(first) IS NULL"
        let selected: SQLFragment = .joined(columns + ["count(*)", first, isAbsent], ", ")
        let keys: SQLFragment = .joined(columns.indices.map { "\($0 + 1)" }, ", ")
        let place = columns.count + 2
        let order: SQLFragment =
            "\(place + 1)\(raw: precedes ? " DESC" : ""), \(place)\(raw: isDescending ? " DESC" : "")"
        return try over(selected, tail: " GROUP BY \(keys) ORDER BY \(order)")
    }
}

extension ValueCodec {
    /// The cells of a literal, as they are stored: its value and the rest of it.
    static func cells(of literal: String, _ type: PrimitiveType) -> (main: SQLValue, aside: SQLValue) {
        var buffer = RowBuffer()
        var literal = literal
        add(literal: &literal, type, to: &buffer, 0) { 1 }
        var cells: [SQLValue] = [.null, .null]
        for cell in buffer.cells {
            cells[Int(cell.column)] =
                switch cell.kind {
                case .int: .integer(cell.payload)
                case .double: .real(Double(bitPattern: UInt64(bitPattern: cell.payload)))
                case .text:
                    .text(String(decoding: buffer.bytes[Int(cell.payload)..<Int(cell.payload) + cell.length], as: UTF8.self))
                case .kept: .null
                }
        }
        return (cells[0], cells[1])
    }
}
