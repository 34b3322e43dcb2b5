import Foundation
import Testing

@testable import FireLiteClient
@testable import FireLiteSync

/// What is made of the parts of an answer, whatever passes them on.
@Suite struct HTTPReceptionTests {
    private func answer(_ method: HTTPMethod, _ status: Int, _ fields: HTTPFields, _ body: String) async throws -> Data {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let reception = HTTPReception(HTTPRequest(method, url), canWait: false)
        reception.receive(status: status, fields)
        if !body.isEmpty { #expect(reception.receive(Data(body.utf8))) }
        reception.finish(nil)
        return try await reception.whole(upTo: 1_000).body
    }

    /// An answer that ends early is an error even if the library below says that it ended well.
    @Test func anAnswerThatIsTooShortIsNone() async throws {
        for body in ["", "half", "eightchr"] {
            let error = await #expect(throws: HTTPTransportError.self) {
                try await answer(.get, 200, ["Content-Length": "9"], body)
            }
            #expect(error?.code == .connectionLost)
        }
        #expect(try await answer(.get, 200, ["Content-Length": "4"], "half") == Data("half".utf8))
        #expect(try await answer(.get, 200, [:], "half") == Data("half".utf8))
    }

    /// A length that is not that of the bytes that come says nothing about them.
    @Test func lengthsOfOtherThingsDoNotCount() async throws {
        #expect(try await answer(.head, 200, ["Content-Length": "9"], "").isEmpty)
        #expect(try await answer(.get, 304, ["Content-Length": "9"], "").isEmpty)
        #expect(try await answer(.get, 200, ["Content-Length": "9", "Content-Encoding": "gzip"], "half").count == 4)
        #expect(try await answer(.get, 200, ["Content-Length": "9", "Transfer-Encoding": "chunked"], "half").count == 4)
    }
}
