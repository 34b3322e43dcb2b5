import FireLiteCore
import Foundation
import Testing

/// A secret keeps its text or bytes, and shows them only where it is asked for them.
@Suite struct SecretValueTests {
    @Test func textsAndBytesAreKept() {
        for text in ["", "a", "pässword\n", String(repeating: "x", count: 1_000)] {
            let secret = Secret(text)
            #expect(secret.value == text && secret.bytes == Data(text.utf8))
            #expect(Secret(Data(text.utf8)) == secret && Secret(Array(text.utf8)) == secret)
        }
        #expect(Secret([0xFF, 0xFE]).bytes == Data([0xFF, 0xFE]))
    }

    @Test func equalSecretsAreEqualAndHashAlike() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<80 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let (one, two) = (Secret(bytes), Secret(Data(bytes)))
            #expect(one == two && one.hashValue == two.hashValue)
            #expect(one != Secret(bytes + [0]))
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(one != Secret(changed))
            }
        }
    }

    @Test func secretsAreShownNowhere() throws {
        let secret = Secret("hunter2")
        var text = ""
        dump([secret], to: &text)
        for form in [text, "\(secret)", String(reflecting: secret), "\(Optional(secret) as Any)"] {
            #expect(!form.contains("hunter2") && !form.contains("104"))
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func aTextIsEncodedAsItselfAndOtherBytesAreNot() throws {
        let secrets: [Secret] = ["a", "\"ä\"", ""]
        let json = try JSONEncoder().encode(secrets)
        #expect(try JSONDecoder().decode([String].self, from: json) == ["a", "\"ä\"", ""])
        #expect(try JSONDecoder().decode([Secret].self, from: json) == secrets)
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode([Secret([0xFF])]) }
        #expect(!"\(String(describing: error))".contains("255"))
    }

    @Test func tokensAreVisibleASCII() {
        for token in ["abc", "~!", "a.b-c_d"] { #expect(Secret(token).isToken) }
        for other in ["", "a b", "a\n", "ä", "\u{7F}"] { #expect(!Secret(other).isToken) }
    }
}
