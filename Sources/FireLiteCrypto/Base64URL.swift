import Foundation

extension Data {
    /// base64url without padding (RFC 7515, appendix C).
    package var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads base64url without padding; nil for anything else.
    package init?(base64URL text: some StringProtocol) {
        guard text.utf8.count % 4 != 1,
            text.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            })
        else { return nil }
        var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        self.init(base64Encoded: base64)
        // The bits after the last byte must be zero, so that a value has one form.
        guard self.base64URL == text else { return nil }
    }
}
