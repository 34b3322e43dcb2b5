import FireLiteCore
import Foundation

/// A value of an element: an object, or the literal of a primitive, which is nil if the primitive has only extensions.
enum RuleValue {
    case object(FHIRObject)
    case literal(String?, PrimitiveType)

    /// FHIR's name of the type: `Quantity`, `dateTime`.
    var typeName: String {
        switch self {
        case .object(let object): object.layout.name
        case .literal(_, let type): type.name
        }
    }
}

extension FHIRObject {
    /// The elements of the layout with a name in FHIR's definitions: several for a choice element.
    func ruleElements(named name: String) -> [LayoutElement] { layout.ruleElements(named: name) }

    /// The values of an element with its name in FHIR's definitions, `value[x]`, or in JSON.
    func ruleValues(named name: String) -> [RuleValue] {
        ruleElements(named: name).flatMap { element in value(element.slot).map { Self.values($0, element) } ?? [] }
    }

    private static func values(_ value: SlotValue, _ element: LayoutElement) -> [RuleValue] {
        let type = element.primitive ?? .string
        switch value {
        case .object(let object): return [.object(object)]
        case .objects(let objects): return objects.map { .object($0) }
        case .word, .text: return [.literal(value.literal(type), type)]
        case .texts(let texts): return texts.map { .literal($0, type) }
        case .annotated(let primitive): return [.literal(primitive.value?.literal(type), type)]
        case .annotatedTexts(let list): return list.texts.map { .literal($0, type) }
        }
    }
}

extension Layout {
    /// The elements with a name in FHIR's definitions: several for a choice element, which may also be named without `[x]` as in FHIRPath.
    func ruleElements(named name: String) -> [LayoutElement] {
        if let element = element(named: name) { return [element] }
        let choice = name.hasSuffix("[x]") ? name : name + "[x]"
        return elements.filter { $0.choice?.name == choice }
    }
}

/// Whether values have what fixed values and patterns have (FHIR, ElementDefinition, pattern).
enum PatternMatch {
    static func holds(_ pattern: JSONItem, in value: RuleValue) -> Bool {
        switch value {
        case .literal(let literal, let type): return literal.map { isSame(pattern, $0, type) } ?? false
        case .object(let object):
            guard pattern.isObject else { return false }
            return pattern.members.allSatisfy { member in
                let values = object.ruleValues(named: member.name)
                if member.value.isArray { return member.value.items.allSatisfy { item in values.contains { holds(item, in: $0) } } }
                return values.contains { holds(member.value, in: $0) }
            }
        }
    }

    /// Whether a value is exactly a fixed one.
    static func equals(_ fixed: JSONItem, _ value: RuleValue) -> Bool {
        switch value {
        case .literal(let literal, let type): return literal.map { isSame(fixed, $0, type) } ?? false
        case .object(let object):
            guard let json = try? JSONItemReader.read(FHIRJSON.data(object)) else { return false }
            return json.isSame(as: fixed)
        }
    }

    private static func isSame(_ item: JSONItem, _ literal: String, _ type: PrimitiveType) -> Bool {
        switch item.content {
        case .string(let text): text == literal
        case .bool(let flag): literal == (flag ? "true" : "false")
        case .number(let number): number == literal || Decimal(string: number) == Decimal(string: literal)
        default: false
        }
    }
}
