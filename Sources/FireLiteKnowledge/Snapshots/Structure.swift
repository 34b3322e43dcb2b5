import FireLiteCore

/// An element of a structure with those below it and its slices.
///
/// `@unchecked Sendable`: a structure is changed only while it is made, by one thread. Exclusive access is not checked for what a validation reads of each
/// element, as no closure is called during an access.
package final class StructureNode: @unchecked Sendable {
    package var rule: ElementRule {
        didSet { (name, isChoice) = Self.parts(of: rule) }
    }
    /// The element's own name: `name`, `value[x]`.
    @exclusivity(unchecked) private(set) var name: String
    /// Whether the name stands for elements of several types.
    @exclusivity(unchecked) private(set) var isChoice: Bool
    /// The elements below it; empty if the structure says nothing about them.
    @exclusivity(unchecked) package var children: [StructureNode] = []
    /// The slices, in the order of the structure.
    @exclusivity(unchecked) package var slices: [StructureNode] = []
    /// The constraints that are the structure's own, not those of FHIR's types, which every object is checked by.
    package var ownConstraints: [ElementRule.Constraint] = []
    /// Those constraints, compiled.
    @exclusivity(unchecked) private(set) var checks: [ConstraintCheck] = []
    /// Where the element is in a type.
    struct Place {
        let layout: Layout
        /// Its slots: several for a choice.
        let slots: Range<Int>
    }

    /// Where the element is in the type that the structure is about; nil if that is not known.
    @exclusivity(unchecked) var place: Place?
    /// Whether neither the element nor those below it say more than FHIR's types do.
    var isPlain = false
    /// The children that say more than FHIR's types do; nil if that is not known.
    @exclusivity(unchecked) var demanding: [StructureNode]?
    /// What a validation asks of the rule again and again; nil while the structure is made.
    @exclusivity(unchecked) private(set) var facts: RuleFacts?
    /// The element of the base that it was made of; nil for an element that the structure adds. Slices begin with it.
    private(set) var source: StructureNode?

    init(_ rule: ElementRule) {
        self.rule = rule
        (name, isChoice) = Self.parts(of: rule)
    }

    private static func parts(of rule: ElementRule) -> (String, Bool) { (String(rule.name), rule.name.hasSuffix("[x]")) }

    /// The same with all below it.
    func copy() -> StructureNode {
        let node = StructureNode(rule)
        node.source = self
        node.children = children.map { $0.copy() }
        node.slices = slices.map { $0.copy() }
        return node
    }

    /// Forgets the base, which a finished structure does not need, and notes the facts of the rule, which does not change any more.
    func finish() {
        source = nil
        facts = RuleFacts(rule)
        for node in children + slices { node.finish() }
    }

    /// Compiles the constraints that are the structure's own.
    ///
    /// - Parameter layout: finds the layout of a type by its name.
    func compile(_ layout: (String) -> Layout?) {
        if !ownConstraints.isEmpty {
            let types = rule.path.utf8.contains(UInt8(ascii: ".")) ? rule.types?.map(\.code) ?? [] : [rule.path]
            let own = place.flatMap { $0.slots.count == 1 ? $0.layout.elements[$0.slots.lowerBound].layout : nil }
            let known = own ?? (types.count == 1 ? layout(types[0]) : nil)
            checks = ownConstraints.compactMap { constraint in
                constraint.expression.map { ConstraintCheck(constraint, expression: $0, on: known) }
            }
        }
        for node in children + slices { node.compile(layout) }
    }

    /// The child with a name.
    func child(named name: some StringProtocol) -> StructureNode? {
        children.first { $0.name == name }
    }

    /// The elements in the order of a snapshot.
    package func flattened() -> [ElementRule] {
        var list: [ElementRule] = []
        append(to: &list)
        return list
    }

    private func append(to list: inout [ElementRule]) {
        list.append(rule)
        for child in children { child.append(to: &list) }
        for slice in slices { slice.append(to: &list) }
    }
}

/// A profile, an extension, a logical model or a type of FHIR: its elements as a tree.
package final class Structure: Sendable {
    package let url: String
    package let version: String?
    package let name: String
    /// The type that it is about: `Patient`, `Extension`.
    package let type: String
    /// `resource`, `complex-type`, `primitive-type` or `logical`.
    package let kind: String
    package let isAbstract: Bool
    /// Whether it is a profile; otherwise it defines a type.
    package let isConstraint: Bool
    package let base: String?
    package let root: StructureNode
    /// For an extension: where it may stand, as type and expression.
    package let contexts: [(type: String, expression: String)]
    package let contextInvariants: [String]

    init(
        url: String, version: String?, name: String, type: String, kind: String, isAbstract: Bool, isConstraint: Bool, base: String?,
        root: StructureNode, contexts: [(type: String, expression: String)] = [], contextInvariants: [String] = []
    ) {
        (self.url, self.version, self.name, self.type, self.kind) = (url, version, name, type, kind)
        (self.isAbstract, self.isConstraint, self.base, self.root) = (isAbstract, isConstraint, base, root)
        (self.contexts, self.contextInvariants) = (contexts, contextInvariants)
    }

    /// Whether an extension is a modifier.
    package var isModifier: Bool { root.rule.isModifier ?? false }

    /// The node that `#Questionnaire.item` names.
    func node(referredAs reference: String) -> StructureNode? {
        let id = reference.drop { $0 != "#" }.dropFirst()
        var node = root
        for part in id.split(separator: ".").dropFirst() {
            guard let next = node.child(named: part.prefix { $0 != ":" }) else { return nil }
            node = next
        }
        return node
    }
}

/// Makes the tree of a list of elements.
enum StructureTree {
    /// More elements are refused: a definition of that size is an attack or a mistake.
    static let maximumElements = 50_000
    /// More elements directly below one, or slices of one, are refused, so that looking for one of them stays cheap.
    static let maximumBranches = 2_000

    /// - Throws: `KnowledgeError` with code `definition` for a list that is no tree, `limit` for one that is too long.
    static func tree(_ rules: [ElementRule], url: String) throws -> StructureNode {
        guard rules.count <= maximumElements else { throw tooLong(url) }
        guard let first = rules.first, !first.path.contains(".") else {
            throw KnowledgeError(.definition, "\(url): the first element is not its root")
        }
        let root = StructureNode(first)
        // The open elements, from the root down.
        var open = [root]
        for rule in rules.dropFirst() {
            while let last = open.last, !(rule.path.hasPrefix(last.rule.path + ".")), open.count > 1 { open.removeLast() }
            guard let parent = open.last, rule.path.hasPrefix(parent.rule.path + ".") else {
                throw KnowledgeError(.definition, "\(url): the element \(rule.path) is not below the root")
            }
            let rest = rule.path.dropFirst(parent.rule.path.count + 1)
            guard !rest.contains(".") else {
                throw KnowledgeError(.definition, "\(url): the element \(rule.path) has no parent in the snapshot")
            }
            let node = StructureNode(rule)
            if let sliceName = rule.sliceName, let sliced = sliced(rule, in: parent) {
                let host = host(of: sliceName, in: sliced)
                host.slices.append(node)
                try checkBranches(host.slices.count, of: host, url)
            } else {
                parent.children.append(node)
                try checkBranches(parent.children.count, of: parent, url)
            }
            open.append(node)
        }
        return root
    }

    /// The element below a node that a rule with the name of a slice is about.
    private static func sliced(_ rule: ElementRule, in parent: StructureNode) -> StructureNode? {
        let name = rule.name
        return parent.children.last { $0.rule.name == name }
            ?? (name.hasPrefix("value") ? parent.children.last { $0.rule.name == "value[x]" } : nil)
    }

    static func tooLong(_ url: String) -> KnowledgeError { KnowledgeError(.limit, "\(url) has more than \(maximumElements) elements") }

    /// - Throws: `KnowledgeError` with code `limit`.
    static func checkBranches(_ count: Int, of node: StructureNode, _ url: String) throws {
        guard count <= maximumBranches else {
            throw KnowledgeError(.limit, "\(url): \(node.rule.path) has more than \(maximumBranches) elements or slices")
        }
    }

    /// The node whose slice a name is: of `race/detailed` the slice `race`, if it exists.
    static func host(of sliceName: String, in node: StructureNode) -> StructureNode {
        guard let slash = sliceName.lastIndex(of: "/") else { return node }
        let outer = String(sliceName[..<slash])
        return find(outer, in: node) ?? node
    }

    static func find(_ sliceName: String, in node: StructureNode) -> StructureNode? {
        for slice in node.slices {
            if slice.rule.sliceName == sliceName { return slice }
            if sliceName.hasPrefix((slice.rule.sliceName ?? "") + "/"), let found = find(sliceName, in: slice) { return found }
        }
        return nil
    }
}
