import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteErasure

/// Erasures that are interrupted: the next one completes them, and lists what they have left.
struct UnfinishedErasureTests: ErasureSuite {
    let folder: TestSupport.TemporaryFolder

    init() throws { folder = try TestSupport.TemporaryFolder() }

    private static let kept = ErasureReport.Remainder(kind: .reference, what: "List/kept")

    /// Patient/1 with an Observation, and a List that refers to the patient and stays; two other patients.
    private func filled(busyTimeout: Swift.Duration = .seconds(5)) throws -> FHIRStore {
        let store = try open(busyTimeout: busyTimeout)
        try store.track(.changes)
        try store.track(.history)
        try store.write { tx in
            try tx.add(Self.patient("1", Self.marker))
            try tx.add(Self.patient("2", "Miller"))
            try tx.add(Self.patient("3", "Smith"))
            try tx.add(Self.observation("o", of: "1", Self.marker))
            try tx.add(Self.list("kept", of: "1"))
        }
        return store
    }

    /// Whether the file, with its log, has a text of the list of what is left. Resources have their type and id in columns of their own.
    private func isListInFiles() throws -> Bool { try !files(with: #""what":"List/kept""#).isEmpty }

    /// As if a process had ended after the deletions, or after those of what they left.
    private func interrupt(_ store: FHIRStore, afterCompletion isDeleted: Bool = false) throws -> ErasureReport {
        let plan = try store.erasurePlan(id: "1")
        try store.write { tx in
            let contents = try PersonContents("Patient", id: "1", options: ErasureOptions(), tx)
            for root in contents.roots { try tx.delete(number: root) }
            _ = try tx.forgetChanges(of: [], keys: [], sequences: contents.sequences)
            var unfinished = UnfinishedErasure()
            unfinished.add(plan, of: contents)
            try tx.noteUnfinishedErasure(unfinished.note())
        }
        guard isDeleted else { return plan }
        try store.write { tx in
            var unfinished = try #require(try UnfinishedErasure(tx))
            let contents = try #require(unfinished.contents.first.flatMap(PersonContents.init(note:)))
            _ = try tx.forgetChanges(of: contents.roots, keys: contents.keyPairs, sequences: [])
            unfinished.contents = []
            try tx.noteUnfinishedErasure(unfinished.note())
        }
        return plan
    }

    // MARK: - Notes

    /// A note of a later version may have kinds of remainders that this one does not know: they stay in the list, also when it is noted again.
    @Test func aRemainderOfALaterVersionStaysInTheList() throws {
        var report = ErasureReport()
        report.left = [Self.kept]
        let noted = try {
            var unfinished = UnfinishedErasure()
            unfinished.erased = [.init("Patient/1", report)]
            return try unfinished.note()
        }()
        var unfinished = UnfinishedErasure(note: noted.replacingOccurrences(of: #""kind":"reference""#, with: #""kind":"copied""#))
        let left = [ErasureReport.Remainder(kind: .unknown, what: "List/kept (copied)")]
        #expect(unfinished.report(of: "Patient/1").left == left)
        unfinished.addPayloads(1)
        #expect(try UnfinishedErasure(note: unfinished.note()).report(of: "Patient/1").left == left)
    }

    // MARK: - In use

    /// A file that somebody reads cannot be overwritten; the next call does it, although the person is gone, and returns what the first could not.
    @Test func anErasureThatCouldNotOverwriteIsCompletedByTheNext() throws {
        let store = try filled(busyTimeout: .milliseconds(20))
        let plan = try store.erasurePlan(id: "1")
        #expect(plan.left == [Self.kept] && plan.resourceCount == 2 && plan.changes > 0)
        let reader = try open()
        try reader.read { (tx: ReadTransaction) throws in
            #expect(try tx.resource(Patient.self, id: "1") != nil)
            for _ in 1...2 {
                let error = #expect(throws: ErasureError.self) { try store.erase(id: "1") }
                #expect(error?.code == .notOverwritten)
                #expect(error?.message.hasPrefix("everything is deleted, but \(store.path) is in use") == true)
                #expect(error?.message.hasSuffix("erase again, which overwrites the file and lists what is left") == true)
            }
        }
        #expect(try store.resource(Patient.self, id: "1") == nil && !files(with: Self.marker).isEmpty && isListInFiles())
        let report = try store.erase(id: "1")
        #expect(report.isCompletion && report.completed == ["Patient/1"] && report.left == [Self.kept])
        #expect(report.resources == plan.resources && report.changes == plan.changes && report.rows == plan.rows)
        #expect(try files(with: Self.marker).isEmpty && !isListInFiles() && store.read { try $0.unfinishedErasure } == nil)
        let error = #expect(throws: ErasureError.self) { try store.erase(id: "1") }
        #expect(error?.code == .notFound)
        #expect(try store.check().isEmpty && store.resource(Patient.self, id: "2") != nil)
    }

    /// Several erasures may wait for the file: one call completes them all, and lists what each has left and none has erased.
    @Test func oneCallCompletesAllThatWait() throws {
        let store = try open(busyTimeout: .milliseconds(20))
        try store.write { tx in
            try tx.add(Self.patient("1", Self.marker))
            let linked = Self.patient("2", Self.marker)
            linked.link = [
                PatientLink {
                    $0.other = Reference { $0.reference = "Patient/1" }
                    $0.type = .seealso
                }
            ]
            try tx.add(linked)
            try tx.add(Self.list("both", of: "1", "2"))
            try tx.add(Self.list("first", of: "1"))
            try tx.add(Self.list("second", of: "2"))
        }
        #expect(try store.erasurePlan(id: "1").left.contains(.init(kind: .reference, what: "Patient/2")))
        let reader = try open()
        try reader.read { (tx: ReadTransaction) throws in
            #expect(try tx.resource(Patient.self, id: "1") != nil)
            for id in ["1", "2"] { #expect(throws: ErasureError.self) { try store.erase(id: id) } }
        }
        let report = try store.erase(id: "1")
        #expect(report.completed == ["Patient/1", "Patient/2"] && report.resources == [.init(name: "Patient", count: 1)])
        #expect(report.left.map(\.what).sorted() == ["List/both", "List/first", "List/second"])
        #expect(report.left.allSatisfy { $0.kind == .reference })
        #expect(try files(with: Self.marker).isEmpty && store.read { try $0.unfinishedErasure } == nil && store.check().isEmpty)
    }

    // MARK: - Ended processes

    /// A process may end between the deletions and what they leave to be deleted, which are entries of the log about them, or before it overwrites.
    @Test(arguments: ["1", "2", "nobody"], [false, true])
    func whatAnEndedProcessLeftIsErasedAndListedByTheNext(_ next: String, _ isDeleted: Bool) throws {
        let store = try filled()
        let plan = try interrupt(store, afterCompletion: isDeleted)
        #expect(try store.history(typeName: "Patient", id: "1").isEmpty == isDeleted)
        let report = try store.erase(id: next)
        #expect(report.isCompletion == (next != "2") && report.completed == ["Patient/1"] && report.left == [Self.kept])
        switch next {
        case "1": #expect(report.resources == plan.resources && report.changes == plan.changes && report.rows == plan.rows)
        case "2": #expect(report.resources == [.init(name: "Patient", count: 1)])
        default: #expect(report.resourceCount == 0 && report.changes == 0 && report.rows.isEmpty)
        }
        #expect(try store.history(typeName: "Patient", id: "1").isEmpty)
        #expect(try files(with: Self.marker).isEmpty && !isListInFiles() && store.read { try $0.unfinishedErasure } == nil)
        #expect(try store.check().isEmpty && store.resource(Patient.self, id: "3") != nil)
    }

    /// A person may be added again before the erasure is completed.
    @Test func theFiguresOfBothErasuresOfAPersonAreAdded() throws {
        let store = try filled()
        _ = try interrupt(store)
        try store.write { tx in
            try tx.add(Self.patient("1", Self.marker))
            try tx.add(Self.list("later", of: "1"))
        }
        let report = try store.erase(id: "1")
        #expect(!report.isCompletion && report.completed == ["Patient/1"])
        #expect(report.resources == [.init(name: "Observation", count: 1), .init(name: "Patient", count: 2)])
        #expect(Set(report.left) == [Self.kept, .init(kind: .reference, what: "List/later")] && report.left.count == 2)
        #expect(try files(with: Self.marker).isEmpty && store.read { try $0.unfinishedErasure } == nil)
    }

    // MARK: - Notes

    /// Who does not overwrite has the list, and the file keeps none of it; a later completion does not claim that nothing is left.
    @Test func anErasureWithoutOverwritingKeepsNoList() throws {
        let store = try filled()
        var options = ErasureOptions()
        options.overwrites = false
        #expect(try store.erase(id: "1", options: options).left == [Self.kept])
        #expect(try store.read { try $0.unfinishedErasure } == UnfinishedErasure().note())
        let report = try store.erase(id: "1")
        #expect(report.isCompletion && report.completed.isEmpty && report.left == [FHIRStore.forgottenReport])
        #expect(try files(with: Self.marker).isEmpty && !isListInFiles() && store.read { try $0.unfinishedErasure } == nil)
    }

    @Test func theNoteOfAnErasureNamesWhatItErases() throws {
        let store = try filled()
        let contents = try store.read { try PersonContents("Patient", id: "1", options: ErasureOptions(), $0) }
        let noted = try #require(PersonContents(note: contents.note))
        #expect(noted.person == "Patient/1" && noted.keys == ["Patient/1", "Observation/o"] && Set(noted.roots) == Set(contents.roots))
        #expect(noted.ids == ["Patient": ["1"], "Observation": ["o"]])
        #expect(PersonContents(note: "deleted") == nil && PersonContents(note: "") == nil)
    }

    @Test func aNoteHasAllOfAReport() throws {
        let store = try filled()
        let contents = try store.read { try PersonContents("Patient", id: "1", options: ErasureOptions(), $0) }
        var report = ErasureReport()
        report.resources = [.init(name: "Patient", count: 1)]
        report.changes = 2
        report.rows = [.init(name: "_record", count: 3), .init(name: "_outbox", count: 4)]
        report.left = ErasureReport.Remainder.Kind.allCases.map { .init(kind: $0, what: "a \"name\"\n of \($0)") }
        var unfinished = UnfinishedErasure()
        unfinished.add(report, of: contents)
        unfinished.addPayloads(5)
        report.payloads = 5
        let read = UnfinishedErasure(note: try unfinished.note())
        #expect(read.report(of: "Patient/1") == report && read.contents == [contents.note] && read.persons == ["Patient/1"])
        #expect(try read.note() == unfinished.note())
        let other = UnfinishedErasure(note: contents.note)
        #expect(other.contents == [contents.note] && other.persons.isEmpty)
    }
}
