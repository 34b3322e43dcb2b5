import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Cells of the journal's tables that another program has edited: errors or lists name them, nothing traps, and the store keeps what it has.
@Suite struct EditedJournalTests {
    private let server = ModelServer()
    private static let other = #"{"resourceType":"Observation","id":"a","status":"final","code":{"text":"x"}}"#

    /// Values that no column has.
    private static let values: [SQLValue] = [
        .null, .integer(.min), .integer(.max), .integer(.max - 1), .integer(-1), .integer(0), .integer(1), .integer(2), .integer(4),
        .integer(1 << 53), .real(1e308), .real(-1e308), .real(0.5), .real(.infinity), .text(""), .text("x"), .text("\\"), .text("{"),
        .text("[1]"), .text(other), .text(#"{"resourceType":"Patient","id":"a","name":[{"family":""#), .text("\0"),
        .text(String(repeating: "[", count: 5_000)), .text("9223372036854775807 -9223372036854775808"), .blob([]), .blob([0, 255, 123]),
    ]

    /// A device with changes in all states, whose server refuses one of them.
    private func device(_ change: (inout Synchronizer.Configuration) -> Void = { _ in }) async throws -> Device {
        for id in ["a", "b", "c", "d"] { server.put(samplePatient(id, "One")) }
        server.put(sampleObservation("o", of: "missing"))
        server.behavior.garbles = { key, _ in key.id == "d" ? #"{"resourceType":"Patient","id":"d","birthDate":"x"}"# : nil }
        server.behavior.refuses = { ($0 as? Patient)?.id == "p" ? 422 : nil }
        let device = try Device(server) {
            $0.conflicts = .deferred
            $0.maximumInterruptions = 0
            $0.prefetch = Prefetch(depth: 1)
            change(&$0)
        }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("b", "Local")) }
        server.put(samplePatient("b", "Other"))
        try device.edit { try $0.upsert(samplePatient("p")) }
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Local"))
            try tx.upsert(samplePatient("n", "New"))
            try tx.delete(Patient.self, id: "c")
        }
        let states = try await device.synchronizer.changes()
        #expect(states.map { "\($0.id) \($0.state)" }.sorted() == ["a pending", "b conflict", "c pending", "n pending", "p parked"])
        return device
    }

    /// Sets a cell.
    ///
    /// - Returns: false if the table refuses the value.
    @discardableResult
    private func set(_ table: String, _ column: String, _ value: SQLValue, _ device: Device, where condition: String) throws -> Bool {
        do {
            try device.edit { tx in
                _ = try tx.run(on: SyncJournal.tables, "UPDATE \(table) SET \(column) = ? WHERE \(condition)", [value])
            }
            return true
        } catch is FHIRStoreError { return false }
    }

    /// Runs a call that may fail, but only with an error of the library.
    private func attempt(_ name: String, _ call: () async throws -> Void) async {
        do { try await call() } catch { #expect(error is any FireLiteError, "\(name): \(error)") }
    }

    @Test(arguments: Effort.seeds(byDay: 40, atNight: 2_000)) func nothingTrapsAndNothingIsLost(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let device = try await device {
            $0.sendsEachVersion = seed % 3 == 1
            $0.grouping = seed % 2 == 0 ? .transactions : .single
        }
        let before = try device.contents()
        var edits: [String] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let table = try #require(SyncJournal.tables.tables.randomElement(using: &generator))
            let column = try #require((table.columns.map(\.name) + [table.key]).randomElement(using: &generator))
            let value = try #require(Self.values.randomElement(using: &generator))
            let number = Int.random(in: 0..<6, using: &generator)
            let one = "\(table.key) = (SELECT \(table.key) FROM \(table.name) ORDER BY \(table.key) LIMIT 1 OFFSET \(number))"
            try set(table.name, column, value, device, where: number == 5 ? "1" : one)
            edits.append("\(table.name).\(column) = \(value)")
        }
        let synchronizer = device.synchronizer
        let text = "seed \(seed): \(edits)"
        await attempt(text) { _ = try await synchronizer.changes() }
        await attempt(text) { _ = try await synchronizer.conflicts() }
        await attempt(text) { _ = try await synchronizer.lastResult() }
        await attempt(text) { _ = try await synchronizer.unreadable() }
        await attempt(text) { _ = try await synchronizer.missingReferences() }
        await attempt(text) { _ = try await synchronizer.preview() }
        for id in ["a", "b", "c", "n", "p"] {
            await attempt(text) { _ = try await synchronizer.state(of: "Patient", id: id) }
            await attempt(text) {
                _ = try device.store.blocking { store in try store.read { try $0.syncStandings(of: "Patient", id: id) } }
            }
        }
        await attempt(text) { _ = try device.store.blocking { try $0.check() } }
        await attempt(text) { _ = try await synchronizer.push() }
        await attempt(text) { _ = try await synchronizer.push() }
        #expect(try device.contents() == before, "\(text)")
        // What the server has may come, but it does not take the place of what is only here.
        await attempt(text) { _ = try await synchronizer.sync() }
        #expect(try device.contents()["Patient/n"] == before["Patient/n"], "\(text)")
    }

    // MARK: - Single cells

    /// States of another type cannot be compared with the resource's.
    @Test(arguments: ["base", "remote"], [other, "{"])
    func statesThatAreNoneOfTheResourceAreNamed(column: String, text: String) async throws {
        let device = try await device()
        let before = try device.contents()
        try set("_sync_change", column, .text(text), device, where: "id = 'b'")
        let error = await #expect(throws: FHIRStoreError.self) { try await device.synchronizer.conflicts() }
        #expect(error?.code == .notAStore && error?.message.contains("of _sync_change is damaged: its \(column) is not valid") == true)
        for decision in [Synchronizer.Decision.merge, .mergePreferring(.local)] {
            await #expect(throws: FHIRStoreError.self) { try await device.synchronizer.resolve("Patient", id: "b", with: decision) }
        }
        #expect(try device.contents() == before)
    }

    /// A row that would delete at the server what the store has is not sent.
    @Test func aDeletionOfWhatIsHereIsNotSent() async throws {
        let device = try await device()
        let before = try device.contents()
        try set("_sync_change", "isEach", .integer(1), device, where: "id = 'a'")
        let result = try await device.synchronizer.push()
        #expect(result.damaged == 1 && result.deleted == 1 && result.created == 1)
        #expect(server.contents["Patient/a"]?.contains("One") == true && server.contents["Patient/c"] == nil)
        let issue = try await device.synchronizer.changes(.pending).first { $0.id == "a" }?.issues.first
        #expect(issue?.diagnostics?.contains("of _sync_change is damaged: its content is not valid") == true)
        #expect(try device.contents() == before)
    }

    /// A type that is none concerns its row alone.
    @Test func aTypeThatIsNoneIsListed() async throws {
        let device = try await device()
        try set("_sync_change", "type", .text("Nobody"), device, where: "id = 'a'")
        let result = try await device.synchronizer.push()
        #expect(result.damaged == 1 && result.deleted == 1 && result.created == 1)
        let waiting = try await device.synchronizer.changes(.pending)
        #expect(waiting.map(\.typeName) == ["Nobody"] && waiting[0].issues.first?.diagnostics?.contains("its type is not valid") == true)
    }

    /// Times that are none are no places: everything is pulled.
    @Test(arguments: [Int64.min, .max, -1]) func aPlaceThatIsNoneIsNoPlace(time: Int64) async throws {
        let device = try await device()
        server.put(samplePatient("new"))
        for column in ["since", "newest"] { try set("_sync_scope", column, .integer(time), device, where: "1") }
        _ = try await device.synchronizer.preview()
        try await device.synchronizer.pull()
        #expect(try device.patient("new") != nil)
    }

    /// The version of a resource is read again if nobody knows whose it is, and its deletion is sent.
    @Test func aDeletionIsSentWhoeversVersionItIs() async throws {
        let device = try await device()
        try set("_sync_resource", "own", .text("x"), device, where: "id = 'c'")
        #expect(try await device.synchronizer.push().deleted == 1)
        #expect(server.contents["Patient/c"] == nil)
    }
}
