import FireLiteR4
import FireLiteSync
import Foundation
import Testing

@Suite struct BundleTests {
    private static let answer = """
        {"resourceType":"Bundle","type":"transaction-response","entry":[
        {"response":{"status":"201 Created","location":"Patient/7/_history/1","etag":"W/\\"1\\"","lastModified":"2024-01-02T03:04:05Z"}},
        {"resource":{"resourceType":"Patient","id":"8","meta":{"versionId":"5"}},"response":{"status":"200"}},
        {"response":{"status":"412","outcome":{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"conflict"}]}}},
        {"response":{"status":"204"}}]}
        """

    private func entries() throws -> [FHIRBundleEntry] {
        [
            FHIRBundleEntry(.create(Patient(), ifNoneExist: ["identifier": "a\"b"]), fullUrl: "urn:uuid:1"),
            FHIRBundleEntry(try .update(Patient { $0.id = "8" }, ifMatch: "4")),
            FHIRBundleEntry(try .patch("Patient", id: "9", json: Data("[]".utf8))),
            FHIRBundleEntry(try .delete("Patient", where: ["identifier": "x y"])),
        ]
    }

    @Test func entriesBecomeABundleAndItsAnswerResults() async throws {
        let server = StubServer { _, _ in .json(Self.answer) }
        let results = try await testClient(server).submit(try entries(), as: .transaction)
        let request = server.requests[0]
        #expect(request.method == .post && request.url.absoluteString == "https://fhir.example.org/base")
        let bundle = try FHIRJSON.decode(Bundle.self, from: request.body ?? Data())
        #expect(bundle.type == .transaction && bundle.entry.count == 4)
        #expect(bundle.entry[0].fullUrl == "urn:uuid:1" && bundle.entry[0].request?.ifNoneExist == "identifier=a%22b")
        #expect(bundle.entry[1].request?.ifMatch == "W/\"4\"" && bundle.entry[1].request?.url == "Patient/8")
        let patch = try #require(bundle.entry[2].resource as? Binary)
        #expect(patch.contentType?.description.contains("json-patch") == true && bundle.entry[2].request?.method == .patch)
        #expect(bundle.entry[3].request?.url == "Patient?identifier=x%20y" && bundle.entry[3].resource == nil)
        #expect(results.map(\.status) == [201, 200, 412, 204] && results.map(\.isSuccess) == [true, true, false, true])
        #expect(results[0].id == "7" && results[0].version == "1" && results[0].typeName == "Patient")
        #expect(results[1].id == "8" && results[1].version == "5" && results[1].resource != nil)
        #expect(results[2].issues.map(\.code) == ["conflict"])
    }

    @Test func anAnswerWithAnotherNumberOfEntriesIsAnError() async throws {
        let server = StubServer { _, _ in .json(Self.answer) }
        await #expect(throws: FHIRClientError.self) { try await testClient(server).submit(Array(try entries().dropLast()), as: .batch) }
        let none = StubServer { _, _ in .json(#"{"resourceType":"Bundle","type":"batch-response","entry":[{"fullUrl":"x"}]}"#) }
        await #expect(throws: FHIRClientError.self) { try await testClient(none).submit([try entries()[3]], as: .batch) }
        // Without a type it is no response.
        let untyped = StubServer { _, _ in .json(#"{"resourceType":"Bundle","entry":[{"response":{"status":"204"}}]}"#) }
        let error = await #expect(throws: FHIRClientError.self) { try await testClient(untyped).submit([try entries()[3]], as: .batch) }
        #expect(error?.code == .invalidResponse)
    }

    /// A status has three digits, and an OperationOutcome with an error contradicts it.
    @Test(arguments: ["2000", "20", "", "OK", "999"]) func aStatusThatIsNoneOfHTTPIsNoAnswer(status: String) async throws {
        let server = StubServer { _, _ in
            .json(#"{"resourceType":"Bundle","type":"batch-response","entry":[{"response":{"status":"\#(status)"}}]}"#)
        }
        let error = await #expect(throws: FHIRClientError.self) { try await testClient(server).submit([try entries()[3]], as: .batch) }
        #expect(error?.code == .invalidResponse)
    }

    @Test(arguments: ["error", "fatal", "warning"]) func anOutcomeWithAnErrorIsNoSuccess(severity: String) async throws {
        let outcome = #"{"resourceType":"OperationOutcome","issue":[{"severity":"\#(severity)","code":"processing"}]}"#
        for entry in [#"{"response":{"status":"200","outcome":\#(outcome)}}"#, #"{"resource":\#(outcome),"response":{"status":"200"}}"#] {
            let server = StubServer { _, _ in .json(#"{"resourceType":"Bundle","type":"batch-response","entry":[\#(entry)]}"#) }
            let results = try await testClient(server).submit([try entries()[3]], as: .batch)
            #expect(results.map(\.isSuccess) == [severity == "warning"] && results[0].issues.map(\.severity) == [severity])
        }
    }

    /// A typed Bundle is answered with the response to its kind.
    @Test func aTypedBundleIsAnsweredWithItsResponse() async throws {
        let server = StubServer { _, _ in .json(Self.answer) }
        let error = await #expect(throws: FHIRClientError.self) { try await testClient(server).submit(Bundle { $0.type = .batch }) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func aBundleIsRepeatedOnlyIfItsEntriesMayBe() async throws {
        let puts = [FHIRBundleEntry(try .update(Patient { $0.id = "1" }))]
        let posts = [FHIRBundleEntry(.create(Patient()))]
        for (entries, isRepeatable, count) in [(puts, nil, 2), (posts, nil, 1), (posts, true, 2), (puts, false, 1)]
            as [([FHIRBundleEntry], Bool?, Int)]
        {
            let server = StubServer { _, number in
                if number == 0 { throw HTTPTransportError(.connectionLost, "gone") }
                return .json(#"{"resourceType":"Bundle","type":"transaction-response","entry":[{"response":{"status":"200"}}]}"#)
            }
            let client = try testClient(server)
            do { _ = try await client.submit(entries, as: .transaction, isRepeatable: isRepeatable) } catch is FHIRClientError {}
            #expect(server.requests.count == count)
        }
    }

    @Test func typedBundlesAreSent() async throws {
        let server = StubServer { _, _ in .json(Self.answer) }
        let bundle = Bundle { $0.type = .transaction }
        let answer = try await testClient(server).submit(bundle)
        #expect(answer.entry.count == 4 && answer.type == .transactionResponse)
    }

    @Test func operationsOfServersTypesAndResources() async throws {
        let server = StubServer { _, number in
            number == 3
                ? HTTPResponse(204)
                : .json(#"{"resourceType":"OperationOutcome","issue":[{"severity":"information","code":"informational"}]}"#)
        }
        let client = try testClient(server)
        let outcome = try await client.operation("$validate", on: .type(Patient.self), Patient())
        #expect(outcome is OperationOutcome)
        _ = try await client.operation("lastn", on: .type(Observation.self), query: ["max": "3"])
        _ = try await client.operation("graph", on: .resource(Patient.self, id: "1"))
        #expect(try await client.operation("$reindex") == nil)
        #expect(
            server.requests.map { "\($0.method) \($0.url.path)\($0.url.query.map { "?" + $0 } ?? "")" } == [
                "POST /base/Patient/$validate", "GET /base/Observation/$lastn?max=3", "GET /base/Patient/1/$graph", "GET /base/$reindex",
            ])
        await #expect(throws: FHIRClientError.self) { try await client.operation("../x") }
    }
}
