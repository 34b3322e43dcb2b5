import FireLiteCore
import FireLiteCrypto
import FireLiteKnowledge
import FireLiteR4
import FireLiteReleases
import Foundation
import TestSupport
import Testing

/// What an attachment says of its content is compared with the content.
@Suite struct AttachmentTests {
    private static func issues(
        _ attachment: String, _ release: FHIRRelease = .r4, sha1: (@Sendable (Data) -> Data)? = { HashAlgorithm.sha1.digest(of: $0) }
    ) throws -> [ValidationIssue] {
        let text = #"{"resourceType":"Patient","photo":[\#(attachment)]}"#
        var validator = FHIRValidator(knowledge: Knowledge(release: release))
        validator.sha1 = sha1
        return validator.validate(try FHIRJSON.resource(from: Data(text.utf8), release: release)).filter { $0.messageID == .attachment }
    }

    private static func attachment(_ content: Data, size: Int, hash: String) -> String {
        #"{"contentType":"image/png","data":"\#(content.base64EncodedString())","size":\#(size),"hash":"\#(hash)"}"#
    }

    @Test func aSizeOrAHashOfOtherContentIsAnError() throws {
        try withEvery(0..<40) { seed in
            var random = SeededGenerator(seed: seed)
            let content = Data((0..<random.int(1...200)).map { _ in UInt8(random.int(0...255)) })
            var other = content
            other[random.int(0...content.count - 1)] ^= UInt8(1 << random.int(0...7))
            let hash = HashAlgorithm.sha1.digest(of: content).base64EncodedString()
            let (isSize, isHash) = (random.percent(50), random.percent(50))
            let text = Self.attachment(
                content, size: isSize ? content.count : content.count + random.int(1...5),
                hash: isHash ? hash : HashAlgorithm.sha1.digest(of: other).base64EncodedString())
            let paths = Set(try Self.issues(text).filter { $0.severity == .error }.map(\.path))
            let expected = Set((isSize ? [] : ["Patient.photo[0].size"]) + (isHash ? [] : ["Patient.photo[0].hash"]))
            try #require(paths == expected, "\(text)")
        }
    }

    @Test func aHashOfAnotherLengthIsAWarning() throws {
        let digits = HashAlgorithm.sha1.digest(of: Data("abc".utf8)).map { String(format: "%02x", $0) }.joined()
        let found = try Self.issues(Self.attachment(Data("abc".utf8), size: 3, hash: digits))
        #expect(found.map(\.severity) == [.warning] && found.map(\.path) == ["Patient.photo[0].hash"])
    }

    @Test func withoutAFunctionHashesAreNotCompared() throws {
        let hash = Data(repeating: 1, count: 20).base64EncodedString()
        #expect(try Self.issues(Self.attachment(Data("abc".utf8), size: 3, hash: hash), sha1: nil).isEmpty)
        #expect(try Self.issues(Self.attachment(Data("abc".utf8), size: 3, hash: hash)).count == 1)
        // Of content elsewhere nothing is known.
        #expect(try Self.issues(#"{"contentType":"image/png","url":"http://a.org/a","hash":"\#(hash)","size":7}"#).isEmpty)
    }

    @Test func sizesOfR5AreTexts() throws {
        let release = try #require(FHIRRelease.bundled("R5"))
        let data = Data("abc".utf8).base64EncodedString()
        #expect(try Self.issues(#"{"contentType":"image/png","data":"\#(data)","size":"3"}"#, release).isEmpty)
        #expect(try Self.issues(#"{"contentType":"image/png","data":"\#(data)","size":"4"}"#, release).count == 1)
    }
}
