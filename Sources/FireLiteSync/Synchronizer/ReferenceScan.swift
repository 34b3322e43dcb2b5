import FireLite
import FireLiteCore
import Foundation

/// The references in JSON that the library wrote, found without decoding it.
///
/// That JSON has no white space, and a quotation mark in a text has a backslash before it, so what looks like the member is the member.
enum ReferenceScan {
    /// What JSON has in it.
    struct Findings {
        /// The resources that it refers to by type and id.
        private(set) var keys: [SyncKey] = []
        /// The same as a set, once there are many.
        private var many: Set<SyncKey> = []
        /// Whether it has addresses that only this store understands: by UUID, `urn:uuid:…`, or of a payload that is kept apart, `blob:…`.
        var isLocal = false

        mutating func add(_ key: SyncKey) {
            if keys.count < 32 {
                if !keys.contains(key) { keys.append(key) }
                return
            }
            if many.isEmpty { many = Set(keys) }
            if many.insert(key).inserted { keys.append(key) }
        }
    }

    private static let member = Array("\"reference\":\"".utf8)
    private static let uuid = Array("urn:uuid:".utf8)
    private static let payloads = PayloadKeeping.referenceStarts.map { Array($0) }

    /// The resources that JSON refers to by type and id.
    ///
    /// - Parameter base: the server's base address: references that begin with it count too.
    static func keys(in json: String, base: String) -> [SyncKey] {
        var json = json
        return json.withUTF8 { findings(in: $0, base: base).keys }
    }

    /// - Parameter base: the server's base address: references that begin with it count too.
    static func findings(in json: Data, base: String) -> Findings {
        json.withUnsafeBytes { raw in raw.withMemoryRebound(to: UInt8.self) { findings(in: $0, base: base) } }
    }

    /// Whether JSON refers to payloads that are kept apart.
    static func hasPayload(_ json: String) -> Bool {
        var json = json
        return json.withUTF8 { bytes in
            guard let address = bytes.baseAddress else { return false }
            var position = 0
            while let colon = nextColon(in: bytes, from: position) {
                if isPayload(address, colon, bytes.count) { return true }
                position = colon + 1
            }
            return false
        }
    }

    /// In one pass from colon to colon: what is looked for has one.
    static func findings(in bytes: UnsafeBufferPointer<UInt8>, base: String) -> Findings {
        var findings = Findings()
        guard let address = bytes.baseAddress else { return findings }
        var position = 0
        while let colon = nextColon(in: bytes, from: position), colon + 1 < bytes.count {
            position = colon + 1
            switch bytes[colon + 1] {
            case UInt8(ascii: "\""):
                guard isEqual(address, start: colon + 2 - member.count, count: bytes.count, text: member) else { continue }
                let start = colon + 2
                position = start
                while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
                    position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position = min(position, bytes.count)
                note(String(decoding: bytes[start..<position], as: UTF8.self), base, &findings)
            case UInt8(ascii: "u"): if isEqual(address, start: colon - 3, count: bytes.count, text: uuid) { findings.isLocal = true }
            case UInt8(ascii: "s"), UInt8(ascii: "h"): if isPayload(address, colon, bytes.count) { findings.isLocal = true }
            default: continue
            }
        }
        return findings
    }

    private static func note(_ reference: String, _ base: String, _ findings: inout Findings) {
        let parts = ReferenceParts(reference)
        if reference.hasPrefix("urn:uuid:") { findings.isLocal = true }
        guard let type = parts.type, let id = parts.id, parts.base == nil || parts.base == base else { return }
        findings.add(SyncKey(typeName: type, id: id))
    }

    private static func nextColon(in bytes: UnsafeBufferPointer<UInt8>, from position: Int) -> Int? {
        guard let address = bytes.baseAddress, position < bytes.count,
            let found = memchr(address + position, Int32(UInt8(ascii: ":")), bytes.count - position)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(address)
    }

    /// Whether the colon is the first one of a reference to a payload.
    private static func isPayload(_ address: UnsafePointer<UInt8>, _ colon: Int, _ count: Int) -> Bool {
        // A quotation mark and four letters come before it.
        payloads.contains { isEqual(address, start: colon - 5, count: count, text: $0) }
    }

    private static func isEqual(_ address: UnsafePointer<UInt8>, start: Int, count: Int, text: [UInt8]) -> Bool {
        guard start >= 0, start + text.count <= count else { return false }
        return text.withUnsafeBufferPointer { memcmp(address + start, $0.baseAddress ?? address, text.count) == 0 }
    }

    /// The JSON with other references: relative ones, those under the server's base address, and those to a version.
    ///
    /// - Parameters:
    ///   - texts: the new text of references, by the resource.
    ///   - base: the server's base address.
    static func replacing(_ texts: [SyncKey: String], in json: String, base: String) -> String {
        guard !texts.isEmpty else { return json }
        let bytes = Array(json.utf8)
        var result: [UInt8] = []
        var copied = 0
        var position = 0
        bytes.withUnsafeBufferPointer { buffer in
            guard let address = buffer.baseAddress else { return }
            while let colon = nextColon(in: buffer, from: position), colon + 1 < buffer.count {
                position = colon + 1
                guard isEqual(address, start: colon + 2 - member.count, count: buffer.count, text: member) else { continue }
                let start = colon + 2
                position = start
                while position < buffer.count, buffer[position] != UInt8(ascii: "\"") {
                    position += buffer[position] == UInt8(ascii: "\\") ? 2 : 1
                }
                position = min(position, buffer.count)
                let parts = ReferenceParts(String(decoding: buffer[start..<position], as: UTF8.self))
                guard let type = parts.type, let id = parts.id, parts.base == nil || parts.base == base,
                    let text = texts[SyncKey(typeName: type, id: id)]
                else { continue }
                result += buffer[copied..<start]
                result += text.utf8
                copied = position
            }
        }
        return copied == 0 ? json : String(decoding: result + bytes[copied...], as: UTF8.self)
    }
}
