import Foundation
import TestSupport

/// What is surely on a disk, and what may be: the state of a folder between two things that are done to it.
struct DiskModel {
    /// What may have come through of the changes that were not synced.
    enum Loss: CaseIterable {
        /// Nothing.
        case everything
        /// All of it: the program crashed and the system did not.
        case nothing
        /// Some changes, in their order.
        case some
        /// Some sectors of them, in any order; of names that were made or deleted, some.
        case tornAndReordered
    }

    private enum NameChange {
        case created(String, Int)
        case deleted(String)
    }

    /// The synced bytes of each file, and what was done since.
    private var synced: [Int: [UInt8]] = [:]
    private var pending: [(file: Int, change: DiskChange)] = []
    private var names: [String: Int] = [:]
    private var pendingNames: [NameChange] = []

    mutating func apply(_ record: DiskRecord) {
        switch record {
        case .created(let file, let name): pendingNames.append(.created(name, file))
        case .deleted(_, let name, let syncsFolder):
            pendingNames.append(.deleted(name))
            if syncsFolder { syncFolder() }
        case .change(let file, let change): pending.append((file, change))
        case .synced(let file, let syncsFolder):
            for (_, change) in pending.filter({ $0.file == file }) { change.apply(to: &synced[file, default: []]) }
            pending.removeAll { $0.file == file }
            if syncsFolder { syncFolder() }
        case .mark: break
        }
    }

    private mutating func syncFolder() {
        for change in pendingNames { Self.apply(change, to: &names) }
        pendingNames.removeAll()
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .created(let name, let file): names[name] = file
        case .deleted(let name): names[name] = nil
        }
    }

    /// The files that a reader could find after a loss of power now.
    func image(after loss: Loss, _ random: inout SeededGenerator) -> [String: [UInt8]] {
        var (files, names) = (synced, self.names)
        var changes = pending
        var nameChanges = pendingNames
        switch loss {
        case .everything: (changes, nameChanges) = ([], [])
        case .nothing: break
        case .some:
            changes = changes.filter { _ in random.percent(60) }
            nameChanges = Array(nameChanges.prefix(random.int(0...nameChanges.count)))
        case .tornAndReordered:
            changes = changes.flatMap { file, change in change.sectors.map { (file, $0) } }
                .filter { _ in random.percent(60) }.shuffled(using: &random)
            nameChanges = nameChanges.filter { _ in random.percent(60) }
        }
        for (file, change) in changes { change.apply(to: &files[file, default: []]) }
        for change in nameChanges { Self.apply(change, to: &names) }
        return names.mapValues { files[$0] ?? [] }
    }

    /// Whether anything waits to be synced.
    var isSynced: Bool { pending.isEmpty && pendingNames.isEmpty }
}
