import FireLite
import FireLiteClient
import FireLiteR4
import FireLiteService
import Foundation
import Testing

// example ServingAStore.md
func patients(_ service: FHIRService, _ base: URL) async throws -> Int {
    let client = try FHIRClient(base: base, release: .r4, transport: ServiceTransport(service))
    return try await client.send(FHIRRequest(.get, "Patient")).body.count
}
// end

@Suite struct ServiceClientExamples {
    @Test func aClientIsAnswered() async throws {
        let service = try FHIRService(store: try FHIRStore.inMemory(release: .r4))
        #expect(try await patients(service, try #require(URL(string: "http://localhost/fhir"))) > 0)
    }
}
