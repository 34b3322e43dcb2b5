// Records with annotations and a status, an app's own data, and attachments kept apart. The store, its objects and keys are part of
// the public interface.

@_exported import FireLite
@_exported import FireLiteCrypto
