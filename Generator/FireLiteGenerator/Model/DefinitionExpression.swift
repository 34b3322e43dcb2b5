/// How a definition says what it selects or demands.
enum DefinitionExpression: Sendable, Equatable {
    /// FHIRPath.
    case expression(String)
    /// DSTU2 has XPath only.
    case xpath(String)

    /// FHIRPath; empty for XPath.
    var fhirPath: String {
        if case .expression(let text) = self { return text }
        return ""
    }

    /// XPath; empty for FHIRPath.
    var xpath: String {
        if case .xpath(let text) = self { return text }
        return ""
    }

    /// The keyword in a digest and the text.
    var digestText: String {
        switch self {
        case .expression(let text): "expression \(text)"
        case .xpath(let text): "xpath \(text)"
        }
    }
}
