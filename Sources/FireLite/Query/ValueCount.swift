/// The number of a query's results with a value.
public struct ValueCount<Value> {
    public let value: Value
    public let count: Int
}

extension ValueCount: Sendable where Value: Sendable {}
extension ValueCount: Equatable where Value: Equatable {}
extension ValueCount: Hashable where Value: Hashable {}
