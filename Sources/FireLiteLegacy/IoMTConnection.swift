import FireLiteCore
import FireLiteCrypto
import FireLiteSamples
import Foundation

/// The address and the key of an event hub, from its connection string. Its description shows no key.
struct IoMTConnection: Sendable, CustomStringConvertible {
    /// How long a signature is valid, in seconds.
    static let validity = 3_600

    let host: String
    let path: String
    let keyName: String
    private let key: SecretData
    /// Where events are posted.
    let url: URL

    var description: String { "https://\(host)/\(path)" }

    /// Reads `Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…;EntityPath=…`.
    ///
    /// - Throws: `SampleError.invalidArgument`.
    init(_ text: String, base: URL?) throws {
        var parts: [String: String] = [:]
        for part in text.split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            parts[part[..<equals].lowercased()] = String(part[part.index(after: equals)...])
        }
        func value(_ name: String) throws -> String {
            guard let value = parts[name.lowercased()], !value.isEmpty else {
                throw SampleError(.invalidArgument, "the connection string has no \(name): copy it from the settings of the event hub")
            }
            return value
        }
        let endpoint = try value("Endpoint")
        guard let host = URL(string: endpoint)?.host else {
            throw SampleError(.invalidArgument, "the connection string's Endpoint is not an address that begins with sb://")
        }
        self.host = host
        path = try value("EntityPath")
        keyName = try value("SharedAccessKeyName")
        key = SecretData(Data(try value("SharedAccessKey").utf8))
        let place = base.map { $0.absoluteString } ?? "https://\(host)"
        guard
            let url = URL(string: "\(place)/\(path.split(separator: "/").map { Self.encoded(String($0)) }.joined(separator: "/"))/messages")
        else {
            throw SampleError(.invalidArgument, "the connection string's EntityPath is not valid in an address")
        }
        self.url = url
    }

    /// The value of the field Authorization: a shared access signature that is valid for an hour.
    func authorization(at now: Date) -> String {
        let resource = Self.encoded("https://\(host)/\(path)")
        let expiry = Int(now.timeIntervalSince1970) + Self.validity
        let code = HashAlgorithm.sha256.authenticationCode(of: Data("\(resource)\n\(expiry)".utf8), key: key)
        let signature = Self.encoded(code.base64EncodedString())
        return "SharedAccessSignature sr=\(resource)&sig=\(signature)&se=\(expiry)&skn=\(Self.encoded(keyName))"
    }

    /// Percent-encodes everything that RFC 3986 does not leave as it is.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, 45, 46, 95, 126: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
