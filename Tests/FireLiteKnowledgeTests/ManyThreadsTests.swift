import Dispatch
import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation
import Testing

/// Threads that validate with the same definitions for the first time.
@Suite struct ManyThreadsTests {
    private static let profile = """
        {"resourceType":"StructureDefinition","url":"http://a.org/p","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient",
        "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint",
        "differential":{"element":[{"id":"Patient","path":"Patient"},{"id":"Patient.name","path":"Patient.name","min":1}]}}
        """

    /// What one thread makes is no cycle for another.
    @Test func aProfileThatAllNeedAtOnceIsOneForAll() throws {
        for _ in 0..<20 {
            let knowledge = Knowledge(release: .r4)
            try knowledge.add(FHIRJSON.resource(from: Data(Self.profile.utf8), release: .r4))
            let validator = FHIRValidator(knowledge: knowledge)
            let lock = NSLock()
            nonisolated(unsafe) var errors: [[String]] = []
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let found = Result { try validator.validate(Patient { $0.active = true }, against: ["http://a.org/p"]) }
                let texts = (try? found.get())?.filter { $0.severity == .error }.map { $0.path } ?? ["thrown"]
                lock.withLock { errors.append(texts) }
            }
            #expect(errors == Array(repeating: ["Patient"], count: 8))
        }
    }
}
