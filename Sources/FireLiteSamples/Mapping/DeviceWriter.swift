import FireLiteCore
import Foundation

/// Writes origins as the JSON of Devices: what the releases have in common, and names and versions where the release has them.
package enum DeviceWriter {
    package static func json(_ origin: SampleOrigin, id: String, release: FHIRRelease, hasID: Bool = true) -> [UInt8] {
        var members: [(name: String, json: String)] = [("resourceType", "\"Device\"")]
        if hasID { members.append(("id", JSONText.string(id))) }
        var identifiers = [identifier(SampleMapping.system, id)]
        if let bundle = origin[.bundleIdentifier] { identifiers.append(identifier(SampleMapping.system + ".bundle", bundle)) }
        if let udi = origin[.udi] { identifiers.append(identifier("urn:oid:2.16.840.1.113883.3.3719", udi)) }
        members.append(("identifier", JSONText.array(identifiers)))
        let facts = release.facts.device
        if facts.needsType { members.append(("type", "{\"text\":\"health data source\"}")) }
        if let maker = origin[.manufacturer] { members.append(("manufacturer", JSONText.string(maker))) }
        if let form = facts.names {
            let names = [(origin[.sourceName], "user-friendly-name"), (origin[.deviceName], form.model)].compactMap { name, type in
                name.map { JSONText.object([(form.text, JSONText.string($0)), ("type", JSONText.string(type))]) }
            }
            if !names.isEmpty { members.append((form.list, JSONText.array(names))) }
        }
        if let model = origin[.model] { members.append((facts.model, JSONText.string(model))) }
        let versions: [(SampleOrigin.Part, String)] = [
            (.systemVersion, "operating system"), (.sourceVersion, "app"), (.firmware, "firmware"), (.hardware, "hardware"),
            (.software, "software"),
        ]
        let known = versions.compactMap { part, name in origin[part].map { (name, $0) } }
        if !facts.hasTypedVersions, let first = known.first {
            members.append(("version", JSONText.string(first.1)))
        } else if facts.hasTypedVersions, !known.isEmpty {
            members.append(
                (
                    "version",
                    JSONText.array(
                        known.map { name, value in
                            JSONText.object([
                                ("type", JSONText.object([("text", JSONText.string(name))])), ("value", JSONText.string(value)),
                            ])
                        })
                ))
        }
        return [UInt8](JSONText.object(members).utf8)
    }

    /// The origin that a Device was written of, as far as it says.
    static func origin(_ json: JSONItem, release: FHIRRelease) -> SampleOrigin {
        let facts = release.facts.device
        var parts: [SampleOrigin.Part: String] = [:]
        for item in json["identifier"]?.items ?? [] {
            if item["system"]?.text == SampleMapping.system + ".bundle" { parts[.bundleIdentifier] = item["value"]?.text }
            if item["system"]?.text == "urn:oid:2.16.840.1.113883.3.3719" { parts[.udi] = item["value"]?.text }
        }
        parts[.manufacturer] = json["manufacturer"]?.text
        parts[.model] = json[facts.model]?.text
        if let form = facts.names {
            for item in json[form.list]?.items ?? [] {
                if item["type"]?.text == "user-friendly-name" { parts[.sourceName] = item[form.text]?.text }
                if item["type"]?.text == form.model { parts[.deviceName] = item[form.text]?.text }
            }
        }
        if facts.hasTypedVersions {
            let kinds: [String: SampleOrigin.Part] = [
                "operating system": .systemVersion, "app": .sourceVersion, "firmware": .firmware, "hardware": .hardware,
                "software": .software,
            ]
            for item in json["version"]?.items ?? [] {
                if let kind = item["type"]?["text"]?.text.flatMap({ kinds[$0] }) { parts[kind] = item["value"]?.text }
            }
        }
        return SampleOrigin(parts)
    }

    private static func identifier(_ system: String, _ value: String) -> String {
        JSONText.object([("system", JSONText.string(system)), ("value", JSONText.string(value))])
    }
}
