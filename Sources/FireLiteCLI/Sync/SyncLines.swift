import FireLiteSync
import FireLiteTerminal

/// A change that waits for a decision, as a line and as figures.
struct WaitingItem {
    private let change: PendingChange
    private let isHere: Bool

    /// - Parameter isHere: whether the database has the resource.
    init(_ change: PendingChange, isHere: Bool) {
        self.change = change
        self.isHere = isHere
    }

    /// Whether the resource cannot be read in the database, so that its change was not sent.
    var isDamaged: Bool { change.state == .pending && change.status == nil && !change.issues.isEmpty && !isWithoutVersion }

    /// Whether the server gives no version of the resource, so that its change was not sent.
    var isWithoutVersion: Bool { change.state == .pending && change.issues.contains { $0.detailCodes == ["server-gives-no-version"] } }

    /// Codes of the server's issues; its texts may repeat values of records.
    private var codes: [String] { change.issues.map(\.code) }

    var line: String {
        let name = "\(change.typeName)/\(change.id)"
        if change.isLocked { return "sealed \(name): left alone without --keyring" }
        if isDamaged { return "not sent \(name): it cannot be read here, see `firelite check`" }
        if isWithoutVersion {
            return "held back \(name): the server gives no versions, so changes of what it has cannot be sent safely"
        }
        if change.state == .pending {
            guard let status = change.status else { return "held back \(name): what it refers to was not sent, or the server failed" }
            return "held back \(name): the answer was \(status), and did not say why"
        }
        if change.state == .undecided {
            return "undecided \(name): \(UndecidedResource.reason(isHere: isHere))"
        }
        if change.state == .conflict, let issue = change.issues.first(where: { $0.detailCodes == ["version-went-back"] }) {
            return "deferred \(name): \(issue.diagnostics ?? "")"
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

extension SyncProgress {
    /// The progress as the tool shows it.
    var line: String {
        let what = phase == .pull ? "pulling \(typeName ?? "")" : "pushing"
        let total = total.map { " of \(Figures.count($0))" } ?? ""
        return "\(what): \(Figures.count(done))\(total)"
    }
}

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
