import FireLite
import FireLiteCore

/// Reads the values of a column of a compiled view.
struct CompiledColumn {
    private let kind: SQLKind
    private let isCollection: Bool
    private let decoding: ViewCompiler.Decoding
    private let memory = TextMemory()

    private let bases: [String]

    init(_ column: ViewCompiler.Column, bases: [String]) {
        (kind, isCollection, decoding) = (column.kind, column.isCollection, column.decoding)
        self.bases = bases
    }

    /// The value in a row of the statement.
    func value(_ row: StatementRow, _ index: Int) throws -> ViewValue {
        if isCollection { return .list(try Self.elements(row.value(index).text ?? "[]")) }
        switch row.cell(index) {
        case .text(let bytes):
            guard case .temporal(let type, let aside) = decoding else { return memory.value(bytes) { text($0) } }
            // Most have a zone; a text says more than minutes can.
            guard case .integer(let minutes) = row.cell(aside) else { return Self.value(row.literal(index, aside: aside, type)) }
            return memory.value(bytes, minutes) {
                Self.value(StatementRow.literal(ofTemporal: $0, minutes: minutes) ?? row.literal(index, aside: aside, type))
            }
        case .null: return .null
        case .integer(let number):
            switch kind {
            case .boolean: return .boolean(number != 0)
            case .decimal: return FHIRDecimal("\(number)").map { .decimal($0) } ?? .null
            default: return .integer(number)
            }
        case .real(let number): return .decimal(FHIRDecimal(number))
        }
    }

    private static func value(_ literal: String?) -> ViewValue { literal.map { .text($0) } ?? .null }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) -> ViewValue {
        let text = String(decoding: bytes, as: UTF8.self)
        if case .referenceKey(let type) = decoding {
            let parts = ReferenceParts(text)
            guard parts.isLocal(bases), let named = parts.type, let id = parts.id, type == nil || type == named else { return .null }
            return .text("\(named)/\(id)")
        }
        return kind == .decimal ? FHIRDecimal(text).map { .decimal($0) } ?? .text(text) : .text(text)
    }

    private static func elements(_ json: String) throws -> [ViewValue] {
        try JSONItemReader.read(Array(json.utf8)).items.map { element in
            switch element.content {
            case .bool(let truth): .boolean(truth)
            case .number(let text): Int64(text).map { .integer($0) } ?? .text(text)
            case .string(let text): .text(text)
            default: .null
            }
        }
    }
}

/// Reads the rows of a compiled view.
struct CompiledRows {
    private let columns: [CompiledColumn]

    /// - Parameter bases: the base addresses under which references are to the store's own resources.
    init(_ statement: ViewCompiler.Statement, bases: [String]) { columns = statement.columns.map { CompiledColumn($0, bases: bases) } }

    /// The values of a row of the statement.
    func values(_ row: StatementRow) throws -> [ViewValue] {
        try columns.withUnsafeBufferPointer { columns in
            var values: [ViewValue] = []
            values.reserveCapacity(columns.count)
            for index in columns.indices { values.append(try columns[index].value(row, index)) }
            return values
        }
    }
}
