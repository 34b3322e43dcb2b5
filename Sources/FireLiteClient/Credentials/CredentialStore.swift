import Foundation

/// Where secrets are kept: ``FileCredentialStore``, ``MemoryCredentialStore``, `KeychainCredentialStore` on Apple's systems, or an app's own.
public protocol CredentialStore: Sendable {
    /// The credential with a name; nil if there is none.
    ///
    /// - Throws: ``AuthorizationError/Code/storage``.
    func credential(named name: String) async throws -> Secret?

    /// Keeps a value under a name; nil removes it.
    ///
    /// - Parameters:
    ///   - credential: the value.
    ///   - name: its name.
    /// - Throws: ``AuthorizationError/Code/storage``.
    func setCredential(_ credential: Secret?, named name: String) async throws
}

extension CredentialStore {
    /// Reads a value that `store` has written.
    func load<Value: Decodable>(_ type: Value.Type, named name: String) async throws -> Value? {
        guard let credential = try await credential(named: name) else { return nil }
        do { return try JSONDecoder().decode(type, from: credential.bytes) } catch {
            throw AuthorizationError(.storage, "the credentials \(name) cannot be read: remove them, and sign in or register again")
        }
    }

    func store<Value: Encodable>(_ value: Value, named name: String) async throws {
        let data: Data
        do { data = try JSONEncoder().encode(value) } catch {
            throw AuthorizationError(.storage, "the credentials \(name) cannot be encoded")
        }
        try await setCredential(Secret(data), named: name)
    }
}

/// Keeps secrets until the program ends.
public actor MemoryCredentialStore: CredentialStore {
    private var credentials: [String: Secret] = [:]

    /// Creates an empty store.
    public init() {}

    /// The credential with a name; nil if there is none.
    public func credential(named name: String) -> Secret? { credentials[name] }

    /// Stores a credential under a name; nil removes it.
    public func setCredential(_ credential: Secret?, named name: String) { credentials[name] = credential }
}
