/// How an expression is read and checked.
public struct FHIRPathOptions: Sendable, Hashable {
    /// Whether elements, types and operands are checked against the model before evaluation. Default: true.
    public var checksModel = true
    /// Whether the check also refuses a path that begins with the name of another type, and `first()`, `skip()` and other functions that go
    /// by order after `children()` and `descendants()`, which have none. Default: false.
    public var isStrict = false
    /// Whether `valueQuantity` may be written for `value.ofType(Quantity)`. Default: false.
    public var allowsChoiceNames = false
    /// Whether `as` filters a collection of several values, and `Boolean` also means FHIR's `boolean`. Default: false.
    public var isLenient = false
    /// The maximum number of steps of an evaluation, about one for each value and each call; more are an error. Default: 10 million.
    public var maximumSteps = 10_000_000
    /// The maximum time that the regular expressions of an evaluation take together; more is an error. Default: 2 seconds.
    public var maximumMatchingTime = Duration.seconds(2)
    /// Whether `join` of nothing is an empty text, as SQL on FHIR has it, instead of nothing.
    package var joinsNothing = false

    /// The defaults.
    public init() {}

    /// For the expressions of FHIR's own definitions, search parameters and constraints, some of which are older than the rules: lenient
    /// and without a check, so an element that a release does not have is empty.
    public static var definitions: FHIRPathOptions {
        var options = FHIRPathOptions()
        options.checksModel = false
        options.isLenient = true
        return options
    }
}
