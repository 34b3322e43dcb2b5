import FireLiteCore

/// XML cannot be written, or not at all be read. Descriptions contain no values of records.
///
/// Mistakes in XML that is read are `FHIRDecodingError`s.
public struct FHIRXMLError: FireLiteError, Hashable {
    /// The kind of failure.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The system has no libxml2.
        public static let missingLibrary = Code(rawValue: "missingLibrary")
        /// The system has no memory for a parser.
        public static let outOfMemory = Code(rawValue: "outOfMemory")
        /// A text has a character that XML does not have (<https://www.w3.org/TR/xml/#charsets>).
        public static let invalidCharacter = Code(rawValue: "invalidCharacter")
        /// A narrative is not one well-formed `div` element of XHTML, or has extensions.
        public static let malformedNarrative = Code(rawValue: "malformedNarrative")
        /// The id of an element, or the URL of an extension, has an id or extensions of its own, which attributes in XML cannot have.
        public static let annotatedAttribute = Code(rawValue: "annotatedAttribute")
        /// A comment of DSTU2 has what comments in XML cannot have: two hyphens in a row, a hyphen at its end, or extensions.
        public static let invalidComment = Code(rawValue: "invalidComment")
    }

    /// The kind of failure.
    public let code: Code
    /// The FHIR path of the element that cannot be written; empty if there is none.
    public let path: String
    /// What is wrong and what to do about it, without values.
    public let message: String

    init(_ code: Code, path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The same error with the name of an element around its path.
    func inside(_ name: String) -> FHIRXMLError {
        FHIRXMLError(code, path: path.isEmpty ? name : "\(name).\(path)", message)
    }

    /// Whether the path begins with an item of this list.
    func isInside(_ list: String) -> Bool { path.hasPrefix(list + "[") }

    /// Whether it is about the object, and not about the system.
    package var concernsContent: Bool { code != .missingLibrary && code != .outOfMemory }

    /// The path and the message.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
}

extension FHIRDecodingError.Code {
    /// The bytes are not well-formed XML.
    public static let malformedXML = Self(rawValue: "malformedXML")
    /// XML is in another encoding than UTF-8.
    public static let encoding = Self(rawValue: "encoding")
    /// XML has a document type declaration, which FHIR forbids.
    public static let documentType = Self(rawValue: "documentType")
    /// An element of XML is not in the namespace that FHIR requires.
    public static let namespace = Self(rawValue: "namespace")
    /// An element of XML comes after one that it precedes in FHIR's definitions.
    public static let outOfOrder = Self(rawValue: "outOfOrder")
    /// An element of XML has more than 1,000 attributes.
    public static let tooManyAttributes = Self(rawValue: "tooManyAttributes")
    /// There is text between the elements of XML.
    public static let misplacedText = Self(rawValue: "misplacedText")
}
