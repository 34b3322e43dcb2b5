import Foundation

/// The server's answer to an entry of the outbox.
public struct OutboxReceipt: Sendable, Hashable, CustomStringConvertible {
    /// The entry's number.
    public let number: Int64
    /// The method.
    public let method: HTTPMethod
    /// The path that it was sent to.
    public let path: String
    /// The status of the answer.
    public let status: Int
    /// The type of the resource; nil if the server did not say.
    public let typeName: String?
    /// The id of the resource at the server; nil if the server did not say.
    public let resourceID: String?
    /// The version of the resource; nil if the server did not say.
    public let version: String?
    /// When it was written, by the server's clock; nil if the server did not say.
    public let lastModified: Date?

    /// Whether an earlier attempt, whose answer was lost, had already taken effect.
    public let wasAlreadyApplied: Bool

    /// The number and the status.
    public var description: String { "\(number): \(status)" }

    init(_ entry: OutboxOutgoing, _ receipt: WriteReceipt, wasAlreadyApplied: Bool) {
        number = entry.number
        method = entry.request.method
        path = entry.request.path
        status = receipt.status
        let location = ResourceLocation(receipt.fields["Location"] ?? receipt.fields["Content-Location"])
        let own = entry.request.path.split(separator: "/")
        typeName = location?.typeName ?? own.first.map(String.init)
        resourceID = receipt.id ?? (own.count == 2 ? String(own[1]) : nil)
        version = receipt.version
        lastModified = HTTPDate.date(receipt.fields["Last-Modified"])
        self.wasAlreadyApplied = wasAlreadyApplied
    }
}
