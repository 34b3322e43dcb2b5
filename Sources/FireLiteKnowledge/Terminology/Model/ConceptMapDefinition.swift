import FireLiteCore

/// A concept map of a ConceptMap resource of R4 or R5.
struct ConceptMapDefinition: Sendable {
    struct Group: Sendable {
        let source: String?
        let target: String?
        /// By the code that is mapped.
        let elements: [ExactText: [JSONItem]]
        let order: [String]
        let unmapped: JSONItem?
    }

    let url: String?
    let version: String?
    /// The value sets between which it maps.
    let sourceScope: String?
    let targetScope: String?
    let groups: [Group]

    var canonical: String? { url.map { url in version.map { "\(url)|\($0)" } ?? url } }

    init(_ json: JSONItem) {
        url = json["url"]?.text
        version = json["version"]?.text
        sourceScope = Self.scope(json, ["sourceScopeUri", "sourceScopeCanonical", "sourceUri", "sourceCanonical"])
        targetScope = Self.scope(json, ["targetScopeUri", "targetScopeCanonical", "targetUri", "targetCanonical"])
        groups = (json["group"]?.items ?? []).map { group in
            var elements: [ExactText: [JSONItem]] = [:]
            var order: [String] = []
            for element in group["element"]?.items ?? [] {
                guard let code = element["code"]?.text else { continue }
                if elements[code] == nil { order.append(code) }
                elements[code, default: []].append(element)
            }
            return Group(
                source: group["source"]?.text.map { Canonical($0).url }, target: group["target"]?.text.map { Canonical($0).url },
                elements: elements, order: order, unmapped: group["unmapped"])
        }
    }

    private static func scope(_ json: JSONItem, _ names: [String]) -> String? { names.lazy.compactMap { json[$0]?.text }.first }
}
