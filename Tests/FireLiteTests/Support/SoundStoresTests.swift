import FireLiteR4
import FireLiteSQLiteBridge
import Testing

@testable import FireLite

/// The fixture finds what a test may leave behind: each fault is made once.
@Suite struct SoundStoresTests {
    private func store() throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { try $0.add(Patient { $0.name = [HumanName { $0.family = "Chalmers" }] }) }
        return store
    }

    @Test func aSoundStoreHasNoFaults() throws {
        #expect(try faults(of: store()) == [])
    }

    @Test func aStatementLeftRunningIsFound() throws {
        let store = try store()
        let statement = try store.withWritingConnection { try $0.prepare("SELECT _k FROM Patient") }
        _ = try statement.step()
        #expect(try faults(of: store).contains("a statement of the writing connection is left running"))
        statement.reset()
        #expect(try faults(of: store) == [])
    }

    @Test func aRowOfNoResourceIsFound() throws {
        let store = try store()
        try store.withWritingConnection { try $0.execute("INSERT INTO Patient_name (_k, _parent, _ord) VALUES (99 << 24 | 1, 0, 0)") }
        let faults = try faults(of: store)
        #expect(faults.contains("check(): Patient_name: 1 row belongs to no resource"))
        #expect(faults.contains("orphan row: Patient_name \(99 << 24 | 1)"))
    }

    @Test func aRowOfNoOwnerIsFound() throws {
        let store = try store()
        try store.withWritingConnection { try $0.execute("UPDATE Patient_name SET _parent = 77") }
        let faults = try faults(of: store)
        #expect(faults.contains("check(): Patient_name: 1 row has no owner"))
        #expect(faults.contains { $0.hasPrefix("orphan row: Patient_name ") })
    }
}
