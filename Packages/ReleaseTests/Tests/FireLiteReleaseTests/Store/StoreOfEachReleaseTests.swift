@_spi(Testing) import FireLiteSQLiteBridge
import Foundation
import ReleaseTestSupport
import Testing

@testable import FireLite
@testable import FireLiteCore

/// What a store does with resources of any type, for each release: Bundles, recovery, other models' files, indexes.
@Suite struct StoreOfEachReleaseTests {
    /// Random resources of many types, `count` of them.
    private func resources(_ release: FHIRRelease, _ count: Int, seed: UInt64 = 1) -> [FHIRResource] {
        var random = RandomInstance(seed: seed)
        return (0..<count).map { index in
            let resource = random.resource(of: release)
            resource.id = "r\(index)"
            return resource
        }
    }

    // MARK: - Batches

    @Test(arguments: Releases.all) func whatABatchHoldsComesBackInOrder(_ release: FHIRRelease) throws {
        let resources = resources(release, Effort.isNightly ? 100 : Effort.count(30))
        let texts = resources.map { FHIRJSON.string($0) }
        let store = try FHIRStore.inMemory(release: release)
        #expect(try store.write { tx in try tx.upsert(resources) }.added == resources.count)
        for (index, resource) in resources.enumerated() {
            let fetched = try #require(try store.resource(typeName: resource.resourceType, id: "r\(index)"))
            #expect(FHIRJSON.string(fetched) == texts[index])
        }
        let again = try store.write { tx in try tx.upsert(texts.map { try FHIRJSON.resource(from: Data($0.utf8), release: release) }) }
        #expect((again.added, again.updated, again.unchanged) == (0, 0, resources.count))
        for set in StoreIndexSet.known { try store.createIndexes(set) }
        #expect(try store.check() == [])
    }

    @Test(arguments: Releases.all) func aNewerResourceIsNotReplacedByAnOlderOne(_ release: FHIRRelease) throws {
        let store = try FHIRStore.inMemory(release: release)
        func patient(_ updated: String, _ gender: String) throws -> FHIRResource {
            let json = #"{"resourceType":"Patient","id":"1","meta":{"lastUpdated":"\#(updated)"},"gender":"\#(gender)"}"#
            return try FHIRJSON.resource(from: Data(json.utf8), release: release)
        }
        try store.write { tx in
            try tx.upsert(patient("2020-01-02T00:00:00Z", "male"))
            try tx.upsert(patient("2020-01-01T00:00:00Z", "female"), policy: .keepNewer)
        }
        let stored = try #require(try store.resource(typeName: "Patient", id: "1"))
        #expect(FHIRJSON.string(stored).contains(#""gender":"male""#))
    }

    // MARK: - Bundles

    private static let uuid = "urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"

    private func bundle(_ release: FHIRRelease, _ more: String = "") throws -> Data {
        let text =
            #"{"resourceType":"Bundle","type":"collection"\#(more),"entry":[{"fullUrl":"\#(Self.uuid)","resource":{"resourceType":"Patient"}},"#
            + #"{"resource":{"resourceType":"Observation","id":"o","subject":{"reference":"\#(Self.uuid)"}}}]}"#
        return Data(text.utf8)
    }

    @Test(arguments: Releases.all) func bundlesAreTakenApart(_ release: FHIRRelease) throws {
        let folder = try TemporaryFolder()
        let data = try bundle(release)
        let file = URL(fileURLWithPath: try folder.write("bundle.json", data))
        let stores = [try FHIRStore.inMemory(release: release), try FHIRStore.inMemory(release: release)]
        #expect(try stores[0].importResources(from: file).counts.added == 2)
        let whole = try FHIRJSON.resource(from: data, release: release)
        #expect(try stores[1].write { tx in try tx.upsert(bundle: whole) }.added == 2)
        for store in stores {
            let id = String(Self.uuid.dropFirst(9))
            #expect(try store.resource(typeName: "Patient", id: id) != nil)
            let observation = try #require(try store.resource(typeName: "Observation", id: "o"))
            #expect(FHIRJSON.string(observation).contains(#""reference":"Patient/\#(id)""#))
        }
    }

    /// R5's Bundle has an OperationOutcome of its own, which is reported and not stored.
    @Test func issuesOfABundleAreReported() throws {
        let issues = #","issues":{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"incomplete"}]}"#
        for (release, isKnown) in Releases.all.map({ ($0, $0.type(named: "Bundle")?._layout.element(named: "issues") != nil) })
        where isKnown {
            let folder = try TemporaryFolder()
            let data = try bundle(release, issues)
            let compact = URL(fileURLWithPath: try folder.write("bundle.json", data))
            let lines = URL(fileURLWithPath: try folder.write("bundle.ndjson", data))
            for file in [compact, lines] {
                let store = try FHIRStore.inMemory(release: release)
                let counts = try store.importResources(from: file).counts
                #expect(counts.added == 2 && counts.outcomes == 1, "\(file.lastPathComponent)")
                #expect(try store.counts().map(\.typeName).sorted() == ["Observation", "Patient"])
            }
            let store = try FHIRStore.inMemory(release: release)
            let result = try store.write { tx in try tx.upsert(bundle: try FHIRJSON.resource(from: data, release: release)) }
            #expect(result.added == 2 && result.searchOutcomes.map(\.resourceType) == ["OperationOutcome"])
        }
        #expect(Releases.all.last?.type(named: "Bundle")?._layout.element(named: "issues")?.kind == .resource)
    }

    // MARK: - Damage

    /// Everything comes out of a sound file, and of a damaged one everything that is not listed as lost, unchanged.
    @Test(arguments: Releases.all) func recoveryAndCheck(_ release: FHIRRelease) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        var json: [String: Data] = [:]
        do {
            let store = try FHIRStore(path: path, release: release)
            let resources = resources(release, 80, seed: 2)
            try store.write { tx in for resource in resources { try tx.add(resource) } }
            for resource in resources { json["\(resource.resourceType)/\(resource.id ?? "")"] = FHIRJSON.data(resource) }
            try store.close()
        }
        let whole = folder.file("whole.sqlite")
        let report = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: whole), release: release)
        #expect(report.isComplete && report.recovered == json.count)
        try expectEqual(FHIRStore(path: whole, release: release), json, count: json.count)

        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        let pages = bytes.count / pageSize
        for page in [pages / 3, pages / 2] { bytes.replaceSubrange(page * pageSize + 100..<page * pageSize + 600, with: Data(count: 500)) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let rest = folder.file("rest.sqlite")
        let partial = try FHIRStore.recover(from: URL(fileURLWithPath: path), to: URL(fileURLWithPath: rest), release: release)
        #expect(partial.recovered == json.count || !partial.isComplete)
        try expectEqual(FHIRStore(path: rest, release: release), json, count: partial.recovered)
    }

    private func expectEqual(_ store: FHIRStore, _ json: [String: Data], count: Int) throws {
        #expect(try store.check() == [])
        var found = 0
        for (key, data) in json {
            let parts = ReferenceParts(key)
            guard let resource = try store.resource(typeName: parts.type ?? "", id: parts.id ?? "") else { continue }
            #expect(FHIRJSON.data(resource) == data, "\(key)")
            found += 1
        }
        #expect(found == count)
    }

    // MARK: - Models

    private func withFile(_ release: FHIRRelease, changedBy sql: String, _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let store = try FHIRStore(path: path, release: release)
        let json = #"{"resourceType":"Patient","id":"1","name":[{"text":"Old"}]}"#
        try store.write { tx in try tx.add(FHIRJSON.resource(from: Data(json.utf8), release: release)) }
        try store.close()
        do {
            let connection = try Connection(path: path)
            try connection.execute(sql + ";PRAGMA wal_checkpoint(TRUNCATE)")
        }
        try body(path)
    }

    /// A file of an older model of the release has fewer columns and tables, and says another fingerprint.
    @Test(arguments: Releases.all) func aFileOfAnOlderModelGainsElements(_ release: FHIRRelease) throws {
        try withFile(release, changedBy: "UPDATE _meta SET value = '0123456789abcdef' WHERE key = 'model'") { path in
            let store = try FHIRStore(path: path, release: release)
            let json = #"{"resourceType":"Patient","id":"1","active":true,"name":[{"text":"New","given":["A","B"]}]}"#
            try store.write { tx in try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: release)) }
            let fetched = try #require(try store.resource(typeName: "Patient", id: "1"))
            #expect(try JSONTree(FHIRJSON.data(fetched)) == JSONTree(json))
            #expect(try store.sql("SELECT value FROM _meta WHERE key = 'model'").first?[0].text == release.fingerprint)
            #expect(try store.check() == [])
        }
    }

    /// A file that a newer model of the release has written is refused, untouched.
    @Test(
        arguments: Releases.all,
        [
            "ALTER TABLE Patient_name ADD COLUMN future TEXT; UPDATE Patient_name SET future = 'x'",
            "CREATE TABLE Patient_future(_k INTEGER PRIMARY KEY, _parent INTEGER, _ord INTEGER, value TEXT);"
                + "INSERT INTO Patient_future VALUES (16777218, 0, 0, 'x'); UPDATE _shape SET tables = tables || ' Patient_future'",
        ])
    func aFileOfANewerModelIsRefused(_ release: FHIRRelease, by sql: String) throws {
        try withFile(release, changedBy: sql) { path in
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let error = #expect(throws: FHIRStoreError.self) { try FHIRStore(path: path, release: release) }
            #expect(error?.code == .newerFormat)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }
}
