import GRDB

/// The same with expression indexes of JSON1, which can have an element of a list by its place only: the first coding stands for all.
final class IndexedJSONPeer: JSONPeer {
    override class var title: String { "GRDB, JSON1 indexes" }
    private var isIndexed = false

    override var codeCondition: String {
        isIndexed ? "json_extract(json, '$.code.coding[0].code') = ?" : super.codeCondition
    }

    override func addIndexes() throws {
        try pool.write { database in
            try database.execute(
                sql: """
                    CREATE INDEX Observation_code ON Observation(json_extract(json, '$.code.coding[0].code'));
                    CREATE INDEX Observation_subject ON Observation(json_extract(json, '$.subject.reference'));
                    CREATE INDEX Observation_date ON Observation(json_extract(json, '$.effectiveDateTime'));
                    """)
        }
        isIndexed = true
    }
}
