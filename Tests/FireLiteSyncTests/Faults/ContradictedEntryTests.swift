import FireLiteR4
import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// Entries of histories and searches that are not about the resource that they seem to be about.
@Suite struct ContradictedEntryTests {
    private let server = ModelServer()
    private let isLying = Switch(false)

    /// A device with the patients d and f, of which f is deleted at the server.
    private func device(_ lie: @escaping @Sendable (HTTPRequest) -> HTTPResponse?) async throws -> Device {
        let (server, isLying) = (server, isLying)
        for id in ["d", "f"] { server.put(samplePatient(id)) }
        let transport = StubServer { request, _ in
            if isLying.value, let answer = lie(request) { return answer }
            return try await server.send(request)
        }
        let device = try Device(transport, scope: .types("Patient"))
        try await device.sync()
        server.remove("Patient", "f")
        isLying.value = true
        return device
    }

    private static func page(_ type: String, _ entry: String) -> HTTPResponse {
        .json(#"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entry)]}"#)
    }

    private static let elsewhere = "https://other.example/fhir/Patient/d"

    /// What contradicts itself is an error, and nothing of it is taken over.
    @Test(arguments: [
        #"{"request":{"method":"DELETE","url":"Patient/f"},"response":{"status":"204","location":"Patient/d/_history/1"}}"#,
        #"{"fullUrl":"https://fhir.example.org/base/Patient/d","request":{"method":"DELETE","url":"Patient/f"},"response":{"status":"204"}}"#,
        #"{"fullUrl":"https://fhir.example.org/base/Patient/f","request":{"method":"DELETE","url":"Patient/d"},"response":{"status":"204"}}"#,
        #"{"request":{"method":"DELETE","url":"Patient/d"},"resource":{"resourceType":"Patient","id":"f"},"response":{"status":"204"}}"#,
        #"{"request":{"method":"DELETE","url":"Basic/d"},"resource":{"resourceType":"Patient","id":"d"},"response":{"status":"204"}}"#,
    ])
    func contradictionsDeleteNothing(entry: String) async throws {
        let device = try await device { $0.url.path.hasSuffix("_history") ? Self.page("history", entry) : nil }
        let error = await #expect(throws: FHIRClientError.self) { try await device.sync() }
        #expect(error?.code == .invalidResponse && error?.message.contains("same resource") == true)
        #expect(try device.contents().keys.sorted() == ["Patient/d", "Patient/f"])
        isLying.value = false
        try await device.sync()
        #expect(try device.contents().keys.sorted() == ["Patient/d"])
    }

    /// What other servers have deleted, or what only an answer points to, is not deleted here.
    @Test(arguments: [
        #"{"request":{"method":"DELETE"},"response":{"status":"204","location":"Patient/d/_history/1"}}"#,
        #"{"request":{"method":"DELETE"},"response":{"status":"204","location":"\#(elsewhere)/_history/1"}}"#,
        #"{"request":{"method":"DELETE","url":"\#(elsewhere)"},"response":{"status":"204"}}"#,
        #"{"fullUrl":"\#(elsewhere)","request":{"method":"DELETE"},"response":{"status":"204"}}"#,
    ])
    func otherAddressesDeleteNothing(entry: String) async throws {
        let device = try await device { $0.url.path.hasSuffix("_history") ? Self.page("history", entry) : nil }
        #expect(try await device.sync().pulledDeletions == 0)
        #expect(try device.contents()["Patient/d"] != nil)
    }

    /// The address of a deletion is enough, and one at another server besides says nothing.
    @Test(arguments: [
        #"{"request":{"method":"DELETE","url":"Patient/f"},"response":{"status":"204","location":"\#(elsewhere)/_history/1"}}"#,
        #"{"fullUrl":"https://fhir.example.org/base/Patient/f","request":{"method":"DELETE"},"response":{"status":"204"}}"#,
        #"{"request":{"method":"DELETE","url":"http://fhir.example.org:8080/Patient/f/_history/2"},"response":{"status":"204"}}"#,
    ])
    func theAddressSaysWhatIsDeleted(entry: String) async throws {
        let device = try await device { $0.url.path.hasSuffix("_history") ? Self.page("history", entry) : nil }
        #expect(try await device.sync().pulledDeletions == 1)
        #expect(try device.contents().keys.sorted() == ["Patient/d"])
    }

    /// A resource at the address of another one is not stored.
    @Test func aResourceAtAnotherAddressIsNotStored() async throws {
        let evil = #"{"resourceType":"Patient","id":"d","meta":{"versionId":"9","lastUpdated":"2030-01-01T00:00:00Z"},"active":false}"#
        let entry = #"{"fullUrl":"https://fhir.example.org/base/Patient/e","resource":\#(evil)}"#
        let device = try await device { $0.url.path.hasSuffix("/Patient") ? Self.page("searchset", entry) : nil }
        #expect(try await device.sync().unreadable == 1)
        #expect(try device.patient("d")?.name.first?.family == "Smith" && device.patient("d")?.active == nil)
    }
}
