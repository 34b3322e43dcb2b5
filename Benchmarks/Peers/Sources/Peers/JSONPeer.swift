import FireLite
import FireLiteR4
import Foundation
import GRDB

/// GRDB with a table for each resource type that holds JSON text, written and read with Foundation's coders.
class JSONPeer: Peer {
    class var title: String { "GRDB, JSON, Codable" }
    let pool: DatabasePool
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    required init(path: String) throws {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { database in
            // As a FireLite store has it: GRDB's own default is NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY")
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        decoder.userInfo[.fhirRelease] = FHIRRelease.r4
    }

    // MARK: - Writing

    func write(_ resources: [FHIRResource]) throws {
        try pool.write { database in
            var known = Set<String>()
            for resource in resources {
                let type = resource.resourceType
                if known.insert(type).inserted {
                    try database.execute(sql: "CREATE TABLE IF NOT EXISTS \"\(type)\"(id TEXT PRIMARY KEY NOT NULL, json TEXT NOT NULL)")
                }
                let statement = try database.cachedStatement(
                    sql: "INSERT INTO \"\(type)\"(id, json) VALUES (?, ?) ON CONFLICT(id) DO UPDATE SET json = excluded.json")
                let json = String(decoding: try encoder.encode(resource), as: UTF8.self)
                try statement.execute(arguments: [resource.id ?? UUID().uuidString, json])
            }
        }
    }

    func delete(_ keys: [ResourceKey]) throws {
        try pool.write { database in
            for key in keys {
                try database.cachedStatement(sql: "DELETE FROM \"\(key.typeName)\" WHERE id = ?").execute(arguments: [key.id])
            }
        }
    }

    func checkpoint() throws { _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

    // MARK: - Reading

    /// The text comes from SQLite as the bytes that the decoder wants, and not as a string first.
    private func resource(_ json: Data) throws -> FHIRResource { try decoder.decode(FHIRResource.self, from: json) }

    func fetch(typeName: String, id: String) throws -> FHIRResource? {
        let json = try pool.read { database in
            try Data.fetchOne(database.cachedStatement(sql: "SELECT json FROM \"\(typeName)\" WHERE id = ?"), arguments: [id])
        }
        return try json.map(resource)
    }

    /// A row of the observations' table.
    private struct StoredObservation: FetchableRecord, TableRecord {
        static let databaseTableName = "Observation"
        static var databaseSelection: [any SQLSelectable] { [Column("json")] }
        let json: Data

        init(row: GRDB.Row) { json = row[0] }
    }

    func observations(ids: [String]) throws -> [FHIRResource] {
        try pool.read { try StoredObservation.fetchAll($0, keys: ids) }.map { try resource($0.json) }
    }

    func observations(of reference: String) throws -> [FHIRResource] {
        let texts = try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT json FROM Observation WHERE json_extract(json, '$.subject.reference') = ?")
            return try Data.fetchAll(statement, arguments: [reference])
        }
        return try texts.map(resource)
    }

    func forEachObservation(_ body: (FHIRResource) -> Void) throws {
        try pool.read { database in
            let cursor = try Data.fetchCursor(database, sql: "SELECT json FROM Observation")
            while let json = try cursor.next() { body(try resource(json)) }
        }
    }

    /// The condition that an observation has a coding with the code `?`.
    var codeCondition: String {
        "EXISTS (SELECT 1 FROM json_each(Observation.json, '$.code.coding') AS coding WHERE json_extract(coding.value, '$.code') = ?)"
    }

    func count(code: String) throws -> Int {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT count(*) FROM Observation WHERE \(codeCondition)")
            return try Int.fetchOne(statement, arguments: [code]) ?? 0
        }
    }

    /// A list inside of JSON cannot be indexed, so that there is nothing to add.
    func addIndexes() throws {}

    func latest() throws -> [FHIRResource] {
        let texts = try pool.read { database in
            try Data.fetchAll(
                database.cachedStatement(
                    sql: "SELECT json FROM Observation ORDER BY json_extract(json, '$.effectiveDateTime') DESC LIMIT 50"))
        }
        return try texts.map(resource)
    }
}
