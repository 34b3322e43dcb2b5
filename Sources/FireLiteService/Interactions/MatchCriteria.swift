import FireLiteCore
import FireLiteSearch

/// What a conditional interaction goes by: search parameters, of which each leaves something out (FHIR, RESTful API, Conditional Create, Update, Delete).
///
/// A search ignores a parameter without a value, and one that only says how its results look. A conditional interaction that did so would change
/// whatever there is.
struct MatchCriteria {
    let type: String
    let parameters: [SearchRequest.Parameter]

    /// Parameters that are no criteria and may be there.
    private static let besides = QueryItems.presentation.union(["_count", "_sort", "_include", "_revinclude", "_total"])

    /// - Parameter field: the field of the request that has the criteria, for the place of a fault.
    /// - Throws: `ServiceFault` with status 400 if nothing is left that is a criterion, or a parameter has no value or is of another kind.
    init(_ type: String, _ items: QueryItems, in field: String?) throws {
        let place = field.map { "http.\($0)" }
        var parameters: [SearchRequest.Parameter] = []
        for item in items.all {
            let name = item.name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
            guard !item.value.isEmpty else {
                throw ServiceFault(
                    400, "required", "the parameter \(ServiceFault.shown(name)) has no value: without it anything would match", at: place)
            }
            if Self.besides.contains(name) { continue }
            guard try SearchRequest(type: type).where(item.name, item.value).hasConditions else {
                throw ServiceFault(
                    400, "invalid", "the parameter \(ServiceFault.shown(name)) is no criterion of a conditional interaction", at: place)
            }
            parameters.append(item)
        }
        guard !parameters.isEmpty else {
            throw ServiceFault(400, "required", "a conditional interaction needs search parameters", at: place)
        }
        self.type = type
        self.parameters = parameters
    }

    /// The same for the same criteria in any order.
    var key: ExactText { ExactText(type + "?" + parameters.map { QueryItems.encoded([$0]) }.sorted().joined(separator: "&")) }
}
