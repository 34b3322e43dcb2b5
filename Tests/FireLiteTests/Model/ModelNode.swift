import FireLite

/// A plain value for an object: what should be there, kept apart from the code under test.
struct ModelNode {
    var typeName: String
    /// Nil until it has been seen: an element that was saved without one gets it from the store.
    var pk: String?
    var fields: [Int: ModelValue] = [:]

    /// What an object holds now; a pk that nobody has asked an unmanaged object for is left unknown.
    init(_ object: FHIRObject) {
        typeName = object.layout.name
        pk = object.isManaged ? object.pk : object.objectExtras?.pk
        object.forEachSlot { slot in
            fields[Int(slot.index)] = ModelValue(slot.value, object.layout.elements[Int(slot.index)])
        }
    }

    // MARK: - Rules

    /// The same content without pks.
    var copied: ModelNode {
        var copy = self
        copy.pk = nil
        copy.fields = fields.mapValues(\.copied)
        return copy
    }

    /// This node after `populate(from: source)`.
    func populated(from source: ModelNode) -> ModelNode {
        var result = self
        result.fields = [:]
        for (slot, theirs) in source.fields { result.fields[slot] = fields[slot]?.populated(from: theirs) ?? theirs.copied }
        return result
    }

    /// Whether nothing is set in it: JSON has no word for that, so it may be there or not.
    var isHollow: Bool { fields.values.allSatisfy(\.isHollow) }

    var id: String? {
        guard case .primitive(let place)? = fields[0] else { return nil }
        return place.text
    }

    // MARK: - Comparing

    /// The first place where the content differs, or a known pk; nil for none.
    func difference(from actual: ModelNode, at path: String) -> String? {
        if typeName != actual.typeName { return "\(path) is a \(actual.typeName), not a \(typeName)" }
        if let pk, let other = actual.pk, pk != other { return "\(path) has the pk \(other), not \(pk)" }
        for slot in Set(fields.keys).union(actual.fields.keys).sorted() {
            let (mine, theirs) = (fields[slot], actual.fields[slot])
            if mine?.isHollow ?? true, theirs?.isHollow ?? true { continue }
            guard let mine else { return "\(path).\(slot) is there" }
            guard let theirs else { return "\(path).\(slot) is missing" }
            if let difference = mine.difference(from: theirs, at: "\(path).\(slot)") { return difference }
        }
        return nil
    }

    // MARK: - Nodes in it

    /// Calls `body` with the node and every one in it, and whether it is a resource or in a list.
    func walk(isListed: Bool = true, _ body: (ModelNode, Bool) -> Void) {
        body(self, isListed)
        for value in fields.values where !value.isHollow { value.walk(body) }
    }
}
