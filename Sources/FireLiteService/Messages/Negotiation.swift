import FireLiteClient
import FireLiteCore

/// The forms in which FHIR's content travels.
enum ContentFormat: Sendable {
    case json, xml

    /// The media type of content in a release.
    func mediaType(_ release: FHIRRelease) -> String {
        let isOld = release.facts.json == MediaType.oldFHIRJSON
        return switch self {
        case .json: release.facts.json
        case .xml: isOld ? "application/xml+fhir" : "application/fhir+xml"
        }
    }

    /// The form that a media type or a short name means; nil for any other.
    init?(mediaType text: some StringProtocol) {
        switch MediaType(text).name {
        case "json", "application/json", "text/json", MediaType.fhirJSON, MediaType.oldFHIRJSON: self = .json
        case "xml", "application/xml", "text/xml", "application/fhir+xml", "application/xml+fhir": self = .xml
        default: return nil
        }
    }
}

/// An element of a header field with a list: a value, and its parameters.
struct HeaderElement {
    let value: String
    private(set) var parameters: [(name: String, value: String)] = []

    init(_ text: Substring) {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"))
        value = parts.first.map { Self.trimmed(Substring($0)) } ?? ""
        for part in parts.dropFirst() {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard sides.count == 2 else { continue }
            var right = Self.trimmed(Substring(sides[1]))
            if right.count > 1, right.hasPrefix("\""), right.hasSuffix("\"") { right = String(right.dropFirst().dropLast()) }
            parameters.append((Self.trimmed(Substring(sides[0])).lowercased(), right))
        }
    }

    init(_ text: String) { self.init(text[...]) }

    func parameter(_ name: String) -> String? { parameters.first { $0.name == name.lowercased() }?.value }

    /// The weight of a media type (RFC 9110, 12.4.2).
    var weight: Double { parameter("q").flatMap(Double.init) ?? 1 }

    /// The text without blanks around it.
    static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    static func trimmed(_ text: String) -> String { trimmed(text[...]) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// The elements of a field.
    static func list(_ field: String?) -> [HeaderElement] {
        (field ?? "").utf8.split(separator: UInt8(ascii: ",")).map { HeaderElement(Substring($0)) }
    }
}

/// What a request asks of the answer's form.
struct Presentation {
    /// What an answer to a write contains (FHIR, RESTful API, Managing Return Content).
    enum Content {
        case minimal, representation, outcome
    }

    var format = ContentFormat.json
    var isPretty = false
    var content: Content?
    var handling: SearchOptions.Handling?
    var isAsynchronous = false

    /// The answer's form if the request does not say it, or says what is refused.
    static let plain = Presentation()

    private init() {}

    /// - Throws: `ServiceFault` with status 406 for a form that the server does not have.
    init(_ request: ServiceRequest, _ query: QueryItems, _ release: FHIRRelease) throws {
        if let wanted = query.last("_format") {
            // A plus sign that was not encoded is a blank by now.
            guard let format = ContentFormat(mediaType: wanted.replacingBytes(" ", with: "+")) ?? Self.preferred(wanted, release) else {
                throw Self.notAcceptable("_format")
            }
            self.format = format
        } else if let accept = request.fields["Accept"], !accept.isEmpty {
            guard let format = Self.preferred(accept, release) else { throw Self.notAcceptable("Accept") }
            self.format = format
        }
        if let pretty = query.last("_pretty") { isPretty = pretty == "true" }
        // Of a preference that is given more than once the first counts (RFC 7240, section 2).
        var given: Set<String> = []
        for element in HeaderElement.list(request.fields["Prefer"]) {
            // Both forms occur: preferences with commas, and with semicolons.
            let words = [element.value] + element.parameters.map { "\($0.name)=\($0.value)" }
            for word in words {
                let word = word.lowercased().filter { $0 != " " && $0 != "\"" }
                guard given.insert(String(word.prefix { $0 != "=" })).inserted else { continue }
                switch word {
                case "return=minimal": content = .minimal
                case "return=representation": content = .representation
                case "return=operationoutcome": content = .outcome
                case "handling=strict": handling = .strict
                case "handling=lenient": handling = .lenient
                case "respond-async": isAsynchronous = true
                default: break
                }
            }
        }
        if request.fields["Prefer"]?.contains("respond-async") ?? false { isAsynchronous = true }
    }

    private static func notAcceptable(_ place: String) -> ServiceFault {
        ServiceFault(406, "not-supported", "the server answers in application/fhir+json and application/fhir+xml", at: "http.\(place)")
    }

    /// The form with the greatest weight; JSON if several have it.
    private static func preferred(_ accept: String, _ release: FHIRRelease) -> ContentFormat? {
        // What nearly all clients send.
        if accept == MediaType.fhirJSON || accept == "*/*" { return .json }
        var best: (format: ContentFormat, weight: Double)?
        for element in HeaderElement.list(accept) {
            let format: ContentFormat
            switch element.value.lowercased() {
            case "*/*", "application/*": format = .json
            case "text/*": format = .json
            default:
                guard let known = ContentFormat(mediaType: element.value) else { continue }
                format = known
            }
            if let version = element.parameter("fhirVersion"), !version.isEmpty, !isVersion(version, of: release) { continue }
            guard element.weight > 0, element.weight > best?.weight ?? 0 else { continue }
            best = (format, element.weight)
        }
        return best?.format
    }

    /// Whether `fhirVersion=4.0` means the release (FHIR, RESTful API, FHIR version).
    static func isVersion(_ text: String, of release: FHIRRelease) -> Bool {
        let prefix = text.split(separator: ".").prefix(2).joined(separator: ".")
        return ReleaseFacts.name(ofVersion: prefix) == release.name
    }
}
