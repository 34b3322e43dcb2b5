import FireLiteCore
import FireLiteSQLiteBridge

extension FHIRQuery {
    /// Literals of paths for each result.
    private static func literals(
        _ paths: [QueryPath], request: QueryRequest, transaction: ReadTransaction, body: ([String?]) throws -> Void
    ) throws {
        var types: [PrimitiveType] = []
        try transaction.forEachResult(
            request,
            columns: { statement in
                let columns = try paths.map { try statement.firstValue($0) }
                types = columns.map(\.type)
                return columns.flatMap(\.columns)
            },
            { row in
                try body(
                    types.enumerated().map { index, type in
                        ValueCodec.literal(row.value(1 + 2 * index), aside: row.value(2 + 2 * index), type)
                    })
                return true
            })
    }

    /// The values of one own element of each result, without reading the resources.
    ///
    /// - Precondition: the key path is a to-one primitive of the class.
    /// - Throws: `FHIRStoreError`.
    public func values<Value>(_ path: KeyPath<Resource, Value?>) throws -> [Value?] {
        try list(QueryPath([PathStep(slot: PathSlots.slot(path))]), Value.self)
    }

    /// The values at one path of each result, without reading the resources; for a path through lists, the first in the document.
    ///
    /// - Throws: `FHIRStoreError`.
    public func values<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> [Path.Value?] {
        try list(path(ElementPath(QueryPath()))._path.path, Path.Value.self)
    }

    private func list<Value>(_ path: QueryPath, _ type: Value.Type) throws -> [Value?] {
        var values: [Value?] = []
        try perform { transaction, _ in
            try Self.literals([path], request: request, transaction: transaction) {
                values.append($0[0].flatMap { ProjectedValue.value($0, as: type) })
            }
        }
        return values
    }

    /// A tuple of each result's values, made from their literals.
    func tuples<Tuple>(_ paths: [QueryPath], _ tuple: ([String?]) -> Tuple) throws -> [Tuple] {
        var tuples: [Tuple] = []
        try perform { transaction, _ in
            try Self.literals(paths, request: request, transaction: transaction) { tuples.append(tuple($0)) }
        }
        return tuples
    }
}
