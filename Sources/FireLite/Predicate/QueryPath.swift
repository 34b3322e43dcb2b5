import FireLiteCore

/// A path from an element to those below it, by the slots of their layouts. Through a list it leads to every element of the list.
package struct QueryPath: Sendable, Hashable {
    package var steps: [PathStep]

    package init(_ steps: [PathStep] = []) { self.steps = steps }

    package func appending(_ step: PathStep) -> QueryPath { QueryPath(steps + [step]) }

    var isEmpty: Bool { steps.isEmpty }
}

/// A step of a path.
package struct PathStep: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// An element of the object.
        case element
        /// The resources of a type in an element that contains resources.
        case resource(String)
        /// The `Element` of the primitive of the previous step: its id and extensions.
        case annotation
    }

    package let slot: Int
    package var kind: Kind
    /// The position in the list, from 0; nil for all positions.
    package var position: Int?

    package init(slot: Int, kind: Kind = .element, position: Int? = nil) {
        self.slot = slot
        self.kind = kind
        self.position = position
    }
}
