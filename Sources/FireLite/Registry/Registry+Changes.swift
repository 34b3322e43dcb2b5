import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// Changes to the registry, in a write.
extension Registry {
    private var now: Int64 { clock.now().milliseconds(.down) }

    private static func insertion(_ rows: Int) -> String {
        "INSERT OR FAIL INTO _resource(root, shape, revision, updated, nodes, digest, pk) VALUES "
            + Array(repeating: "(?, ?, ?, ?, ?, ?, ?)", count: rows).joined(separator: ", ")
    }

    private static let insertionOfOne = insertion(1)
    private static let insertionOfGroup = insertion(RowInserter.group)

    /// Registers one resource, or `RowInserter.group` resources with one statement.
    func insert(_ count: Int, _ registration: (Int) throws -> Registration) throws {
        let statement = try connection.cached(count == 1 ? Self.insertionOfOne : Self.insertionOfGroup)
        let now = now
        for number in 0..<count {
            let registration = try registration(number)
            let parameter = number * 7 + 1
            statement.bind(parameter, registration.root)
            statement.bind(parameter + 1, registration.shape)
            statement.bind(parameter + 2, registration.revision)
            statement.bind(parameter + 3, now)
            statement.bind(parameter + 4, Int64(registration.nodes))
            statement.bind(parameter + 5, bytes: registration.digest)
            if let pk = registration.pk { statement.bind(parameter + 6, pk) } else { statement.bindNull(parameter + 6) }
        }
        try statement.run()
    }

    /// Records that a resource's content has changed; its pk stays.
    func update(_ registration: Registration) throws {
        let statement =
            try updateOfContent
            ?? connection.prepare("UPDATE _resource SET shape = ?, revision = ?, updated = ?, nodes = ?, digest = ? WHERE root = ?")
        updateOfContent = statement
        statement.bind(1, registration.shape)
        statement.bind(2, registration.revision)
        statement.bind(3, now)
        statement.bind(4, Int64(registration.nodes))
        statement.bind(5, bytes: registration.digest)
        statement.bind(6, registration.root)
        try statement.run()
    }

    /// Replaces a digest that was computed in another way.
    func setDigest(_ digest: ContentDigest.Value, root: Int64) throws {
        let statement = try connection.cached("UPDATE _resource SET digest = ? WHERE root = ?")
        statement.bind(1, bytes: digest)
        statement.bind(2, root)
        try statement.run()
    }

    /// Changes the number of a resource's version, with the same content.
    func setRevision(_ revision: Int64, root: Int64) throws {
        let statement = try connection.cached("UPDATE _resource SET revision = ? WHERE root = ?")
        statement.bind(1, revision)
        statement.bind(2, root)
        try statement.run()
    }

    func delete(root: Int64) throws {
        let statement = try connection.cached("DELETE FROM _resource WHERE root = ?")
        statement.bind(1, root)
        try statement.run()
    }

    /// The number of the shape with these tables, which is registered if it is new.
    func shapeNumber(type: String, tables: [String]) throws -> Int64 {
        let names = ([type] + tables.filter { $0 != type }.sorted()).joined(separator: " ")
        let find = try connection.cached("SELECT shape FROM _shape WHERE tables = ?")
        find.bind(1, names)
        defer { find.reset() }
        if try find.step() { return find.int(0) }
        let insert = try connection.cached("INSERT INTO _shape(type, tables) VALUES (?, ?)")
        insert.bind(1, type)
        insert.bind(2, names)
        try insert.run()
        return try connection.integer("SELECT last_insert_rowid()") ?? 0
    }
}
