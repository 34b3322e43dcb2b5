import Foundation

/// An app on a device, or another signer: an id, and its present and former public keys.
public struct Identity: Sendable, Hashable {
    /// A key and its period of validity.
    public struct Key: Sendable, Hashable {
        /// The public key.
        public let key: PublicKey
        /// The beginning of the period.
        public let from: Date
        /// The end of the period; nil if it is open. Signatures made before it stay valid.
        public let until: Date?

        /// Creates a key with its period.
        ///
        /// - Parameters:
        ///   - key: the public key.
        ///   - from: the beginning of the period.
        ///   - until: the end; nil for an open one.
        public init(_ key: PublicKey, from: Date, until: Date? = nil) {
            self.key = key
            self.from = from
            self.until = until
        }

        /// Whether the key is valid at a moment.
        public func isValid(at moment: Date) -> Bool { from <= moment && until.map { moment < $0 } ?? true }
    }

    /// The resources to which an identity may grant access.
    public enum Authority: Sendable, Hashable {
        /// None: the default.
        case none
        /// The resources of a compartment, such as `Patient/1`.
        case compartment(String)
        /// The whole store: its owner.
        case everything
    }

    /// The id: a UUID, or another name of up to 200 characters.
    public let id: String
    /// A display name; nil if it has none.
    public var name: String?
    /// The resource that describes the party, such as `Practitioner/7`; nil if there is none.
    public var reference: String?
    /// The resources to which it may grant access.
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
