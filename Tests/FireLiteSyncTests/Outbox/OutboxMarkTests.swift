import FireLiteR4
import FireLiteSync
import Foundation
import Testing

/// What makes a create unique.
@Suite struct OutboxMarkTests {
    private func sent(_ request: FHIRRequest, marks: Bool = true) async throws -> (json: [String: JSONValue], condition: String?) {
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        try await outbox.store.write { tx in try tx.enqueue(request, for: testBase, marksCreates: marks) }
        #expect(try await outbox.flush().ending == "done")
        let body = try #require(server.requests.first?.body)
        return (try JSONDecoder().decode([String: JSONValue].self, from: body), server.requests.first?.fields["If-None-Exist"])
    }

    @Test func aCreateGetsAnIdentifier() async throws {
        let patient = numbered(1)
        patient.identifier = [Identifier { $0.value = "own" }]
        let (json, condition) = try await sent(.create(patient))
        guard case .array(let identifiers)? = json["identifier"], case .object(let added)? = identifiers.last else {
            throw CancellationError()
        }
        #expect(identifiers.count == 2 && identifiers.first == ["value": "own"])
        #expect(added["system"] == "urn:ietf:rfc:3986")
        let uuid = try #require(added["value"]?.text)
        #expect(condition == "identifier=urn:ietf:rfc:3986%7C\(uuid)" && uuid.hasPrefix("urn:uuid:"))
    }

    @Test func aTypeWithoutIdentifiersGetsATag() async throws {
        let (json, condition) = try await sent(.create(Binary { $0.contentType = "text/plain" }))
        guard case .object(let meta)? = json["meta"], case .array(let tags)? = meta["tag"], case .object(let tag)? = tags.first else {
            throw CancellationError()
        }
        #expect(condition == "_tag=urn:firelite:outbox%7C\(tag["code"]?.text ?? "")" && json["identifier"] == nil)
    }

    @Test func anAppMayLeaveItOut() async throws {
        let (json, condition) = try await sent(.create(numbered(1)), marks: false)
        #expect(condition == nil && json["identifier"] == nil)
    }

    @Test func twoCreatesOfOneResourceAreTwo() async throws {
        let server = OutboxServerStub()
        let outbox = try outbox(server)
        for _ in 0..<2 { try await outbox.enqueue(.create(numbered(1))) }
        try await outbox.flush()
        #expect(server.numbers == [1, 1])
    }
}
