import FireLiteCore

/// A value of a view's row.
public enum ViewValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// A truth value.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A number, with all its digits.
    case decimal(FHIRDecimal)
    /// A string, code, date, time or another text, as FHIR writes it.
    case text(String)
    /// The values of a column that is a collection.
    case list([ViewValue])
    /// The JSON of an object, such as a `HumanName`.
    case object(String)
}

extension ViewValue {
    /// The value as JSON.
    public var json: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .decimal(let value): value.literal
        case .text(let text): JSONText.string(text)
        case .list(let values): JSONText.array(values.map(\.json))
        case .object(let json): json
        }
    }

    /// The value as text, for a cell: empty for null, JSON for lists and objects.
    public var text: String {
        switch self {
        case .null: ""
        case .text(let text): text
        default: json
        }
    }

    /// The value of a result; null for a primitive without a value.
    init(_ value: FHIRPathValue) {
        if let truth = value.bool {
            self = .boolean(truth)
        } else if let number = value.int {
            self = .integer(Int64(number))
        } else if let object = value.object {
            self = .object(FHIRJSON.string(object))
        } else if let text = value.string {
            self = value.decimal == nil ? .text(text) : FHIRDecimal(text).map { .decimal($0) } ?? .text(text)
        } else {
            self = .null
        }
    }
}
