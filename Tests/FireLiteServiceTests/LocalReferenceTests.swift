import FireLiteCore
import FireLiteService
import Foundation
import TestSupport
import Testing

/// References are to the server's own resources if they are relative or have one of its addresses. `Patient/1` of another server is somebody else.
@Suite struct LocalReferenceTests {
    private static let forms: [(reference: String, isLocal: Bool)] = [
        ("Patient/1", true), ("Patient/1/_history/1", true), ("http://example.org/fhir/Patient/1", true),
        ("http://example.org/fhir/Patient/1/_history/1", true), ("https://known.example/r4/Patient/1", true),
        ("http://other.example/fhir/Patient/1", false), ("https://example.org/fhir/Patient/1", false),
        ("http://example.org/fhir2/Patient/1", false), ("http://example.org/Patient/1", false), ("Patient/1#x", false),
        ("urn:uuid:1", false), ("/Patient/1", false), ("./Patient/1", false), ("Patient/2", false),
        ("Patient?identifier=http://example.org/fhir/Patient/1", false),
    ]

    private static func observation(_ id: String, _ reference: String) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"\#(reference)"}}"#
    }

    private func sample(_ folder: TemporaryFolder? = nil) throws -> ServiceSample {
        let tokens = try BearerTokens([
            "patient-one-token": ServiceAccess(subject: "one", scopes: SMARTScope.list("patient/*.rs"), patient: "1"),
            "everything--token": ServiceAccess(subject: "owner"),
        ])
        let sample = try ServiceSample("R4", #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#) {
            $0.authorizer = tokens
            $0.workFolder = folder.map { URL(fileURLWithPath: $0.file("jobs")) }
        }
        try sample.store.blocking { store in
            try store.addBase("https://known.example/r4")
            try store.write { tx in
                for (number, form) in Self.forms.enumerated() {
                    let json = Self.observation("o\(number)", form.reference)
                    try tx.upsert(FHIRJSON.resource(from: Data(json.utf8), release: store.release))
                }
            }
        }
        return sample
    }

    private let one: HTTPFields = ["Authorization": "Bearer patient-one-token"]
    private let owner: HTTPFields = ["Authorization": "Bearer everything--token"]
    private var local: Set<String> { Set(Self.forms.indices.filter { Self.forms[$0].isLocal }.map { "o\($0)" }) }

    @Test func readsSearchesAndCompartmentsAgree() async throws {
        let sample = try sample()
        for (number, form) in Self.forms.enumerated() {
            #expect(await sample.get("/Observation/o\(number)", one).status == (form.isLocal ? 200 : 404), "\(form.reference)")
        }
        #expect(Set(await sample.get("/Observation", one).ids) == local)
        #expect(Set(await sample.get("/Patient/1/Observation", owner).ids) == local)
        #expect(Set(await sample.get("/Patient/1/$everything", one).ids) == local.union(["1"]))
    }

    @Test func earlierVersionsAreJudgedLikeCurrentOnes() async throws {
        let sample = try sample()
        for (number, form) in Self.forms.enumerated() {
            let moved = Self.observation("o\(number)", "Patient/1").replacing("\"x\"", with: "\"y\"")
            #expect(await sample.send(.put, "/Observation/o\(number)", moved, owner).status == 200)
            #expect(await sample.get("/Observation/o\(number)/_history/1", one).status == (form.isLocal ? 200 : 404), "\(form.reference)")
        }
    }

    @Test func exportsHaveTheServersOwnPatients() async throws {
        let folder = try TemporaryFolder()
        let sample = try sample(folder)
        func counts(_ path: String) async throws -> [String: String] {
            var fields = owner
            (fields["Prefer"], fields["Accept"]) = ("respond-async", "application/fhir+json")
            let kickOff = await sample.get(path, fields)
            #expect(kickOff.status == 202, "\(kickOff.text)")
            let place = try #require(kickOff.fields["Content-Location"]).replacing(ServiceSample.base, with: "")
            var manifest = await sample.get(place, owner)
            while manifest.status == 202 {
                await Task.yield()
                manifest = await sample.get(place, owner)
            }
            var counts: [String: String] = [:]
            for output in manifest.json?["output"]?.items ?? [] { counts[output["type"]?.text ?? ""] = output["count"]?.json }
            return counts
        }
        let others = Self.forms.indices.filter { Self.forms[$0].reference == "Patient/2" }.count
        #expect(try await counts("/Patient/$export?_type=Observation") == ["Observation": "\(local.count + others)"])
        let members: [(member: String, patients: Int)] = [
            (#"{"entity":{"reference":"Patient/1"}}"#, 1), (#"{"entity":{"reference":"http://example.org/fhir/Patient/1"}}"#, 1),
            (#"{"entity":{"reference":"http://other.example/fhir/Patient/1"}}"#, 0),
            (#"{"entity":{"reference":"Patient/1"},"inactive":true}"#, 0), (#"{"entity":{"reference":"Patient/1"},"inactive":false}"#, 1),
        ]
        for (number, one) in members.enumerated() {
            let group = #"{"resourceType":"Group","id":"g\#(number)","type":"person","actual":true,"member":[\#(one.member)]}"#
            #expect(await sample.send(.put, "/Group/g\(number)", group, owner).status == 201)
            let found = try await counts("/Group/g\(number)/$export?_type=Patient,Observation")
            #expect(found == (one.patients == 1 ? ["Patient": "1", "Observation": "\(local.count)"] : [:]), "\(one.member)")
        }
    }
}
