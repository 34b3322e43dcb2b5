import FireLiteCore
import FireLiteSQLiteBridge

/// A figure that a query computes of its results, or of each group of them: see `group(by:_:)` of a query.
public struct QueryAggregate<Resource: FHIRResource, Value: Sendable>: Sendable {
    /// What SQL computes.
    let function: AggregateFunction
    /// Turns the result, and the type of the element, into the value.
    let value: @Sendable (SQLValue, PrimitiveType?) -> Value

    init(_ function: AggregateFunction, _ value: @escaping @Sendable (SQLValue, PrimitiveType?) -> Value) {
        self.function = function
        self.value = value
    }
}

/// The SQL of an aggregate, without Swift types.
enum AggregateFunction: Sendable {
    case count
    case countDistinct(QueryPath)
    case sum(QueryPath)
    case average(QueryPath)
    case min(QueryPath)
    case max(QueryPath)

    /// The element; nil if the resources themselves are counted.
    var path: QueryPath? {
        switch self {
        case .count: nil
        case .countDistinct(let path), .sum(let path), .average(let path), .min(let path), .max(let path): path
        }
    }

    /// Whether the greatest value of a list counts for its resource, and not the least.
    var wantsGreatest: Bool { if case .max = self { true } else { false } }

    func sql(_ column: SQLFragment) -> SQLFragment {
        switch self {
        case .count: "count(*)"
        case .countDistinct: "count(DISTINCT \(column))"
        case .sum: "total(\(column))"
        case .average: "avg(\(column))"
        case .min: "min(\(column))"
        case .max: "max(\(column))"
        }
    }
}

/// The figures that can be computed of a query's results: the argument of `group(by:_:)` and `aggregates(_:)`.
///
/// Of a path through lists, the least value of each resource counts, and for ``max(_:)`` the greatest.
public struct QueryFigures<Resource: FHIRResource>: Sendable {
    init() {}

    private func path<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) -> QueryPath {
        path(ElementPath(QueryPath()))._path.path
    }

    /// The number of resources.
    public var count: QueryAggregate<Resource, Int> { QueryAggregate(.count) { value, _ in Int(value.integerValue) } }

    /// The number of distinct values at a path.
    public func count<Path: QueryValuePath>(distinct path: (ElementPath<Resource>) -> Path) -> QueryAggregate<Resource, Int> {
        QueryAggregate(.countDistinct(self.path(path))) { value, _ in Int(value.integerValue) }
    }

    /// The sum of the numbers at a path; 0 if there are none.
    public func sum<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) -> QueryAggregate<Resource, Double>
    where Path.Value: QueryNumeric {
        QueryAggregate(.sum(self.path(path))) { value, _ in value.doubleValue ?? 0 }
    }

    /// The mean of the numbers at a path; nil if there are none.
    public func average<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) -> QueryAggregate<Resource, Double?>
    where Path.Value: QueryNumeric {
        QueryAggregate(.average(self.path(path))) { value, _ in value.doubleValue }
    }

    /// The least value at a path; nil if there is none. Of a date and time it is the moment in UTC, of a decimal the shortest literal.
    public func min<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) -> QueryAggregate<Resource, Path.Value?>
    where Path.Value: Sendable {
        QueryAggregate(.min(self.path(path))) { AggregateValue.value($0, $1, as: Path.Value.self) }
    }

    /// The greatest value at a path; nil if there is none. Of a date and time it is the moment in UTC, of a decimal the shortest literal.
    public func max<Path: QueryValuePath>(_ path: (ElementPath<Resource>) -> Path) -> QueryAggregate<Resource, Path.Value?>
    where Path.Value: Sendable {
        QueryAggregate(.max(self.path(path))) { AggregateValue.value($0, $1, as: Path.Value.self) }
    }
}

/// A Swift type of elements whose values can be added up.
public protocol QueryNumeric: Sendable {}
extension Int: QueryNumeric {}
extension FHIRDecimal: QueryNumeric {}

/// Values of columns as values of elements.
enum AggregateValue {
    static func value<Value>(_ stored: SQLValue, _ type: PrimitiveType?, as: Value.Type) -> Value? {
        guard let type else { return nil }
        // A date and time without its offset is in UTC.
        let isMoment = (type == .instant || type == .dateTime) && stored.text?.contains("T") ?? false
        return ValueCodec.literal(stored, aside: isMoment ? .integer(0) : .null, type).flatMap { ProjectedValue.value($0, as: Value.self) }
    }
}

extension SQLValue {
    fileprivate var integerValue: Int64 { if case .integer(let number) = self { number } else { 0 } }

    fileprivate var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text, .blob: nil
        }
    }
}
