import FireLiteR4
import FireLiteSync
import Foundation

/// The address of a server that exists only in memory.
let testBase = address("https://fhir.example.org/base")

func address(_ text: String) -> URL {
    guard let url = URL(string: text) else { preconditionFailure("\(text) is no address") }
    return url
}

func testClient(
    _ server: StubServer, base: URL = testBase, authorization: any Authorization = .none, clock: TestClock = TestClock(),
    _ change: (inout FHIRClient.Configuration) -> Void = { _ in }
) throws -> FHIRClient {
    var configuration = FHIRClient.Configuration()
    configuration.clock = clock.clock
    change(&configuration)
    return try FHIRClient(
        base: base, release: .r4, authorization: authorization, configuration: configuration, transport: server)
}

/// A client for one request, and the error that the server's answer becomes.
func clientError(_ response: HTTPResponse, _ body: (FHIRClient) async throws -> Void) async throws -> FHIRClientError? {
    let client = try testClient(StubServer { _, _ in response }) { $0.retry = .never }
    do { try await body(client) } catch let error as FHIRClientError { return error }
    return nil
}
