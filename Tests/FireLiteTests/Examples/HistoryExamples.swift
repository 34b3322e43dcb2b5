import FireLite
import FireLiteR4
import Foundation
import Testing

/// The examples of ChangesAndHistory.md.
@Suite(.soundStores) struct HistoryExamples {
    @Test func theLog() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "old", "Adams")
        // example ChangesAndHistory.md
        try store.track(.changes)
        try store.track(.history, of: Patient.self)
        // end
        let initial = try store.changeReader(named: "sync")
        #expect(try initial.changes().isEmpty)
        try put(store, "123", "Brown")
        try put(store, "old", "Baker")
        let incoming = [Patient { $0.id = "server" }]
        // example ChangesAndHistory.md
        try store.write(origin: .server) { tx in try tx.upsert(incoming) }
        // end
        var sent: [String] = []
        func send(_ change: LoggedChange) throws { sent.append("\(change.kind) \(change.resourceID ?? "")") }
        // example ChangesAndHistory.md
        let reader = try store.changeReader(named: "sync")
        let changes = try reader.changes()
        for change in changes { try send(change) }
        try reader.acknowledge(through: changes.through)
        // end
        #expect(sent == ["added 123", "updated old"])
        #expect(try reader.changes().isEmpty)
        // With changes that cancel each other out the place still moves.
        try put(store, "gone", "Clark")
        try store.write { tx in try tx.delete(Patient.self, id: "gone") }
        let place = try reader.place()
        let (none, last) = try store.read { tx in (try tx.changes(since: reader.place()), try tx.newestChange()) }
        #expect(none.isEmpty && last == place + 2)
    }

    @Test func aGap() throws {
        let store = try freshStore(isInFile: true)
        try store.track(.changes)
        let reader = try store.changeReader(named: "sync")
        try store.stopTracking(.changes)
        try put(store, "123", "Brown")
        try store.track(.changes)
        var sent: [String] = []
        func send(_ change: LoggedChange) throws { sent.append(change.resourceID ?? "") }
        func sendEverything(_ tx: ReadTransaction) throws { sent += try tx.query(Patient.self).ids().compactMap { $0 } }
        for _ in 0..<2 {
            // example ChangesAndHistory.md
            do {
                for change in try reader.changes() { try send(change) }
            } catch let error as FHIRStoreError where error.code == .resyncRequired {
                let newest = try store.read { tx in
                    try sendEverything(tx)
                    return try tx.newestChange()
                }
                try reader.acknowledge(through: newest)
            }
            // end
        }
        #expect(sent == ["123"])
        try put(store, "124", "Clark")
        #expect(try reader.changes().map(\.resourceID) == ["124"])
    }

    @Test func oneByOne() throws {
        let store = try freshStore()
        try put(store, "123", "Peters")
        try store.track(.changes)
        let place = try store.newestChange()
        try put(store, "123", "Pieters")
        try put(store, "123", "Peters")
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // example ChangesAndHistory.md
        for change in try store.changes(since: place, squashed: false) {
            for difference in try change.differences() {
                print(difference.path, difference.old ?? "–", difference.new ?? "–")
            }
        }
        // end
        #expect(lines == [#"name[0].family "Peters" "Pieters""#, #"name[0].family "Pieters" "Peters""#])
        #expect(try store.changes(since: place).isEmpty)
    }

    @Test func theHistory() throws {
        let store = try freshStore(isInFile: true)
        try put(store, "123", "Adams")
        try store.track(.history)
        try put(store, "123", "Brown")
        try store.write { tx in try tx.delete(Patient.self, id: "123") }
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // example ChangesAndHistory.md
        for version in try store.history(of: Patient.self, id: "123") {
            let patient = try store.resource(at: version) as? Patient
            print(version.version, patient?.name.first?.family ?? "–", version.isDeleted ? "deleted" : "")
        }
        let first = try store.resource(Patient.self, id: "123", version: 1)
        // end
        #expect(lines == ["2 Brown deleted", "1 Adams "] && first?.name.first?.family == "Adams")
        // example ChangesAndHistory.md
        try store.write { tx in try tx.restore(Patient.self, id: "123", version: 1) }
        // end
        #expect(try store.resource(Patient.self, id: "123")?.name.first?.family == "Adams")
        let since = Date(timeIntervalSince1970: 0)
        // example ChangesAndHistory.md
        let changed = try store.history(typeName: "Patient", since: since)
        // end
        #expect(changed.count == 3)
        // example ChangesAndHistory.md
        let year: TimeInterval = 365 * 24 * 3_600
        let pruned = try store.write { tx in
            try tx.pruneHistory(replacedBefore: Date() - 10 * year, keeping: 20)
        }
        // end
        #expect(pruned == 0)
        // The row that says when the restored one was added goes too.
        _ = try store.write { tx in try tx.pruneHistory() }
        #expect(try store.history(of: Patient.self, id: "123").map(\.isCurrent) == [true])
    }
}
