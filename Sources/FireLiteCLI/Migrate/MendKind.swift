/// What was not FHIR's JSON in an export, and was mended. The raw values are for reports.
enum MendKind: String, CaseIterable, Encodable {
    /// `pk`, `_versionId`: members that exist only in the app.
    case localMember = "local member"
    /// `null` for no value.
    case null
    /// `[]` for no values.
    case emptyList = "empty list"
    /// `{}`, or an object of which nothing remained.
    case emptyObject = "empty object"
    /// `{"value": …}` and the other objects that Realm needs for one primitive.
    case wrapper
    /// `extension_fhir`: a name that Swift reserves.
    case name
    /// One value for a list, or a list of one for one value.
    case cardinality
    /// A date in another notation.
    case date
    /// A date as a number of seconds.
    case dateNumber = "date as number"
    /// A number as text.
    case numberText = "number as text"
    /// A decimal with the digits of a binary number: 6.2999999999999998.
    case decimal
    /// A resource in another one, as text.
    case contained
    /// A type that the name of the file, folder or table says.
    case resourceType = "missing resourceType"
    /// An id made from the pk or the content.
    case id = "missing id"
    /// A row of the table of an element, which its resource has too.
    case elementRow = "row of an element"
}

/// A mended place in a resource.
struct Mend: Equatable {
    let kind: MendKind
    /// The FHIR path: `Patient.name[0].given[1]`.
    let path: String
}

/// A mended place in a file: one line of a report. It has no values.
struct MendedPlace: Encodable, Equatable {
    let file: String
    /// The line where the resource begins, from 1.
    let line: Int
    /// The type and id of the resource, or only its type.
    let resource: String
    let path: String
    let kind: MendKind
}
