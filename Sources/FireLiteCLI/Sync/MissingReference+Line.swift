import FireLiteSync

extension MissingReference {
    /// The reference as the tool shows it.
    var line: String {
        switch reason {
        case .absent: "not at the server \(typeName)/\(id)"
        case .deleted: "deleted at the server \(typeName)/\(id)"
        case .refused: "not given by the server \(typeName)/\(id)" + (status.map { ": \($0)" } ?? "")
        }
    }

    var figures: [Report.Figure] {
        [
            .init("type", .text(typeName)), .init("id", .text(id)), .init("reason", .text(reason.rawValue)),
            .init("status", status.map { .number($0) } ?? .none),
        ]
    }
}
