// Identities, signatures, permissions and an audit trail over a store. The store and its objects are part of the public interface.

@_exported import FireLite

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate
