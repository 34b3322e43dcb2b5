// Identities, signatures, permissions and an audit trail over a store. The store and its objects are part of the public interface.

@_exported import FireLite
