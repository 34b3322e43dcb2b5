import FireLiteCore
import SQLiteBridge

extension FHIRQuery {
    /// The columns of a path: its first value in the document, and what is kept aside of it.
    private static func columns(_ path: QueryPath, _ statement: QueryStatement) throws -> (columns: [SQLFragment], type: PrimitiveType) {
        let (main, column) = try statement.compiler.value(path, statement.scope, .first(aside: false))
        guard let column else { return ([main, SQLFragment("NULL")], .string) }
        guard column.aside != nil else { return ([main, SQLFragment("NULL")], column.primitive) }
        let isDirect = main.sql == column.sql
        let aside =
            isDirect
            ? SQLFragment(column.alias + ".\"\(column.aside ?? "")\"")
            : try statement.compiler.value(path, statement.scope, .first(aside: true)).sql
        return ([main, aside], column.primitive)
    }

    /// Literals of paths for each result.
    package static func literals(
        _ paths: [QueryPath], _ request: QueryRequest, _ transaction: ReadTransaction, _ body: ([String?]) throws -> Void
    ) throws {
        var types: [PrimitiveType] = []
        try transaction.forEachResult(
            request,
            columns: { statement in
                let columns = try paths.map { try Self.columns($0, statement) }
                types = columns.map(\.type)
                return columns.flatMap(\.columns)
            },
            { row in
                try body(
                    types.enumerated().map { index, type in
                        CellLiteral.literal(row.value(1 + 2 * index), aside: row.value(2 + 2 * index), type)
                    })
                return true
            })
    }

    /// The values of own elements of each result, in tuples, without reading the resources.
    ///
    /// ```swift
    /// for (id, birthDate) in try store.fetch(Patient.self).values(\.id, \.birthDate) { … }
    /// ```
    /// - Precondition: the key paths are to-one primitives of the class.
    /// - Throws: `FHIRStoreError`.
    public func values<each Value>(_ paths: repeat KeyPath<Resource, (each Value)?>) throws -> [(repeat (each Value)?)] {
        var steps: [QueryPath] = []
        for path in repeat each paths { steps.append(QueryPath([PathStep(slot: PathSlots.slot(path))])) }
        return try tuples(steps, repeat (each Value).self)
    }

    /// The values at paths of each result, in tuples, without reading the resources; of a path through lists the first in the document.
    ///
    /// ```swift
    /// let rows = try store.fetch(Observation.self).values { ($0.subject.reference, $0.valueQuantity.value, $0.code.coding.code) }
    /// ```
    /// - Throws: `FHIRStoreError`.
    public func values<each Path: QueryValuePath>(
        _ paths: (ElementPath<Resource>) -> (repeat each Path)
    ) throws -> [(repeat (each Path).Value?)] {
        var steps: [QueryPath] = []
        for path in repeat each paths(ElementPath(QueryPath())) { steps.append(path._path.path) }
        return try tuples(steps, repeat (each Path).Value.self)
    }

    /// The values of one own element of each result, without reading the resources.
    ///
    /// - Precondition: the key path is a to-one primitive of the class.
    /// - Throws: `FHIRStoreError`.
    public func values<Value>(_ path: KeyPath<Resource, Value?>) throws -> [Value?] {
        try list(QueryPath([PathStep(slot: PathSlots.slot(path))]), Value.self)
    }

    /// The values at one path of each result, without reading the resources; of a path through lists the first in the document.
    ///
    /// - Throws: `FHIRStoreError`.
    public func values<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) throws -> [Path.Value?] {
        try list(path(ElementPath(QueryPath()))._path.path, Path.Value.self)
    }

    private func list<Value>(_ path: QueryPath, _ type: Value.Type) throws -> [Value?] {
        var values: [Value?] = []
        try run { transaction in
            try Self.literals([path], request, transaction) { values.append($0[0].flatMap { ProjectedValue.value($0, as: type) }) }
        }
        return values
    }

    private func tuples<each Value>(_ paths: [QueryPath], _ types: repeat (each Value).Type) throws -> [(repeat (each Value)?)] {
        var tuples: [(repeat (each Value)?)] = []
        try run { transaction in
            try Self.literals(paths, request, transaction) { literals in
                var index = -1
                func next<Result>(_ type: Result.Type) -> Result? {
                    index += 1
                    return literals[index].flatMap { ProjectedValue.value($0, as: type) }
                }
                tuples.append((repeat next(each types)))
            }
        }
        return tuples
    }
}
