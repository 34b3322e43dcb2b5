import Foundation

/// A row of `_record` or `_appdata`.
struct RecordRow {
    /// The resource's number, or the app data's.
    let number: Int64
    /// The resource's type, or the media type of app data.
    var type: String
    let id: String
    var created: Int64?
    var updated: Int64?
    var deleted: Int64?
    var version: Int64
    var edition: Int64

    static let columns = "type, id, created, updated, deleted, version, edition"
    /// The number of columns with the key and the revision.
    static let width = 9

    /// A row of the key and `columns`.
    init(_ row: SQLRow) {
        number = row[0].integer ?? 0
        type = row[1].text ?? ""
        id = row[2].text ?? ""
        created = row[3].integer
        updated = row[4].integer
        deleted = row[5].integer
        version = row[6].integer ?? 1
        edition = row[7].integer ?? 1
    }

    /// The row of a record that is new.
    init(number: Int64, type: String, id: String, time: Int64) {
        self.number = number
        self.type = type
        self.id = id
        created = time
        updated = time
        version = 1
        edition = 1
    }

    /// The row of a resource stored by a store object without records.
    init(unknown number: Int64, type: String, id: String) {
        self.init(number: number, type: type, id: id, time: 0)
        created = nil
        updated = nil
    }

    /// Binds the key, the revision and `columns` to the parameters after the first `count`. Those without a value stay NULL.
    func bind(to values: ModuleValues, after count: Int, _ revision: Int64) {
        values.bind(count + 1, number)
        values.bind(count + 2, revision)
        values.bind(count + 3, type)
        values.bind(count + 4, id)
        if let created { values.bind(count + 5, created) }
        if let updated { values.bind(count + 6, updated) }
        if let deleted { values.bind(count + 7, deleted) }
        values.bind(count + 8, version)
        values.bind(count + 9, edition)
    }

    func metadata(isPending: Bool) -> RecordMetadata {
        RecordMetadata(created: created, updated: updated, deleted: deleted, isPending: isPending)
    }
}

extension RecordMetadata {
    /// Metadata from times as tables keep them.
    init(created: Int64?, updated: Int64?, deleted: Int64?, isPending: Bool) {
        self.init(
            created: created.map(RecordTime.date), updated: updated.map(RecordTime.date),
            status: deleted != nil ? .deleted : isPending ? .pending : .active, deleted: deleted.map(RecordTime.date))
    }
}

/// Times as tables keep them.
enum RecordTime {
    static func milliseconds(_ date: Date) -> Int64 { date.milliseconds() }
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
