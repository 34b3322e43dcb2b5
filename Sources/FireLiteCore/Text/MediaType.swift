/// A media type as headers and elements have it: `type/subtype; charset=utf-8`, or one of FHIR's short forms, `json`.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case, without parameters: `application/fhir+json`.
    package let name: String
    private let subtype: Substring

    /// Reads a media type. Parameters and spaces count for nothing, nor does case.
    package init(_ text: some StringProtocol) {
        name = text.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        subtype = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
    }

    /// Whether it is one JSON value: `application/json` and everything that ends in `+json`, and the type that FHIR had before.
    package var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") || subtype == "json+fhir" }

    /// Whether it is FHIR's JSON, by its registered name or its older one.
    package var isFHIRJSON: Bool { subtype == "fhir+json" || subtype == "json+fhir" }

    /// Whether it is a JSON Patch (RFC 6902).
    package var isJSONPatch: Bool { subtype.hasPrefix("json-patch") }

    /// Whether it is a page for people.
    package var isPage: Bool { subtype == "html" || subtype == "xhtml+xml" }
}

/// Those that more than one module names.
extension MediaType {
    package static let fhirJSON = "application/fhir+json"
    /// That of DSTU2, which was published before the present one was registered.
    package static let oldFHIRJSON = "application/json+fhir"
    package static let fhirLines = "application/fhir+ndjson"
    package static let json = "application/json"
    package static let jsonPatch = "application/json-patch+json"
    package static let jose = "application/jose"
    package static let form = "application/x-www-form-urlencoded"
}
