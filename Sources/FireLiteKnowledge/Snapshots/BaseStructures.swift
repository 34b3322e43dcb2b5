import FireLiteCore
import FireLiteFHIRPath
import Foundation

/// The types of FHIR as structures, made of their layouts.
enum BaseStructures {
    private static let lock = NSLock()
    /// Guarded by `lock`.
    private nonisolated(unsafe) static var known: [FHIRRelease: [String: Structure]] = [:]

    /// The structure of a resource type or datatype; nil if the release has no such type.
    static func structure(named name: String, _ release: FHIRRelease) -> Structure? {
        if let structure = lock.withLock({ known[release]?[name] }) { return structure }
        guard let structure = make(name, release) else { return nil }
        lock.withLock { known[release, default: [:]][name] = structure }
        return structure
    }

    private static func make(_ name: String, _ release: FHIRRelease) -> Structure? {
        if let primitive = PrimitiveType(name: name) { return make(primitive) }
        guard let layout = release.layout(named: name), layout.kind != .backbone else { return nil }
        let facts = BaseFacts.of(release)
        var rule = ElementRule()
        (rule.id, rule.path, rule.min, rule.max) = (name, name, 0, "*")
        let root = StructureNode(rule)
        addChildren(of: layout, to: root, facts)
        root.finish()
        return Structure(
            url: Knowledge.base + name, version: release.version, name: name, type: name,
            kind: layout.isResource || layout.isKind(of: "Resource") ? "resource" : "complex-type", isAbstract: layout.kind == .abstract,
            isConstraint: false, base: layout.base.map { Knowledge.base + $0.name }, root: root)
    }

    private static func make(_ type: PrimitiveType) -> Structure {
        func rule(_ path: String, _ max: String, _ code: String) -> StructureNode {
            var rule = ElementRule()
            (rule.id, rule.path, rule.min, rule.max) = (path, path, 0, max)
            rule.types = [ElementRule.TypeRule(code: code)]
            return StructureNode(rule)
        }
        let root = rule(type.name, "*", "Element")
        root.rule.types = nil
        root.children = [
            rule("\(type.name).id", "1", "string"), rule("\(type.name).extension", "*", "Extension"),
            rule("\(type.name).value", "1", type.name),
        ]
        root.finish()
        return Structure(
            url: Knowledge.base + type.name, version: nil, name: type.name, type: type.name, kind: "primitive-type", isAbstract: false,
            isConstraint: false, base: Knowledge.base + "Element", root: root)
    }

    private static func addChildren(of layout: Layout, to parent: StructureNode, _ facts: BaseFacts) {
        var slot = 0
        while slot < layout.elements.count {
            let element = layout.elements[slot]
            let elements = element.choice.map { layout.elements[$0.slots] } ?? layout.elements[slot...slot]
            slot = elements.endIndex
            var rule = ElementRule()
            let name = element.choice?.name ?? element.name
            rule.path = "\(parent.rule.path).\(name)"
            rule.id = rule.path
            rule.min = element.choice?.min ?? element.min
            rule.max = element.max.map { "\($0)" } ?? "*"
            let node = StructureNode(rule)
            parent.children.append(node)
            facts.complete(&node.rule, layout)
            let isOfResource = layout.kind == .backbone && layout.base?.name != "Element"
            if element.name == "extension", !layout.isKind(of: "Resource"), !isOfResource {
                // Extensions of datatypes, and of elements within them, are sliced by their URLs from the start.
                node.rule.slicing = ElementRule.Slicing(discriminators: [ElementRule.Discriminator(type: "value", path: "url")])
            }
            if element.kind == .object, let own = element.layout, own.kind == .backbone {
                if own.name == rule.path {
                    node.rule.types = [ElementRule.TypeRule(code: own.base?.name ?? "BackboneElement")]
                    addChildren(of: own, to: node, facts)
                } else {
                    node.rule.contentReference = "#\(own.name)"
                }
                continue
            }
            node.rule.types = elements.map { part in
                var type = ElementRule.TypeRule(code: part.typeName)
                type.targets = part.targets.map { Knowledge.base + $0 }
                // A reference without a restriction is to any resource.
                if part.typeName == "Reference", part.targets.isEmpty { type.targets = [Knowledge.base + "Resource"] }
                return type
            }
        }
    }
}

/// What the layouts of a release do not tell about its elements: all bindings with their value sets, and which elements are modifiers.
///
/// `@unchecked Sendable`: `lock` guards what is read of the text.
final class BaseFacts: @unchecked Sendable {
    private static let all = [dstu2, stu3, r4, r4b, r5]
    private static let none = BaseFacts(version: "", text: "")
    /// The beginning of most URLs, abbreviated as `~` in the text.
    private static let prefix = "http://hl7.org/fhir/ValueSet/"

    private struct Content {
        var bindings: [String: ElementRule.Binding] = [:]
        var modifiers: Set<String> = []
    }

    private let version: String
    private let text: String
    private let lock = NSLock()
    private var read: Content?

    /// The text that the Generator writes: `path strength url`, and `modifier path`. It is read when it is first needed.
    init(version: String, text: String) { (self.version, self.text) = (version, text) }

    /// The facts of a release; none of an unknown version.
    static func of(_ release: FHIRRelease) -> BaseFacts { all.first { $0.version == release.version } ?? none }

    /// The bindings by the paths of their elements.
    var bindings: [String: ElementRule.Binding] { content.bindings }

    /// The value set that the codes of an element must be of: that of a required binding, or the maximum of another; nil if there is neither.
    func boundSet(of name: String, _ layout: Layout) -> String? {
        let content = content
        var current: Layout? = layout
        while let type = current {
            if let binding = content.bindings["\(type.name).\(name)"] {
                return binding.strength == "required" ? binding.valueSet : binding.maximum
            }
            current = type.base
        }
        return nil
    }

    /// The value set of all languages, which is the maximum for those in common use.
    static let allLanguages = prefix + "all-languages"
    /// The value sets of required bindings whose codes no definition lists: standards do, which the terminology knows.
    private static let open: Set<String> = [allLanguages, prefix + "currencies"]

    /// Whether a value set is one of those.
    static func isOpen(_ url: String) -> Bool { open.contains(url) }

    private var plans: [ObjectIdentifier: WalkPlan] = [:]

    /// What a walk does with the objects of a type; layouts live as long as the process.
    func plan(of layout: Layout) -> WalkPlan {
        if let known = lock.withLock({ plans[ObjectIdentifier(layout)] }) { return known }
        let plan = WalkPlan(layout, self)
        lock.withLock { plans[ObjectIdentifier(layout)] = plan }
        return plan
    }

    /// The maximum of a binding, which the generated text does not have. In R4 and R4B languages in common use are preferred, and others are those of
    /// BCP 47 (FHIR R4, Resource.language and others); the elements of Citation have no maximum.
    private func maximum(_ path: Substring, _ valueSet: String) -> String? {
        guard version.hasPrefix("4."), valueSet == Self.prefix + "languages", !path.hasPrefix("Citation.") else { return nil }
        return Self.allLanguages
    }

    /// Adds what is known of an element of a type, or of a type that it derives from.
    func complete(_ rule: inout ElementRule, _ layout: Layout) {
        let content = content
        var current: Layout? = layout
        while let type = current {
            let path = "\(type.name).\(rule.name)"
            if rule.binding == nil, let binding = content.bindings[path] { rule.binding = binding }
            if content.modifiers.contains(path) { rule.isModifier = true }
            current = type.base
        }
    }

    private var content: Content {
        lock.withLock {
            if let read { return read }
            var content = Content()
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                if words.count == 2 { content.modifiers.insert(String(words[1])) }
                guard words.count == 3 else { continue }
                let url = words[2].hasPrefix("~") ? Self.prefix + words[2].dropFirst() : String(words[2])
                content.bindings[String(words[0])] = ElementRule.Binding(
                    strength: String(words[1]), valueSet: url, maximum: maximum(words[0], url))
            }
            read = content
            return content
        }
    }
}
