import FireLiteCore
import Foundation

/// A value of an element, of whatever type.
enum ElementValue {
    /// A primitive's literal.
    case literal(String, PrimitiveType)
    case object(FHIRObject)
}

/// Reads elements by the names that a person writes: a choice element also without its type, `value` for `valueQuantity`.
enum ElementValues {
    /// The values at a path such as `name.given`, at most as many as asked for.
    static func at(_ path: String, of object: FHIRObject, limit: Int) -> [ElementValue] {
        if !path.utf8.contains(UInt8(ascii: ".")) { return step(path, of: object, limit) }
        var values: [ElementValue] = [.object(object)]
        for name in path.split(separator: ".") {
            var next: [ElementValue] = []
            for case .object(let owner) in values where next.count < limit { next += step(String(name), of: owner, limit - next.count) }
            values = next
        }
        return values
    }

    private static func step(_ name: String, of owner: FHIRObject, _ limit: Int) -> [ElementValue] {
        var values: [ElementValue] = []
        for element in elements(named: name, of: owner.layout) {
            values += of(element, owner)
            if values.count >= limit { return Array(values.prefix(limit)) }
        }
        return values
    }

    /// The elements that a name means: one, or the types of a choice.
    static func elements(named name: String, of layout: Layout) -> [LayoutElement] {
        if let element = layout.element(named: name) { return [element] }
        return choices.slots(of: name, in: layout).map { layout.elements[$0] }
    }

    private static let choices = ChoiceSlots()

    /// The values of an element.
    static func of(_ element: LayoutElement, _ owner: FHIRObject) -> [ElementValue] {
        guard let primitive = element.primitive, element.kind == .primitive else {
            return owner.children(element.name).map { .object($0) }
        }
        if element.isList { return owner._strings(element.slot).map { .literal($0, primitive) } }
        let text: String? =
            switch primitive {
            case .boolean: owner._bool(element.slot).map { $0 ? "true" : "false" }
            case .integer, .positiveInt, .unsignedInt, .integer64: owner._int(element.slot).map { String($0) }
            case .decimal: owner._decimal(element.slot)?.literal
            case .date: owner._date(element.slot)?.literal
            case .dateTime: owner._dateTime(element.slot)?.literal
            case .instant: owner._instant(element.slot)?.literal
            case .time: owner._time(element.slot)?.literal
            default: owner._string(element.slot)
            }
        return text.map { [.literal($0, primitive)] } ?? []
    }

    /// The first literal of a primitive.
    static func text(_ path: String, of object: FHIRObject) -> String? {
        for case .literal(let text, _) in at(path, of: object, limit: 1) { return text }
        return nil
    }
}

/// The slots of the choice elements of layouts, found once for each layout: pages ask for many names that most types do not have.
///
/// `@unchecked Sendable`: `lock` guards `known`.
private final class ChoiceSlots: @unchecked Sendable {
    private let lock = NSLock()
    /// By the layout, which is kept, so that no other comes to have its address.
    private var known: [ObjectIdentifier: (layout: Layout, slots: [String: Range<Int>])] = [:]

    /// The slots of the types of a choice; empty if there is none of this name, which is written without `[x]`.
    func slots(of name: String, in layout: Layout) -> Range<Int> {
        lock.withLock {
            if let found = known[ObjectIdentifier(layout)] { return found.slots[name] ?? 0..<0 }
            var slots: [String: Range<Int>] = [:]
            for case let choice? in layout.elements.map(\.choice) where choice.name.hasSuffix("[x]") {
                slots[String(choice.name.dropLast(3))] = choice.slots
            }
            known[ObjectIdentifier(layout)] = (layout, slots)
            return slots[name] ?? 0..<0
        }
    }
}

/// What a person reads for a value.
enum Summary {
    /// The text of a value, without line breaks. Nil for an object without anything that a person would read.
    static func text(_ value: ElementValue) -> String? {
        switch value {
        case .literal(let text, let type): literal(text, type)
        case .object(let object): self.object(object)
        }
    }

    static func literal(_ text: String, _ type: PrimitiveType) -> String {
        switch type {
        case .dateTime, .instant: text.count > 16 ? readable(text) : text
        case .base64Binary: "\(Numbers.bytes(text.utf8.count * 3 / 4)) of data"
        case .xhtml: "text"
        default: text
        }
    }

    /// `2015-02-07T11:28:17.239-05:00` as `2015-02-07 11:28`, as it stands in the record's own zone.
    private static func readable(_ text: String) -> String {
        String(text.prefix(10)) + " " + String(text.dropFirst(11).prefix(5))
    }

    /// The most telling text of a datatype.
    static func object(_ object: FHIRObject) -> String? {
        func text(_ path: String) -> String? { ElementValues.text(path, of: object) }
        func texts(_ path: String) -> [String] { object.texts(path) }
        switch object.layout.name {
        case "HumanName":
            if let whole = text("text") { return whole }
            let parts = texts("prefix") + texts("given") + texts("family") + texts("suffix")
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        case "CodeableConcept": return text("text") ?? text("coding.display") ?? text("coding.code")
        case "Coding": return text("display") ?? text("code")
        case "CodeableReference":
            return object.child("concept").flatMap(Summary.object) ?? object.child("reference").flatMap(Summary.object)
        case "Quantity", "Age", "Duration", "Distance", "Count", "SimpleQuantity", "MoneyQuantity":
            guard let value = text("value") else { return nil }
            return [text("comparator"), value, text("unit") ?? text("code")].compactMap { $0 }.joined(separator: " ")
        case "Money": return [text("value"), text("currency") ?? text("code")].compactMap { $0 }.joined(separator: " ")
        case "Reference": return text("display") ?? text("reference") ?? text("identifier.value")
        case "Identifier": return text("value") ?? text("type.text")
        case "Period":
            guard let start = part(object, "start") else { return part(object, "end").map { "until \($0)" } }
            return part(object, "end").map { $0 == start ? start : "\(start) – \($0)" } ?? "since \(start)"
        case "Range":
            let ends = ["low", "high"].map { object.child($0).flatMap(Summary.object) ?? "…" }
            return ends.joined(separator: " – ")
        case "Ratio":
            let ends = ["numerator", "denominator"].map { object.child($0).flatMap(Summary.object) ?? "…" }
            return ends.joined(separator: " / ")
        case "ContactPoint": return text("value")
        case "Address":
            if let whole = text("text") { return whole }
            let parts = texts("line") + [text("postalCode"), text("city"), text("state"), text("country")].compactMap { $0 }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        case "Annotation": return text("text")
        case "Attachment": return text("title") ?? text("url") ?? text("contentType")
        case "Timing": return text("code.text") ?? text("event")
        case "Dosage": return text("text")
        case "Narrative", "Meta", "Extension": return nil
        default: return fallback(object)
        }
    }

    private static func part(_ object: FHIRObject, _ name: String) -> String? {
        guard let value = ElementValues.at(name, of: object, limit: 1).first else { return nil }
        return text(value)
    }

    /// The first texts of the elements of an object of another type.
    private static func fallback(_ object: FHIRObject) -> String? {
        var parts: [String] = []
        for element in object.layout.elements where !["id", "extension", "modifierExtension"].contains(element.name) {
            guard parts.count < 3 else { break }
            guard let first = ElementValues.of(element, object).first else { continue }
            if case .object(let inner) = first, inner.layout.kind == .backbone { continue }
            if let text = text(first) { parts.append(text) }
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    // MARK: - Resources

    /// What a resource is about: its name, code or title.
    static func title(_ resource: FHIRResource) -> String? {
        for name in titles {
            for value in ElementValues.at(name, of: resource, limit: 1) { if let text = text(value), !text.isEmpty { return text } }
        }
        return nil
    }

    /// The date that a resource is ordered by.
    static func date(_ resource: FHIRResource) -> String? {
        for name in dates {
            guard let value = ElementValues.at(name, of: resource, limit: 1).first else { continue }
            switch value {
            case .literal(let text, let type): return literal(text, type)
            case .object(let object):
                if let text = ElementValues.text("start", of: object) ?? ElementValues.text("end", of: object) {
                    return literal(text, .dateTime)
                }
            }
        }
        return nil
    }

    /// Elements that say what a resource is about, the most telling first.
    static let titles = [
        "name", "code", "vaccineCode", "medicationCodeableConcept", "medication", "type", "title", "serviceType", "description", "category",
        "class", "url", "status",
    ]
    /// Elements with a date, the most telling first.
    static let dates = [
        "birthDate", "effective", "period", "onset", "performed", "occurrence", "authoredOn", "dateWritten", "date", "issued",
        "recordedDate", "billablePeriod", "created", "start", "recorded",
    ]
}
