// A FHIR server over a store as a function from request to response. The store, searches and HTTP's values are part of the public interface.

@_exported import FireLiteClient
@_exported import FireLiteSearch

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate
