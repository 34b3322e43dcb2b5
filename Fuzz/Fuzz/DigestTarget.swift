import Foundation

@testable import FireLiteGenerator

/// The digest reader and writer: what reads is written and reads again, and then writes the same bytes.
enum DigestTarget {
    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let release: ReleaseDefinition
        do {
            release = try DigestReader.read(SourceFile(name: "fuzz", bytes: Array(bytes)))
        } catch is GeneratorError {
            return
        }
        let text = DigestWriter.text(of: release)
        let again = try DigestReader.read(SourceFile(name: "fuzz", bytes: Array(text.utf8)))
        require(Array(DigestWriter.text(of: again).utf8) == Array(text.utf8), "a digest does not stay itself")
        _ = NamingPass.name(release)
    }
}
