/// A condition of `_filter` (FHIR, Filter Parameter).
indirect enum SearchFilter: Sendable {
    /// The comparisons.
    enum Operation: String, Sendable, CaseIterable {
        case eq, ne, co, sw, ew, gt, lt, ge, le, ap, sa, eb, pr, po, ss, sb, re
        case isIn = "in"
        case notIn = "ni"
    }

    /// A parameter, or a chain of them, and a value with its escapes.
    case test(path: String, Operation, value: String)
    case and([SearchFilter])
    case or([SearchFilter])
    case not(SearchFilter)

    /// - Throws: `SearchError` for other text, which is not repeated in the message.
    init(_ text: String) throws {
        var reader = SearchFilterReader(text)
        self = try reader.read()
    }
}
