import FireLite
import FireLiteCore

/// What a search says about its results: the order, the page, and what comes with them.
struct SearchControl {
    /// `_summary`.
    enum Summary: String {
        case all = "true"
        case text, data, count
        case none = "false"
    }

    /// `_contained`: whether resources, or those that contain one, are results.
    enum Contained: String {
        case none = "false"
        case only = "true"
        case both
    }

    /// `_include` and `_revinclude`.
    struct Include {
        /// The type of the resources that refer; nil for all.
        let source: String?
        /// The parameter; nil for all.
        let parameter: String?
        /// The type of the resources that are referred to; nil for all.
        let target: String?
        /// Whether it applies to included resources, too.
        let isIterating: Bool
        let isReverse: Bool
        /// The three as the request has them.
        let text: String
    }

    /// The keys to sort by, with a minus for descending order.
    var sort: [String] = []
    var count: Int?
    /// `_total`: whether to count; nil if the search does not say.
    var countsTotal: Bool?
    var summary = Summary.none
    /// `_elements`; empty for all.
    var elements: [String] = []
    var includes: [Include] = []
    var types: [String] = []
    var contained = Contained.none
    /// `_containedType`: whether the contained resources themselves are results, instead of those that contain them.
    var returnsContained = false
    var cursor: SearchCursor?
    /// The other parameters, which are conditions.
    var conditions: [SearchRequest.Parameter] = []

    /// The names of the parameters that do not belong to types, for suggestions.
    static let names = [
        "_sort", "_count", "_total", "_summary", "_elements", "_include", "_revinclude", "_type", "_contained", "_containedType", "_has",
        "_list", "_text", "_content", "_filter",
    ]

    /// Those with lists of names, of which only the unknown ones are ignored.
    static let lists: Set<String> = ["_type", "_elements", "_include", "_revinclude"]

    /// Parameters of servers, which say nothing here.
    private static let ignored: Set<String> = ["_format", "_pretty", "_score"]

    /// - Throws: `SearchError.invalid`.
    init(_ request: SearchRequest) throws {
        var repeated = RepeatedParameters()
        for parameter in request.parameters {
            let (name, value) = (parameter.name, parameter.value)
            // Those that say something about the results begin so.
            guard name.utf8.first == UInt8(ascii: "_") else {
                // An empty parameter is no mistake (FHIR, Search).
                if !value.isEmpty, repeated.isNew(parameter, among: conditions) { conditions.append(parameter) }
                continue
            }
            switch name {
            case "_sort", "_sort:asc": sort += Self.list(value)
            // The form of DSTU2.
            case "_sort:desc": sort += Self.list(value).map { "-" + $0 }
            case "_count":
                guard let number = Int(value), number >= 0 else {
                    throw SearchError(.invalid, "the value is a number, 0 or more", in: name)
                }
                if number == 0 { summary = .count } else { count = number }
            case "_total":
                guard ["none", "estimate", "accurate"].contains(value) else {
                    throw SearchError(.invalid, "the value is none, estimate or accurate", in: name)
                }
                countsTotal = value != "none"
            case "_summary":
                guard let mode = Summary(rawValue: value) else {
                    let hint = NearWords.hint(for: value, among: ["true", "text", "data", "count", "false"])
                    throw SearchError(.invalid, "the value is true, text, data, count or false, not '\(value)'\(hint)", in: name)
                }
                summary = mode
            case "_elements": elements += Self.list(value)
            case "_type": types += Self.list(value)
            case "_contained":
                guard let mode = Contained(rawValue: value) else {
                    throw SearchError(.invalid, "the value is true, false or both", in: name)
                }
                contained = mode
            case "_containedType":
                guard value == "container" || value == "contained" else {
                    throw SearchError(.invalid, "the value is container or contained", in: name)
                }
                returnsContained = value == "contained"
            case SearchCursor.parameter: cursor = try SearchCursor(value)
            case _ where name == "_include" || name.hasPrefix("_include:"): includes += try Self.includes(name, value, isReverse: false)
            case _ where name == "_revinclude" || name.hasPrefix("_revinclude:"):
                includes += try Self.includes(name, value, isReverse: true)
            default:
                if Self.ignored.contains(name) || value.isEmpty { continue }
                if repeated.isNew(parameter, among: conditions) { conditions.append(parameter) }
            }
        }
    }

    /// Finds parameters that were there already, and say nothing new.
    private struct RepeatedParameters {
        /// All conditions, where there are many.
        private var known: Set<[ExactText]> = []
        private static let few = 16

        mutating func isNew(_ parameter: SearchRequest.Parameter, among conditions: [SearchRequest.Parameter]) -> Bool {
            func texts(_ parameter: SearchRequest.Parameter) -> [ExactText] { [ExactText(parameter.name), ExactText(parameter.value)] }
            guard conditions.count > Self.few else {
                return !conditions.contains { $0.name.hasSameBytes(as: parameter.name) && $0.value.hasSameBytes(as: parameter.value) }
            }
            if known.isEmpty { known = Set(conditions.map(texts)) }
            return known.insert(texts(parameter)).inserted
        }
    }

    /// The parts between commas, each without a blank before it.
    static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ",")).map { part in
            String(Substring(part.first == UInt8(ascii: " ") ? part.dropFirst() : part))
        }
    }

    private static func includes(_ name: String, _ value: String, isReverse: Bool) throws -> [Include] {
        let modifier = name.split(separator: ":").dropFirst().first
        guard modifier == nil || modifier == "iterate" || modifier == "recurse" else {
            throw SearchError(.notSupported, "the modifier :\(modifier ?? "") does not apply here: use :iterate", in: name)
        }
        return try list(value).map { path in
            let parts = path.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard (1...3).contains(parts.count), parts.count > 1 || parts[0] == "*" else {
                throw SearchError(.invalid, "write Type:parameter, Type:parameter:TargetType, Type:* or *", in: name)
            }
            func part(_ index: Int) -> String? { index < parts.count && parts[index] != "*" && !parts[index].isEmpty ? parts[index] : nil }
            if isReverse, part(0) == nil {
                throw SearchError(.invalid, "_revinclude names the type that refers: Observation:patient", in: name)
            }
            return Include(
                source: part(0), parameter: part(1), target: part(2), isIterating: modifier != nil, isReverse: isReverse, text: path)
        }
    }
}

extension SearchRequest {
    /// Whether any of its parameters says what to find, and does not only say how the results look.
    ///
    /// - Throws: ``SearchError``.
    package var hasConditions: Bool { get throws { try !SearchControl(self).conditions.isEmpty } }
}
