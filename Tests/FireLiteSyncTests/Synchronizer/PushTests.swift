import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What is sent, and in which order.
@Suite struct PushTests {
    private let server = ModelServer()

    /// Behaviour 1: a change is logged in the transaction that makes it.
    @Test func aChangeThatIsRolledBackIsNotSent() async throws {
        let device = try Device(server)
        try await device.sync()
        do {
            try device.edit { tx in
                try tx.upsert(samplePatient("a"))
                throw CancellationError()
            }
        } catch is CancellationError {}
        try device.edit { try $0.upsert(samplePatient("b")) }
        #expect(try await device.sync().created == 1)
        #expect(server.contents.keys.sorted() == ["Patient/b"])
    }

    /// Behaviour 2: changes are ordered by their numbers, whatever the device's clock says.
    @Test func theOrderIsThatOfTheLogAndNotOfTheClock() async throws {
        let device = try Device(server) { $0.grouping = .single }
        try await device.sync()
        for id in ["c", "a", "b"] {
            try device.edit { try $0.upsert(samplePatient(id)) }
            device.clock.advance(-3_600)
        }
        server.clear()
        try await device.sync()
        #expect(server.writes.map(\.url.lastPathComponent) == ["c", "a", "b"])
    }

    /// Behaviour 4: an upsert that changes nothing sends nothing.
    @Test func unchangedUpsertsSendNothing() async throws {
        let device = try Device(server)
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync(.push)
        try device.edit { try $0.upsert(samplePatient("a")) }
        server.clear()
        #expect(try await device.sync(.push).pushed == 0)
        #expect(server.writes.isEmpty)
    }

    /// Behaviour 5: insert and update become one create; insert and delete nothing.
    @Test func changesOfANewResourceBecomeOneCreateOrNothing() async throws {
        let device = try Device(server)
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        try device.edit { try $0.upsert(samplePatient("b")) }
        try device.edit { _ = try $0.delete(Patient.self, id: "b") }
        server.clear()
        let result = try await device.sync()
        #expect(result.created == 1 && result.pushed == 1 && server.writes.count == 1)
        #expect(server.version("Patient", "a") == 1 && server.contents["Patient/a"]?.contains("Two") == true)
    }

    /// Behaviour 5, over several syncs: what was taken from the log before and is deleted now is not sent either.
    @Test func aParkedCreateThatIsDeletedIsForgotten() async throws {
        server.behavior.refuses = { ($0 as? Patient)?.id == "a" ? 422 : nil }
        let device = try Device(server)
        try device.edit { try $0.upsert(samplePatient("a")) }
        #expect(try await device.sync().parked == 1)
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        server.clear()
        #expect(try await device.sync().pushed == 0)
        #expect(server.writes.isEmpty)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 6: delete wins over earlier updates; deleting and creating again is legal.
    @Test func deleteWinsAndCreatingAgainIsLegal() async throws {
        let device = try Device(server)
        try device.edit { tx in for id in ["a", "b", "c"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        try device.edit { _ = try $0.delete(Patient.self, id: "b") }
        try device.edit { try $0.upsert(samplePatient("b", "Again")) }
        let result = try await device.sync()
        #expect(result.deleted == 1 && result.updated == 1)
        #expect(server.contents.keys.sorted() == ["Patient/b", "Patient/c"] && server.contents["Patient/b"]?.contains("Again") == true)
        try device.edit { try $0.upsert(samplePatient("a", "Back")) }
        #expect(try await device.sync().created == 1)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 7: without squashing each version is sent, one Bundle after the other.
    @Test func eachVersionIsSentWithoutSquashing() async throws {
        let device = try Device(server) { $0.sendsEachVersion = true }
        try await device.sync()
        for name in ["One", "Two", "Three"] { try device.edit { try $0.upsert(samplePatient("a", name)) } }
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        try device.edit { try $0.upsert(samplePatient("a", "Four")) }
        try await device.sync()
        let versions = server.history[SyncKey(typeName: "Patient", id: "a")] ?? []
        #expect(versions.count == 5)
        for (version, name) in zip(versions, ["One", "Two", "Three", nil, "Four"]) {
            #expect(name.map { version.json?.contains($0) == true } ?? (version.json == nil))
        }
    }

    /// Behaviour 8: the form of updates is what is wished and what the CapabilityStatement offers.
    @Test(arguments: [true, false]) func updatesArePatchesIfTheServerOffersThem(offers: Bool) async throws {
        if offers { server.behavior.patchFormats = ["application/json-patch+json"] }
        let device = try Device(server) { $0.updateFormat = .jsonPatch }
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        server.clear()
        try await device.sync()
        let write = try #require(server.writes.first)
        #expect(write.method == (offers ? .patch : .put) && write.fields["If-Match"] == "W/\"1\"")
        if offers {
            #expect(
                write.text
                    == #"[{"op":"test","path":"/name/0/family","value":"One"},{"op":"replace","path":"/name/0/family","value":"Two"}]"#)
        }
    }

    /// Behaviour 9: with ids of the server every reference gets the new id, also in changes that wait.
    @Test func idsOfTheServerReplaceThoseOfTheStoreEverywhere() async throws {
        let device = try Device(server) {
            $0.newIDs = .server
            $0.maximumBundleCount = 2
        }
        try device.edit { tx in
            try tx.upsert(samplePatient("a"))
            for id in ["x", "y", "z"] { try tx.upsert(sampleObservation(id, of: "a")) }
        }
        let result = try await device.sync(.push)
        #expect(result.created == 4)
        #expect(server.contents.values.count { $0.contains("\"reference\":\"Patient/server-") } == 3)
        #expect(
            !server.contents.values.contains { $0.contains("\"Patient/a\"") } && server.contents.keys.allSatisfy { $0.contains("server-") })
        try await device.sync()
        let local = try device.contents()
        #expect(local.keys.sorted() == server.contents.keys.sorted())
        #expect(!local.values.contains { $0.contains("\"Patient/a\"") })
    }

    /// Behaviour 9: versions that wait one by one refer to the server's id too.
    @Test func versionsThatWaitGetTheServersIDs() async throws {
        server.behavior.checksReferences = true
        let device = try Device(server) {
            $0.newIDs = .server
            $0.sendsEachVersion = true
            $0.grouping = .single
        }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a")) }
        for status in [ObservationStatus.preliminary, .final, .amended] {
            try device.edit { tx in
                let observation = sampleObservation("x", of: "a")
                observation.status = status
                try tx.upsert(observation)
            }
        }
        let result = try await device.sync(.push)
        #expect(result.parked == 0 && result.created == 2 && result.updated == 2)
        let observation = try #require(server.contents.first { $0.key.hasPrefix("Observation/server-") })
        #expect(observation.value.contains("\"reference\":\"Patient/server-") && observation.value.contains("amended"))
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 9: a lost answer to a POST creates nothing twice.
    @Test func aPostWhoseAnswerIsLostCreatesOne() async throws {
        let device = try Device(server) { $0.newIDs = .server }
        try device.edit { try $0.upsert(samplePatient("a")) }
        server.behavior.after = { request, _ in
            if request.method == .post { throw HTTPTransportError(.connectionLost, "lost") }
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        server.behavior.after = nil
        try await device.sync(.push)
        #expect(server.contents.count == 1)
        #expect(try device.contents().keys.sorted() == server.contents.keys.sorted())
    }

    /// Behaviour 10: targets come before what refers to them, and cycles in one transaction.
    @Test func targetsComeBeforeWhatRefersToThem() async throws {
        server.behavior.checksReferences = true
        let device = try Device(server) { $0.maximumBundleCount = 2 }
        try device.edit { tx in
            for id in ["x", "y", "z"] { try tx.upsert(sampleObservation(id, of: "a")) }
            let first = samplePatient("p")
            first.link = [
                PatientLink {
                    $0.other = Reference { $0.reference = "Patient/q" }; $0.type = .seealso
                }
            ]
            let second = samplePatient("q")
            second.link = [
                PatientLink {
                    $0.other = Reference { $0.reference = "Patient/r" }; $0.type = .seealso
                }
            ]
            let third = samplePatient("r")
            third.link = [
                PatientLink {
                    $0.other = Reference { $0.reference = "Patient/p" }; $0.type = .seealso
                }
            ]
            for patient in [first, second, third] { try tx.upsert(patient) }
            try tx.upsert(samplePatient("a"))
        }
        let result = try await device.sync(.push)
        #expect(result.created == 7 && result.parked == 0)
        #expect(server.writes.count { $0.text.contains("\"Patient/p\"") && $0.text.contains("\"Patient/q\"") } >= 1)
    }

    /// Behaviour 10: what refers to a resource is deleted before it.
    @Test func referrersAreDeletedBeforeTheirTargets() async throws {
        server.behavior.checksReferences = true
        let device = try Device(server) { $0.grouping = .batches }
        try device.edit { tx in
            try tx.upsert(samplePatient("a"))
            try tx.upsert(sampleObservation("x", of: "a"))
        }
        try await device.sync()
        try device.edit { tx in
            _ = try tx.delete(Patient.self, id: "a")
            _ = try tx.delete(Observation.self, id: "x")
        }
        server.clear()
        #expect(try await device.sync().deleted == 2)
        #expect(server.writes.map(\.url.lastPathComponent) == ["x", "a"])
        #expect(server.contents.isEmpty)
    }

    /// Behaviour 10: a deletion that the server refuses because of referrers that are deleted later is sent again after them.
    @Test func deletionsOfTargetsWaitForLaterDeletionsOfReferrers() async throws {
        server.behavior.checksReferences = true
        let device = try Device(server) { $0.grouping = .single }
        try device.edit { tx in
            try tx.upsert(samplePatient("a"))
            for number in 0..<40 { try tx.upsert(sampleObservation("x\(number)", of: "a")) }
        }
        try await device.sync()
        try device.edit { _ = try $0.delete(Patient.self, id: "a") }
        try device.edit { tx in for number in 0..<40 { _ = try tx.delete(Observation.self, id: "x\(number)") } }
        let result = try await device.sync()
        #expect(result.deleted == 41 && result.parked == 0)
        #expect(server.contents.isEmpty)
    }

    /// Behaviour 11: Bundles are split by count and by bytes, with a resource at most once in each.
    @Test func bundlesAreSplitByCountAndBytes() async throws {
        let device = try Device(server) {
            $0.maximumBundleCount = 10
            $0.maximumBundleSize = 4_000
        }
        try device.edit { tx in
            for number in 0..<30 { try tx.upsert(samplePatient("p\(number)", String(repeating: "x", count: number < 25 ? 10 : 2_000))) }
        }
        try await device.sync(.push)
        let bundles = try server.writes.map { write in
            write.method == .put ? 1 : try FHIRJSON.decode(FireLiteR4.Bundle.self, from: write.body ?? Data()).entry.count
        }
        #expect(bundles.reduce(0, +) == 30 && bundles.allSatisfy { $0 <= 10 })
        #expect(server.writes.allSatisfy { $0.body?.count ?? 0 < 4_600 })
        #expect(server.contents.count == 30)
    }

    /// Behaviour 12: every update and deletion carries the version that it is based on.
    @Test func updatesAndDeletionsCarryTheirVersions() async throws {
        let device = try Device(server) { $0.grouping = .single }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Two"))
            _ = try tx.delete(Patient.self, id: "b")
        }
        server.clear()
        try await device.sync()
        #expect(server.writes.map { $0.fields["If-Match"] } == ["W/\"1\"", "W/\"1\""])
        #expect(server.writes.map(\.method) == [.put, .delete])
    }

    /// Behaviour 12: a version that the server did not say is read before it is needed.
    @Test func aVersionThatWasNotSaidIsReadFirst() async throws {
        server.behavior.hidesVersions = true
        let device = try Device(server) { $0.grouping = .single }
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync(.push)
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        try await device.sync(.push)
        #expect(server.writes.last?.fields["If-Match"] == "W/\"1\"" && server.version("Patient", "a") == 2)
    }

    /// Behaviour 13: lost answers change nothing twice, whatever was sent.
    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions, .batches])
    func lostAnswersChangeNothingTwice(grouping: Synchronizer.Configuration.Grouping) async throws {
        let device = try Device(server) { $0.grouping = grouping }
        try device.edit { tx in for id in ["a", "b", "c"] { try tx.upsert(samplePatient(id)) } }
        server.behavior.after = { request, number in
            if request.method != .get, number % 2 == 0 { throw HTTPTransportError(.connectionLost, "lost") }
        }
        try await syncUntilDone(device)
        try device.edit { tx in
            try tx.upsert(samplePatient("a", "Two"))
            _ = try tx.delete(Patient.self, id: "b")
        }
        try await syncUntilDone(device)
        #expect(server.history.values.map(\.count).sorted() == [1, 2, 2])
        #expect(server.contents.keys.sorted() == ["Patient/a", "Patient/c"])
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 13: a change that reached the server without an answer, and is undone here, is undone there.
    @Test(arguments: [true, false]) func whatIsUndoneAfterALostAnswerIsUndoneAtTheServer(reads: Bool) async throws {
        let device = try Device(server) { $0.maximumInterruptions = 0 }
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        try await device.sync()
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        server.behavior.after = { request, _ in
            if request.method != .get { throw HTTPTransportError(.connectionLost, "lost") }
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        #expect(server.contents["Patient/a"]?.contains("Two") == true)
        server.behavior.after = nil
        // Taken from the log before the server is asked, or together with it.
        if !reads { _ = try await device.synchronizer.changes() }
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        try await device.sync(reads ? .both : .push)
        #expect(server.contents["Patient/a"]?.contains("One") == true && server.version("Patient", "a") == 3)
        #expect(try await device.sync().pushed == 0)
        #expect(try device.contents() == server.contents)
    }

    /// Behaviour 13: what certainly did not reach the server is sent again without asking for it.
    @Test func whatWasNotSentIsNotAskedFor() async throws {
        let device = try Device(server)
        try await device.sync(.push)
        try device.edit { try $0.upsert(samplePatient("a")) }
        server.behavior.before = { request, _ in
            if request.method != .get { throw HTTPTransportError(.cannotConnect, "down") }
            return nil
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        server.behavior.before = nil
        server.clear()
        #expect(try await device.sync(.push).created == 1)
        #expect(!server.requests.contains { $0.method == .get && $0.url.path.contains("Patient") })
    }

    /// Behaviour 23: an edit during a request, which the app's own questions take from the log at once, is sent afterwards.
    @Test func anEditWhileItsResourceIsSentIsSentAfterwards() async throws {
        let server = server
        let store = try FHIRStore.inMemory(release: .r4)
        let asked = Switch<Synchronizer?>(nil)
        let transport = StubServer { request, _ in
            let answer = try await server.send(request)
            if request.method == .put, request.text.contains("One"), let synchronizer = asked.value {
                try await store.write { tx in _ = try tx.upsert(samplePatient("a", "Two")) }
                #expect(try await synchronizer.changes().count == 1)
            }
            return answer
        }
        let device = try Device(transport, store: store) { $0.grouping = .single }
        asked.value = device.synchronizer
        // Its transport would keep it otherwise.
        defer { asked.value = nil }
        try device.edit { try $0.upsert(samplePatient("a", "One")) }
        try await device.sync(.push)
        #expect(server.contents["Patient/a"]?.contains("Two") == true && server.version("Patient", "a") == 2)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    private func syncUntilDone(_ device: Device) async throws {
        for _ in 0..<10 {
            do {
                try await device.sync()
                if try await device.synchronizer.changes().isEmpty { return }
            } catch is FHIRClientError {}
        }
    }

    /// Behaviour 14: each success is recorded at once: a failure afterwards sends nothing again.
    @Test func successesAreRecordedAtOnce() async throws {
        let device = try Device(server) { $0.maximumBundleCount = 2 }
        try device.edit { tx in for number in 0..<6 { try tx.upsert(samplePatient("p\(number)")) } }
        server.behavior.before = { request, number in
            if request.method == .post, number > 2 { throw HTTPTransportError(.cannotConnect, "down") }
            return nil
        }
        await #expect(throws: FHIRClientError.self) { try await device.sync(.push) }
        let done = server.contents.count
        #expect(done > 0 && done < 6)
        #expect(try await device.synchronizer.changes(.pending).count == 6 - done)
        server.behavior.before = nil
        #expect(try await device.sync(.push).created == 6 - done)
        #expect(server.history.values.allSatisfy { $0.count == 1 })
    }

    /// Behaviour 15: what the server refuses is found and parked with its outcome; what depends on it waits, the others go on.
    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions, .batches])
    func aRefusedResourceIsParkedAndTheOthersGoOn(grouping: Synchronizer.Configuration.Grouping) async throws {
        server.behavior.refuses = { ($0 as? Patient)?.name.first?.family == "Poison" ? 422 : nil }
        server.behavior.checksReferences = grouping != .batches
        let device = try Device(server) { $0.grouping = grouping }
        try device.edit { tx in
            for number in 0..<20 { try tx.upsert(samplePatient("p\(number)", number == 7 ? "Poison" : "Good")) }
            try tx.upsert(sampleObservation("of7", of: "p7"))
            try tx.upsert(sampleObservation("of8", of: "p8"))
        }
        let result = try await device.sync(.push)
        let parked = try await device.synchronizer.changes(.parked)
        #expect(result.parked == 1 && parked.map(\.id) == ["p7"] && parked.first?.status == 422)
        #expect(parked.first?.issues.first?.code == "invalid" || grouping == .batches)
        #expect(server.contents["Observation/of8"] != nil)
        guard grouping != .batches else { return }
        #expect(server.contents.count == 20)
        #expect(try await device.synchronizer.state(of: "Observation", id: "of7") == .pending)
        // Nothing is hammered: the next push sends neither.
        server.clear()
        try await device.sync(.push)
        #expect(server.writes.isEmpty)
        try device.edit { try $0.upsert(samplePatient("p7", "Cured")) }
        #expect(try await device.sync(.push).created == 2)
        #expect(try await device.synchronizer.changes().isEmpty)
    }

    /// Behaviour 16: 412 and 409 lead to a pull of the resource, a decision, and another attempt.
    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions])
    func acollisionIsPulledResolvedAndSentAgain(grouping: Synchronizer.Configuration.Grouping) async throws {
        let device = try Device(server) {
            $0.grouping = grouping
            $0.conflicts = .merge()
        }
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id)) } }
        try await device.sync()
        let other = samplePatient("a")
        other.gender = .female
        server.put(other)
        try device.edit { tx in for id in ["a", "b"] { try tx.upsert(samplePatient(id, "Jones")) } }
        let result = try await device.sync(.push)
        #expect(result.resolved == 1 && result.updated == 2)
        #expect(server.contents["Patient/a"]?.contains("Jones") == true && server.contents["Patient/a"]?.contains("female") == true)
    }

    /// Behaviour 16: a resource that was deleted at the server is a conflict for an update.
    @Test func anUpdateOfADeletedResourceIsAConflict() async throws {
        let device = try Device(server) { $0.conflicts = .client }
        try device.edit { try $0.upsert(samplePatient("a")) }
        try await device.sync()
        server.remove("Patient", "a")
        try device.edit { try $0.upsert(samplePatient("a", "Two")) }
        let result = try await device.sync(.push)
        #expect(result.resolved == 1 && server.contents["Patient/a"]?.contains("Two") == true)
    }

    /// Behaviour 18: 429 and 503 wait as long as the server asks for, and what is refused is sent once.
    @Test func waitsAreThoseThatTheServerAsksFor() async throws {
        let clock = TestClock(random: 0)
        var settings = FHIRClient.Configuration()
        settings.clock = clock.clock
        let store = try FHIRStore.inMemory(release: .r4)
        try await store.write { tx in
            try tx.upsert(samplePatient("a")); return ()
        }
        server.behavior.before = { request, number in
            request.method == .put && number < 3 ? HTTPResponse(number == 1 ? 429 : 503, fields: ["Retry-After": "7"]) : nil
        }
        var configuration = Synchronizer.Configuration()
        configuration.grouping = .single
        let client = try FHIRClient(base: testBase, release: .r4, configuration: settings, transport: server)
        let result = try await Synchronizer(store, client, scope: .nothing, configuration: configuration).sync()
        #expect(result.created == 1 && clock.sleeps.count >= 2 && clock.sleeps.allSatisfy { $0 == .seconds(7) })
    }

    /// A server that fails with 500 for one resource does not keep the others.
    @Test func aResourceThatMakesTheServerFailIsParkedInTheEnd() async throws {
        server.behavior.refuses = { ($0 as? Patient)?.id == "p3" ? 500 : nil }
        let device = try Device(server) { $0.maximumFailures = 2 }
        try device.edit { tx in for number in 0..<8 { try tx.upsert(samplePatient("p\(number)")) } }
        for _ in 0..<4 { try await device.sync(.push) }
        #expect(server.contents.count == 7)
        #expect(try await device.synchronizer.changes(.parked).map(\.id) == ["p3"])
    }
}
