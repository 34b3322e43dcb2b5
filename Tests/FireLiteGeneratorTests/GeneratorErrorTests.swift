import Foundation
import Testing

@testable import FireLiteGenerator

struct GeneratorErrorTests {
    /// Foundation shows the message with its place.
    @Test func localizedDescriptionIsTheMessage() {
        let error: any Error = GeneratorError("no key `a` here", at: SourceLocation(file: "a.tmpl", line: 2, column: 3))
        #expect(error.localizedDescription == "a.tmpl:2:3: no key `a` here")
        #expect(error.localizedDescription == "\(error)")
    }
}
