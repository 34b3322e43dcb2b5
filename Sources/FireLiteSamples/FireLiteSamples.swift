// Samples of devices as Observations in the store, and back. The store and its objects are part of the public interface.

@_exported import FireLite
