import FireLiteCore
import FireLiteR4
import Foundation

/// Applies FHIRPath Patches to JSON, as a server does, for the paths that the library writes: `Patient.name[0].family`.
struct PatchedResource {
    /// Why a patch cannot be applied.
    struct Failure: Error {
        let path: String
    }

    private var members: [String: Any]
    private let layout: Layout

    init(_ resource: FHIRResource) throws {
        layout = resource.layout
        members = try JSONSerialization.jsonObject(with: FHIRJSON.data(resource)) as? [String: Any] ?? [:]
    }

    func resource() throws -> FHIRResource {
        try FHIRJSON.resource(from: JSONSerialization.data(withJSONObject: members), release: layout.release)
    }

    mutating func apply(_ patch: Data) throws {
        let parameters = try JSONSerialization.jsonObject(with: patch) as? [String: Any] ?? [:]
        for operation in parameters["parameter"] as? [[String: Any]] ?? [] {
            let parts = operation["part"] as? [[String: Any]] ?? []
            func part(_ name: String) -> [String: Any]? { parts.first { $0["name"] as? String == name } }
            let path = part("path")?["valueString"] as? String ?? ""
            var steps = path.split(separator: ".").dropFirst().map(String.init)
            let type = part("type")?["valueCode"] as? String
            if type == "add" { steps.append(part("name")?["valueString"] as? String ?? "") }
            let numbers = ["index", "source", "destination"].map { part($0)?["valueInteger"] as? Int ?? -1 }
            members = try change(members, layout, steps[...], path) { list, value, element, index in
                let new = part("value").map { Self.value($0, element.layout) }
                switch type {
                case "add" where element.isList: list.append(new as Any)
                case "add", "replace":
                    if let index { list[index] = new as Any } else { value = new }
                case "insert": list.insert(new as Any, at: numbers[0])
                case "delete":
                    if let index { list.remove(at: index) } else { value = nil }
                case "move": list.insert(list.remove(at: numbers[1]), at: numbers[2])
                default: throw Failure(path: path)
                }
            }
        }
    }

    private typealias Change = (inout [Any], inout Any?, LayoutElement, Int?) throws -> Void

    /// Changes the element at the end of the steps.
    private func change(
        _ members: [String: Any], _ layout: Layout, _ steps: ArraySlice<String>, _ path: String, _ body: Change
    ) throws -> [String: Any] {
        guard let step = steps.first else { throw Failure(path: path) }
        var members = members
        let name = String(step.prefix { $0 != "[" })
        let index = Int(step.dropFirst(name.count).dropFirst().dropLast())
        // The element, or that of the choice which is there.
        let choices = layout.elements.filter { $0.choice?.name == name + "[x]" }
        guard let element = layout.element(named: name) ?? choices.first(where: { members[$0.name] != nil }) ?? choices.first else {
            throw Failure(path: path)
        }
        if steps.count > 1 {
            guard let inner = element.layout else { throw Failure(path: path) }
            if let index {
                var list = members[element.name] as? [Any] ?? []
                list[index] = try change(list[index] as? [String: Any] ?? [:], inner, steps.dropFirst(), path, body)
                members[element.name] = list
            } else {
                members[element.name] = try change(members[element.name] as? [String: Any] ?? [:], inner, steps.dropFirst(), path, body)
            }
            return members
        }
        var list = members[element.name] as? [Any] ?? []
        var value = members[element.name]
        try body(&list, &value, element, index)
        if element.isList {
            members[element.name] = list.isEmpty ? nil : list
        } else if let typed = value as? Typed {
            // An added choice has the type of its value.
            members[choices.isEmpty ? element.name : name + typed.type] = typed.value
        } else {
            members[element.name] = value
        }
        if element.isList { members[element.name] = (members[element.name] as? [Any])?.map { ($0 as? Typed)?.value ?? $0 } }
        return members
    }

    /// A value and its type, `HumanName`.
    private struct Typed {
        let type: String
        let value: Any
    }

    private static func value(_ part: [String: Any], _ layout: Layout?) -> Typed {
        if let (key, value) = part.first(where: { $0.key.hasPrefix("value") }) {
            return Typed(type: String(key.dropFirst(5)), value: value)
        }
        var members: [String: Any] = [:]
        for inner in part["part"] as? [[String: Any]] ?? [] {
            let name = inner["name"] as? String ?? ""
            let element = layout?.element(named: name)
            let typed = value(inner, element?.layout)
            if element?.isList == true {
                members[name] = (members[name] as? [Any] ?? []) + [typed.value]
            } else {
                members[element == nil ? name + typed.type : name] = typed.value
            }
        }
        return Typed(type: "", value: members)
    }
}
