import FireLiteClient
import Foundation

/// Entries that a flush leaves where they are: those that the server says it has done and does not show, and those that depend on them.
///
/// An entry depends on another one if it changes or refers to a resource that the other one writes. A create on a condition depends on nothing: it has
/// the same effect before and after.
struct OutboxHeld: Sendable {
    /// The first one, with the reason.
    private(set) var first: (number: Int64, failure: OutboxFailure)?
    /// The highest number: entries are held in their order.
    private(set) var newest = Int64.min
    /// What they write, by name.
    private var written: Set<String> = []
    /// Whether one of them may write anything.
    private var isUnknown = false

    mutating func add(_ entry: OutboxOutgoing, _ client: FHIRClient, _ failure: OutboxFailure?) {
        if first == nil, let failure { first = (entry.number, failure) }
        newest = max(newest, entry.number)
        if let requests = Self.requests(entry, client) {
            written.formUnion(requests.compactMap(\.subject))
        } else {
            isUnknown = true
        }
    }

    /// Whether an entry depends on one of them.
    func isNeeded(by entry: OutboxOutgoing, _ client: FHIRClient) -> Bool {
        guard first != nil else { return false }
        guard !isUnknown, let requests = Self.requests(entry, client) else { return true }
        let base = client.base.absoluteString
        return requests.contains { request in
            if request.method != .post, let subject = request.subject, written.contains(subject) { return true }
            let json = String(decoding: request.body ?? Data(), as: UTF8.self)
            return ReferenceScan.keys(in: json, base: base).contains { written.contains($0.path) }
        }
    }

    /// What an entry asks for; nil if that cannot be known: of sealed requests, and of operations.
    private static func requests(_ entry: OutboxOutgoing, _ client: FHIRClient) -> [FHIRRequest]? {
        guard entry.endpoint == nil else { return nil }
        let requests = entry.request.path.isEmpty ? entry.request.entries(client)?.requests : [entry.request]
        guard let requests, !requests.contains(where: \.isOperation) else { return nil }
        return requests
    }
}
