import FireLiteCore

/// The parameters of an operation, as a Parameters resource has them.
struct RequestParameters: Sendable {
    private(set) var items: [JSONItem]

    init(_ items: [JSONItem] = []) { self.items = items }

    /// - Throws: ``TerminologyError`` for a resource that is not Parameters.
    init(_ json: JSONItem) throws {
        guard json["resourceType"]?.text == "Parameters" else {
            throw TerminologyError(.unreadable, "invalid", "the parameters of an operation are a Parameters resource, and this is none")
        }
        items = json["parameter"]?.items ?? []
    }

    func all(_ name: String) -> [JSONItem] { items.filter { $0["name"]?.text == name } }

    func first(_ name: String) -> JSONItem? { items.first { $0["name"]?.text == name } }

    /// A primitive value as text; nil if there is none.
    func text(_ name: String) -> String? { first(name)?.valueText }

    func texts(_ name: String) -> [String] { all(name).compactMap(\.valueText) }

    /// A truth value; nil if there is none.
    func bool(_ name: String) -> Bool? { text(name).map { $0 == "true" } }

    /// - Throws: ``TerminologyError`` for a value that is not a whole number of at least 0.
    func count(_ name: String) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw TerminologyError(.invalid, "invalid", at: name, "the parameter \(name) is not a whole number of at least 0")
        }
        return number
    }

    func resource(_ name: String) -> JSONItem? { first(name)?["resource"] }

    /// The value of a complex type, `valueCoding` for one.
    func value(_ name: String, _ type: String) -> JSONItem? { first(name)?["value" + type] }

    /// These parameters, and others where these have none of that name.
    func merged(over others: RequestParameters) -> RequestParameters {
        let own = Set(items.compactMap { $0["name"]?.text })
        return RequestParameters(items + others.items.filter { !own.contains($0["name"]?.text ?? "") })
    }
}

/// Builds a Parameters resource, in the order of the names.
struct ResponseParameters {
    private var items: [(name: String, json: JSONItem)] = []

    mutating func add(_ name: String, _ member: String, _ value: JSONItem?) {
        guard let value else { return }
        items.append((name, .object([.init(name: "name", value: .string(name)), .init(name: member, value: value)])))
    }

    mutating func add(_ name: String, _ member: String, _ text: String?) { add(name, member, text.map { JSONItem.string($0) }) }

    mutating func add(_ name: String, parts: [JSONItem]) { add(name, "part", .array(parts)) }

    /// A part of a parameter.
    static func part(_ name: String, _ member: String, _ value: JSONItem?) -> JSONItem? {
        value.map { .object([.init(name: "name", value: .string(name)), .init(name: member, value: $0)]) }
    }

    var json: JSONItem {
        let sorted = items.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return .object(["resourceType": .string("Parameters"), "parameter": .array(sorted.map(\.element.json))])
    }
}
