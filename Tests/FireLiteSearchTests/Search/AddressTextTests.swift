import Foundation
import TestSupport
import Testing

@testable import FireLiteSearch

/// Percent encoding, beside that of Foundation.
@Suite struct AddressTextTests {
    private static let pieces = [
        "a", "Z", "0", "-", "_", ".", "~", ":", "/", ",", "$", "*", " ", "+", "%", "&", "=", "#", "?", "\"", "|", "\\", "é", "日本", "👩‍👧",
        "\u{0}",
        "\u{7F}", "%4", "%41", "%e9", "%C3%A9", "%zz", "%00",
    ]

    @Test(arguments: [1, 2, 3] as [UInt64]) func textsAreEncodedAndDecodedAsByFoundation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~:/,$*")
        for _ in 0..<2_000 {
            let text = (0..<random.int(0...8)).map { _ in Self.pieces[random.int(0...Self.pieces.count - 1)] }.joined()
            let encoded = AddressText.encoded(text)
            #expect(encoded == text.addingPercentEncoding(withAllowedCharacters: allowed), "seed \(seed): \(text)")
            #expect(AddressText.decoded(encoded[...]) == text && AddressText.decoded(encoded[...], isForm: true) == text)
            #expect(AddressText.decoded(text[...]) == text.removingPercentEncoding, "seed \(seed): \(text)")
            #expect(
                AddressText.decoded(text[...], isForm: true) == text.replacing("+", with: " ").removingPercentEncoding,
                "seed \(seed): \(text)")
        }
    }
}
