import FireLite
import FireLiteCore
import FireLiteReleases
import FireLiteSynthetic
import Foundation
import TestSupport
import Testing

@testable import FireLiteService

/// What is answered from memory is what the store has, and what the client may see.
@Suite struct ContentCacheTests {
    private static func service(
        _ store: FHIRStore, _ configure: (inout FHIRService.Configuration) -> Void = { _ in }
    ) throws -> ServiceSample {
        var configuration = FHIRService.Configuration()
        configuration.base = ServiceSample.base
        configure(&configuration)
        return ServiceSample(try FHIRService(store: store, configuration: configuration))
    }

    private static let paths = [
        "/Patient/1", "/Patient/2", "/Patient/3", "/Observation/1", "/Observation/2", "/Patient", "/Patient?_sort=family&_count=2",
        "/Observation?patient=1", "/Observation?subject=Patient/2&_total=accurate", "/Patient?family=b", "/Observation?code:text=a",
        "/Patient/1/Observation", "/?_type=Patient,Observation", "/Patient?_elements=name", "/Observation?_include=Observation:subject",
        "/Patient/9", "/Patient?_count=0",
    ]

    /// A commit of another process, which is another store on the file, makes stale what is kept.
    @Test(arguments: [1, 2, 3] as [UInt64]) func answersAreThoseOfAFreshService(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        let release = try #require(BundledRelease.named("R4")).release
        let store = try FHIRStore(path: path, release: release)
        let other = try FHIRStore(path: path, release: release)
        let sample = try Self.service(store)
        var random = SeededGenerator(seed: seed)
        for step in 0..<60 {
            let writer = Bool.random(using: &random) ? store : other
            if Int.random(in: 0..<5, using: &random) == 0 {
                _ = try? writer.blocking { writer in
                    try writer.write { tx in
                        for id in 1...3 { _ = try tx.delete(typeName: "Patient", id: "\(id)") }
                        throw CancellationError()
                    }
                }
            }
            let id = Int.random(in: 1...3, using: &random)
            let isPatient = Bool.random(using: &random)
            let text = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            let patient = #"{"resourceType":"Patient","id":"\#(id)","name":[{"family":"\#(text)"}]}"#
            let observation =
                #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"\#(text)"},"subject":{"reference":"Patient/\#(Int.random(in: 1...3, using: &random))"}}"#
            let deletes = Int.random(in: 0..<4, using: &random) == 0
            try writer.blocking { writer in
                _ = try writer.write { tx in
                    if deletes {
                        _ = try tx.delete(typeName: isPatient ? "Patient" : "Observation", id: "\(id)")
                    } else {
                        _ = try tx.upsert(FHIRJSON.resource(from: Data((isPatient ? patient : observation).utf8), release: release))
                    }
                }
            }
            // It remembers no resources, as it is new, and no searches, as its pages are long.
            let fresh = try Self.service(store) { $0.limits.pageSize = 101 }
            for path in Self.paths {
                let (known, made) = (await sample.get(path), await fresh.get(path))
                #expect(known.status == made.status && known.text == made.text, "seed \(seed), step \(step), \(path)")
                #expect(known.fields["ETag"] == made.fields["ETag"] && known.fields["Last-Modified"] == made.fields["Last-Modified"])
                #expect(await sample.get(path).text == known.text)
            }
        }
    }

    @Test func bundlesAreThoseOfTheObjects() async throws {
        let sample = try ServiceSample("R4")
        try sample.store.blocking { store in
            try store.write { tx in
                _ = try tx.upsert(
                    SyntheticPatients(count: 3, seed: 4).map { try FHIRJSON.resource(from: FHIRJSON.data($0), release: store.release) })
            }
        }
        for search in [
            "Observation?_count=20&_sort=-date", "Encounter?_total=accurate&_count=3", "?_type=Patient,Condition&_count=70",
            "Patient?family=zzz",
        ] {
            let reply = await sample.get("/\(search)")
            var options = SearchOptions()
            options.base = ServiceSample.base
            let result = try sample.store.blocking { try $0.search(search, options: options) }
            #expect(reply.status == 200)
            let (known, made) = (reply.entries, try JSONItemReader.read(Data(result.bundleJSON.utf8))["entry"]?.items ?? [])
            #expect(known.count == made.count)
            for (left, right) in zip(known, made) {
                #expect(left["fullUrl"] == right["fullUrl"] && left["search"] == right["search"])
                #expect(left["resource"]?["id"] == right["resource"]?["id"] && left["resource"]?["code"] == right["resource"]?["code"])
            }
            #expect(reply.link("self") == "/\(search)" && (reply.link("next") != nil) == (result.next != nil))
            #expect(reply.json?["total"]?.json == result.total.map { "\($0)" })
        }
    }

    /// What a token with all permissions has put into memory is hidden from others.
    @Test func whatIsKeptIsHiddenFromTokensWithoutPermission() async throws {
        let tokens = try BearerTokens([
            "everything--token": ServiceAccess(subject: "owner"),
            "patient-one-token": ServiceAccess(subject: "Patient/1", scopes: SMARTScope.list("patient/*.rs"), patient: "1"),
            "types-only--token": ServiceAccess(subject: "app", scopes: SMARTScope.list("user/Patient.rs")),
        ])
        func observation(_ id: String, _ patient: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/\#(patient)"}}"#
        }
        let sample = try ServiceSample(
            "R4", #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#, observation("o1", "1"),
            observation("o2", "2")
        ) { $0.authorizer = tokens }
        func token(_ text: String) -> HTTPFields { ["Authorization": "Bearer \(text)"] }
        for _ in 0..<2 {
            for path in ["/Patient/1", "/Patient/2", "/Observation/o1", "/Observation/o2", "/Observation", "/Patient"] {
                #expect(await sample.get(path, token("everything--token")).status == 200)
            }
            let one = token("patient-one-token")
            for path in ["/Patient/1", "/Observation/o1"] { #expect(await sample.get(path, one).status == 200) }
            for path in ["/Patient/2", "/Observation/o2"] { #expect(await sample.get(path, one).status == 404) }
            #expect(await sample.get("/Observation", one).ids == ["o1"])
            #expect(await sample.get("/Patient", one).ids == ["1"])
            let conditional: HTTPFields = ["Authorization": "Bearer patient-one-token", "If-None-Match": "W/\"1\""]
            #expect(await sample.get("/Patient/2", conditional).status == 404)
            let types = token("types-only--token")
            #expect(await sample.get("/Patient/2", types).status == 200)
            for path in ["/Observation/o1", "/Observation"] { #expect(await sample.get(path, types).status == 403) }
            #expect(await sample.get("/Patient/1").status == 401)
        }
    }

    @Test func memoryIsBounded() throws {
        let store = try FHIRStore.inMemory(release: try #require(BundledRelease.named("R4")).release)
        let contents = ContentCache(limit: 100_000)
        var kept: [StoredContent] = []
        for number in 0..<400 {
            let json = #"{"resourceType":"Patient","id":"\#(number)"}"#
            _ = try store.write { tx in try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: store.release)) }
            let stored = try #require(try store.read { try $0.storedContent(typeName: "Patient", id: "\(number)") })
            contents.keep(.init(type: "Patient", id: "\(number)", json: Data(count: 1_000), updated: nil, tag: "", modified: nil), stored)
            kept.append(stored)
            #expect(contents[stored]?.id == "\(number)")
        }
        let found = kept.filter { contents[$0] != nil }.count
        // About 1,500 bytes each.
        #expect((30...68).contains(found), "\(found)")
    }

    @Test func randomIDsAreUUIDs() throws {
        let texts = (0..<1_000).map { _ in RandomUUID.text() }
        #expect(Set(texts).count == texts.count)
        for text in texts {
            let uuid = try #require(UUID(uuidString: text))
            #expect(uuid.uuidString.lowercased() == text && uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 2)
        }
    }
}
