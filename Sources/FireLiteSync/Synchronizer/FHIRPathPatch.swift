import FireLiteCore
import Foundation

/// FHIRPath Patches (<https://hl7.org/fhir/fhirpatch.html>) from one state of a resource to another.
///
/// They consist of replacements of primitives, and of additions and deletions of to-one primitives.
enum FHIRPathPatch {
    /// - Returns: the Parameters resource as JSON; nil if the states differ in another way.
    static func patch(from old: FHIRResource, to new: FHIRResource) -> Data? {
        guard old.layoutTable == new.layoutTable else { return nil }
        var operations: [String] = []
        for difference in old.withoutServerMeta.differences(to: new.withoutServerMeta) {
            guard let operation = operation(difference, new.layout) else { return nil }
            operations.append(operation)
        }
        return Data(#"{"resourceType":"Parameters","parameter":[\#(operations.joined(separator: ","))]}"#.utf8)
    }

    private static func operation(_ difference: ElementDifference, _ layout: Layout) -> String? {
        guard let (parent, element, place) = resolve(difference.path, layout) else { return nil }
        let name = element.choice.map { String($0.name.dropLast(3)) } ?? element.name
        let value = #"{"name":"value","value\#(element.typeName.prefix(1).uppercased() + element.typeName.dropFirst())":"#
        switch (difference.old, difference.new) {
        case (_?, let new?): return operation("replace", "\(parent).\(name)\(place)", [value + new + "}"])
        case (nil, let new?):
            guard !element.isList else { return nil }
            return operation("add", parent, [#"{"name":"name","valueString":"\#(name)"}"#, value + new + "}"])
        case (_?, nil): return element.isList ? nil : operation("delete", "\(parent).\(name)", [])
        case (nil, nil): return nil
        }
    }

    private static func operation(_ type: String, _ path: String, _ parts: [String]) -> String {
        let all = [#"{"name":"type","valueCode":"\#(type)"}"#, #"{"name":"path","valueString":\#(JSONQuoting.quoted(path))}"#] + parts
        return #"{"name":"operation","part":[\#(all.joined(separator: ","))]}"#
    }

    /// The FHIRPath of the element's parent, the element, and its place in a list: `[1]`.
    private static func resolve(_ path: String, _ layout: Layout) -> (parent: String, element: LayoutElement, place: String)? {
        var (parent, current) = (layout.name, layout)
        let steps = path.split(separator: ".")
        for (number, step) in steps.enumerated() {
            let name = step.prefix { $0 != "[" }
            let place = String(step.dropFirst(name.count))
            guard let element = current.element(named: String(name)) else { return nil }
            if number == steps.count - 1 {
                return element.primitive == nil || element.typeName == "xhtml" ? nil : (parent, element, place)
            }
            guard element.kind == .object, let next = element.layout else { return nil }
            parent += "." + (element.choice.map { String($0.name.dropLast(3)) } ?? element.name) + place
            current = next
        }
        return nil
    }
}
