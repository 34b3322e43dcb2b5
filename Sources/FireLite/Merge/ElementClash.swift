import FireLiteCore

/// An element that two later states of a resource have changed in different ways, so that a merge cannot keep both.
public struct ElementClash: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// The FHIR path: `name[0].family`.
    public let path: String
    /// The element's JSON in the common earlier state; nil if it had none.
    public let base: String?
    /// The element's JSON on one's own side: in the draft, or in the store of a sync. Nil if it was removed there.
    public let local: String?
    /// The element's JSON on the other side: in the store, or at the server of a sync. Nil if it was removed there.
    public let remote: String?

    /// The path, which the clashes of one merge do not share, as the `id` of `Identifiable`.
    public var id: String { path }

    /// The path. The values are health data, which text about a clash does not give away.
    public var description: String { path }

    /// A mirror with the path alone.
    public var customMirror: Mirror { Mirror(self, children: ["path": path]) }
}

extension SlotValue {
    /// The value as JSON, of primitives with extensions the values alone; nil for a primitive without a value.
    func json(_ type: PrimitiveType?) -> String? {
        func primitive(_ text: String?) -> String { text.map { JSONText.primitive($0, type) } ?? "null" }
        switch self {
        case .word, .text: return literal(type ?? .string).map { primitive($0) }
        case .object(let object): return FHIRJSON.string(object)
        case .objects(let objects): return JSONText.array(objects.map { FHIRJSON.string($0) })
        case .texts(let texts): return JSONText.array(texts.map { primitive($0) })
        case .annotated(let annotated): return annotated.value?.json(type)
        case .annotatedTexts(let list): return JSONText.array(list.texts.map { primitive($0) })
        }
    }
}
