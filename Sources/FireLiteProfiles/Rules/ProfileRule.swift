import FireLiteCore
import Foundation

/// What a profile says about an object, or about an element of one; made of the text in generated code when it is first used.
///
/// Public only for generated code.
public struct _ProfileRule: Sendable {
    let url: String
    let root: RuleElement
    /// The rules of the profiles that resources in the resource follow, by URL.
    let uses: [String: @Sendable () -> _ProfileRule]

    /// The rule of a profile.
    ///
    /// - Parameters:
    ///   - url: the canonical address of the profile.
    ///   - text: the rules of its elements, as JSON.
    ///   - uses: gives the rules of the profiles that resources in the resource follow, by URL.
    /// - Precondition: the Generator wrote the text.
    public init(_ url: String, _ text: String, _ uses: [String: @Sendable () -> _ProfileRule] = [:]) {
        self.url = url
        self.uses = uses
        do {
            let json = try JSONItemReader.read(Data(text.utf8), depth: 200)
            root = RuleElement(json, parent: nil)
        } catch {
            misuse("the rules of \(url) cannot be read: generate the module again with `swift package generate-fhir-models`")
        }
    }

    private init(_ url: String, _ root: RuleElement, _ uses: [String: @Sendable () -> _ProfileRule]) {
        self.url = url
        self.root = root
        self.uses = uses
    }

    /// The rule of an element, or of a slice: `component`, `component:systolic`.
    ///
    /// - Precondition: the profile has the element or the slice.
    public func _at(_ key: String) -> _ProfileRule { _ProfileRule(url, key.contains(":") ? slice(key) : element(key), uses) }

    func element(_ name: some StringProtocol) -> RuleElement {
        guard let found = root.children.first(where: { $0.name == name }) else {
            misuse("\(url) has no element \(root.id).\(name): generate the module again with `swift package generate-fhir-models`")
        }
        return found
    }

    func slice(_ key: String) -> RuleElement {
        guard let found = root.slicesByKey[key] else {
            misuse("\(url) has no slice \(root.id).\(key): generate the module again with `swift package generate-fhir-models`")
        }
        return found
    }
}

/// An element of a profile, or a slice of one.
final class RuleElement: Sendable {
    /// The element's name in FHIR's definitions: `component`, `value[x]`.
    let name: String
    /// The name and the slice's name: `component:systolic`; the name if it is no slice.
    let key: String
    /// The path from the profile's root, with the names of slices.
    let id: String
    let min: Int
    /// Nil for no limit.
    let max: Int?
    let fixed: JSONItem?
    let pattern: JSONItem?
    /// The types that a choice element or a resource in the resource may have; empty for any.
    let types: [String]
    /// The profile that resources in the element follow, whose rules are those of another view; nil for none.
    let profile: String?
    /// Whether creation makes it, as the profile says all that it needs.
    let isAutomatic: Bool
    /// Whether items that belong to no slice are refused.
    let isClosed: Bool
    /// How a slice's items are found.
    let tests: [RuleTest]
    let children: [RuleElement]
    let slices: [RuleElement]
    let slicesByKey: [String: RuleElement]

    init(_ json: JSONItem, parent: String?) {
        name = json["name"]?.text ?? ""
        let sliceName = json["slice"]?.text
        key = sliceName.map { "\(json["name"]?.text ?? ""):\($0)" } ?? name
        let id = parent.map { "\($0).\(json["name"]?.text ?? "")\(sliceName.map { ":" + $0 } ?? "")" } ?? name
        self.id = id
        min = json["min"]?.number.flatMap { Int($0.literal) } ?? 0
        max = json["max"]?.number.flatMap { Int($0.literal) }
        fixed = json["fixed"]
        pattern = json["pattern"]
        types = json["types"]?.items.compactMap(\.text) ?? []
        profile = json["profile"]?.text
        isAutomatic = json["automatic"] != nil
        isClosed = json["closed"] != nil
        tests = json["tests"]?.items.map(RuleTest.init) ?? []
        children = json["children"]?.items.map { RuleElement($0, parent: id) } ?? []
        slices = json["slices"]?.items.map { RuleElement($0, parent: parent) } ?? []
        var byKey: [String: RuleElement] = [:]
        for slice in children.flatMap(\.slices) { byKey[slice.key] = slice }
        slicesByKey = byKey
    }
}
