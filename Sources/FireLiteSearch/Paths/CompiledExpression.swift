import FireLite

/// What a parameter's expression selects.
struct CompiledExpression: Sendable {
    /// The ways to its elements.
    var paths: [SearchPath] = []
    /// Conditions whose truth is the value: `deceased.exists() and deceased != false`.
    var conditions: [Predicate] = []
}
