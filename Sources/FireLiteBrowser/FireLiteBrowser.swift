// Pages that show what a store holds, as a function from request to response. A request and a response are those of the FHIR service.

@_exported import FireLiteService

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate
