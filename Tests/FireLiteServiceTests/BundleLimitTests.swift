import FireLite
import FireLiteCore
import FireLiteReleases
import FireLiteService
import FireLiteTrust
import Foundation
import TestSupport
import Testing

/// What batches and transactions cost and leave behind.
@Suite struct BundleLimitTests {
    private static let patient = #"{"resourceType":"Patient","id":"a","name":[{"family":"\#(String(repeating: "x", count: 1_000))"}]}"#

    private func bundle(_ type: String, _ entries: [String]) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    private func get(_ url: String) -> String { #"{"request":{"method":"GET","url":"\#(url)"}}"# }

    private func statuses(_ reply: ServiceSample.Reply) -> [String] {
        reply.entries.map { String($0["response"]?["status"]?.text?.prefix(3) ?? "") }
    }

    // MARK: - Size

    @Test func answersHaveALimit() async throws {
        let sample = try ServiceSample("R4", Self.patient) { $0.limits.answerBytes = 3_500 }
        let search = get("Patient?_id=a")
        let batch = await sample.send(.post, "", bundle("batch", [search, get("Patient/a"), search, search, search]))
        #expect(statuses(batch) == ["200", "200", "413", "413", "413"] && batch.text.utf8.count < 8_000, "\(batch.text)")
        #expect(batch.entries.last?["response"]?["outcome"]?["issue"]?.items.first?["code"]?.text == "too-costly")
        let reads = await sample.send(.post, "", bundle("transaction", [search, search, search, search]))
        #expect(reads.status == 413 && reads.issue == "too-costly")
        let create = #"{"resource":{"resourceType":"Patient","id":"b"},"request":{"method":"PUT","url":"Patient/b"}}"#
        #expect(await sample.send(.post, "", bundle("transaction", [create, search, search, search, search])).status == 413)
        #expect(await sample.get("/Patient/b").status == 404)
    }

    @Test func whatIsWrittenIsSaidWithoutItsResourceIfThatIsTooLong() async throws {
        let sample = try ServiceSample("R4") { $0.limits.answerBytes = 2_500 }
        let create = #"{"resource":\#(Self.patient),"request":{"method":"POST","url":"Patient"}}"#
        for type in ["batch", "transaction"] {
            let reply = await sample.send(.post, "", bundle(type, Array(repeating: create, count: 4)), ["Prefer": "return=representation"])
            #expect(statuses(reply) == ["201", "201", "201", "201"], "\(reply.text)")
            #expect(reply.entries.map { $0["resource"] != nil } == [true, true, false, false], "\(type)")
        }
    }

    @Test func pagesAndHistoriesHaveALimit() async throws {
        let sample = try ServiceSample("R4", Self.patient, Self.patient.replacing(#""a""#, with: #""b""#)) { $0.limits.answerBytes = 1_500 }
        for path in ["/Patient?_count=1", "/Patient?_count=1&_elements=name", "/_history?_count=1", "/Patient/a"] {
            #expect(await sample.get(path).status == 200, "\(path)")
        }
        for path in ["/Patient", "/Patient?_elements=name", "/Patient?_pretty=true", "/_history"] {
            let reply = await sample.get(path)
            #expect(reply.status == 413 && reply.issue == "too-costly", "\(path)")
        }
    }

    // MARK: - Turns

    @Test func whatOnlyReadsTakesNoTurnToWrite() async throws {
        let folder = try TemporaryFolder()
        let release = try #require(FHIRRelease.bundled("R4"))
        let store = try FHIRStore(path: folder.file("a.sqlite"), release: release)
        var configuration = FHIRService.Configuration()
        configuration.base = ServiceSample.base
        configuration.limits.time = .seconds(5)
        let sample = ServiceSample(try FHIRService(store: store, configuration: configuration))
        #expect(await sample.send(.put, "/Patient/a", #"{"resourceType":"Patient","id":"a"}"#).status == 201)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let writing = Task {
            try await store.write { _ in
                begun.signal()
                goOn.wait()
            }
        }
        await Task.detached { Self.wait(begun) }.value
        for type in ["batch", "transaction"] {
            let reply = await sample.send(.post, "", bundle(type, [get("Patient/a"), get("Patient?_id=a")]))
            #expect(statuses(reply) == ["200", "200"], "\(reply.text)")
        }
        goOn.signal()
        try await writing.value
    }

    private static func wait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    // MARK: - Audit

    @Test func eachEntryLeavesARow() async throws {
        let sample = try ServiceSample("R4", Self.patient)
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        var last: Int64 = 0
        func rows() throws -> [String] {
            let entries = try sample.store.blocking { store in try store.read { try $0.auditEntries(after: last) } }
            last = entries.last?.number ?? last
            return entries.map { entry in
                let access = entry.access
                return "\(access.action.rawValue) \(access.typeName ?? "-")/\(access.id ?? "-") \(access.outcome.rawValue)"
            }
        }
        _ = try rows()
        func expect(_ expected: [String], _ method: HTTPMethod, _ path: String, _ body: String, _ fields: HTTPFields = [:]) async throws {
            let reply = await sample.send(method, path, body, fields)
            #expect(try rows() == expected, "\(method) \(path) \(body.prefix(200)): \(reply.status)")
        }
        let put = #"{"resource":\#(Self.patient),"request":{"method":"PUT","url":"Patient/a"}}"#
        let fresh = #"{"resource":{"resourceType":"Patient","id":"b"},"request":{"method":"PUT","url":"Patient/b"}}"#
        let refused = #"{"resource":{"resourceType":"Patient"},"request":{"method":"PUT","url":"Patient/c"}}"#
        let reads = ["R Patient/a 0", "R Patient/- 0"]
        for type in ["batch", "transaction"] {
            try await expect(reads, .post, "", bundle(type, [get("Patient/a"), get("Patient?_id=a")]))
        }
        try await expect(["U -/- 4", "R Patient/none 4"], .post, "", bundle("batch", [refused, get("Patient/none")]))
        try await expect(["C Patient/b 0", "R Patient/a 0"], .post, "", bundle("transaction", [fresh, get("Patient/a")]))
        try await expect(["U Patient/a 0"], .post, "", bundle("transaction", [put]))
        try await expect(["U Patient/a 0"], .post, "", bundle("batch", [put]))
        try await expect(["C -/- 0"], .post, "", #"{"resourceType":"Bundle","type":"batch"}"#)
        try await expect(["C -/- 4"], .post, "", bundle("transaction", [get("Patient/none")]))
        try await expect(
            ["C Patient/- 0"], .post, "/Patient", #"{"resourceType":"Patient"}"#, ["If-None-Exist": "_id=a"])
        try await expect(["U Patient/a 0"], .patch, "/Patient/a", "[]", ["Content-Type": "application/json-patch+json"])
        try await expect(["D Patient/none 0"], .delete, "/Patient/none", "")
        try await expect(["D Patient/b 0"], .delete, "/Patient/b", "")
    }
}
