import FireLiteKnowledge
import FireLiteReleases
import FireLiteServer
import FireLiteService
import Foundation
import Testing

/// The operations that the server registers with the service.
@Suite struct KnowledgeTests {
    private func service(_ releaseName: String = "R4", profile: String? = nil, conforming: Bool = false) throws -> FHIRService {
        try service(over: FHIRStore.inMemory(release: #require(FHIRRelease.bundled(releaseName))), profile: profile, conforming: conforming)
    }

    private func service(over store: FHIRStore, profile: String? = nil, conforming: Bool) throws -> FHIRService {
        let knowledge = Knowledge(release: store.release)
        try knowledge.addPackages(of: store, copiesTexts: true)
        if let profile { try knowledge.add(Data(profile.utf8), source: "test") }
        var configuration = FHIRService.Configuration()
        configuration.base = "http://example.org/fhir"
        configuration.validator = ProfileValidator(knowledge: knowledge)
        configuration.storesOnlyConforming = conforming
        configuration.supportedProfiles = try knowledge.profilesByType
        TerminologyOperations(store: store, knowledge: knowledge).add(to: &configuration)
        return try FHIRService(store: store, configuration: configuration)
    }

    private func send(_ service: FHIRService, _ method: HTTPMethod, _ path: String, _ body: String = "") async throws -> (Int, String) {
        let request = ServiceRequest(method, "/fhir" + path, fields: ["Content-Type": "application/fhir+json"], body: Data(body.utf8))
        let answer = await service.respond(to: request)
        return (answer.status, String(decoding: try await answer.data(), as: UTF8.self))
    }

    private let colors =
        #"{"resourceType":"CodeSystem","id":"c","url":"http://example.org/colors","status":"active","content":"complete","hierarchyMeaning":"is-a","concept":[{"code":"warm","display":"Warm","concept":[{"code":"red","display":"Red"}]},{"code":"blue","display":"Blue"}]}"#
    private let valueSet =
        #"{"resourceType":"ValueSet","id":"v","url":"http://example.org/all","status":"active","compose":{"include":[{"system":"http://example.org/colors"}]}}"#
    private let map =
        #"{"resourceType":"ConceptMap","id":"m","url":"http://example.org/map","status":"active","sourceUri":"http://example.org/all","group":[{"source":"http://example.org/colors","target":"http://example.org/other","element":[{"code":"red","target":[{"code":"rouge","equivalence":"equivalent"}]}]}]}"#

    @Test func terminologyAnswersFromStoredDefinitions() async throws {
        let service = try service()
        for (path, body) in [("/CodeSystem/c", colors), ("/ValueSet/v", valueSet), ("/ConceptMap/m", map)] {
            #expect(try await send(service, .put, path, body).0 == 201)
        }
        for path in ["/ValueSet/$expand?url=http://example.org/all", "/ValueSet/v/$expand"] {
            let (status, text) = try await send(service, .get, path)
            #expect(status == 200 && text.contains(#""code":"red""#), "\(text)")
        }
        let good = try await send(
            service, .get, "/ValueSet/$validate-code?url=http://example.org/all&system=http://example.org/colors&code=red")
        #expect(good.0 == 200 && good.1.contains(#""valueBoolean":true"#), "\(good.1)")
        let bad = try await send(service, .get, "/CodeSystem/c/$validate-code?code=green")
        #expect(bad.0 == 200 && bad.1.contains(#""valueBoolean":false"#), "\(bad.1)")
        let found = try await send(service, .get, "/CodeSystem/$lookup?system=http://example.org/colors&code=red")
        #expect(found.0 == 200 && found.1.contains(#""valueString":"Red""#), "\(found.1)")
        let subsumed = try await send(service, .get, "/CodeSystem/c/$subsumes?codeA=warm&codeB=red")
        #expect(subsumed.0 == 200 && subsumed.1.contains(#""subsumes""#), "\(subsumed.1)")
        let body =
            #"{"resourceType":"Parameters","parameter":[{"name":"system","valueUri":"http://example.org/colors"},{"name":"code","valueCode":"red"}]}"#
        let translated = try await send(service, .post, "/ConceptMap/m/$translate", body)
        #expect(translated.0 == 200 && translated.1.contains("rouge"), "\(translated.1)")
        // A definition that changes counts at once.
        #expect(try await send(service, .put, "/CodeSystem/c", colors.replacing("\"red\"", with: "\"crimson\"")).0 == 200)
        #expect(try await send(service, .get, "/ValueSet/v/$expand").1.contains("crimson"))
        let unknown = try await send(service, .get, "/ValueSet/$expand?url=http://example.org/none")
        #expect(unknown.0 == 404 && unknown.1.contains("OperationOutcome"))
        #expect(try await send(service, .get, "/CodeSystem/$lookup").0 == 400)
        #expect(try await send(service, .get, "/Patient/$expand").0 == 404)
    }

    @Test func closureTablesAndBatchesAreKeptAndAnswered() async throws {
        let service = try service()
        #expect(try await send(service, .put, "/CodeSystem/c", colors).0 == 201)
        func closure(_ rest: String) async throws -> (Int, String) {
            let body = #"{"resourceType":"Parameters","parameter":[{"name":"name","valueString":"mine"}\#(rest)]}"#
            return try await send(service, .post, "/$closure", body)
        }
        func concept(_ code: String) -> String {
            #",{"name":"concept","valueCoding":{"system":"http://example.org/colors","code":"\#(code)"}}"#
        }
        #expect(try await closure(concept("red")).0 == 404)
        #expect(try await closure("").0 == 200)
        #expect(try await !closure(concept("red")).1.contains("subsumes"))
        let added = try await closure(concept("warm"))
        #expect(added.0 == 200 && added.1.contains(#""target":[{"code":"warm","equivalence":"subsumes"}]"#), "\(added.1)")
        #expect(try await closure(#",{"name":"version","valueString":"1"}"#).1.contains("subsumes"))
        let validation =
            #"{"name":"validation","resource":{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://example.org/colors"},{"name":"code","valueCode":"red"},{"name":"system","valueUri":"http://example.org/colors"}]}}"#
        let body = #"{"resourceType":"Parameters","parameter":[\#(validation)]}"#
        let batch = try await send(service, .post, "/ValueSet/$batch-validate-code", body)
        #expect(batch.0 == 200 && batch.1.contains(#""name":"validation""#), "\(batch.1)")
    }

    @Test func metadataNamesTheOperationsThatThereAre() async throws {
        let text = try await send(service(), .get, "/metadata").1
        for name in ["ValueSet-expand", "CodeSystem-lookup", "ConceptMap-translate", "CodeSystem-validate-code"] {
            #expect(text.contains("OperationDefinition/" + name))
        }
        let described = try await send(service(), .get, "/metadata?mode=terminology")
        #expect(described.0 == 200 && described.1.contains(#""needsMap":true"#), "\(described.1)")
        let resource = try FHIRJSON.resource(from: Data(described.1.utf8), release: try #require(FHIRRelease.bundled("R4")))
        #expect(resource.validate().filter { $0.severity == .error }.isEmpty)
        // TerminologyCapabilities came with R4.
        #expect(try await send(service("STU3"), .get, "/metadata?mode=terminology").0 == 501)
    }

    @Test func everyReleaseHasATerminology() async throws {
        let third = try service("STU3")
        for (path, body) in [("/CodeSystem/c", colors), ("/ValueSet/v", valueSet)] {
            #expect(try await send(third, .put, path, body).0 == 201)
        }
        #expect(try await send(third, .get, "/ValueSet/v/$expand").1.contains(#""code":"red""#))
        #expect(try await send(third, .get, "/CodeSystem/c/$subsumes?codeA=warm&codeB=red").1.contains(#""subsumes""#))
        // DSTU2 has code systems in value sets alone.
        let second = try service("DSTU2")
        let inside =
            #"{"resourceType":"ValueSet","id":"v","url":"http://example.org/all","status":"active","codeSystem":{"system":"http://example.org/colors","concept":[{"code":"red","display":"Red"}]}}"#
        #expect(try await send(second, .put, "/ValueSet/v", inside).0 == 201)
        #expect(try await send(second, .get, "/ValueSet/v/$expand").1.contains(#""code":"red""#))
        #expect(try await send(second, .get, "/CodeSystem/$lookup?code=red").0 == 404)
    }

    @Test func packagesInTheStoresFileCount() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let inner = folder.appendingPathComponent("package")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile =
            #"{"resourceType":"StructureDefinition","url":"http://example.org/p","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","differential":{"element":[{"id":"Patient.birthDate","path":"Patient.birthDate","min":1}]}}"#
        let files = [
            "package.json": #"{"name":"a.guide","version":"1.0.0"}"#, "c.json": colors, "v.json": valueSet, "p.json": profile,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: inner.appendingPathComponent(name)) }
        let release = try #require(FHIRRelease.bundled("R4"))
        let store = try FHIRStore(path: folder.appendingPathComponent("a.sqlite").path, release: release)
        try store.addPackage(at: folder)
        let service = try service(over: store, conforming: true)
        #expect(try await send(service, .get, "/ValueSet/$expand?url=http://example.org/all").1.contains(#""code":"red""#))
        let patient = #"{"resourceType":"Patient","meta":{"profile":["http://example.org/p"]}}"#
        let refused = try await send(service, .post, "/Patient", patient)
        #expect(refused.0 == 422 && refused.1.contains("birthDate"), "\(refused)")
        #expect(try await send(service, .post, "/Patient", patient.replacing("{\"res", with: "{\"birthDate\":\"1970\",\"res")).0 == 201)
        #expect(try await send(service, .get, "/Patient?birthdate=1970").1.contains("http://example.org/p"))
        // They count until the service ends.
        #expect(try store.removePackage(named: "a.guide") == 1)
        #expect(try await send(service, .post, "/Patient", patient).0 == 422)
        #expect(try await send(service, .get, "/ValueSet/$expand?url=http://example.org/all").1.contains(#""code":"red""#))
    }

    private func condition(_ id: String, _ code: String) -> String {
        #"{"resourceType":"Condition","id":"\#(id)","subject":{"reference":"Patient/p"},"code":{"coding":[{"system":"http://example.org/colors","code":"\#(code)"}]}}"#
    }

    /// Code systems of packages count in searches, and all definitions in views.
    @Test func searchesAndViewsAskTheTerminology() async throws {
        let release = try #require(FHIRRelease.bundled("R4"))
        let knowledge = Knowledge(release: release)
        for text in [colors, valueSet] { try knowledge.add(Data(text.utf8), source: "test") }
        var configuration = FHIRService.Configuration()
        configuration.base = "http://example.org/fhir"
        TerminologyOperations(store: try FHIRStore.inMemory(release: release), knowledge: knowledge).add(to: &configuration)
        let service = try FHIRService(store: try FHIRStore.inMemory(release: release), configuration: configuration)
        for (id, code) in [("1", "red"), ("2", "blue"), ("3", "green")] {
            #expect(try await send(service, .put, "/Condition/\(id)", condition(id, code)).0 == 201)
        }
        func count(_ query: String) async throws -> Bool {
            try await send(service, .get, "/Condition?_summary=count&" + query).1.contains(#""total":1"#)
        }
        #expect(try await count("code:below=http://example.org/colors|warm"))
        #expect(try await count("code:not-in=http://example.org/all"))
        let view =
            #"{"resourceType":"ViewDefinition","resource":"Condition","select":[{"column":[{"name":"id","path":"id"},{"name":"known","path":"code.memberOf('http://example.org/all')"}]}]}"#
        let rows = try await send(service, .post, "/$viewdefinition-run?_format=ndjson", view)
        #expect(rows.0 == 200 && rows.1.contains(#"{"id":"1","known":true}"#) && rows.1.contains(#"{"id":"3","known":false}"#), "\(rows.1)")
    }

    private let profile =
        #"{"resourceType":"StructureDefinition","url":"http://example.org/named","name":"Named","status":"active","kind":"resource","abstract":false,"type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","differential":{"element":[{"id":"Patient","path":"Patient"},{"id":"Patient.name","path":"Patient.name","min":1}]}}"#

    @Test func profilesAreCheckedIfTheyAreAskedFor() async throws {
        let service = try service(profile: profile)
        let named = #"{"resourceType":"Patient","meta":{"profile":["http://example.org/named"]}}"#
        let (status, text) = try await send(service, .post, "/Patient/$validate", named)
        #expect(status == 200 && text.contains("\"error\"") && text.contains("name needs at least 1 value"), "\(text)")
        let plain = try await send(service, .post, "/Patient/$validate?profile=http://example.org/named", #"{"resourceType":"Patient"}"#)
        #expect(plain.1.contains("\"error\""), "\(plain.1)")
        #expect(try await !send(service, .post, "/Patient/$validate", #"{"resourceType":"Patient"}"#).1.contains("\"error\""))
        let other = try await send(service, .post, "/Patient/$validate?profile=http://example.org/none", #"{"resourceType":"Patient"}"#)
        #expect(other.1.contains("\"warning\"") && other.1.contains("http://example.org/none"), "\(other.1)")
        // Only `$validate` asks for them, unless the server is started with `--conforming`.
        #expect(try await send(service, .post, "/Patient", named).0 == 201)
        let strict = try self.service(profile: profile, conforming: true)
        #expect(try await send(strict, .post, "/Patient", named).0 == 422)
        // A profile that is not known decides nothing.
        let unknown = #"{"resourceType":"Patient","meta":{"profile":["http://example.org/none"]}}"#
        let refused = try await send(strict, .post, "/Patient", unknown)
        #expect(refused.0 == 422 && refused.1.contains("http://example.org/none"), "\(refused)")
        #expect(try await send(service, .post, "/Patient", unknown).0 == 201)
        #expect(try await send(strict, .get, "/metadata").1.contains(#""supportedProfile":["http://example.org/named"]"#))
    }
}
