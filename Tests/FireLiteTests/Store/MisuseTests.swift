import FireLite
import FireLiteR4
import Testing

/// Misuse ends the program with a message that names the object, by type and pk, and the remedy, and no values.
@Suite struct MisuseTests {
    /// Stands for health data, which no message may hold.
    static let secret = "Zzyzxwell"

    static func patient() -> Patient {
        Patient {
            $0.id = "1"
            $0.pk = "the-pk"
            $0.name = [HumanName { $0.family = MisuseTests.secret }]
        }
    }

    private func expect(_ result: ExitTest.Result?, says words: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        for word in words { #expect(text.contains(word), sourceLocation: sourceLocation) }
        #expect(!text.contains(Self.secret), sourceLocation: sourceLocation)
    }

    @Test func changeOutsideAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in try tx.add(patient) }
            patient.name[0].given = [MisuseTests.secret]
        }
        try expect(result, says: "Patient with pk the-pk", "store.write", "copy()")
    }

    @Test func appendOutsideAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(MisuseTests.patient()) }
            try store.resource(Patient.self, id: "1")?.name.append(HumanName { $0.text = MisuseTests.secret })
        }
        try expect(result, says: "Patient with pk the-pk", "store.write", "copy()")
    }

    @Test func changeInAWriteOfAnotherStore() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let other = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in try tx.add(patient) }
            try other.write { _ in patient.active = true }
        }
        try expect(result, says: "Patient with pk the-pk", "store.write", "copy()")
    }

    @Test func addToAnotherStore() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let other = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in try tx.add(patient) }
            try other.write { tx in try tx.add(patient) }
        }
        try expect(result, says: "Patient with pk the-pk", "copy()")
    }

    @Test func upsertIntoAnotherStore() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let other = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in try tx.add(patient) }
            try other.write { tx in _ = try tx.upsert(patient) }
        }
        try expect(result, says: "Patient with pk the-pk", "copy()")
    }

    @Test func deleteFromAnotherStore() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let other = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in try tx.add(patient) }
            try other.write { tx in try tx.delete(patient) }
        }
        try expect(result, says: "Patient with pk the-pk", "fetch it")
    }

    /// Keeps a transaction beyond its block.
    static func ended<Transaction: ReadTransaction>(_ begin: ((Transaction) throws -> Void) throws -> Void) throws -> Transaction {
        var kept: Transaction?
        try begin { kept = $0 }
        return try #require(kept)
    }

    static let callsOfReads: [@Sendable (ReadTransaction) throws -> Void] = [
        { _ = try $0.resource(Patient.self, id: "1") },
        { _ = try $0.resource(typeName: "Patient", id: "1") },
        { _ = try $0.resources(Patient.self, ids: ["1"]) },
        { _ = try $0.resource(pk: "the-pk") },
        { _ = try $0.resource(Patient.self, pk: "the-pk") },
        { try $0.forEach(Patient.self) { _ in } },
        { try $0.forEach(typeName: "Patient") { _ in } },
        { _ = try $0.count(Patient.self) },
        { _ = try $0.counts() },
        { _ = try $0.rows(of: MisuseTests.patient()) },
        { _ = $0.query(Patient.self) },
    ]

    static let callsOfWrites: [@Sendable (WriteTransaction) throws -> Void] = [
        { try $0.add(MisuseTests.patient()) },
        { _ = try $0.upsert(MisuseTests.patient()) },
        { _ = try $0.upsert([MisuseTests.patient()]) },
        { _ = try $0.upsert(bundle: Bundle()) },
        { _ = try $0.delete(Patient.self, id: "1") },
        { _ = try $0.delete(typeName: "Patient", id: "1") },
        { _ = try $0.delete([try #require(try $0.store.resource(Patient.self, id: "1"))]) },
        { _ = try $0.delete($0.store.query(Patient.self)) },
        { _ = try $0.update($0.store.query(Patient.self)) { _ in } },
        { try $0.saveChanges() },
        { _ = $0.rowsWritten },
        { _ = try $0.resource(Patient.self, id: "1") },
    ]

    @Test(arguments: callsOfReads.indices) func useOfAReadThatHasEnded(call: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(MisuseTests.patient()) }
            let transaction: ReadTransaction = try MisuseTests.ended { body in try store.read { try body($0) } }
            try MisuseTests.callsOfReads[call](transaction)
        }
        try expect(result, says: "transaction has ended", "begin another")
    }

    @Test(arguments: callsOfWrites.indices) func useOfAWriteThatHasEnded(call: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [call] in
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(MisuseTests.patient()) }
            let transaction: WriteTransaction = try MisuseTests.ended { body in try store.write { try body($0) } }
            try MisuseTests.callsOfWrites[call](transaction)
        }
        try expect(result, says: "transaction has ended", "begin another")
    }

    @Test func addTwice() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in
                try tx.add(patient)
                try tx.add(patient)
            }
        }
        try expect(result, says: "Patient with pk the-pk", "copy()")
    }

    @Test func addWhatIsContained() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            let request = MedicationRequest { $0.contained = [patient] }
            try store.write { tx in try withExtendedLifetime(request) { try tx.add(patient) } }
        }
        try expect(result, says: "Patient with pk the-pk", "contained", "copy()")
    }

    @Test func setPKOfAManagedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            let patient = MisuseTests.patient()
            try store.write { tx in
                try tx.add(patient)
                patient.pk = "another"
            }
        }
        try expect(result, says: "Patient with pk the-pk", "copy()")
    }

    @Test func writeInsideAWrite() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { _ in
                try store.write { tx in try tx.add(MisuseTests.patient()) }
            }
        }
        try expect(result, says: "a write inside", "use the transaction that is passed")
    }

    @Test func changeOfAnElementWhoseResourceHasGone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = try FHIRStore.inMemory(release: .r4)
            try store.write { tx in try tx.add(MisuseTests.patient()) }
            let name = try store.resource(Patient.self, id: "1")?.name[0]
            try store.write { _ in name?.family = "new" }
        }
        try expect(result, says: "HumanName", "no longer in memory", "keep the resource in a variable", "copy()")
    }

    /// What the traps are not for: a copy may be changed anywhere, and goes into any store.
    @Test func copiesAreFree() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let other = try FHIRStore.inMemory(release: .r4)
        let patient = Self.patient()
        try store.write { tx in try tx.add(patient) }
        let copy = patient.copy()
        copy.name[0].given = ["A"]
        try other.write { tx in try tx.add(copy) }
        #expect(try other.resource(Patient.self, id: "1")?.name[0].given == ["A"])
        #expect(try store.resource(Patient.self, id: "1")?.name[0].given == [])
        try expectSound(store)
        try expectSound(other)
    }
}
