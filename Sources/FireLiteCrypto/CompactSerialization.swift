import FireLiteCore
import Foundation

/// The compact serialization of a JWS (RFC 7515, section 7.1).
package enum CompactSerialization {
    /// What is signed: the header and the payload, each in base64url.
    package static func signingInput(header: Data, payload: Data) -> Data { Data((header.base64URL + "." + payload.base64URL).utf8) }

    /// The header, the payload and the signature, joined by periods.
    ///
    /// - Throws: what `sign` throws.
    package static func text(header: Data, payload: Data, sign: (Data) throws -> Data) rethrows -> String {
        let input = signingInput(header: header, payload: payload)
        return String(decoding: input, as: UTF8.self) + "." + (try sign(input).base64URL)
    }
}
