// Whoever erases a person has a store.
@_exported import FireLite
