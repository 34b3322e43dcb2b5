import FireLiteCore

/// The parameters of an operation, as a Parameters resource has them.
struct RequestParameters: Sendable {
    let items: [JSONItem]
    /// The name of each, as every operation asks for many that are not there.
    private let names: [String]

    init(_ items: [JSONItem] = []) {
        self.items = items
        names = items.map { $0["name"]?.text ?? "" }
    }

    /// - Throws: ``TerminologyError`` for a resource that is not Parameters.
    init(_ json: JSONItem) throws {
        guard json["resourceType"]?.text == "Parameters" else {
            throw TerminologyError(.unreadable, "invalid", "the parameters of an operation are a Parameters resource, and this is none")
        }
        self.init(json["parameter"]?.items ?? [])
    }

    /// Whether one of them says which versions to take.
    var hasVersionRules: Bool { names.contains { $0.hasSuffix("-version") } }

    func all(_ name: String) -> [JSONItem] { names.indices.filter { names[$0] == name }.map { items[$0] } }

    func first(_ name: String) -> JSONItem? { names.firstIndex(of: name).map { items[$0] } }

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
        let own = Set(names)
        return RequestParameters(items + zip(others.names, others.items).filter { !own.contains($0.0) }.map(\.1))
    }
}

/// Builds a Parameters resource, in the order of the names.
struct ResponseParameters {
    /// The parameters of each name, in their order.
    private var groups: [(name: String, items: [JSONItem])] = []

    mutating func add(_ name: String, _ member: String, _ value: JSONItem?) {
        guard let value else { return }
        let item = JSONItem.object([.init(name: "name", value: .string(name)), .init(name: member, value: value)])
        // Those of one name mostly follow each other.
        if let place = groups.lastIndex(where: { $0.name == name }) {
            groups[place].items.append(item)
        } else {
            groups.append((name, [item]))
        }
    }

    mutating func add(_ name: String, _ member: String, _ text: String?) { add(name, member, text.map { JSONItem.string($0) }) }

    mutating func add(_ name: String, parts: [JSONItem]) { add(name, "part", .array(parts)) }

    /// A part of a parameter.
    static func part(_ name: String, _ member: String, _ value: JSONItem?) -> JSONItem? {
        value.map { .object([.init(name: "name", value: .string(name)), .init(name: member, value: $0)]) }
    }

    var json: JSONItem {
        let all = groups.sorted { $0.name < $1.name }.flatMap(\.items)
        return .object(["resourceType": .string("Parameters"), "parameter": .array(all)])
    }
}
