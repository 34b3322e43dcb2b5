/// An expression constraint of SNOMED CT (Expression Constraint Language 2.2, brief and long syntax).
indirect enum ECLExpression: Sendable, Hashable {
    /// Every active concept: `*`.
    case any
    case concept(String)
    case related(Relation, ECLExpression)
    /// The members of reference sets: `^`.
    case members(ECLExpression, [ECLMemberFilter])
    /// The concepts that a field of the rows of reference sets has: `^ [targetComponentId]`.
    case fieldValues(ECLExpression, field: String, [ECLMemberFilter])
    case both(ECLExpression, ECLExpression)
    case either(ECLExpression, ECLExpression)
    case minus(ECLExpression, ECLExpression)
    case refined(ECLExpression, ECLRefinement)
    /// The values of an attribute of the concepts: `.`.
    case values(ECLExpression, attribute: ECLExpression)
    case filtered(ECLExpression, ECLFilter)
    /// With the inactive concepts that the concepts replace: `{{ + HISTORY }}`.
    case withHistory(ECLExpression, HistoryProfile)

    /// Which concepts around others are meant.
    enum Relation: String, Sendable, Hashable {
        case descendants = "<"
        case descendantsAndSelf = "<<"
        case children = "<!"
        case childrenAndSelf = "<<!"
        case ancestors = ">"
        case ancestorsAndSelf = ">>"
        case parents = ">!"
        case parentsAndSelf = ">>!"
        /// Those with none of the set above them.
        case top = "!!>"
        /// Those with none of the set below them.
        case bottom = "!!<"
    }

    /// Which historical associations count.
    enum HistoryProfile: Sendable, Hashable {
        case minimal, moderate, maximal
        /// Those of these reference sets.
        case chosen(ECLExpression)
    }
}

/// What concepts must have: attributes, in groups or not.
indirect enum ECLRefinement: Sendable, Hashable {
    case attribute(ECLAttribute)
    case group(ECLCardinality, ECLRefinement)
    case both(ECLRefinement, ECLRefinement)
    case either(ECLRefinement, ECLRefinement)
}

/// How many there must be.
struct ECLCardinality: Sendable, Hashable {
    let minimum: Int
    /// Nil for any number.
    let maximum: Int?

    static let some = ECLCardinality(minimum: 1, maximum: nil)

    func allows(_ count: Int) -> Bool { count >= minimum && count <= maximum ?? .max }
}

/// A comparison of numbers.
enum ECLComparison: String, Sendable, Hashable {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="

    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch self {
        case .equal: left == right
        case .unequal: left != right
        case .less: left < right
        case .atMost: left <= right
        case .more: left > right
        case .atLeast: left >= right
        }
    }
}

struct ECLAttribute: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case concepts(ECLExpression, isEqual: Bool)
        case number(ECLComparison, Double)
        case texts([ECLTerm], isEqual: Bool)
        case truth(Bool, isEqual: Bool)
    }

    let cardinality: ECLCardinality
    /// Whether the concepts are the values: `R`.
    let isReversed: Bool
    let name: ECLExpression
    let value: Value
}

/// A text that names or values are compared with.
struct ECLTerm: Sendable, Hashable {
    /// `match` compares beginnings of words in any order, `wild` the whole with `*` and `?`, `exact` the whole.
    enum Kind: Sendable { case match, wild, exact }

    let kind: Kind
    /// Of `wild` with its escapes: `\\*` is an asterisk.
    let text: String
}

/// A filter on the names or on the facts of concepts: `{{ D … }}`, `{{ C … }}`.
enum ECLFilter: Sendable, Hashable {
    /// Conditions that one name of the concept meets, all of them.
    case names([Name])
    case concept([Fact])

    enum Name: Sendable, Hashable {
        case term([ECLTerm], isEqual: Bool)
        case language([String], isEqual: Bool)
        /// `F`, `S` or `D`.
        case kind([String], isEqual: Bool)
        /// Concepts of types of names.
        case type(ECLExpression, isEqual: Bool)
        /// Reference sets of dialects, each with whether the name must be preferred (true) or acceptable (false).
        case dialect([Dialect], isEqual: Bool)
        case identifier([String], isEqual: Bool)
        case module(ECLExpression, isEqual: Bool)
        case date(ECLComparison, [String])
        case active(Bool)
    }

    struct Dialect: Sendable, Hashable {
        let refsets: ECLExpression
        let isPreferred: Bool?
    }

    enum Fact: Sendable, Hashable {
        case defined(Set<Bool>, isEqual: Bool)
        /// Concepts of definition statuses.
        case definition(ECLExpression, isEqual: Bool)
        case module(ECLExpression, isEqual: Bool)
        case date(ECLComparison, [String])
        case active(Bool)
    }
}

/// A filter on the rows of a reference set: `{{ M … }}`.
enum ECLMemberFilter: Sendable, Hashable {
    case module(ECLExpression, isEqual: Bool)
    case date(ECLComparison, [String])
    case active(Bool)
    /// A field of the reference set.
    case field(String, ECLAttribute.Value)
    /// A field whose texts have an order, such as dates.
    case ordered(String, ECLComparison, [String])

    /// The name of the field; nil for what every row has.
    var field: String? {
        switch self {
        case .field(let name, _), .ordered(let name, _, _): name
        case .module, .date, .active: nil
        }
    }
}
