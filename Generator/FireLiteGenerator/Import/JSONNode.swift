/// A value of a JSON text with its position, for error messages.
struct JSONNode: Sendable {
    indirect enum Content: Sendable {
        case null
        case bool(Bool)
        /// The literal as written.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([String: JSONNode])
    }

    var content: Content
    /// Offset of its first byte.
    var offset: Int
    /// Offset of its name, for a member of an object.
    var keyOffset = 0
}

extension JSONNode {
    var string: String? {
        if case .string(let value) = content { return value }
        return nil
    }

    var bool: Bool? {
        if case .bool(let value) = content { return value }
        return nil
    }

    /// An integer number; `nil` for a number with a fraction or one that does not fit.
    var integer: Int? {
        if case .number(let literal) = content { return Int(literal) }
        return nil
    }

    /// The items of an array; a value that is not an array counts as an array of one.
    ///
    /// Some members changed from one value to a list between releases (`StructureDefinition.context`,
    /// `ElementDefinition.type.profile`); this way both read alike.
    var items: [JSONNode] {
        switch content {
        case .array(let items): return items
        case .null: return []
        default: return [self]
        }
    }

    var isObject: Bool {
        if case .object = content { return true }
        return false
    }

    /// A member of an object; `nil` when it is absent or this is no object.
    subscript(_ member: String) -> JSONNode? {
        if case .object(let members) = content { return members[member] }
        return nil
    }

    /// The items of a list member, none when it is absent.
    func list(_ member: String) -> [JSONNode] { self[member]?.items ?? [] }

    /// The value of an extension of this object, by the extension's URL.
    ///
    /// - Parameter value: The member with the value, such as `valueString`.
    func extensionValue(_ url: String, _ value: String...) -> String? {
        guard let found = list("extension").first(where: { $0["url"]?.string == url }) else { return nil }
        return value.lazy.compactMap { found[$0]?.string }.first
    }
}
