import FireLiteSQLiteBridge

/// What a file tracks, from `_meta`.
struct TrackingSettings: Equatable {
    var changes = TrackedTypes.only([])
    var history = TrackedTypes.only([])
    /// The number of the next entry.
    var next: Int64 = 1
    /// The first number from which the log of changes is complete.
    var start: Int64 = 1

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

    static func read(_ connection: Connection) throws -> TrackingSettings {
        let statement = try connection.cached("SELECT key, value FROM _meta WHERE key BETWEEN 'track.' AND 'track/'")
        defer { statement.reset() }
        var settings = TrackingSettings()
        while try statement.step() {
            switch statement.text(0) {
            case "track.changes": settings.changes = TrackedTypes(stored: statement.text(1))
            case "track.history": settings.history = TrackedTypes(stored: statement.text(1))
            case "track.next": settings.next = max(statement.int(1), 1)
            case "track.start": settings.start = max(statement.int(1), 1)
            default: break
            }
        }
        return settings
    }

    func store(_ connection: Connection) throws {
        let statement = try connection.cached("INSERT OR REPLACE INTO _meta(key, value) VALUES (?, ?)")
        for tracking in StoreTracking.allCases {
            statement.bind(1, tracking.key)
            statement.bind(2, self[tracking].stored)
            try statement.run()
        }
        for (key, value) in [("track.next", next), ("track.start", start)] {
            statement.bind(1, key)
            statement.bind(2, value)
            try statement.run()
        }
    }
}
