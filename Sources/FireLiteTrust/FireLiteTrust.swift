// Identities, signatures, permissions and an audit trail over a store. The store, its objects and keys are part of the public interface.

@_exported import FireLite
@_exported import FireLiteCrypto

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate
