import FireLite

/// The store's conditions, and not Foundation's type of the same name.
typealias Predicate = FireLite.Predicate

extension Predicate {
    /// Whether it is about resources that are stored on their own: found by their keys, their words or what refers to them.
    var needsRegistration: Bool {
        switch self {
        case .keys, .selected, .matching, .named, .referredBy, .contains: true
        case .and(let parts), .or(let parts): parts.contains(where: \.needsRegistration)
        case .not(let inner), .any(_, let inner): inner.needsRegistration
        // What a reference leads to is stored on its own.
        case .target, .constant, .value, .exists, .count, .refers, .sampled: false
        }
    }
}
