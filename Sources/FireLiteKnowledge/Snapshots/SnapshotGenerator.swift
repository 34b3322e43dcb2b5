import FireLiteCore

/// Makes the tree of a StructureDefinition: of its snapshot, or of its base and its differential (FHIR, Profiling Resources).
struct SnapshotGenerator {
    /// More levels than any definition has; contentReference may go deeper only by the record.
    static let maximumDepth = 64

    private let knowledge: Knowledge
    private var url = ""
    private var count = 0
    /// Whether the definition narrows its base, and so has no elements of its own.
    private var isConstraint = true
    /// The choices that this definition slices by naming a type in the path (`valueQuantity`), and no other way.
    private var shortcuts: Set<ObjectIdentifier> = []

    init(_ knowledge: Knowledge) { self.knowledge = knowledge }

    /// The structure of a definition.
    ///
    /// - Parameter usesSnapshot: whether a snapshot that it brings is taken as it is.
    /// - Throws: `KnowledgeError` with code `definition` for one that contradicts itself, `missing` if its base or a profile in it is not known,
    ///   `limit` for one that is too large, `file` if a file of packages cannot be read.
    func structure(of definition: Definition, usesSnapshot: Bool = true) throws -> Structure {
        var generator = self
        return try generator.make(definition, usesSnapshot: usesSnapshot)
    }

    private mutating func make(_ definition: Definition, usesSnapshot: Bool) throws -> Structure {
        let json = try definition.json
        url = definition.url ?? definition.source
        let type = json["type"]?.text ?? json["constrainedType"]?.text ?? ""
        isConstraint = json["derivation"]?.text != "specialization"
        let root: StructureNode
        let snapshot = usesSnapshot ? json["snapshot"]?["element"]?.items ?? [] : []
        let differential = json["differential"]?["element"]?.items ?? []
        guard max(snapshot.count, differential.count) <= StructureTree.maximumElements else { throw StructureTree.tooLong(url) }
        if !snapshot.isEmpty {
            root = try StructureTree.tree(ElementRule.rules(snapshot, of: url), url: url)
        } else {
            root = try generate(ElementRule.rules(differential, of: url), base: json["baseDefinition"]?.text, type: type)
        }
        number(root, nil)
        root.finish()
        keepOwnConstraints(root, BaseConstraints.of(knowledge.release))
        let typeName = Self.typeName(type)
        if isConstraint, let layout = knowledge.release.layout(named: typeName), layout.kind != .backbone {
            PlainElements(knowledge.release).mark(root, as: layout)
        }
        root.compile { knowledge.release.layout(named: $0) }
        var contexts: [(type: String, expression: String)] = []
        for context in json["context"]?.items ?? [] {
            if let text = context.text {
                contexts.append((json["contextType"]?.text ?? "element", text))
            } else if let expression = context["expression"]?.text {
                contexts.append((context["type"]?.text ?? "element", expression))
            }
        }
        return Structure(
            url: url, version: definition.version, name: json["name"]?.text ?? "", type: typeName,
            kind: json["kind"]?.text ?? "resource", isAbstract: json["abstract"]?.truth ?? false, isConstraint: isConstraint,
            base: json["baseDefinition"]?.text, root: root, contexts: contexts,
            contextInvariants: json["contextInvariant"]?.items.compactMap(\.text) ?? [])
    }

    /// A logical model's type is a URL; its elements begin with the last part.
    private static func typeName(_ type: String) -> String { type.split(separator: "/").last.map(String.init) ?? type }

    // MARK: - Generating

    private mutating func generate(_ differential: [ElementRule], base: String?, type: String) throws -> StructureNode {
        guard let first = differential.first else {
            guard let base, let structure = try knowledge.structure(Canonical(base)) else {
                throw KnowledgeError(.definition, "\(url) has neither elements nor a known base")
            }
            return structure.root.copy()
        }
        let rootPath = first.path.split(separator: ".").first.map(String.init) ?? Self.typeName(type)
        let root: StructureNode
        if let base {
            guard let structure = try knowledge.structure(Canonical(base)) else {
                throw KnowledgeError(.missing, "\(url) derives from \(base), which is not known: add the package that defines it")
            }
            root = structure.root.copy()
            root.rule.slicing = nil
            rename(root, to: rootPath)
        } else {
            var rule = ElementRule()
            (rule.id, rule.path, rule.min, rule.max) = (rootPath, rootPath, 0, "*")
            root = StructureNode(rule)
        }
        number(root, nil)
        let hasIDs = differential.allSatisfy { $0.id.split(separator: ".").count == $0.path.split(separator: ".").count && !$0.id.isEmpty }
        // The last element at each level, for differentials without ids.
        var open: [(path: String, node: StructureNode)] = [(rootPath, root)]
        for change in differential {
            let parts = change.path.split(separator: ".").map(String.init)
            guard parts.first == rootPath else {
                throw KnowledgeError(.definition, "\(url): the element \(change.path) is not below \(rootPath)")
            }
            guard parts.count <= Self.maximumDepth else {
                throw KnowledgeError(.limit, "\(url): an element has more than \(Self.maximumDepth) levels")
            }
            if parts.count == 1 {
                root.rule.apply(change)
                continue
            }
            var node: StructureNode
            if hasIDs {
                node = root
                let ids = change.id.split(separator: ".").map(String.init)
                for index in 1..<parts.count {
                    let slice = ids[index].firstIndex(of: ":").map { String(ids[index][$0...].dropFirst()) }
                    node = try child(
                        of: node, named: parts[index], slice: slice ?? (index == parts.count - 1 ? change.sliceName : nil), root)
                }
            } else {
                while open.count > 1, let last = open.last, !change.path.hasPrefix(last.path + ".") { open.removeLast() }
                let top = open[open.count - 1]
                node = top.node
                let rest = change.path.dropFirst(top.path.count + 1).split(separator: ".").map(String.init)
                for (index, part) in rest.enumerated() {
                    node = try child(of: node, named: part, slice: index == rest.count - 1 ? change.sliceName : nil, root)
                }
                open.append((change.path, node))
            }
            let name = node.rule.sliceName
            node.rule.apply(change)
            node.rule.sliceName = name ?? change.sliceName
        }
        settle(root, isInSlice: false)
        return root
    }

    /// The element below a node, or its slice, which is made if it does not exist.
    private mutating func child(of parent: StructureNode, named name: String, slice: String?, _ root: StructureNode) throws -> StructureNode
    {
        if parent.child(named: name) == nil, choice(in: parent, named: name) == nil { try expand(parent, root) }
        if let child = parent.child(named: name) {
            guard let slice else { return child }
            return try self.slice(slice, of: child, type: nil)
        }
        if let (child, type) = choice(in: parent, named: name) {
            // Where only this type is left, the element itself is meant.
            if slice == nil, child.rule.types?.map(\.code) == [type], child.slices.isEmpty { return child }
            return try self.slice(slice ?? name, of: child, type: type)
        }
        guard slice == nil, !isConstraint || !isOfRelease(root) else {
            throw KnowledgeError(.definition, "\(url): there is no element \(parent.rule.path).\(name) to constrain: mend the path")
        }
        // A type or a logical model adds elements.
        var rule = ElementRule()
        (rule.path, rule.min, rule.max) = ("\(parent.rule.path).\(name)", 0, "*")
        let node = StructureNode(rule)
        parent.children.append(node)
        try StructureTree.checkBranches(parent.children.count, of: parent, url)
        try countElement()
        return node
    }

    private func isOfRelease(_ root: StructureNode) -> Bool { knowledge.release.layout(named: root.rule.path) != nil }

    /// The choice element that `valueQuantity` is a type of.
    private func choice(in parent: StructureNode, named name: String) -> (StructureNode, String)? {
        for child in parent.children where child.rule.path.hasSuffix("[x]") {
            let stem = child.rule.name.dropLast(3)
            guard name.hasPrefix(stem), name.count > stem.count else { continue }
            let wanted = name.dropFirst(stem.count)
            for type in child.rule.types ?? [] where type.code.prefix(1).uppercased() + type.code.dropFirst() == wanted {
                return (child, type.code)
            }
        }
        return nil
    }

    private mutating func slice(_ name: String, of node: StructureNode, type: String?) throws -> StructureNode {
        let host = StructureTree.host(of: name, in: node)
        if let known = host.slices.first(where: { $0.rule.sliceName == name }) { return known }
        // What this structure says about the element that is sliced counts for its slices anyway.
        let slice = (host.source ?? host).copy()
        slice.slices = []
        try rename(slice, from: slice.rule.path, to: host.rule.path)
        slice.rule.sliceName = name
        slice.rule.slicing = nil
        slice.rule.min = 0
        if let type {
            slice.rule.types = (host.source ?? host).rule.types?.filter { $0.code == type }
            slice.rule.max = "1"
            if host.rule.slicing == nil, host.source?.slices.isEmpty ?? true { shortcuts.insert(ObjectIdentifier(host)) }
        } else if node.rule.path.hasSuffix("[x]") {
            // `valueQuantity` is the name of the slice for this type.
            let stem = node.rule.name.dropLast(3)
            let types = node.rule.types?.filter { stem + $0.code.prefix(1).uppercased() + $0.code.dropFirst() == name } ?? []
            if !types.isEmpty { slice.rule.types = types }
        }
        if host.rule.slicing == nil {
            var slicing = ElementRule.Slicing()
            if host.rule.name == "extension" || host.rule.name == "modifierExtension" {
                slicing.discriminators = [ElementRule.Discriminator(type: "value", path: "url")]
            } else if node.rule.path.hasSuffix("[x]") {
                slicing.discriminators = [ElementRule.Discriminator(type: "type", path: "$this")]
            }
            if host.rule.sliceName == nil || !slicing.discriminators.isEmpty { host.rule.slicing = slicing }
        }
        host.slices.append(slice)
        try StructureTree.checkBranches(host.slices.count, of: host, url)
        try countElement()
        return slice
    }

    // MARK: - Choices

    /// Settles what the name of a type in a path (`valueQuantity`) says about the choice: a value of that type, if there must be one, is the only
    /// one; within a slice the choice has that type alone (FHIR, Profiling Resources, Limitations of Use; ElementDefinition, path). The definition of an
    /// extension that names a type has values of it alone.
    private func settle(_ node: StructureNode, isInSlice: Bool) {
        if shortcuts.contains(ObjectIdentifier(node)), node.slices.count == 1, let slice = node.slices.first {
            if isInSlice {
                merge(slice, into: node)
            } else if (slice.rule.min ?? 0) > 0 || node.rule.path == "Extension.value[x]" {
                node.rule.types = slice.rule.types
                node.rule.slicing?.rules = "closed"
            }
        }
        if node.rule.slicing?.rules == "closed", node.rule.path.hasSuffix("[x]"), node.slices.count == 1, let slice = node.slices.first {
            node.rule.min = max(node.rule.min ?? 0, slice.rule.min ?? 0)
        }
        if node.rule.types?.allSatisfy({ $0.code == "Extension" }) ?? false { node.rule.binding = nil }
        for child in node.children { settle(child, isInSlice: isInSlice) }
        for slice in node.slices { settle(slice, isInSlice: true) }
    }

    /// Makes the only slice of a choice the element itself.
    private func merge(_ slice: StructureNode, into node: StructureNode) {
        let (path, min) = (node.rule.path, max(node.rule.min ?? 0, slice.rule.min ?? 0))
        node.rule = slice.rule
        (node.rule.path, node.rule.min, node.rule.sliceName, node.rule.slicing) = (path, min, nil, nil)
        node.children = slice.children
        node.slices = []
    }

    /// Gives a node the elements of its type, of the profile on its type, or of the element that it refers to.
    private mutating func expand(_ node: StructureNode, _ root: StructureNode) throws {
        guard node.children.isEmpty else { return }
        var source: StructureNode?
        if let reference = node.rule.contentReference {
            let id = reference.drop { $0 != "#" }.dropFirst()
            var target: StructureNode? = root
            for part in id.split(separator: ".").dropFirst() { target = target?.child(named: part.prefix { $0 != ":" }) }
            // The element as FHIR defines it, without what this profile says about it.
            source = target.map { $0.source ?? $0 }
        } else if let types = node.rule.types, let type = types.first {
            let isSingle = Set(types.map(\.code)).count == 1
            if isSingle, let profile = type.profiles.first, type.profiles.count == 1 {
                guard let structure = try knowledge.structure(Canonical(profile)) else {
                    throw KnowledgeError(.missing, "\(url) uses \(profile), which is not known: add the package that defines it")
                }
                source = structure.root
            } else {
                let name = isSingle ? type.code : "Element"
                source = try knowledge.structure(Canonical(url: name.contains("/") ? name : Knowledge.base + name))?.root
            }
        }
        guard let source else { return }
        node.children = source.children.map { $0.copy() }
        for child in node.children { try rename(child, from: source.rule.path, to: node.rule.path) }
    }

    private mutating func rename(_ node: StructureNode, from old: String, to new: String) throws {
        node.rule.path = new + node.rule.path.dropFirst(old.count)
        try countElement()
        for child in node.children + node.slices { try rename(child, from: old, to: new) }
    }

    private func rename(_ root: StructureNode, to name: String) {
        let old = root.rule.path
        guard old != name else { return }
        func change(_ node: StructureNode) {
            node.rule.path = name + node.rule.path.dropFirst(old.count)
            for child in node.children + node.slices { change(child) }
        }
        change(root)
    }

    private mutating func countElement() throws {
        count += 1
        guard count <= StructureTree.maximumElements else {
            throw KnowledgeError(.limit, "\(url) has more than \(StructureTree.maximumElements) elements")
        }
    }

    // MARK: - Finishing

    /// Sets the ids: `Patient.extension:race.url`.
    private func number(_ node: StructureNode, _ parent: String?) {
        let name = node.rule.sliceName.map { "\(node.rule.name):\($0)" } ?? String(node.rule.name)
        node.rule.id = parent.map { "\($0).\(name)" } ?? node.rule.path
        for child in node.children { number(child, node.rule.id) }
        for slice in node.slices { number(slice, parent) }
    }

    private func keepOwnConstraints(_ node: StructureNode, _ base: Set<String>) {
        node.ownConstraints = node.rule.constraints.filter { constraint in
            guard let expression = constraint.expression else { return false }
            return !base.contains("\(constraint.key) \(expression)") && !BaseConstraints.general.contains(constraint.key)
        }
        for child in node.children + node.slices { keepOwnConstraints(child, base) }
    }
}

extension Knowledge {
    /// The elements of a snapshot that is made of a definition's differential, whatever snapshot it brings.
    package func generatedElements(of definition: Definition) throws -> [ElementRule] {
        try SnapshotGenerator(self).structure(of: definition, usesSnapshot: false).root.flattened()
    }
}
