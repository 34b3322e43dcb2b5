import FireLite
import Foundation

/// One walk through a resource, which mends it by the layouts of its classes.
struct MendingWalk {
    private enum Step {
        case name(String)
        case index(Int)
    }

    let mender: FireKitMender
    private(set) var mends: [Mend] = []
    private var steps: [Step] = []

    init(mender: FireKitMender) { self.mender = mender }

    // MARK: - Places

    mutating func note(_ kind: MendKind) {
        var path = ""
        for step in steps {
            switch step {
            case .name(let name): path += path.isEmpty ? name : ".\(name)"
            case .index(let index): path += "[\(index)]"
            }
        }
        mends.append(Mend(kind: kind, path: path))
    }

    private mutating func within<Value>(_ step: Step, _ body: (inout MendingWalk) -> Value) -> Value {
        steps.append(step)
        defer { steps.removeLast() }
        return body(&self)
    }

    // MARK: - Resources

    /// - Parameters:
    ///   - typeName: the type of a resource that does not name it.
    ///   - takesKey: whether a resource without an id gets its `pk`.
    mutating func resource(_ node: JSONNode, typeName: String?, takesKey: Bool) -> JSONNode? {
        guard let members = node.members else { return node }
        if let inner = containedResource(node) {
            if steps.isEmpty { steps.append(.name(inner["resourceType"]?.text ?? "")) }
            note(.contained)
            return resource(inner, typeName: nil, takesKey: takesKey)
        }
        let given = node["resourceType"]?.text
        let name = given ?? typeName
        let isRoot = steps.isEmpty
        if isRoot, let name { steps.append(.name(name)) }
        defer { if isRoot { steps.removeAll() } }
        guard var mended = object(node, name.flatMap { mender.release.resourceLayout(named: $0) }) else { return nil }
        if given == nil, let name, node["resourceType"]?.isNull != false {
            note(.resourceType)
            mended.content = .object([.init(name: "resourceType", value: .text(name, at: node.range))] + (mended.members ?? []))
        }
        if takesKey, mended["id"] == nil, let key = members.first(where: { $0.name == "pk" })?.value, let text = key.text, isID(text) {
            within(.name("id")) { $0.note(.id) }
            mended.content = .object((mended.members ?? []) + [.init(name: "id", value: key)])
        }
        return mended
    }

    /// The resource in the object that FireKit stores one in, `{"resourceType": …, "json": base64}`; nil for another object.
    private func containedResource(_ node: JSONNode) -> JSONNode? {
        guard let json = node["json"]?.text, let type = node["resourceType"]?.text, let data = Data(base64Encoded: json),
            let inner = JSONNodeParser.node(of: Array(data)), inner["resourceType"]?.text == type
        else { return nil }
        return inner.placed(at: node.range)
    }

    private func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 &- 48 < 10 || ($0 | 0x20) &- 97 < 26 || $0 == 0x2D || $0 == 0x2E }
    }

    // MARK: - Objects

    /// - Parameter layout: nil for an unknown class, of which only what holds no information is removed.
    /// - Returns: nil if nothing remains.
    mutating func object(_ node: JSONNode, _ layout: Layout?) -> JSONNode? {
        guard let members = node.members else { return node }
        if steps.isEmpty, let layout { steps.append(.name(layout.name)) }
        var mended: [JSONNode.Member] = []
        let names = Set(members.map(\.name))
        for member in members {
            var member = member
            let base = member.name.hasSuffix("_fhir") ? String(member.name.dropLast(5)) : member.name
            let element = layout?.element(named: member.name) ?? layout?.element(named: base)
            let isRenamed = element != nil && layout?.element(named: member.name) == nil
            let value: JSONNode? = within(.name(isRenamed ? base : member.name)) { walk in
                if let element {
                    if isRenamed { walk.note(.name) }
                    let takesKey = layout?.name == "Bundle.entry" && !names.contains("fullUrl")
                    return walk.value(member.value, element, hasElements: names.contains("_\(element.name)"), takesKey: takesKey)
                }
                if walk.isLocal(member.name, layout) {
                    walk.note(.localMember)
                    return nil
                }
                // The ids and extensions of a primitive, in which null is a position of a list.
                if walk.isElements(member.name, layout), !member.value.isNull, !member.value.isEmpty { return member.value }
                return walk.pruned(member.value)
            }
            guard let value else { continue }
            if isRenamed { member.name = base }
            member.value = value
            mended.append(member)
        }
        guard !mended.isEmpty else {
            note(.emptyObject)
            return nil
        }
        return JSONNode(content: .object(mended), range: node.range)
    }

    private func isElements(_ name: String, _ layout: Layout?) -> Bool {
        name.hasPrefix("_") && layout?.element(named: String(name.dropFirst()))?.primitive != nil
    }

    /// Whether a member exists only in the app. `_versionId` of a resource is what FireKit asked a server for.
    private func isLocal(_ name: String, _ layout: Layout?) -> Bool {
        name == "pk" || (name == "_versionId" && !isElements(name, layout))
    }

    /// An unknown value without what holds no information.
    private mutating func pruned(_ node: JSONNode) -> JSONNode? {
        if node.isNull {
            note(.null)
            return nil
        }
        switch node.content {
        case .object: return object(node, nil)
        case .list(let items): return list(items, node.range) { $0.pruned($1) }
        default: return node
        }
    }

    // MARK: - Values

    private mutating func value(_ node: JSONNode, _ element: LayoutElement, hasElements: Bool, takesKey: Bool) -> JSONNode? {
        if node.isNull {
            note(.null)
            return nil
        }
        guard let items = node.items else {
            guard let mended = item(node, element, takesKey: takesKey) else { return nil }
            guard element.isList else { return mended }
            note(.cardinality)
            return JSONNode(content: .list([mended]), range: node.range)
        }
        if !element.isList, items.count == 1, !items[0].isNull, items[0].items == nil {
            note(.cardinality)
            return item(items[0], element, takesKey: takesKey)
        }
        return list(items, node.range) { walk, item in
            if item.isNull, element.primitive != nil, hasElements { return item }
            return item.isNull ? walk.pruned(item) : walk.item(item, element, takesKey: takesKey)
        }
    }

    private mutating func list(
        _ items: [JSONNode], _ range: Range<Int>, _ body: (inout MendingWalk, JSONNode) -> JSONNode?
    ) -> JSONNode? {
        var mended: [JSONNode] = []
        for (index, item) in items.enumerated() {
            if let value = within(.index(index), { body(&$0, item) }) { mended.append(value) }
        }
        guard !mended.isEmpty else {
            note(.emptyList)
            return nil
        }
        return JSONNode(content: .list(mended), range: range)
    }

    private mutating func item(_ node: JSONNode, _ element: LayoutElement, takesKey: Bool) -> JSONNode? {
        if let type = element.primitive { return primitive(node, type) }
        if node.isEmpty, node.members != nil {
            note(.emptyObject)
            return nil
        }
        guard let layout = element.layout else { return resource(node, typeName: nil, takesKey: takesKey) }
        return object(node, layout)
    }
}
