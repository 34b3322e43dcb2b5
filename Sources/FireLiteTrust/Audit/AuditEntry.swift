import Foundation

/// A row of a trail: who did what, when, and with which outcome.
public struct AuditEntry: Sendable, Hashable {
    /// The row's number, from 1 without gaps.
    public let number: Int64
    /// When it happened, in milliseconds since 1970.
    let milliseconds: Int64
    /// The actor and the purpose.
    public let party: AuditParty
    /// The action, its resource and its outcome.
    public let access: AuditAccess
    /// The salted hash of the resource's JSON, for writes.
    let value: [UInt8]?

    /// When it happened, to the millisecond by the clock of the device. No entry is older than the one before it.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    init(number: Int64, milliseconds: Int64, party: AuditParty, access: AuditAccess, value: [UInt8]?) {
        self.number = number
        self.party = party
        self.access = access
        self.value = value
        self.milliseconds = milliseconds
    }

    /// The pruned rows that the entry lists.
    var prunedRows: ClosedRange<Int64>? {
        guard access.action == .prune, let parts = access.id?.split(separator: "-"), parts.count == 2, let first = Int64(parts[0]),
            let last = Int64(parts[1]), first > 0, first <= last, last < number
        else { return nil }
        return first...last
    }

    // MARK: - The leaf

    /// The bytes whose hash is the entry's leaf in the tree.
    ///
    /// A one, 16 random bytes, the number and the milliseconds in 8 bytes each, and then actor, action, type, id, version, outcome, purpose and
    /// hash of the value: four bytes with the length, and the UTF-8 or hash. A missing field has the length 0xFFFFFFFF. All numbers are
    /// big-endian.
    func leaf(salt: some Collection<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        Self.appendLeaf(
            number, milliseconds, AuditLeafFields(party, access), id: access.id, version: access.version, value: value, salt: salt,
            to: &bytes)
        return bytes
    }

    /// Appends the same bytes of an entry to others.
    static func appendLeaf(
        _ number: Int64, _ milliseconds: Int64, _ fields: AuditLeafFields, id: String?, version: Int64?,
        value: (some Collection<UInt8>)?, salt: some Collection<UInt8>, to bytes: inout [UInt8]
    ) {
        bytes.append(1)
        bytes.append(contentsOf: salt)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: milliseconds.bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: fields.beginning)
        AuditLeafFields.append(id?.utf8, to: &bytes)
        AuditLeafFields.append(version.map { String($0).utf8 }, to: &bytes)
        bytes.append(contentsOf: fields.end)
        AuditLeafFields.append(value, to: &bytes)
    }
}

/// An action, with FHIR's codes (`AuditEvent.action`).
public enum AuditAction: String, Sendable, Hashable, Codable, CaseIterable {
    /// A resource was added.
    case create = "C"
    /// A resource was read, or found by a query.
    case read = "R"
    /// A resource was changed.
    case update = "U"
    /// A resource was deleted.
    case delete = "D"
    /// Something else was done, such as an export.
    case execute = "E"
    /// Values of the trail itself were removed. Only `prune(before:)` of ``AuditTrail`` writes it.
    case prune = "P"
}

/// The outcome of an action, with FHIR's codes (`AuditEvent.outcome` of R4).
public enum AuditOutcome: String, Sendable, Hashable, Codable, CaseIterable {
    /// The action succeeded.
    case success = "0"
    /// The action failed, for example because a permission was missing.
    case minorFailure = "4"
    /// The action failed because of a fault that somebody must repair.
    case seriousFailure = "8"
    /// The action failed, and so will every other.
    case majorFailure = "12"
}

/// An actor and its purpose.
public struct AuditParty: Sendable, Hashable {
    /// The actor, as a reference such as `Practitioner/7`, the id of a key, or a name that the app understands.
    public var actor: String
    /// The purpose, a code of `v3-ActReason` such as `TREAT`; nil if none is known.
    public var purpose: String?

    /// A party.
    ///
    /// - Parameters:
    ///   - actor: who acts.
    ///   - purpose: the purpose. Default: none.
    public init(_ actor: String, purpose: String? = nil) {
        self.actor = actor
        self.purpose = purpose
    }
}
