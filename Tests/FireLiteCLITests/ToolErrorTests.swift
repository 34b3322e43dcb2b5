import FireLite
import Foundation
import Testing

@testable import FireLiteCLI

@Suite struct ToolErrorTests {
    /// Foundation shows the tool's own messages.
    @Test func localizedDescriptionIsTheMessage() {
        let fault = ImportFault(file: "a.ndjson", line: 3, reason: "expected a number")
        for error in [ToolError.usage("unknown option --x"), fault] as [any Error & CustomStringConvertible] {
            #expect(error.localizedDescription == error.description)
        }
        #expect(fault.localizedDescription == "a.ndjson: line 3, expected a number")
    }
}
