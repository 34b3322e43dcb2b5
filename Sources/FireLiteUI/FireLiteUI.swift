// Whoever shows results has a store.
@_exported import FireLite
