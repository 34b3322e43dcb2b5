/// How records are sealed.
public struct RecordEncryption: Sendable {
    /// The keyring; nil if nothing is sealed.
    public let keyring: RecordKeyring?
    private let resources: [String: SealedElements]

    private init(_ keyring: RecordKeyring?, _ resources: [String: SealedElements]) {
        self.keyring = keyring
        self.resources = resources
    }

    /// Nothing is sealed.
    public static let none = RecordEncryption(nil, [:])

    /// Content is sealed with AES-256-GCM under a key of its own for each record, which a common key wraps.
    ///
    /// - Parameters:
    ///   - keyring: the common keys.
    ///   - resources: the types whose resources are sealed too, by FHIR's names, and what of them stays queryable. Default: none, so
    ///     only app data and blobs are sealed.
    public static func perRecord(_ keyring: RecordKeyring, resources: [String: SealedElements] = [:]) -> RecordEncryption {
        RecordEncryption(keyring, resources)
    }

    /// What of a type is sealed; nil if it is not.
    func elements(of typeName: String) -> SealedElements? { resources[typeName] }

    /// The keyed hash of an annotation; nil without a keyring.
    func code(_ annotation: String) -> String? { keyring?.code(of: annotation) }
}
