import FireLiteCore

/// `name.where(use = 'official').given`: members and comparisons with a text, followed object by object, without a collection for each step.
///
/// The results and their order are those of the steps one after the other.
final class FollowNode: Node, @unchecked Sendable {
    /// A member, or `where(member = 'text')`.
    private final class Step {
        /// The node that makes the same of a collection.
        let node: Node
        let member: MemberNode
        let text: String
        /// Nil for a member.
        let equality: EqualityNode?
        let next: Step?
        /// The next step, without counting references.
        let unmanagedNext: Unmanaged<Step>?

        /// - Returns: nil for a node that may need its whole input.
        init?(_ node: Node, next: Step?) {
            if let member = node as? MemberNode {
                (self.member, text, equality) = (member, "", nil)
            } else if let call = node as? FunctionNode, call.name == "where", let comparison = call.arguments.first as? EqualityNode,
                let (member, text) = comparison.memberAndText
            {
                (self.member, self.text, equality) = (member, text, comparison)
            } else {
                return nil
            }
            self.node = node
            self.next = next
            unmanagedNext = next.map { .passUnretained($0) }
        }
    }

    private let nodes: [Node]
    private let first: Step
    /// Whether the path ends with `first()`.
    private let takesFirst: Bool

    /// - Returns: nil if one of the nodes may need its whole input.
    private init?(_ nodes: [Node], takesFirst: Bool, _ position: Int) {
        var first: Step?
        for node in nodes.reversed() {
            guard let step = Step(node, next: first) else { return nil }
            first = step
        }
        guard let first else { return nil }
        self.nodes = nodes
        self.first = first
        self.takesFirst = takesFirst
        super.init(position)
    }

    /// A node for a path and what follows it; nil if one of them may need its whole input.
    static func joining(_ left: Node, _ right: Node, _ position: Int) -> FollowNode? {
        let path = left as? FollowNode
        if path?.takesFirst == true { return nil }
        let nodes = path?.nodes ?? [left]
        if let call = right as? FunctionNode, call.name == "first" { return FollowNode(nodes, takesFirst: true, position) }
        return FollowNode(nodes + [right], takesFirst: false, position)
    }

    override func evaluate(_ focus: [Item], _ evaluator: Evaluator) throws -> [Item] {
        var results: [Item] = []
        var visited = 1
        for item in focus {
            if case .object(let object) = item {
                try follow(.passUnretained(object), .passUnretained(first), evaluator, &results, &visited)
            } else {
                try follow(item, first, evaluator, &results)
            }
            if takesFirst, !results.isEmpty { break }
        }
        try evaluator.count(results.count + visited, at: position)
        return takesFirst && results.count > 1 ? [results[0]] : results
    }

    private func follow(
        _ object: Unmanaged<FHIRObject>, _ step: Unmanaged<Step>?, _ evaluator: Evaluator, _ results: inout [Item], _ visited: inout Int
    ) throws {
        guard let step else { return Self.add(.object(object.takeUnretainedValue()), to: &results) }
        visited += 1
        try step._withUnsafeGuaranteedRef { step in
            if let equality = step.equality {
                let isEqual =
                    try object._withUnsafeGuaranteedRef { step.member.hasText(step.text, $0, evaluator) }
                    ?? (equality.truth([.object(object.takeUnretainedValue())], evaluator) ?? false)
                if isEqual { try follow(object, step.unmanagedNext, evaluator, &results, &visited) }
                return
            }
            let (table, slots) = object._withUnsafeGuaranteedRef { ($0.layoutTable, $0.slotRun) }
            let found = evaluator.slots(step.member, of: table)
            if found.isType { return try follow(object, step.unmanagedNext, evaluator, &results, &visited) }
            guard let base = slots.baseAddress else { return }
            for place in slots.indices {
                let slot = base + place
                if slot.pointee.index < found.first { continue }
                if slot.pointee.index >= found.first + found.count { return }
                try follow(slot, table, step, evaluator, &results, &visited)
                if takesFirst, !results.isEmpty { return }
            }
        }
    }

    /// Follows the values of a slot after a step.
    @inline(__always)
    private func follow(
        _ slot: UnsafeMutablePointer<ElementSlot>, _ table: UnsafePointer<LayoutTable>, _ step: Step, _ evaluator: Evaluator,
        _ results: inout [Item], _ visited: inout Int
    ) throws {
        switch slot.pointee.value {
        case .object: try follow(slot.object, step.unmanagedNext, evaluator, &results, &visited)
        case .objects:
            for object in slot.objects {
                try follow(object, step.unmanagedNext, evaluator, &results, &visited)
                if takesFirst, !results.isEmpty { return }
            }
        default:
            var items: [Item] = []
            let type = table.pointee.entries[Int(slot.pointee.index)].primitive
            if step.next == nil, !takesFirst { return slot.pointee.value.append(to: &results, type) }
            if step.next == nil, case .texts = slot.pointee.value, let text = slot.texts.first {
                return Self.add(.text(text, type), to: &results)
            }
            slot.pointee.value.append(to: &items, type)
            for item in items {
                try follow(item, step.next, evaluator, &results)
                if takesFirst, !results.isEmpty { return }
            }
        }
    }

    /// Appends an item. Most results have one, and an array made with it takes half as long as one that grows.
    @inline(__always)
    private static func add(_ item: Item, to results: inout [Item]) {
        if results.isEmpty { results = [item] } else { results.append(item) }
    }

    /// Follows an item that is no object, a step at a time.
    @inline(never)
    private func follow(_ item: Item, _ step: Step?, _ evaluator: Evaluator, _ results: inout [Item]) throws {
        var items = [item]
        var next = step
        while let step = next {
            items = try step.node.evaluate(items, evaluator)
            next = step.next
        }
        results += items
    }
}

extension MemberNode {
    /// Whether the value in an object is a text; nil if it takes a comparison of items to tell.
    @inline(__always)
    fileprivate func hasText(_ text: String, _ object: FHIRObject, _ evaluator: Evaluator) -> Bool? {
        let found = evaluator.slots(self, of: object.layoutTable)
        guard found.count == 1, object.layoutTable.pointee.entries[Int(found.first)].storage == .text else { return nil }
        guard let position = object.position(of: Int(found.first)), let base = object.slotRun.baseAddress else { return false }
        guard case .text = base[position].value else { return nil }
        return (base + position).text.pointee.hasSameBytes(as: text)
    }
}
