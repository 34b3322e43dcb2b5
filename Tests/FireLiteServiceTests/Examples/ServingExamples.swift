import FireLite
import FireLiteR4
import FireLiteService
import Testing

// example ServingAStore.md
func example(_ store: FHIRStore) async throws {
    let service = try FHIRService(store: store)
    let response = await service.respond(to: ServiceRequest(.get, "/fhir/Patient?name=peter"))
    print(response.status, String(decoding: try await response.data(), as: UTF8.self))
}
// end

@Suite struct ServingExamples {
    @Test func aRequestIsAnswered() async throws { try await example(try FHIRStore.inMemory(release: .r4)) }
}
