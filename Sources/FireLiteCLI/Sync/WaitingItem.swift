import FireLiteSync

/// A change that waits for a decision, as a line and as figures.
struct WaitingItem {
    private let change: PendingChange

    init(_ change: PendingChange) { self.change = change }

    /// Codes of the server's issues; its texts may repeat values of records.
    private var codes: [String] { change.issues.map(\.code) }

    var line: String {
        let name = "\(change.typeName)/\(change.id)"
        if change.isLocked { return "sealed \(name): left alone without --keyring" }
        if change.state == .pending {
            guard let status = change.status else { return "held back \(name): what it refers to was not sent, or the server failed" }
            return "held back \(name): the answer was \(status), and did not say why"
        }
        guard change.state == .parked else { return "deferred \(name)" + (change.remote == nil ? ": deleted at the server" : "") }
        let reason = (change.status.map { ["\($0)"] } ?? []) + codes
        return "refused \(name)" + (reason.isEmpty ? "" : ": \(reason.joined(separator: ", "))")
    }

    var figures: [Report.Figure] {
        [
            .init("type", .text(change.typeName)), .init("id", .text(change.id)), .init("state", .text(change.state.rawValue)),
            .init("status", change.status.map { .number($0) } ?? .none), .init("issues", .texts(codes)),
        ]
    }
}
