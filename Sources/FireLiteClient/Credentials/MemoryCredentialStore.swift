import Foundation

/// Keeps secrets until the program ends.
public actor MemoryCredentialStore: CredentialStore {
    private var credentials: [String: Data] = [:]

    /// Creates an empty store.
    public init() {}

    public func credential(named name: String) -> Data? { credentials[name] }

    public func setCredential(_ credential: Data?, named name: String) { credentials[name] = credential }
}
