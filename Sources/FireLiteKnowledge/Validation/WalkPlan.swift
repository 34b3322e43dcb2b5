import FireLiteCore
import FireLiteFHIRPath

/// What a walk through a record does with the objects of one layout, found once.
final class WalkPlan: Sendable {
    /// The rules for an object beyond its layout.
    enum ObjectRule: Sendable {
        case none, extensions, reference, attachment, coding, identifier, quantity
    }

    /// The rules for the text of a primitive.
    enum TextRule: Sendable {
        case none, text, uri, url
    }

    /// What is done with the values in a slot.
    struct Slot: Sendable {
        /// The name in the record, and the one that definitions have for it: `value[x]`.
        let name: String
        let element: String
        let isList: Bool
        let primitive: PrimitiveType?
        let rule: TextRule
        /// The value set of codes that the lists of the release do not have.
        let open: Canonical?
        /// The value set of codings: of a required binding, or the maximum of another.
        let coded: Canonical?
    }

    let rule: ObjectRule
    let isResource: Bool
    let slots: [Slot]
    /// Whether a slot has an open value set.
    let hasOpenSets: Bool

    init(_ layout: Layout, _ facts: BaseFacts) {
        isResource = layout.isKind(of: "Resource")
        rule =
            switch layout.name {
            case "Extension": .extensions
            case "Reference": .reference
            case "Attachment": .attachment
            case "Coding": .coding
            case "Identifier": .identifier
            default: layout.isKind(of: "Quantity") ? .quantity : .none
            }
        slots = layout.elements.map { element in
            let isCode = element.primitive == .code && element.choice == nil
            let isBound = isCode || ["CodeableConcept", "Coding"].contains(element.typeName)
            let set = isBound ? facts.boundSet(of: element.name, layout) : nil
            return Slot(
                name: element.name, element: element.choice?.name ?? element.name, isList: element.isList, primitive: element.primitive,
                rule: Self.rule(for: element.primitive), open: isCode ? set.flatMap { BaseFacts.isOpen($0) ? Canonical($0) : nil } : nil,
                coded: isCode ? nil : set.map { Canonical($0) })
        }
        hasOpenSets = slots.contains { $0.open != nil }
    }

    private static func rule(for type: PrimitiveType?) -> TextRule {
        switch type {
        case .uri, .oid, .uuid: .uri
        case .url, .canonical: .url
        case .string, .markdown: .text
        default: .none
        }
    }
}

extension WalkPlan.TextRule {
    /// Whether a text plainly keeps the rule; most do.
    func isKept(by text: String, refusesMarkup: Bool) -> Bool {
        if self == .none { return true }
        guard let first = text.utf8.first else { return false }
        switch self {
        case .none: return true
        // Not white space alone.
        case .text: return first > 0x20 && first < 0x80 && (!refusesMarkup || !text.utf8.contains(UInt8(ascii: "<")))
        // Not `urn:`, `uuid:` or `oid:`.
        case .uri: return first != UInt8(ascii: "u") && first != UInt8(ascii: "o")
        case .url: return false
        }
    }
}
