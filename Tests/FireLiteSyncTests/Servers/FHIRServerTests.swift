import FireLiteR4
import FireLiteSync
import Foundation
import TestSupport
import Testing

/// Every interaction against sekmet, a FHIR server by others.
@Suite(.ownThread, .enabled(if: LocalServers.fhir != nil, Comment(rawValue: LocalServers.hint)))
struct FHIRServerTests {
    private let client: FHIRClient

    init() throws { client = try FHIRClient(base: #require(LocalServers.fhir), release: .r4) }

    private func patient(_ family: String, id: String? = nil) -> Patient {
        Patient {
            $0.id = id
            $0.name = [HumanName { $0.family = family }]
            $0.identifier = [
                Identifier {
                    $0.system = "urn:firelite:test"
                    $0.value = family
                }
            ]
        }
    }

    private func unique(_ prefix: String) -> String { prefix + UUID().uuidString.prefix(8) }

    @Test func aResourceLivesAndDies() async throws {
        let family = unique("Life")
        let created = try await client.create(patient(family))
        let id = try #require(created.id)
        #expect(created.isCreated && created.version == "1" && created.resource?.name.first?.family == family)
        let read = try await client.read(Patient.self, id: id)
        #expect(read.meta?.versionId == "1" && created.lastModified != nil)
        read.active = true
        let updated = try await client.update(read, ifMatch: "1")
        #expect(!updated.isCreated && updated.version == "2")
        let stale = await #expect(throws: FHIRClientError.self) { _ = try await client.update(read, ifMatch: "1") }
        #expect(stale?.code == .preconditionFailed && stale?.issues.isEmpty == false)
        #expect(try await client.read(Patient.self, id: id, version: "1").active == nil)
        let patched = try await client.patch(
            Patient.self, id: id, json: Data(#"[{"op":"replace","path":"/active","value":false}]"#.utf8), ifMatch: "2")
        #expect(patched.version == "3" && patched.resource?.active == false)
        try await client.delete(Patient.self, id: id)
        let gone = await #expect(throws: FHIRClientError.self) { try await client.read(Patient.self, id: id) }
        #expect(gone?.code == .gone)
        var entries: [FHIRHistoryEntry] = []
        for try await page in try client.history(Patient.self, id: id) { entries += page.entries }
        #expect(entries.count == 4 && entries[0].isDeletion && entries.map(\.id).allSatisfy { $0 == id })
        #expect(entries.dropFirst().compactMap { $0.resource as? Patient }.map(\.active) == [false, true, nil])
    }

    @Test func updateCreatesWithTheClientsID() async throws {
        let id = unique("own-")
        let first = try await client.update(patient("Own", id: id))
        let second = try await client.update(patient("Owned", id: id))
        #expect(first.isCreated && !second.isCreated)
    }

    @Test func aConditionalCreateIsDoneOnce() async throws {
        let family = unique("Once")
        let condition: FHIRParameters = ["identifier": "urn:firelite:test|\(family)"]
        let first = try await client.create(patient(family), ifNoneExist: condition)
        let second = try await client.create(patient(family), ifNoneExist: condition)
        #expect(first.isCreated && !second.isCreated && first.id == second.id)
        let updated = try await client.update(patient(family), where: condition)
        #expect(updated.id == first.id && !updated.isCreated)
        #expect(try await client.count(Patient.self, condition) == 1)
        try await client.delete(Patient.self, where: condition)
        #expect(try await client.count(Patient.self, condition) == 0)
    }

    @Test func allPagesOfASearch() async throws {
        let family = unique("Pages")
        let entries = (0..<45).map { FHIRBundleEntry(FHIRRequest.create(patient("\(family)\($0)"))) }
        let results = try await client.submit(entries, as: .transaction)
        #expect(results.count == 45 && results.allSatisfy { $0.status == 201 && $0.id != nil && $0.version == "1" })
        var pages = 0
        var ids: Set<String> = []
        for try await page in client.search(Patient.self, ["name": family, "_count": "10", "_sort": "_lastUpdated"]) {
            pages += 1
            ids.formUnion(page.matches.compactMap(\.id))
        }
        #expect(pages == 5 && ids == Set(results.compactMap(\.id)))
        var posted = 0
        for try await _ in client.search(Patient.self, ["name": family], usesPost: true).matches { posted += 1 }
        #expect(posted == 45)
    }

    @Test func aTransactionIsAllOrNothing() async throws {
        let family = unique("Atom")
        let good = FHIRBundleEntry(FHIRRequest.create(patient(family)))
        let stale = FHIRBundleEntry(try .update(patient(family, id: unique("x")), ifMatch: "99"))
        await #expect(throws: FHIRClientError.self) { try await client.submit([good, stale], as: .transaction) }
        #expect(try await client.count(Patient.self, ["name": family]) == 0)
        let results = try await client.submit([good, stale], as: .batch)
        #expect(results[0].status == 201 && !results[1].isSuccess)
        #expect(try await client.count(Patient.self, ["name": family]) == 1)
    }

    @Test func everythingOperationsAndCapabilities() async throws {
        let id = try #require(try await client.create(patient(unique("All"))).id)
        let observation = Observation {
            $0.status = .final
            $0.code = CodeableConcept { $0.text = "weight" }
            $0.subject = Reference { $0.reference = "Patient/\(id)" }
        }
        try await client.create(observation)
        var types: Set<String> = []
        for try await resource in try client.everything(Patient.self, id: id).matches { types.insert(resource.resourceType) }
        #expect(types.isSuperset(of: ["Patient", "Observation"]))
        let outcome = try await client.operation("$validate", on: .type(Patient.self), patient("Valid"))
        #expect(outcome is OperationOutcome)
        #expect(try await client.capabilities(CapabilityStatement.self).fhirVersion?.rawValue == "4.0.1")
        var included: [String] = []
        for try await page in client.search(Observation.self, ["subject": "Patient/\(id)", "_include": "Observation:subject"]) {
            #expect(page.matches.count == 1)
            included += page.included.compactMap(\.id)
        }
        #expect(included == [id])
    }

    @Test func aRefusalNamesItsReason() async throws {
        let error = await #expect(throws: FHIRClientError.self) { try await client.create(Observation()) }
        #expect(error?.code == .rejected && error?.issues.isEmpty == false && error?.requestID != nil)
    }

    @Test func aBulkExportIsDownloaded() async throws {
        let family = unique("Bulk")
        try await client.create(patient(family))
        let folder = try TemporaryFolder()
        let result = try await client.export(BulkExportOptions(types: ["Patient"]), to: URL(fileURLWithPath: folder.file("export")))
        let text = try result.resourceURLs.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        #expect(text.contains(family) && result.transactionTime != nil)
        let lines = text.split(separator: "\n").count
        #expect(result.files.compactMap(\.count).reduce(0, +) == lines)
    }
}
