// What sends a store's records to servers, and brings theirs. The store, its objects and the client are part of the public interface.

@_exported import FireLite
@_exported import FireLiteClient
