import FireLiteCore

/// The resources that references within a resource can lead to: its contained ones, and the entries of a Bundle (FHIR, Bundle, Resolving
/// references in Bundles).
final class ReferenceIndex {
    /// An entry of the Bundle.
    final class Entry {
        let number: Int
        let fullURL: String?
        let resource: FHIRResource
        /// The address of the server that the full URL is of.
        private(set) lazy var base: String? = fullURL.flatMap { ReferenceParts($0).base }

        init(number: Int, fullURL: String?, resource: FHIRResource) {
            (self.number, self.fullURL, self.resource) = (number, fullURL, resource)
        }
    }

    /// What a reference leads to.
    struct Target {
        let resource: FHIRResource
        /// The number of the entry; nil for a contained resource.
        let entry: Int?
    }

    let entries: [Entry]
    private var byURL: [String: [Entry]] = [:]
    private var byKey: [String: [Entry]] = [:]
    private var byResource: [ObjectIdentifier: Entry] = [:]
    /// The entries that references may be to, found once.
    private var found: [ObjectIdentifier: [Entry]] = [:]

    init(_ root: FHIRResource) {
        var entries: [Entry] = []
        if root.layout.name == "Bundle" {
            for (number, entry) in root.children("entry").enumerated() {
                guard let resource = entry.children("resource").first as? FHIRResource else { continue }
                entries.append(Entry(number: number, fullURL: entry.text("fullUrl"), resource: resource))
            }
        }
        self.entries = entries
        for entry in entries {
            if let url = entry.fullURL { byURL[url, default: []].append(entry) }
            if let id = entry.resource.id { byKey["\(entry.resource.resourceType)/\(id)", default: []].append(entry) }
            byResource[ObjectIdentifier(entry.resource)] = entry
        }
    }

    /// The entry that an object is in.
    private func entry(of object: FHIRObject) -> Entry? {
        var current: FHIRObject? = object
        var found: Entry?
        while let next = current {
            if next.layout.isResource, let entry = byResource[ObjectIdentifier(next)] { found = entry }
            current = next.ownerObject
        }
        return found
    }

    /// The resource that a Reference leads to; nil if that is not one resource at hand.
    func target(of reference: FHIRObject) -> Target? {
        guard let text = reference.text(of: "reference") else { return nil }
        if text.hasPrefix("#") {
            guard let container = reference.containerResource else { return nil }
            if text == "#" { return Target(resource: container, entry: nil) }
            let id = String(text.dropFirst())
            return container.containedResources.first { $0.id == id }.map { Target(resource: $0, entry: nil) }
        }
        let found = matches(reference, text)
        guard found.count == 1, let entry = found.first else { return nil }
        return Target(resource: entry.resource, entry: entry.number)
    }

    /// The entries that a Reference may be to.
    ///
    /// - Parameter text: the reference as it is written.
    func matches(_ reference: FHIRObject, _ text: String) -> [Entry] {
        if entries.isEmpty { return [] }
        if let known = found[ObjectIdentifier(reference)] { return known }
        let list = matches(text, from: entry(of: reference))
        found[ObjectIdentifier(reference)] = list
        return list
    }

    private func matches(_ text: String, from entry: Entry?) -> [Entry] {
        let text = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
        let parts = ReferenceParts(text)
        let version = parts.version
        let plain = version == nil ? text : String(text.dropLast((version ?? "").count + "/_history/".count))
        var found: [Entry]
        if parts.form == .relative {
            if let base = entry?.base {
                found = byURL["\(base)/\(plain)"] ?? []
            } else {
                found = byURL[plain] ?? []
                if found.isEmpty { found = byKey[plain] ?? [] }
            }
        } else {
            found = byURL[plain] ?? []
        }
        if let version {
            found = found.filter { $0.resource.child("meta")?.text("versionId") == version }
        } else if found.count > 1 {
            // Several versions of one resource: the reference does not say which.
            let unversioned = found.filter { $0.resource.child("meta")?.text("versionId") == nil }
            if unversioned.count == 1 { found = unversioned }
        }
        return found
    }

    /// How many entries have this type and id, whatever their URL.
    func count(ofKey key: String) -> Int { byKey[key]?.count ?? 0 }
}
