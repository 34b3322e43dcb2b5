import FireLite
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import TestSupport
import Testing

/// A store that requires validation stores nothing that breaks a rule.
@Suite struct ValidatedWritesTests {
    private let store: FHIRStore
    private static let profile = "http://a.org/p"

    init() throws { store = try FHIRStore.inMemory(release: .r4) }

    private func patient(_ id: String, gender: String? = nil) throws -> Patient {
        let gender = gender.map { #","gender":"\#($0)""# } ?? ""
        return try FHIRJSON.decode(Patient.self, from: Data(#"{"resourceType":"Patient","id":"\#(id)","active":true\#(gender)}"#.utf8))
    }

    private func knowledge() throws -> Knowledge {
        let knowledge = Knowledge(release: .r4)
        let elements = #"{"id":"Patient","path":"Patient"},{"id":"Patient.gender","path":"Patient.gender","min":1}"#
        try knowledge.add(
            Data(
                """
                {"resourceType":"StructureDefinition","url":"\(Self.profile)","name":"P","status":"active","kind":"resource","abstract":false,
                "type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
                "differential":{"element":[\(elements)]}}
                """.utf8), source: "test")
        return knowledge
    }

    @Test func anInvalidResourceRollsBackItsWrite() throws {
        store.requireValidation(by: FHIRValidator(knowledge: try knowledge()), against: ["Patient": [Self.profile]])
        try store.write { try $0.add(try patient("a", gender: "male")) }
        let failure = #expect(throws: ValidationFailure.self) {
            try store.write { transaction in
                try transaction.upsert(try patient("b", gender: "female"))
                try transaction.upsert(try patient("c"))
            }
        }
        #expect(failure?.id == "c" && failure?.typeName == "Patient" && failure?.issues.map(\.messageID) == [.minimum])
        #expect(try store.read { try $0.count(Patient.self) } == 1)
    }

    @Test func aChangeOfAStoredResourceIsValidated() throws {
        store.requireValidation(by: FHIRValidator(knowledge: try knowledge()), against: ["Patient": [Self.profile]])
        try store.write { try $0.add(try patient("a", gender: "male")) }
        #expect(throws: ValidationFailure.self) { try store.write { try $0.upsert(try patient("a")) } }
        #expect(try store.read { try $0.resource(Patient.self, id: "a")?.gender } != nil)
        try store.write { transaction in
            if let stored = try transaction.resource(Patient.self, id: "a") { try transaction.delete(stored) }
        }
    }

    @Test func withoutValidationEverythingIsStored() throws {
        store.requireValidation(by: FHIRValidator(knowledge: try knowledge()), against: ["Patient": [Self.profile]])
        store.requireValidation(by: nil)
        try store.write { try $0.add(try patient("a")) }
        #expect(try store.read { try $0.count(Patient.self) } == 1)
    }
}
