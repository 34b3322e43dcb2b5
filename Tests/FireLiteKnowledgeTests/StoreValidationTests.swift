import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import FireLiteReleases
import FireLiteService
import FireLiteSync
import Foundation
import TestSupport
import Testing

extension ValidationFailure: ContentRefusal {
    public var contentIssues: [ContentIssue] {
        resources.flatMap { resource in
            resource.issues.map { issue in
                ContentIssue(issue.severity == .error ? .error : .warning, code: issue.issueType, text: issue.message, path: issue.path)
            }
        }
    }
}

/// A store with a validation stores nothing that breaks what its level requires, by whatever door it comes.
@Suite struct StoreValidationTests {
    /// What is wrong with a resource, and the first level that finds it.
    private enum Flaw: Int, CaseIterable {
        case shape, rule, profile, sound

        /// Members of a Patient, or of an Observation without a status.
        func json(_ id: String) -> String {
            switch self {
            case .shape: #"{"resourceType":"Observation","id":"\#(id)","code":{"text":"x"}}"#
            // A contact needs a detail (pat-1).
            case .rule: #"{"resourceType":"Patient","id":"\#(id)","gender":"male","contact":[{"gender":"female"}]}"#
            case .profile: #"{"resourceType":"Patient","id":"\#(id)","active":true}"#
            case .sound: #"{"resourceType":"Patient","id":"\#(id)","gender":"female","active":true}"#
            }
        }

        var type: String { self == .shape ? "Observation" : "Patient" }

        func isFound(by level: StoreValidation.Level) -> Bool {
            switch level {
            case .shapes: self == .shape
            case .rules: self == .shape || self == .rule
            case .profiles: self != .sound
            }
        }
    }

    private enum Door: CaseIterable {
        case upsert, add, array, typedArray, bundle, lines, importedBundle
    }

    private static let profile = "http://a.org/p"

    private static func validation(_ level: StoreValidation.Level) throws -> StoreValidation {
        guard level == .profiles else { return level == .shapes ? .shapes : .rules }
        let knowledge = Knowledge(release: .r4)
        let elements = #"{"id":"Patient","path":"Patient"},{"id":"Patient.gender","path":"Patient.gender","min":1}"#
        try knowledge.add(
            Data(
                """
                {"resourceType":"StructureDefinition","url":"\(profile)","name":"P","status":"active","kind":"resource","abstract":false,
                "type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
                "differential":{"element":[\(elements)]}}
                """.utf8), source: "test")
        return .profiles(knowledge, against: ["Patient": [profile]])
    }

    private static func store(_ level: StoreValidation.Level) throws -> FHIRStore {
        try FHIRStore(path: ":memory:", release: .r4, validation: try validation(level))
    }

    private static func resource(_ json: String) throws -> FHIRResource { try FHIRJSON.resource(from: Data(json.utf8), release: .r4) }

    private static func ids(_ store: FHIRStore) throws -> Set<String> {
        try store.read { tx in
            var found: Set<String> = []
            for type in try tx.counts() { try tx.forEach(typeName: type.typeName) { found.insert($0.id ?? "") } }
            return found
        }
    }

    /// Writes through a door, as one write.
    private static func write(_ texts: [String], _ door: Door, _ store: FHIRStore, _ folder: TemporaryFolder) throws {
        switch door {
        case .upsert: try store.write { tx in for text in texts { try tx.upsert(resource(text)) } }
        case .add: try store.write { tx in for text in texts { try tx.add(resource(text)) } }
        case .array: try store.write { tx in _ = try tx.upsert(texts.map(resource)) }
        case .typedArray:
            // The arrays of one type each, as a program has them.
            let all = try texts.map(resource)
            try store.write { tx in
                _ = try tx.upsert(all.compactMap { $0 as? Patient })
                _ = try tx.upsert(all.compactMap { $0 as? Observation })
            }
        case .lines:
            let path = try folder.write("\(UUID().uuidString).ndjson", texts.joined(separator: "\n"))
            try store.importResources(from: URL(fileURLWithPath: path))
        case .bundle:
            let bundle = try resource(bundle(texts))
            try store.write { tx in _ = try tx.upsert(bundle: bundle) }
        case .importedBundle:
            let path = try folder.write("\(UUID().uuidString).json", bundle(texts))
            try store.importResources(from: URL(fileURLWithPath: path))
        }
    }

    private static func bundle(_ texts: [String]) -> String {
        let entries = texts.map { #"{"resource":\#($0)}"# }.joined(separator: ",")
        return #"{"resourceType":"Bundle","type":"collection","entry":[\#(entries)]}"#
    }

    @Test(arguments: StoreValidation.Level.allCases) func everyDoorRefusesWhatTheModelRefuses(_ level: StoreValidation.Level) throws {
        let folder = try TemporaryFolder()
        try withEvery(0..<60) { seed in
            var random = SeededGenerator(seed: seed)
            let store = try Self.store(level)
            var expected: Set<String> = []
            for step in 0..<5 {
                let flaws = (0..<random.int(1...4)).map { _ in random.percent(70) ? Flaw.sound : random.pick(Flaw.allCases) }
                let texts = flaws.enumerated().map { $1.json("\(step)-\($0)") }
                let refused = flaws.enumerated().filter { $1.isFound(by: level) }.map { "\($1.type)/\(step)-\($0)" }
                let door = random.pick(Door.allCases)
                do {
                    try Self.write(texts, door, store, folder)
                    try #require(refused.isEmpty, "\(door) stored \(refused)")
                    expected.formUnion(flaws.indices.map { "\(step)-\($0)" })
                } catch let failure as ValidationFailure {
                    let names = Set(failure.resources.map { "\($0.typeName)/\($0.id ?? "")" })
                    try #require(names == Set(refused), "\(door): \(failure)")
                    try #require(failure.resources.allSatisfy { $0.issues.contains { $0.severity == .error } })
                    try #require(names.contains { failure.message.contains($0) } && !failure.isIncomplete)
                }
                try #require(try Self.ids(store) == expected, "\(door)")
            }
        }
    }

    @Test(arguments: StoreValidation.Level.allCases) func changesOfStoredObjectsAreValidated(_ level: StoreValidation.Level) throws {
        let store = try Self.store(level)
        try store.write { try $0.upsert(Self.resource(Flaw.sound.json("a"))) }
        let patient = try #require(try store.resource(Patient.self, id: "a"))
        let isRefused = Flaw.profile.isFound(by: level)
        do {
            try store.write { _ in patient.gender = nil }
            #expect(!isRefused)
        } catch {
            #expect(error is ValidationFailure && isRefused)
        }
        #expect((try store.resource(Patient.self, id: "a")?.gender == nil) == !isRefused)
        // A deletion needs no valid content.
        try store.requireValidation(nil)
        try store.write { try $0.upsert(Self.resource(Flaw.shape.json("b"))) }
        try store.requireValidation(.shapes)
        try store.write { tx in _ = try tx.delete(typeName: "Observation", id: "b") }
        #expect(try Self.ids(store) == ["a"])
    }

    @Test func aFailureListsAHundredResources() throws {
        let store = try Self.store(.shapes)
        let texts = (0..<250).map { Flaw.shape.json("o\($0)") }
        let failure = #expect(throws: ValidationFailure.self) { try store.write { tx in _ = try tx.upsert(texts.map(Self.resource)) } }
        #expect(failure?.resources.count == ValidationFailure.maximumResources && failure?.isIncomplete == true)
        #expect(failure?.message.contains("at least 94 more") == true)
        #expect(try Self.ids(store).isEmpty)
    }

    @Test func definitionsOfAnotherReleaseAreRefusedBeforeAFileIsMade() throws {
        let folder = try TemporaryFolder()
        let other = try #require(FHIRRelease.bundled("R5"))
        let error = #expect(throws: KnowledgeError.self) {
            try FHIRStore(path: folder.file("a.sqlite"), release: .r4, validation: .profiles(Knowledge(release: other)))
        }
        #expect(error?.code == .release && !FileManager.default.fileExists(atPath: folder.file("a.sqlite")))
    }

    @Test func anExtensionOfAGuideBreaksNoRule() throws {
        let store = try Self.store(.rules)
        let url = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex"
        let text = #"{"resourceType":"Patient","id":"a","extension":[{"url":"\#(url)","valueCode":"F"}]}"#
        try store.write { try $0.upsert(Self.resource(text)) }
        try store.requireValidation(Self.validation(.profiles))
        let other = text.replacingOccurrences(of: "\"a\"", with: "\"b\"")
        let failure = #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(Self.resource(other)) } }
        #expect(failure?.issues.contains { $0.messageID == .unknownExtension } == true)
    }

    // MARK: - Network

    private static func service(_ store: FHIRStore) throws -> FHIRService {
        var configuration = FHIRService.Configuration()
        configuration.base = "http://example.org/fhir"
        // The store alone decides.
        configuration.validates = false
        return try FHIRService(store: store, configuration: configuration)
    }

    private static func send(_ service: FHIRService, _ method: HTTPMethod, _ path: String, _ body: String) async throws -> (Int, String) {
        let fields: HTTPFields = ["Content-Type": "application/fhir+json"]
        let response = await service.respond(to: ServiceRequest(method, "/fhir" + path, fields: fields, body: Data(body.utf8)))
        return (response.status, String(decoding: try await response.data(), as: UTF8.self))
    }

    private static func storedIDs(_ store: FHIRStore) throws -> Set<String> { try ids(store) }

    @Test(arguments: StoreValidation.Level.allCases) func aServerRefusesWhatItsStoreRefuses(_ level: StoreValidation.Level) async throws {
        let store = try Self.store(level)
        let service = try Self.service(store)
        var expected: Set<String> = []
        for flaw in Flaw.allCases {
            let id = "p\(flaw.rawValue)"
            let (status, text) = try await Self.send(service, .put, "/\(flaw.type)/\(id)", flaw.json(id))
            if flaw.isFound(by: level) {
                #expect(status == 422 && text.contains("OperationOutcome") && text.contains("\"expression\""), "\(flaw) \(text)")
            } else {
                #expect(status == 201, "\(flaw) \(text)")
                expected.insert(id)
            }
            #expect(try Self.storedIDs(store) == expected)
            // A transaction is refused as a whole.
            let entries = [flaw, .sound].map { one in
                #"{"resource":\#(one.json("t\(flaw.rawValue)\(one.rawValue)")),"request":{"method":"PUT","url":"\#(one.type)/t\#(flaw.rawValue)\#(one.rawValue)"}}"#
            }
            if flaw == .sound { continue }
            let bundle = #"{"resourceType":"Bundle","type":"transaction","entry":[\#(entries.joined(separator: ","))]}"#
            let answer = try await Self.send(service, .post, "", bundle)
            if flaw.isFound(by: level) {
                #expect(answer.0 == 422, "\(flaw) \(answer.1)")
            } else {
                #expect(answer.0 == 200, "\(flaw) \(answer.1)")
                expected.formUnion(["t\(flaw.rawValue)\(flaw.rawValue)", "t\(flaw.rawValue)\(Flaw.sound.rawValue)"])
            }
            #expect(try Self.storedIDs(store) == expected)
        }
    }

    @Test(arguments: StoreValidation.Level.allCases) func aPullStoresNothingThatIsInvalid(_ level: StoreValidation.Level) async throws {
        for flaw in Flaw.allCases {
            let remote = try FHIRStore.inMemory(release: .r4)
            try await remote.track(.history)
            let service = try Self.service(remote)
            for (id, one) in [("a", Flaw.sound), ("b", flaw)] {
                #expect(try await Self.send(service, .put, "/\(one.type)/\(id)", one.json(id)).0 == 201)
            }
            let store = try Self.store(level)
            try await store.track(.changes)
            var configuration = FHIRClient.Configuration()
            configuration.plainHTTPHosts = ["example.org"]
            let client = try FHIRClient(
                base: try #require(URL(string: "http://example.org/fhir")), release: .r4, configuration: configuration,
                transport: ServiceTransport(service))
            let synchronizer = Synchronizer(store, client, scope: .types(flaw.type))
            do {
                try await synchronizer.pull()
                #expect(!flaw.isFound(by: level), "\(flaw)")
                #expect(try Self.storedIDs(store) == (flaw == .shape ? ["b"] : ["a", "b"]))
            } catch let failure as ValidationFailure {
                #expect(flaw.isFound(by: level) && failure.resources.map(\.id) == ["b"], "\(flaw) \(failure)")
                #expect(try !Self.storedIDs(store).contains("b"))
            }
        }
    }
}
