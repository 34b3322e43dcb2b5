import Foundation

// Converts FHIR texts to Foundation types: elements of type base64Binary, uri, url, canonical, oid and uuid are `String` in Swift, so that
// they keep their text.

extension Data {
    /// The bytes of a `base64Binary`; nil if the text is invalid.
    ///
    /// White space, which FHIR allows, is ignored; any other character outside base64 makes the result nil.
    ///
    /// ```swift
    /// let photo = patient.photo.first?.data.flatMap { Data(fhirBase64: $0) }
    /// ```
    public init?(fhirBase64 text: String) {
        if let data = Data(base64Encoded: text) {
            self = data
            return
        }
        let bytes = text.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard bytes.count < text.utf8.count else { return nil }
        self.init(base64Encoded: Data(bytes))
    }

    /// The bytes as a `base64Binary`, without line breaks.
    ///
    /// ```swift
    /// attachment.data = pdf.fhirBase64
    /// ```
    public var fhirBase64: String { base64EncodedString() }
}

extension URL {
    /// The URL of a `uri`, `url` or `canonical`; nil if the text is not a URL, or if a `URL` would write it differently.
    ///
    /// - Parameter text: for example `attachment.url`. A `canonical` with a version, `http://example.org/a|1.0`, is nil, as a URL cannot
    ///   contain `|`.
    public init?(fhirURI text: String) {
        guard let url = URL(string: text), url.absoluteString.utf8.elementsEqual(text.utf8) else { return nil }
        self = url
    }

    /// The URL as a `uri` or `url`.
    public var fhirURI: String { absoluteString }
}
