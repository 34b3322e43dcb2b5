import FireLiteClient
import FireLiteR4
import FireLiteService
import Foundation
import Testing

// example ServingAStore.md
func subscribable(_ store: FHIRStore) async throws -> FHIRService {
    try await store.track(.history)
    var configuration = FHIRService.Configuration()
    configuration.topics = [ServiceTopic("http://example.org/topics/results", of: ["Observation"], filters: ["patient", "code"])]
    configuration.transport = StandardTransport.shared
    configuration.hookOrigins = ["https://app.example.org"]
    return try FHIRService(store: store, configuration: configuration)
}
// end

@Suite struct SubscriptionExamples {
    @Test func theStoreOfTheExampleHasSubscriptions() async throws {
        let service = try await subscribable(try FHIRStore.inMemory(release: .r4))
        let response = await service.respond(to: ServiceRequest(.get, "/fhir/metadata"))
        #expect(String(decoding: try await response.data(), as: UTF8.self).contains("backport-subscription-status"))
    }
}
