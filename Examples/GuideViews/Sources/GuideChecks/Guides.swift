import FireLiteCore
import FireLiteKnowledge
import FireLiteR4
import Foundation

/// The definitions of the guides, for random values that their bindings allow.
final class Guides {
    let knowledge = Knowledge(release: .r4)
    private(set) var examples: [(name: String, data: Data)] = []
    private var elements: [String: [String: [String: Any]]] = [:]
    private var types: [String: String] = [:]
    private var codes: [String: [(system: String?, code: String)]] = [:]
    private var listed: [String: [(system: String?, code: String)]] = [:]
    private var terminology = Terminology(release: .r4)

    /// Reads packages that are unpacked: folders with `package/package.json`.
    init(_ folders: [String]) throws {
        for folder in folders {
            try knowledge.addPackage(at: URL(fileURLWithPath: folder))
            let package = URL(fileURLWithPath: folder).appendingPathComponent("package")
            for name in try FileManager.default.contentsOfDirectory(atPath: package.path).sorted() where name.hasSuffix(".json") {
                let data = try Data(contentsOf: package.appendingPathComponent(name))
                if name.hasPrefix("ValueSet-") || name.hasPrefix("CodeSystem-") { try terminology.add(contentsOf: data) }
                if name.hasPrefix("ValueSet-") { try list(data) }
                guard let json = try JSONSerialization.jsonObject(with: data) as? [String: Any], let url = json["url"] as? String,
                    let snapshot = json["snapshot"] as? [String: Any], let list = snapshot["element"] as? [[String: Any]]
                else { continue }
                types[url] = json["type"] as? String
                elements[url] = Dictionary(list.map { ($0["id"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first })
            }
            let examples = package.appendingPathComponent("example")
            for name in try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted() where name.hasSuffix(".json") {
                self.examples.append((name, try Data(contentsOf: examples.appendingPathComponent(name))))
            }
        }
    }

    /// Keeps the codes that a value set lists, for systems that are in no package.
    private func list(_ data: Data) throws {
        guard let json = try JSONSerialization.jsonObject(with: data) as? [String: Any], let url = json["url"] as? String,
            let compose = json["compose"] as? [String: Any]
        else { return }
        for include in compose["include"] as? [[String: Any]] ?? [] {
            for concept in include["concept"] as? [[String: Any]] ?? [] {
                listed[url, default: []].append((include["system"] as? String, concept["code"] as? String ?? ""))
            }
        }
    }

    /// What a profile's snapshot says about an element; of an extension, about its value.
    func element(_ id: String, of profile: String) -> [String: Any]? {
        let found = elements[profile]?[id]
        if let value = elements[profile]?[id + ".value[x]"] { return value }
        if let types = found?["type"] as? [[String: Any]], let url = (types.first?["profile"] as? [String])?.first,
            self.types[url] == "Extension"
        {
            return elements[url]?["Extension.value[x]"]
        }
        return found ?? slicedElement(id, of: profile)
    }

    /// The element without the names of slices.
    private func slicedElement(_ id: String, of profile: String) -> [String: Any]? {
        let plain = id.split(separator: ".").map { $0.prefix { $0 != ":" } }.joined(separator: ".")
        return elements[profile]?[plain]
    }

    /// The keys of an element's constraints.
    func constraints(_ id: String, of profile: String) -> [String] {
        (elements[profile]?[id]?["constraint"] as? [[String: Any]] ?? []).compactMap { $0["key"] as? String }
    }

    func minimum(_ id: String, of profile: String) -> Int? { elements[profile]?[id]?["min"] as? Int }

    /// The codes that an element's binding allows, if they are known and few.
    func codes(_ id: String, of profile: String) -> [(system: String?, code: String)] {
        guard let binding = element(id, of: profile)?["binding"] as? [String: Any], let url = binding["valueSet"] as? String,
            ["required", "extensible"].contains(binding["strength"] as? String)
        else { return [] }
        if let known = codes[url] { return known }
        var found = (try? terminology.codes(inValueSet: url)).flatMap { $0 } ?? []
        if found.isEmpty { found = listed[String(url.prefix { $0 != "|" })] ?? [] }
        codes[url] = found
        return found
    }

    /// The type of resource that a reference may be to.
    func target(_ id: String, of profile: String) -> String? {
        let types = element(id, of: profile)?["type"] as? [[String: Any]] ?? []
        let targets = types.flatMap { $0["targetProfile"] as? [String] ?? [] }
        if targets.contains(where: { $0.hasSuffix("/Resource") }) { return "Patient" }
        return targets.first.map { self.types[$0] ?? $0.split(separator: "/").last.map(String.init) ?? "Patient" }
    }
}
