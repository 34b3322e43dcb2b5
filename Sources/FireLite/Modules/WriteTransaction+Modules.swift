import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    /// Stores new resources as `add(_:)` does, in few statements: all of them or none.
    ///
    /// - Returns: the number and the revision of each; nil, with nothing stored, if payloads are kept apart, as those are stored one by one.
    /// - Precondition: the resources are not stored yet, and no two are the same object.
    /// - Throws: `FHIRStoreError`.
    package func addTogether(_ resources: [FHIRResource]) throws -> [(root: Int64, revision: Int64)]? {
        guard writer.keeper == nil else { return nil }
        return try adding(resources).map { ($0, writer.firstRevision(of: $0)) }
    }

    /// Runs a statement that changes rows of a module's tables, as a part of this write: it is committed with the resources, or not at all.
    ///
    /// The tables are created if the file does not have them yet.
    /// - Parameters:
    ///   - sql: a constant of the program, with `?` for values.
    ///   - arguments: the values.
    /// - Returns: the number of rows that it inserted, changed or deleted.
    /// - Throws: `FHIRStoreError`.
    @discardableResult
    package func run(on module: ModuleTables, _ sql: String, _ arguments: [SQLValue] = []) throws -> Int {
        if try !hasTables(of: module) { try perform { try access.schema.create(module, access.connection) } }
        return try perform {
            noteChange(of: module.tableNames)
            let statement = try access.connection.cached(sql)
            // The values live no longer than this call.
            defer { for index in arguments.indices { statement.bindNull(index + 1) } }
            statement.bind(arguments)
            let before = access.connection.totalChanges
            try statement.run()
            return Int(access.connection.totalChanges - before)
        }
    }

    /// Runs a statement as `run` does for some numbers, several at a time.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program that follows `WITH wanted(place, value) AS (…)`, where numbers that are left over are NULL.
    ///   - arguments: the values of its `?`.
    /// - Throws: `FHIRStoreError`.
    package func run(on module: ModuleTables, wanted numbers: [Int64], _ sql: String, _ arguments: [SQLValue]) throws {
        if try !hasTables(of: module) { try perform { try access.schema.create(module, access.connection) } }
        try perform {
            noteChange(of: module.tableNames)
            let statement = try access.connection.cached(WantedValues.clause + sql)
            // The values live no longer than this call.
            defer { statement.clearBindings() }
            statement.bind(arguments, after: WantedValues.together)
            for start in stride(from: 0, to: numbers.count, by: WantedValues.together) {
                WantedValues.bind(statement, from: start, count: numbers.count) { $0.bind($1, numbers[$2]) }
                try statement.run()
            }
        }
    }

    /// Runs a statement as `run` does, with one more value: a blob that is not copied.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program, with `?` for values.
    ///   - arguments: the values but for the last.
    ///   - blob: the last value.
    /// - Throws: `FHIRStoreError`.
    package func run(on module: ModuleTables, _ sql: String, _ arguments: [SQLValue], blob: UnsafeRawBufferPointer) throws {
        if try !hasTables(of: module) { try perform { try access.schema.create(module, access.connection) } }
        try perform {
            noteChange(of: module.tableNames)
            let statement = try access.connection.cached(sql)
            // The blob belongs to the caller.
            defer { statement.bindNull(arguments.count + 1) }
            statement.bind(arguments)
            statement.bind(arguments.count + 1, unownedBlob: blob)
            try statement.run()
        }
    }

    /// Runs a statement as `run` does, with values that `bind` binds and keeps until it has run: none is copied.
    ///
    /// - Parameters:
    ///   - sql: a constant of the program, with `?` for values.
    ///   - bind: binds the values.
    /// - Throws: `FHIRStoreError`.
    package func run(on module: ModuleTables, _ sql: String, binding bind: (ModuleValues) -> Void) throws {
        if try !hasTables(of: module) { try perform { try access.schema.create(module, access.connection) } }
        try perform {
            noteChange(of: module.tableNames)
            let statement = try access.connection.cached(sql)
            // The values belong to the caller.
            defer { statement.clearBindings() }
            bind(ModuleValues(statement))
            try statement.run()
        }
    }
}
