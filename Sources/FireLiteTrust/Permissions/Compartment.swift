import FireLite

/// The resource that a compartment belongs to, such as `Patient/1`.
struct Compartment: Hashable, Sendable {
    let type: String
    let id: String

    /// Reads a reference; nil for other texts.
    init?(_ text: String) {
        let parts = ReferenceParts(text)
        guard parts.form == .relative, parts.version == nil, let type = parts.type, let id = parts.id else { return nil }
        self.type = type
        self.id = id
    }

    var reference: String { "\(type)/\(id)" }
}
