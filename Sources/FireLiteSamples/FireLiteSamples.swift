// Samples of devices as Observations, in the store and at servers. The store, its objects and the client are part of the public interface.

@_exported import FireLite
@_exported import FireLiteSync
