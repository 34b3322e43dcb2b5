import FireLite
import FireLiteCore
import Foundation

/// Walks the table `_change` from its end, for the history of the system or a type: a page costs what it contains, whatever the store has.
///
/// Each row of a store with a history is an event: content that was stored, or a deletion. What was stored before the history was kept comes last.
struct HistoryScan {
    /// Where a page ends.
    struct Place: Equatable {
        /// Whether it is among what was there before the history.
        var isBefore = false
        /// The number of the last row of the page.
        var sequence = Int64.max

        init() {}

        init(isBefore: Bool, sequence: Int64) {
            self.isBefore = isBefore
            self.sequence = sequence
        }

        /// - Parameter text: what `text` gives; nil for anything else.
        init?(_ text: String) {
            guard let kind = text.first, kind == "e" || kind == "b", let number = Int64(text.dropFirst()), number > 0 else { return nil }
            self.init(isBefore: kind == "b", sequence: number)
        }

        var text: String { "\(isBefore ? "b" : "e")\(sequence)" }
    }

    /// An event.
    struct Event {
        let place: Place
        let root: Int64
        let isDeletion: Bool
        /// When it happened, in milliseconds; nil if that was before the history.
        let time: Int64?
        /// When the content was replaced; nil for the current one.
        let replaced: Int64?
        /// The number of the version.
        let version: Int64
        /// The type and id; nil for content that is current.
        let key: (type: String, id: String)?
        /// Where the content is.
        let content: VersionPlace
    }

    let store: FHIRStore
    let type: String?
    /// The numbers in the store of the one resource that the history is of; nil for all of the type.
    var roots: [Int64]?
    /// Events since then, in milliseconds.
    var since: Int64?
    /// Content that was current in this span, in milliseconds.
    var span: Range<Int64>?

    /// The number of rows that are read at a time.
    private static let batch = 256

    /// Whether the file has what the walk needs. A store that never kept a history has not.
    var isPossible: Bool {
        get throws {
            let rows = try store.sql("SELECT count(*) FROM sqlite_master WHERE name IN ('_change', '_change__root')")
            return rows.first?[0] == .integer(2)
        }
    }

    /// The number of the newest row that is too old for the history; 0 if there is none.
    var floor: Int64 {
        get throws {
            guard let since else { return 0 }
            let rows = try store.sql("SELECT seq FROM _change WHERE time < ? ORDER BY seq DESC LIMIT 1", arguments: [.integer(since)])
            return rows.first?[0].integer ?? 0
        }
    }

    /// Calls `body` with the events after a place, the newest first, until it returns false.
    func forEach(after place: Place, _ body: (Event) throws -> Bool) throws {
        var place = place
        while true {
            let found = try batch(place)
            for event in found.list { guard try body(event) else { return } }
            guard let last = found.last else {
                guard !place.isBefore else { return }
                place = Place(isBefore: true, sequence: .max)
                continue
            }
            place = last
        }
    }

    // MARK: - SQL

    private typealias Found = (list: [Event], last: Place?)

    private func batch(_ place: Place) throws -> Found {
        func rows(_ root: Int64?) throws -> Found { try place.isBefore ? earlier(place, root) : events(place, root) }
        guard let roots else { return try rows(nil) }
        // Each number has an index, so each is asked by itself; the newest rows of all are the batch.
        var list: [Event] = []
        var lasts: [Int64] = []
        for root in roots {
            let found = try rows(root)
            list += found.list
            if let last = found.last { lasts.append(last.sequence) }
        }
        list.sort { $0.place.sequence > $1.place.sequence }
        list = Array(list.prefix(Self.batch))
        guard roots.count > 1, list.count == Self.batch, let last = list.last else {
            return (list, lasts.min().map { Place(isBefore: place.isBefore, sequence: $0) })
        }
        return (list, last.place)
    }

    /// The row after a row of the same resource, which has what that row stored.
    private static func next(_ column: String) -> String {
        "(SELECT n.\(column) FROM _change n WHERE n.root = c.root AND n.seq > c.seq ORDER BY n.seq LIMIT 1)"
    }

    private static let registered = "(SELECT s.type FROM _resource r JOIN _shape s ON s.shape = r.shape WHERE r.root = c.root)"

    /// What the history has recorded.
    private func events(_ place: Place, _ root: Int64?) throws -> Found {
        var conditions = ["c.seq < ?"]
        var arguments: [SQLValue] = [.integer(place.sequence)]
        if let root {
            conditions.append("c.root = ?")
            arguments.append(.integer(root))
        } else if let type {
            conditions.append("(c.type = ? OR c.type IS NULL AND coalesce(\(Self.next("type")), \(Self.registered)) = ?)")
            arguments += [.text(type), .text(type)]
        }
        if let since {
            conditions.append("c.time >= ?")
            arguments.append(.integer(since))
        }
        if let span {
            conditions.append(
                "c.time < ? AND CASE c.kind WHEN 2 THEN c.time >= ? ELSE coalesce(\(Self.next("time")), \(Int64.max)) > ? END")
            arguments += [.integer(span.upperBound), .integer(span.lowerBound), .integer(span.lowerBound)]
        }
        let sql = """
            SELECT c.seq, c.root, c.kind, c.time, c.type, c.id, c.revision, c.digest IS NULL,
              \(Self.next("seq")), \(Self.next("type")), \(Self.next("id")), \(Self.next("revision")), \(Self.next("digest IS NULL")), \(Self.next("time")),
              (SELECT r.revision FROM _resource r WHERE r.root = c.root)
            FROM _change c WHERE \(conditions.joined(separator: " AND ")) ORDER BY c.seq DESC LIMIT \(Self.batch)
            """
        return try read(sql, arguments, isBefore: false) { row, place in
            guard let root = row[1].integer, let time = row[3].integer else { return nil }
            func key(_ first: Int) -> (String, String)? {
                guard let type = row[first].text, let id = row[first + 1].text else { return nil }
                return (type, id)
            }
            if row[2].integer == 2 {
                // Of a pruned version there is only a number.
                guard row[7].integer == 0, let key = key(4), let version = row[6].integer else { return nil }
                return Event(
                    place: place, root: root, isDeletion: true, time: time, replaced: time, version: version, key: key,
                    content: .replaced(place.sequence))
            }
            if let next = row[8].integer {
                guard row[12].integer == 0, let key = key(9), let version = row[11].integer else { return nil }
                return Event(
                    place: place, root: root, isDeletion: false, time: time, replaced: row[13].integer, version: version, key: key,
                    content: .replaced(next))
            }
            guard let version = row[14].integer else { return nil }
            return Event(
                place: place, root: root, isDeletion: false, time: time, replaced: nil, version: version, key: nil, content: .stored(root))
        }
    }

    /// What was there before the history, and was replaced or deleted since.
    private func earlier(_ place: Place, _ root: Int64?) throws -> Found {
        var conditions = [
            "c.seq < ? AND c.kind <> 0 AND c.digest IS NOT NULL",
            "NOT EXISTS (SELECT 1 FROM _change b WHERE b.root = c.root AND b.seq < c.seq)",
        ]
        var arguments: [SQLValue] = [.integer(place.sequence)]
        if let root {
            conditions.append("c.root = ?")
            arguments.append(.integer(root))
        } else if let type {
            conditions.append("c.type = ?")
            arguments.append(.text(type))
        }
        for bound in [since, span?.lowerBound].compactMap({ $0 }) {
            conditions.append("c.time >= ?")
            arguments.append(.integer(bound))
        }
        let sql = """
            SELECT c.seq, c.root, c.time, c.type, c.id, c.revision FROM _change c
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY c.seq DESC LIMIT \(Self.batch)
            """
        return try read(sql, arguments, isBefore: true) { row, place in
            guard let root = row[1].integer, let time = row[2].integer, let type = row[3].text, let id = row[4].text,
                let version = row[5].integer
            else { return nil }
            return Event(
                place: place, root: root, isDeletion: false, time: nil, replaced: time, version: version, key: (type, id),
                content: .replaced(place.sequence))
        }
    }

    private func read(
        _ sql: String, _ arguments: [SQLValue], isBefore: Bool, _ event: (SQLRow, Place) -> Event?
    ) throws -> Found {
        var list: [Event] = []
        var last: Place?
        for row in try store.sql(sql, arguments: arguments) {
            guard let sequence = row[0].integer else { continue }
            let place = Place(isBefore: isBefore, sequence: sequence)
            last = place
            if let event = event(row, place) { list.append(event) }
        }
        return (list, last)
    }
}
