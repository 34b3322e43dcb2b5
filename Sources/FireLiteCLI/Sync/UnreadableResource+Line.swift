import FireLiteSync

extension UnreadableResource {
    /// The resource and why it cannot be read, as the tool shows it.
    var line: String { "unreadable \(typeName ?? "?")/\(id ?? "?"): \(reason)" }

    var figures: [Report.Figure] {
        [
            .init("type", typeName.map { .text($0) } ?? .none), .init("id", id.map { .text($0) } ?? .none),
            .init("version", version.map { .text($0) } ?? .none), .init("reason", .text(reason)),
        ]
    }
}
