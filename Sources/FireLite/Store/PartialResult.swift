/// What a thread made of some resources, up to one of which it could make nothing: what comes before the error is passed on, however many threads
/// there are.
package struct PartialResult<Value: Sendable>: Sendable {
    package let value: Value
    /// Why there is no more.
    package let failure: (any Error)?

    package init(_ value: Value, failure: (any Error)? = nil) {
        self.value = value
        self.failure = failure
    }

    /// The values that `make` appends to a list before it ends.
    package init<Element>(_ make: (inout [Element]) throws -> Void) where Value == [Element] {
        var values: [Element] = []
        do {
            try make(&values)
            self.init(values)
        } catch {
            self.init(values, failure: error)
        }
    }

    /// Passes on the value, and then the error.
    package func passOn(_ deliver: (Value) throws -> Void) throws {
        try deliver(value)
        if let failure { throw failure }
    }
}
