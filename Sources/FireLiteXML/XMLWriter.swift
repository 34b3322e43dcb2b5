import FireLiteCore

/// Writes objects as FHIR XML (<https://hl7.org/fhir/xml.html>), driven by their layouts.
///
/// The slots of a layout have the order of FHIR's definitions, so that the elements have it too. Elements without content are skipped.
struct XMLWriter {
    /// An element's `id` and the `url` of an extension are attributes; FHIR's definitions have no others besides `value`.
    private static let id = "id"
    private static let url = "url"
    /// Comments, which DSTU2 has in its JSON and all releases have in XML (<https://hl7.org/fhir/DSTU2/json.html>).
    static let comments = "fhir_comments"

    private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0

    init(isPretty: Bool = false) { self.isPretty = isPretty }

    /// Writes an object as the root element, whose name is that of its type.
    mutating func writeRoot(_ object: FHIRObject) throws(FHIRXMLError) {
        let name = object.layout.name
        do throws(FHIRXMLError) {
            try write(object, named: name, attributes: { $0.put(" xmlns=\"\(XMLReader.namespace)\"") })
        } catch {
            throw error.inside(name)
        }
    }

    /// Writes a resource as an entry of a Bundle, within whose namespace it is.
    mutating func writeEntry(_ resource: FHIRResource) throws(FHIRXMLError) {
        put("<entry><resource>")
        let name = resource.layout.name
        do throws(FHIRXMLError) { try write(resource, named: name) } catch { throw error.inside(name) }
        put("</resource></entry>")
    }

    // MARK: - Elements

    private mutating func write(
        _ object: FHIRObject, named name: String, attributes: (inout XMLWriter) throws(FHIRXMLError) -> Void = { _ in }
    ) throws(FHIRXMLError) {
        beginLine()
        put("<")
        put(name)
        try attributes(&self)
        let layout = object.layout
        let slots = Self.slots(of: object)
        var isOpen = false
        // Attributes come first, whatever their slots.
        if !layout.isResource {
            for (element, value) in slots where Self.isAttribute(element, layout) {
                guard let primitive = element.primitive, let literal = value.literal(primitive) else {
                    guard value.hasContent else { continue }
                    throw FHIRXMLError(
                        .annotatedAttribute, path: element.name, "an attribute in XML has no id and no extensions: remove them")
                }
                try putAttribute(element.name, literal)
            }
        }
        for (element, value) in slots where value.hasContent && (layout.isResource || !Self.isAttribute(element, layout)) {
            if !isOpen {
                put(">")
                isOpen = true
                depth += 1
            }
            do throws(FHIRXMLError) {
                try write(value, element)
            } catch {
                // A list's items have their position already.
                throw error.isInside(element.name) ? error : error.inside(element.name)
            }
        }
        guard isOpen else { return put("/>") }
        depth -= 1
        beginLine()
        put("</")
        put(name)
        put(">")
    }

    private static func slots(of object: FHIRObject) -> [(element: LayoutElement, value: SlotValue)] {
        let elements = object.layout.elements
        var slots: [(element: LayoutElement, value: SlotValue)] = []
        object.forEachSlot { slots.append((elements[Int($0.index)], $0.value)) }
        return slots
    }

    private static func isAttribute(_ element: LayoutElement, _ layout: Layout) -> Bool {
        element.name == id || element.name == url && layout.name == "Extension"
    }

    private mutating func write(_ value: SlotValue, _ element: LayoutElement) throws(FHIRXMLError) {
        if element.name == Self.comments { return try writeComments(value) }
        switch value {
        case .word, .text: try writePrimitive(value, nil, element)
        case .object(let child): try writeChild(child, element)
        case .annotated(let primitive): try writePrimitive(primitive.value, primitive.element, element)
        case .objects(let children):
            try writeItems(children.count, element) { (writer, index) throws(FHIRXMLError) in
                if children[index].hasContent { try writer.writeChild(children[index], element) }
            }
        case .texts(let texts):
            try writeItems(texts.count, element) { (writer, index) throws(FHIRXMLError) in
                try writer.writePrimitive(.text(texts[index]), nil, element)
            }
        case .annotatedTexts(let list):
            try writeItems(list.texts.count, element) { (writer, index) throws(FHIRXMLError) in
                try writer.writePrimitive(list.texts[index].map { .text($0) }, list.elements[index], element)
            }
        }
    }

    private mutating func writeItems(
        _ count: Int, _ element: LayoutElement, _ item: (inout XMLWriter, Int) throws(FHIRXMLError) -> Void
    ) throws(FHIRXMLError) {
        for index in 0..<count {
            do throws(FHIRXMLError) {
                try item(&self, index)
            } catch {
                throw error.inside("\(element.name)[\(index)]")
            }
        }
    }

    /// A resource in an element is an element of its own, named after its type.
    private mutating func writeChild(_ child: FHIRObject, _ element: LayoutElement) throws(FHIRXMLError) {
        guard element.kind == .resource else { return try write(child, named: element.name) }
        beginLine()
        put("<")
        put(element.name)
        put(">")
        depth += 1
        try write(child, named: child.layout.name)
        depth -= 1
        beginLine()
        put("</")
        put(element.name)
        put(">")
    }

    // MARK: - Primitives

    private mutating func writePrimitive(
        _ value: SlotValue?, _ annotation: FHIRObject?, _ element: LayoutElement
    ) throws(FHIRXMLError) {
        guard let type = element.primitive else { return }
        let literal = value?.literal(type)
        let annotation = annotation.flatMap { $0.hasContent ? $0 : nil }
        guard literal != nil || annotation != nil else { return }
        if type == .xhtml { return try writeNarrative(literal, annotation) }
        guard let annotation else {
            beginLine()
            put("<")
            put(element.name)
            if let literal { try putAttribute("value", literal) }
            return put("/>")
        }
        try write(annotation, named: element.name) { (writer) throws(FHIRXMLError) in
            if let literal { try writer.putAttribute("value", literal) }
        }
    }

    /// Writes a narrative, which is XML already and is kept to the letter.
    private mutating func writeNarrative(_ literal: String?, _ annotation: FHIRObject?) throws(FHIRXMLError) {
        guard let literal, annotation == nil else {
            throw FHIRXMLError(
                .malformedNarrative, path: "", "XML has no place for the id and extensions of a narrative beside its text: remove them")
        }
        let outcome = try NarrativeCheck.check(literal)
        guard outcome != .malformed else {
            throw FHIRXMLError(
                .malformedNarrative, path: "",
                "a narrative must be one well-formed div element with xmlns=\"\(XMLReader.xhtml)\", without named entities of HTML: mend it"
            )
        }
        beginLine()
        guard outcome == .withoutNamespace else { return put(literal) }
        // In the JSON of DSTU2 the namespace goes without saying.
        put("<div xmlns=\"\(XMLReader.xhtml)\"")
        put(String(literal.dropFirst("<div".count)))
    }

    /// Writes comments, which are part of the content in DSTU2 alone.
    private mutating func writeComments(_ value: SlotValue) throws(FHIRXMLError) {
        guard case .texts(let comments) = value else {
            throw FHIRXMLError(.invalidComment, path: "", "a comment in XML has no id and no extensions: remove them")
        }
        for comment in comments {
            guard !comment.utf8.contains(0x0D), !comment.contains("--"), comment.utf8.last != UInt8(ascii: "-") else {
                throw FHIRXMLError(
                    .invalidComment, path: "",
                    "XML has no comments with two hyphens in a row, a hyphen at the end, or a carriage return: change the comment")
            }
            guard comment.unicodeScalars.allSatisfy({ Self.isAllowed($0) }) else { throw Self.invalidCharacter }
            beginLine()
            put("<!--")
            put(comment)
            put("-->")
        }
    }

    // MARK: - Text

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func beginLine() {
        guard isPretty, !bytes.isEmpty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { put("  ") }
    }

    /// Writes an attribute. White space other than blanks is escaped, as a reader would turn it into blanks
    /// (<https://www.w3.org/TR/xml/#AVNormalize>).
    private mutating func putAttribute(_ name: String, _ literal: String) throws(FHIRXMLError) {
        put(" ")
        put(name)
        put("=\"")
        // The only characters from 128 on that XML does not have are U+FFFE and U+FFFF, in UTF-8 EF BF BE and EF BF BF.
        var hasRare = false
        for byte in literal.utf8 {
            switch byte {
            case UInt8(ascii: "&"): put("&amp;")
            case UInt8(ascii: "<"): put("&lt;")
            case UInt8(ascii: ">"): put("&gt;")
            case UInt8(ascii: "\""): put("&quot;")
            case 0x09: put("&#x9;")
            case 0x0A: put("&#xA;")
            case 0x0D: put("&#xD;")
            case 0..<0x20: throw Self.invalidCharacter
            case 0xEF:
                hasRare = true
                bytes.append(byte)
            default: bytes.append(byte)
            }
        }
        if hasRare, !literal.unicodeScalars.allSatisfy({ Self.isAllowed($0) }) { throw Self.invalidCharacter }
        put("\"")
    }

    /// A URI as it is between the quotation marks of an attribute.
    static func quoted(_ uri: String) -> String {
        var result = ""
        for character in uri {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Whether XML has the character (<https://www.w3.org/TR/xml/#charsets>).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    private static let invalidCharacter = FHIRXMLError(
        .invalidCharacter, path: "", "a text has a character that XML cannot hold (a control character, U+FFFE or U+FFFF): remove it")
}
