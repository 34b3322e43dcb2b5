import FireLite

/// What a database tracks, for `info` and `track list`.
struct TrackedState {
    static let jsonKeys = [
        JSONKey("changes", "a list: the types with a log of changes; * for all"),
        JSONKey("history", "a list: the types of which all versions are kept; * for all"),
        JSONKey("entries", "the number of entries of the log and the history together"),
    ]

    private let changes: TrackedTypes
    private let history: TrackedTypes
    private let entries: Int

    init(_ store: FHIRStore) throws {
        changes = try store.tracked(.changes)
        history = try store.tracked(.history)
        entries = try Self.hasEntries(store) ? Self.number(try store.sql("SELECT count(*) FROM _change")) : 0
    }

    /// What to say where versions are missed because the history is off; nil if it is on.
    ///
    /// - Parameter type: the type of the resources; nil for any.
    static func historyIsOff(_ store: FHIRStore, of type: String?) throws -> String? {
        let history = try store.tracked(.history)
        guard type.map({ !history.contains($0) }) ?? history.isEmpty else { return nil }
        let subject = type.map { "the history of \($0)" } ?? "the history"
        return "\(subject) is off: `firelite track --database FILE on history` keeps versions from then on"
    }

    /// Whether the file has the table of entries, which `track` creates.
    static func hasEntries(_ store: FHIRStore) throws -> Bool {
        try number(store.sql("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '_change'")) == 1
    }

    private static func number(_ rows: [SQLRow]) -> Int { rows.first.flatMap { $0[0].integer }.map { Int($0) } ?? 0 }

    var figures: [Report.Figure] {
        [
            .init("changes", Self.value(changes), label: "change log"), .init("history", Self.value(history)),
            .init("entries", .count(entries), label: "kept entries"),
        ]
    }

    private static func value(_ types: TrackedTypes) -> FigureValue {
        switch types {
        case .all: .shown("all types", .texts(["*"]))
        case .only(let names) where names.isEmpty: .shown("off", .texts([]))
        case .only(let names): .texts(names.sorted())
        }
    }
}
