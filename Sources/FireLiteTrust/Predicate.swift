import FireLite

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate
