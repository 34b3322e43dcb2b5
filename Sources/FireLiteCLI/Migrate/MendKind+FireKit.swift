import FireLite

// What is not FHIR's JSON in an export of FireKit, and is mended.
extension MendKind: CaseIterable {
    /// `pk`, `_versionId`: members that exist only in the app.
    static let localMember = MendKind(rawValue: "local member")
    /// `null` for no value.
    static let null = MendKind(rawValue: "null")
    /// `[]` for no values.
    static let emptyList = MendKind(rawValue: "empty list")
    /// `{}`, or an object of which nothing remained.
    static let emptyObject = MendKind(rawValue: "empty object")
    /// `{"value": …}` and the other objects that Realm needs for one primitive.
    static let wrapper = MendKind(rawValue: "wrapper")
    /// `extension_fhir`: a name that Swift reserves.
    static let name = MendKind(rawValue: "name")
    /// One value for a list, or a list of one for one value.
    static let cardinality = MendKind(rawValue: "cardinality")
    /// A date in another notation.
    static let date = MendKind(rawValue: "date")
    /// A date as a number of seconds.
    static let dateNumber = MendKind(rawValue: "date as number")
    /// A number as text.
    static let numberText = MendKind(rawValue: "number as text")
    /// A decimal with the digits of a binary number: 6.2999999999999998.
    static let decimal = MendKind(rawValue: "decimal")
    /// A resource in another one, as text.
    static let contained = MendKind(rawValue: "contained")
    /// A type that the name of the file, folder or table says.
    static let resourceType = MendKind(rawValue: "missing resourceType")
    /// An id made from the pk or the content.
    static let id = MendKind(rawValue: "missing id")
    /// A row of the table of an element, which its resource has too.
    static let elementRow = MendKind(rawValue: "row of an element")

    /// All kinds, in the order of reports.
    package static var allCases: [MendKind] {
        [
            .localMember, .null, .emptyList, .emptyObject, .wrapper, .name, .cardinality, .date, .dateNumber,
            .numberText, .decimal, .contained, .resourceType, .id, .elementRow,
        ]
    }
}

/// How many places of each kind were mended.
struct MendCounts {
    private var counts: [MendKind: Int] = [:]

    mutating func add(_ places: [MendedPlace]) {
        for place in places { counts[place.kind, default: 0] += 1 }
    }

    /// Adds a line, the kinds in their order, if anything was mended.
    func add(to report: inout Report) {
        let kinds = MendKind.allCases.compactMap { kind in counts[kind].map { (kind.rawValue, $0) } }
        let line = kinds.isEmpty ? nil : "mended: " + kinds.map { "\($0) \($1)" }.joined(separator: ", ")
        report.addSummary("mended", line, kinds.map { [.init("kind", .text($0)), .init("places", .number($1))] })
    }
}
