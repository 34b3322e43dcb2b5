import FireLiteCrypto
import Foundation

/// The parts of a JWE in its compact form (RFC 7516, section 7.1).
struct JWEParts {
    let header: [String: JSONValue]
    let encryptedKey: Data
    let nonce: Data
    let ciphertext: Data
    let tag: Data
    /// What is authenticated with the content: the header as it was sent.
    let authenticated: Data

    init?(_ envelope: Data) {
        let parts = envelope.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 5, let text = String(data: Data(parts[0]), encoding: .utf8) else { return nil }
        let decoded = parts.map { Data(base64URL: String(decoding: $0, as: UTF8.self)) }
        guard let header = decoded[0], let key = decoded[1], let nonce = decoded[2], let ciphertext = decoded[3], let tag = decoded[4]
        else { return nil }
        do { self.header = try JSONDecoder().decode([String: JSONValue].self, from: header) } catch { return nil }
        encryptedKey = key
        self.nonce = nonce
        self.ciphertext = ciphertext
        self.tag = tag
        authenticated = Data(text.utf8)
    }
}
