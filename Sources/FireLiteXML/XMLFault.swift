import FireLiteCore

/// The parser's faults in words. Its own messages contain names and text of the document.
enum XMLFault {
    private static let documentEnd: Int32 = 5
    /// XML_ERR_DOCTYPE_NOT_FINISHED: the number under which a document type is refused.
    static let documentType: Int32 = 61
    /// Not one of the parser's: an element has more attributes than are read.
    static let manyAttributes: Int32 = -1
    /// The numbers from XML_NS_ERR_XML_NAMESPACE to XML_NS_ERR_COLON.
    static let namespaces: ClosedRange<Int32> = 200...205
    private static let invalidCharacters: Set<Int32> = [6, 9, 81]

    /// The kind of a fault by the parser's code (xmlParserErrors).
    static func code(_ code: Int32) -> FHIRDecodingError.Code {
        code == manyAttributes ? .tooManyAttributes : invalidCharacters.contains(code) ? .invalidText : .malformedXML
    }

    /// What was expected and what was found.
    static func words(_ code: Int32) -> (expected: String, found: String) {
        switch code {
        case 3, 4: ("an XML document", "an empty one")
        case manyAttributes: ("up to \(PushParser.mostAttributes) attributes in an element", "more")
        case documentEnd: ("a complete document and nothing after it", "the end of the text, or content after the root element")
        case 6, 7, 8: ("a reference to a character that XML has", "another reference")
        case 9, 81: ("characters of XML in UTF-8", "another byte or character")
        case 26, 27: ("one of XML's five entities", "an entity that is not declared")
        case 38: ("no '<' in the value of an attribute", "one")
        case 39, 40: ("the value of an attribute in quotation marks", "none")
        case 42: ("each attribute once", "an attribute again")
        case 45: ("the end of the comment", "two hyphens, or the end of the text")
        case 73, 74: ("the end of a tag", "something else")
        case 76: ("the end tag of the open element", "that of another one")
        case 77: ("the end tag of the open element", "the end of the text")
        case 201: ("the declaration of a namespace's prefix", "a prefix without one")
        default: ("well-formed XML", "something else")
        }
    }
}
