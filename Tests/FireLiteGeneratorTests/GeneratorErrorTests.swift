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

    /// No public error of any module is left to Foundation's "The operation could not be completed".
    @Test func everyPublicErrorIsLocalized() throws {
        var errors: [String] = []
        for folder in ["Sources", "Generator"] {
            for file in try FileTree.files(in: "\(Fixtures.package)/\(folder)") where file.path.hasSuffix(".swift") {
                let source = try SourceFile(path: "\(Fixtures.package)/\(folder)/\(file.path)")
                for line in String(decoding: source.bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("public ") {
                    let words = line.split { !$0.isLetter }
                    if words.contains("Error") || words.contains("LocalizedError") { errors.append(String(line)) }
                }
            }
        }
        #expect(errors.count >= 5 && errors.allSatisfy { $0.contains(": LocalizedError,") }, "\(errors)")
    }
}
