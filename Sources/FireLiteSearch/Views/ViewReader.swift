import FireLiteCore

/// Reads an object of a definition's JSON; errors have the place.
struct ViewReader {
    private let members: [String: JSONItem]
    private let place: String

    /// - Throws: `ViewError` if the value is no object.
    init(_ json: JSONItem, _ place: String) throws {
        guard json.isObject else {
            throw ViewError(.definition, "expected an object, found \(json.kind)", at: place)
        }
        members = Dictionary(json.members.map { ($0.name, $0.value) }) { first, _ in first }
        self.place = place
    }

    /// The names of its members.
    var names: [String] { members.keys.sorted() }

    func has(_ name: String) -> Bool { members[name] != nil }

    private func path(_ name: String) -> String { name.isEmpty ? place : place.isEmpty ? name : "\(place).\(name)" }

    func error(_ message: String, at name: String) -> ViewError { ViewError(.definition, message, at: path(name)) }

    private func mismatch(_ expected: String, _ found: JSONItem, at name: String) -> ViewError {
        error("expected \(expected), found \(found.kind)", at: name)
    }

    /// A text; nil if there is none.
    func string(_ name: String) throws -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.text else { throw mismatch("a text", value, at: name) }
        if text.isEmpty { throw error("expected a text, found an empty one", at: name) }
        return text
    }

    func required(_ name: String) throws -> String {
        guard let text = try string(name) else { throw error("'\(name)' is missing", at: "") }
        return text
    }

    func boolean(_ name: String) throws -> Bool? {
        guard let value = members[name] else { return nil }
        guard case .bool(let truth) = value.content else { throw mismatch("true or false", value, at: name) }
        return truth
    }

    func strings(_ name: String) throws -> [String] {
        try elements(name).enumerated().map { number, element in
            guard let text = element.text else { throw mismatch("a text", element, at: "\(name)[\(number)]") }
            return text
        }
    }

    /// A list of objects; empty if there is none.
    func list(_ name: String) throws -> [ViewReader] {
        try elements(name).enumerated().map { try ViewReader($1, path("\(name)[\($0)]")) }
    }

    private func elements(_ name: String) throws -> [JSONItem] {
        guard let value = members[name] else { return [] }
        guard case .array(let elements) = value.content else { throw mismatch("a list", value, at: name) }
        return elements
    }

    /// The literal of a primitive.
    func literal(_ name: String, _ type: PrimitiveType) throws -> String {
        let value = members[name] ?? .null
        switch (value.content, type.storage) {
        case (.bool(let truth), .boolean): return truth ? "true" : "false"
        case (.number(let text), .integer), (.number(let text), .decimal): return text
        case (.string(let text), .integer) where type == .integer64: return text
        case (.string(let text), .text), (.string(let text), .temporal): return text
        default: throw mismatch("the value of a \(type.name)", value, at: name)
        }
    }
}
