/// The encoded fields of a leaf that many rows of a commit share.
struct AuditLeafFields {
    /// Actor, action and type.
    let beginning: [UInt8]
    /// Outcome and purpose.
    let end: [UInt8]

    init(_ party: AuditParty, _ access: AuditAccess) {
        var (beginning, end): ([UInt8], [UInt8]) = ([], [])
        Self.append(party.actor.utf8, to: &beginning)
        Self.append(access.action.rawValue.utf8, to: &beginning)
        Self.append(access.typeName?.utf8, to: &beginning)
        Self.append(access.outcome.rawValue.utf8, to: &end)
        Self.append(party.purpose?.utf8, to: &end)
        (self.beginning, self.end) = (beginning, end)
    }

    /// Appends a field: its length in four bytes, and its bytes.
    static func append(_ field: (some Collection<UInt8>)?, to bytes: inout [UInt8]) {
        let length = field.map { UInt32(truncatingIfNeeded: $0.count) } ?? UInt32.max
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
        if let field { bytes.append(contentsOf: field) }
    }
}
