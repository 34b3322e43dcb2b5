import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What becomes of the parts of a Bundle that the server has refused.
@Suite struct RefusedBundleTests {
    private let server = ModelServer()

    /// A server that does not check references gets none to a resource that it has refused, in whatever part of a Bundle the two were.
    @Test(arguments: [Synchronizer.Configuration.Grouping.single, .transactions]) func whatRefersToARefusedResourceWaits(
        grouping: Synchronizer.Configuration.Grouping
    ) async throws {
        server.behavior.refuses = { ($0 as? Patient)?.name.first?.family == "Poison" ? 422 : nil }
        let device = try Device(server) { $0.grouping = grouping }
        try device.edit { tx in
            for number in 0..<8 {
                try tx.upsert(samplePatient("p\(number)", number % 3 == 0 ? "Poison" : "Good"))
                try tx.upsert(sampleObservation("o\(number)", of: "p\(number)"))
            }
        }
        #expect(try await device.sync(.push).parked == 3)
        let there = [1, 2, 4, 5, 7].flatMap { ["Observation/o\($0)", "Patient/p\($0)"] }
        #expect(server.contents.keys.sorted() == there.sorted())
        for number in [0, 3, 6] { #expect(try await device.synchronizer.state(of: "Observation", id: "o\(number)") == .pending) }
        server.behavior.refuses = { _ in nil }
        try device.edit { tx in for number in [0, 3, 6] { try tx.upsert(samplePatient("p\(number)", "Cured")) } }
        #expect(try await device.sync(.push).created == 6 && server.contents == device.contents())
    }
}
