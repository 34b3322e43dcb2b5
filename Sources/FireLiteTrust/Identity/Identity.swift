import Foundation

/// An app on a device, or another party that signs: an id, and the public keys that it has had.
public struct Identity: Sendable, Hashable {
    /// A key and the period in which it signs.
    public struct Key: Sendable, Hashable {
        /// The public key.
        public let key: VerificationKey
        /// The first moment.
        public let from: Date
        /// The end; nil for an open one. Signatures made before it stay valid.
        public let until: Date?

        /// Creates a key with its period.
        ///
        /// - Parameters:
        ///   - key: the public key.
        ///   - from: the first moment.
        ///   - until: the end; nil for an open one.
        public init(_ key: VerificationKey, from: Date, until: Date? = nil) {
            self.key = key
            self.from = from
            self.until = until
        }

        /// Whether the key signs at a moment.
        ///
        /// - Parameter moment: the moment.
        public func isValid(at moment: Date) -> Bool { from <= moment && until.map { moment < $0 } ?? true }
    }

    /// What the permissions that an identity gives count for.
    public enum Authority: Sendable, Hashable {
        /// They count for nothing. This is where everybody begins.
        case none
        /// They count for the resources of a compartment, such as `Patient/1`, and for nothing else.
        case compartment(String)
        /// They count for the whole store: its owner.
        case everything
    }

    /// The id: a UUID, or another name of up to 200 characters.
    public let id: String
    /// A name for people; nil if it has none.
    public var name: String?
    /// The resource that describes the party, such as `Practitioner/7`; nil if there is none.
    public var reference: String?
    /// What its permissions count for.
    public var authority: Authority
    /// Its keys, the oldest first.
    public var keys: [Key]

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - id: the id; nil for a new UUID.
    ///   - name: a name for people.
    ///   - reference: the resource that describes the party.
    ///   - authority: what its permissions count for.
    ///   - keys: its keys.
    public init(id: String? = nil, name: String? = nil, reference: String? = nil, authority: Authority = .none, keys: [Key] = []) {
        self.id = id ?? UUID().uuidString.lowercased()
        self.name = name
        self.reference = reference
        self.authority = authority
        self.keys = keys
    }
}
