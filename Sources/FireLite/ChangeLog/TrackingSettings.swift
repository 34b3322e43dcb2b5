import FireLiteSQLiteBridge

/// What a file tracks, from `_meta`.
struct TrackingSettings: Equatable {
    var changes = TrackedTypes.only([])
    var history = TrackedTypes.only([])
    /// The number of the next entry.
    var next: Int64 = 1
    /// The first number from which the log of changes is complete.
    var start: Int64 = 1
    /// Which numbers the log of changes must have; nil if nobody has counted them.
    var mark: ChangeLogMark?

    subscript(tracking: StoreTracking) -> TrackedTypes {
        get { tracking == .changes ? changes : history }
        set { if tracking == .changes { changes = newValue } else { history = newValue } }
    }

    var isEmpty: Bool { changes.isEmpty && history.isEmpty }

    /// Whether the file says what it tracks.
    static func isStored(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT count(*) FROM _meta WHERE key IN ('track.changes', 'track.history', 'track.next', 'track.start')")
            == 4
    }

    /// The next number is no higher, so that adding what a write may contain stays in the range of numbers.
    static let limit: Int64 = 1 << 62

    /// - Throws: `FHIRStoreError.notAStore` if a number is not valid.
    static func read(_ connection: Connection) throws -> TrackingSettings {
        let (settings, faults) = try readTolerantly(connection)
        guard let fault = faults.first else { return settings }
        throw FHIRStoreError(.notAStore, "\(connection.path) is damaged: \(fault): restore a backup or recover what is readable")
    }

    /// The settings, with 1 for each number that is not valid, and what is wrong.
    static func readTolerantly(_ connection: Connection) throws -> (settings: TrackingSettings, faults: [String]) {
        let statement = try connection.cached(
            "SELECT key, value FROM _meta WHERE key BETWEEN 'track.' AND 'track/' AND key <> 'track.holes'")
        defer { statement.reset() }
        var settings = TrackingSettings()
        var faults: [String] = []
        var mark: String?
        func number(_ meaning: String) -> Int64 {
            let number = statement.int(1)
            if statement.type(1) == .integer, number >= 1, number <= limit { return number }
            faults.append("\(meaning) is not valid")
            return 1
        }
        while try statement.step() {
            switch statement.text(0) {
            case "track.changes": settings.changes = TrackedTypes(stored: statement.text(1))
            case "track.history": settings.history = TrackedTypes(stored: statement.text(1))
            case "track.next": settings.next = number("the number of the next change")
            case "track.start": settings.start = number("the number with which the change log begins")
            case "track.whole": mark = statement.text(1)
            default: break
            }
        }
        if faults.isEmpty, settings.start > settings.next { faults.append("the change log begins after its end") }
        if !settings.changes.isEmpty { settings.mark = ChangeLogMark(stored: mark, next: settings.next) }
        return (settings, faults)
    }

    mutating func store(_ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        for tracking in StoreTracking.allCases {
            statement.bind(1, tracking.key)
            statement.bind(2, self[tracking].stored)
            try statement.run()
        }
        statement.bind(1, "track.start")
        statement.bind(2, start)
        try statement.run()
        try storeNext(connection)
    }

    /// Stores what each write with tracked changes moves.
    mutating func storeNext(_ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        statement.bind(1, "track.next")
        statement.bind(2, next)
        try statement.run()
        guard !changes.isEmpty else { return }
        var mark = mark ?? ChangeLogMark(first: next)
        try mark.store(self, connection)
        self.mark = mark
    }
}
