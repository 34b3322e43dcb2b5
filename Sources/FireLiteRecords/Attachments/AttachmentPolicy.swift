/// Which payloads a store keeps apart, and which it accepts. The file keeps the policy.
public struct AttachmentPolicy: Sendable, Hashable {
    /// The minimum size in bytes of a payload that is kept apart; smaller ones stay in the resource's rows. Default: 4,096, a page of the
    /// file.
    public var minimumBytes = 4_096
    /// The maximum size in bytes that `put` and `attach` accept. Default: 20 MiB. Payloads stored as part of a resource may be larger.
    public var maximumBytes = 20 << 20
    /// The minimum size in bytes of a payload that goes into a file, in a folder next to the database with its name and `-payloads`; nil if
    /// all payloads stay in the database. Default: nil.
    public var fileThreshold: Int?
    /// The types that `put` and `attach` accept, recognized by the first bytes; nil for any. Default: nil.
    public var kinds: Set<AttachmentKind>?

    /// - Parameters:
    ///   - minimumBytes: the least number of bytes of a payload that is kept apart. Default: 4,096.
    ///   - maximumBytes: the greatest number of bytes that `put` and `attach` take. Default: 20 MiB.
    ///   - kinds: the types that they take; nil for any. Default: nil.
    ///   - fileThreshold: the least number of bytes of a payload that goes into a file; nil for none. Default: nil.
    public init(
        minimumBytes: Int = 4_096, maximumBytes: Int = 20 << 20, kinds: Set<AttachmentKind>? = nil, fileThreshold: Int? = nil
    ) {
        self.fileThreshold = fileThreshold
        self.minimumBytes = minimumBytes
        self.maximumBytes = maximumBytes
        self.kinds = kinds
    }

    /// Refuses a payload by its size.
    ///
    /// - Throws: `AttachmentError.tooLarge`.
    func check(byteCount: Int) throws {
        guard byteCount <= maximumBytes else {
            throw AttachmentError(
                .tooLarge, "a payload of \(byteCount) bytes is larger than the limit of \(maximumBytes): raise the policy's limit")
        }
    }

    /// Refuses a payload by its first bytes.
    ///
    /// - Parameter contentType: the stated type; nil for none.
    /// - Throws: `AttachmentError.wrongType`.
    func check(beginning: [UInt8], contentType: String?) throws {
        let found = AttachmentKind(beginning: beginning)
        if let stated = contentType.flatMap({ AttachmentKind(contentType: $0) }), stated != found {
            throw AttachmentError(
                .wrongType,
                "the payload is stated to be \(stated.contentType), but \(found.map { "it is \($0.contentType)" } ?? "it is not")")
        }
        guard let kinds else { return }
        guard let found, kinds.contains(found) else {
            let names = kinds.map(\.contentType).sorted().joined(separator: ", ")
            throw AttachmentError(
                .wrongType, "the payload is \(found.map(\.contentType) ?? "of no known type"), and the policy takes \(names)")
        }
    }
}
