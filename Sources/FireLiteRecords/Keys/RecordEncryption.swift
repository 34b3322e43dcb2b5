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

    /// The content of each record is sealed with AES-256-GCM and a key of its own, which a common key wraps.
    ///
    /// - Parameters:
    ///   - keyring: the common keys.
    ///   - resources: the types whose resources are sealed too, by FHIR's names, with the elements that stay queryable. Default:
    ///     none, so that only app data and payloads are sealed.
    public static func perRecord(_ keyring: RecordKeyring, resources: [String: SealedElements] = [:]) -> RecordEncryption {
        RecordEncryption(keyring, resources)
    }

    /// The sealed elements of a type; nil if it is not sealed.
    func elements(of typeName: String) -> SealedElements? { resources[typeName] }

    /// The keyed hash of an annotation; nil without a keyring.
    func code(_ annotation: String) -> String? { keyring?.code(of: annotation) }
}
