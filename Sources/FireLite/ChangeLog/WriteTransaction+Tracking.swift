import FireLiteCore
import FireLiteSQLiteBridge

extension WriteTransaction {
    /// Tracks changes or versions from now on: see `FHIRStore.track(_:)`.
    ///
    /// - Parameter types: the names of resource types; nil for all, also those that are stored later.
    package func track(_ tracking: StoreTracking, types: Set<String>?) throws {
        try perform {
            if !hasChangeTable { access.schema.noteOwnTables(ChangeTable.tables) }
            try changeTable.create(forHistory: tracking == .history)
            var settings = try currentSettings()
            if tracking == .changes, settings.changes.isEmpty {
                // What happened meanwhile was not logged, so nobody can continue from before: numbers skip one.
                settings.next += 1
                settings.start = settings.next
                settings.mark = ChangeLogMark(first: settings.next)
            }
            switch (settings[tracking], types) {
            case (_, nil): settings[tracking] = .all
            case (.all, _): break
            case (.only(let known), let types?): settings[tracking] = .only(known.union(types))
            }
            try setTracking(settings)
        }
    }

    /// Stops tracking, and deletes what only that had kept.
    func stopTracking(_ tracking: StoreTracking, types: Set<String>?) throws {
        try perform {
            guard hasChangeTable else { return }
            var settings = try currentSettings()
            switch (settings[tracking], types) {
            case (_, nil): settings[tracking] = .only([])
            case (.all, let types?):
                throw FHIRStoreError(
                    .invalidArgument,
                    "the store tracks \(tracking.rawValue) of all types, not of \(types.sorted().joined(separator: ", ")) alone: stop tracking all, "
                        + "and track the other types")
            case (.only(let known), let types?): settings[tracking] = .only(known.subtracting(types))
            }
            try setTracking(settings)
            if settings.isEmpty { try changeTable.delete("1", []) }
        }
    }

    private func currentSettings() throws -> TrackingSettings {
        try saveChanges()
        return try trackingSettings().continuing(after: nextTracked)
    }

    // MARK: - Readers

    /// Registers a reader of the change log, or returns its place if it is registered.
    ///
    /// - Parameter atStart: whether a new reader needs everything that the log has, and not only what comes.
    package func registerReader(_ name: String, atStart: Bool = false) throws -> Int64 {
        try perform {
            guard hasChangeTable, try !trackingSettings().changes.isEmpty else {
                throw FHIRStoreError(.invalidArgument, "the store logs no changes", remedy: .track)
            }
            if let place = try changeTable.place(of: name) { return place }
            let settings = try currentSettings()
            let place = atStart ? settings.start - 1 : settings.next - 1
            try changeTable.setPlace(of: name, place)
            return place
        }
    }

    /// Moves a reader's place, and deletes the changes that no reader needs any more.
    package func acknowledge(_ name: String, through sequence: Int64) throws {
        try perform {
            let settings = try trackingSettings()
            guard hasChangeTable, let place = try changeTable.place(of: name) else {
                throw FHIRStoreError(.invalidArgument, "the change log has no reader '\(name)'", remedy: .registerReader)
            }
            guard sequence >= place, sequence < settings.next else {
                throw FHIRStoreError(
                    .invalidArgument,
                    "the reader '\(name)' has read up to \(place), and the log goes up to \(settings.next - 1): \(sequence) is not between")
            }
            try pruning { try changeTable.setPlace(of: name, sequence) }
        }
    }

    package func skipToNewest(_ name: String) throws {
        try perform {
            guard hasChangeTable else { return }
            let place = try currentSettings().next - 1
            try pruning { try changeTable.setPlace(of: name, place) }
        }
    }

    func removeReader(_ name: String) throws {
        try perform {
            guard hasChangeTable else { return }
            try pruning { try changeTable.removeReader(name) }
        }
    }

    /// Moves readers, and prunes the log: both or, if an error is thrown, neither.
    private func pruning(_ move: () throws -> Void) throws {
        try saveChanges()
        try writer.atomically([]) {
            try move()
            try prune()
        }
    }

    /// Deletes the changes that all readers have acknowledged, unless the history keeps them.
    private func prune() throws {
        guard let least = try changeTable.readers().map(\.sequence).min() else { return }
        var settings = try currentSettings()
        // A place beyond the end is one of another log.
        let read = min(least, settings.next - 1)
        guard read >= settings.start else { return }
        switch settings.history {
        case .all: break
        case .only(let names) where names.isEmpty: try changeTable.delete("seq <= ?", [.integer(read)])
        case .only(let names):
            // The type of an added resource is that of the resource.
            let list = names.sorted().map { _ in "?" }.joined(separator: ", ")
            try changeTable.delete(
                """
                seq <= ? AND coalesce(type, (SELECT s.type FROM _resource r JOIN _shape s USING (shape) WHERE r.root = _change.root), '') NOT IN (\(list))
                """, [.integer(read)] + names.sorted().map { .text($0) })
        }
        settings.start = read + 1
        try setTracking(settings)
    }
}

extension TrackingSettings {
    /// The settings with the numbers that the current write has given away.
    fileprivate func continuing(after next: Int64?) -> TrackingSettings {
        var settings = self
        if let next { settings.next = max(settings.next, next) }
        return settings
    }
}
