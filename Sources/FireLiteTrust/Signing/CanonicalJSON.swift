import FireLite
import FireLiteCore
import Foundation

/// The canonical form of a JSON value for signatures: sorted and escaped as in RFC 8785, but with numbers as written, as the digits of a
/// FHIR decimal are part of its meaning.
enum CanonicalJSON {
    /// The canonical JSON of a resource, without `meta.versionId` and `meta.lastUpdated`, which servers and stores set.
    ///
    /// - Throws: ``TrustError/Code/malformed`` if the resource is nested too deeply.
    static func data(_ resource: FHIRResource) throws -> Data { try data(resource: JSONItem.read(FHIRJSON.data(resource))) }

    /// The same for a resource's JSON.
    static func data(resource: JSONItem) throws -> Data {
        let members = resource.members.compactMap { member -> JSONItem.Member? in
            guard member.name == "meta" else { return member }
            let kept = member.value.members.filter { !["versionId", "lastUpdated", "_versionId", "_lastUpdated"].contains($0.name) }
            return kept.isEmpty ? nil : JSONItem.Member(name: "meta", value: .object(kept))
        }
        return data(.object(members))
    }

    static func data(_ item: JSONItem) -> Data {
        var text = ""
        append(item, &text)
        return Data(text.utf8)
    }

    private static func append(_ item: JSONItem, _ text: inout String) {
        switch item.content {
        case .object(let members):
            text += "{"
            // RFC 8785 sorts by UTF-16 code units.
            for (index, member) in members.sorted(by: { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }).enumerated() {
                if index > 0 { text += "," }
                text += JSONText.string(member.name, .short)
                text += ":"
                append(member.value, &text)
            }
            text += "}"
        case .array(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += "," }
                append(item, &text)
            }
            text += "]"
        case .string(let string): text += JSONText.string(string, .short)
        case .number, .bool, .null: text += item.json
        }
    }
}

extension JSONItem {
    /// Reads a value strictly.
    ///
    /// - Throws: ``TrustError/Code/malformed``.
    static func read(_ data: Data) throws -> JSONItem {
        do throws(JSONItemError) { return try JSONItemReader.read(data) } catch {
            throw TrustError(.malformed, "there is no valid JSON at byte \(error.offset)")
        }
    }
}
