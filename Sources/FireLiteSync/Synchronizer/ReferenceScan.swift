import FireLiteCore
import Foundation

/// The references in JSON that the library wrote, found without decoding it.
///
/// That JSON has no white space, and a quotation mark in a text has a backslash before it, so what looks like the member is the member.
enum ReferenceScan {
    private static let member = Array("\"reference\":\"".utf8)

    /// The resources that JSON refers to by type and id.
    ///
    /// - Parameter base: the server's base address: references that begin with it count too.
    static func keys(in json: String, base: String) -> [SyncKey] {
        var keys: [SyncKey] = []
        forEach(in: json) { text in
            let parts = ReferenceParts(text)
            guard let type = parts.type, let id = parts.id, parts.base == nil || parts.base == base else { return }
            let key = SyncKey(typeName: type, id: id)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    /// Whether JSON has an address by UUID, `urn:uuid:…`.
    static func hasUUID(_ json: String) -> Bool {
        var json = json
        return json.withUTF8 { bytes in
            guard let address = bytes.baseAddress else { return false }
            var position = 0
            while let found = memchr(address + position, Int32(UInt8(ascii: ":")), bytes.count - position) {
                let colon = UnsafeRawPointer(found) - UnsafeRawPointer(address)
                position = colon + 1
                let start = colon - 3
                guard start >= 0, start + scheme.count <= bytes.count else { continue }
                let isScheme = scheme.withUnsafeBufferPointer {
                    memcmp(address + start, $0.baseAddress ?? address, scheme.count) == 0
                }
                if isScheme { return true }
            }
            return false
        }
    }

    private static let scheme = Array("urn:uuid:".utf8)

    private static func forEach(in json: String, _ body: (String) -> Void) {
        var json = json
        json.withUTF8 { bytes in
            var position = 0
            while let start = find(bytes, from: position) {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
                body(String(decoding: bytes[start..<min(end, bytes.count)], as: UTF8.self))
                position = min(end, bytes.count)
            }
        }
    }

    /// The place after the next member name and the quotation mark of its value.
    private static func find(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let address = bytes.baseAddress else { return nil }
        var position = start
        while position < bytes.count {
            guard let found = memchr(address + position, Int32(UInt8(ascii: ":")), bytes.count - position) else { return nil }
            let colon = UnsafeRawPointer(found) - UnsafeRawPointer(address)
            position = colon + 2
            guard colon >= member.count - 2, position <= bytes.count else { continue }
            let isMember = member.withUnsafeBufferPointer {
                memcmp(address + position - member.count, $0.baseAddress ?? address, member.count) == 0
            }
            if isMember { return position }
        }
        return nil
    }

    /// The JSON with other references.
    ///
    /// - Parameter texts: the new text of references, by the old one.
    static func replacing(_ texts: [String: String], in json: String) -> String {
        var json = json
        for (old, new) in texts {
            json = json.replacingOccurrences(of: "\"reference\":\"\(old)\"", with: "\"reference\":\"\(new)\"")
        }
        return json
    }
}
