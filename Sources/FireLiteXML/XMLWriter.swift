import FireLiteCore

/// Writes objects as FHIR XML (<https://hl7.org/fhir/xml.html>), driven by their layouts.
///
/// The slots of a layout have the order of FHIR's definitions, so that the elements have it too. Elements without content are skipped.
struct XMLWriter {
    /// An element's `id` and the `url` of an extension are attributes; FHIR's definitions have no others besides `value`.
    private static let id = "id"
    private static let url = "url"
    /// Comments, which DSTU2 has in its JSON and all releases have in XML (<https://hl7.org/fhir/DSTU2/json.html>).
    private static let comments = "fhir_comments"
    static let namespace = "http://hl7.org/fhir"

    private(set) var text = ""
    private let isPretty: Bool
    private var depth = 0

    init(isPretty: Bool = false) { self.isPretty = isPretty }

    /// Writes an object as the root element, whose name is that of its type.
    mutating func writeRoot(_ object: FHIRObject) throws(XMLEncodingFault) {
        try write(object, named: object.layout.name, attributes: " xmlns=\"\(Self.namespace)\"")
    }

    // MARK: - Elements

    private mutating func write(_ object: FHIRObject, named name: String, attributes: String = "") throws(XMLEncodingFault) {
        let layout = object.layout
        var attributes = attributes
        var slots: [(element: LayoutElement, value: SlotValue)] = []
        object.forEachSlot { slots.append((layout.elements[Int($0.index)], $0.value)) }
        if !layout.isResource {
            for (element, value) in slots where Self.isAttribute(element, layout) {
                guard let primitive = element.primitive, let literal = value.literal(primitive) else { continue }
                attributes += " \(element.name)=\"\(try Self.escaped(literal))\""
            }
            slots.removeAll { Self.isAttribute($0.element, layout) }
        }
        slots.removeAll { !$0.value.hasContent }
        beginLine()
        guard !slots.isEmpty else {
            text += "<\(name)\(attributes)/>"
            return
        }
        text += "<\(name)\(attributes)>"
        depth += 1
        for (element, value) in slots { try write(value, element) }
        depth -= 1
        beginLine()
        text += "</\(name)>"
    }

    private static func isAttribute(_ element: LayoutElement, _ layout: Layout) -> Bool {
        element.name == id || element.name == url && layout.name == "Extension"
    }

    private mutating func write(_ value: SlotValue, _ element: LayoutElement) throws(XMLEncodingFault) {
        if element.name == Self.comments { return writeComments(value) }
        switch value {
        case .word, .text: try writePrimitive(value, nil, element)
        case .object(let child): try writeChild(child, element)
        case .objects(let children): for child in children where child.hasContent { try writeChild(child, element) }
        case .texts(let texts): for text in texts { try writePrimitive(.text(text), nil, element) }
        case .annotated(let primitive): try writePrimitive(primitive.value, primitive.element, element)
        case .annotatedTexts(let list):
            for (text, annotation) in zip(list.texts, list.elements) {
                try writePrimitive(text.map { .text($0) }, annotation, element)
            }
        }
    }

    /// A resource in an element is an element of its own, named after its type.
    private mutating func writeChild(_ child: FHIRObject, _ element: LayoutElement) throws(XMLEncodingFault) {
        guard element.kind == .resource else { return try write(child, named: element.name) }
        beginLine()
        text += "<\(element.name)>"
        depth += 1
        try write(child, named: child.layout.name)
        depth -= 1
        beginLine()
        text += "</\(element.name)>"
    }

    // MARK: - Primitives

    private mutating func writePrimitive(
        _ value: SlotValue?, _ annotation: FHIRObject?, _ element: LayoutElement
    ) throws(XMLEncodingFault) {
        guard let type = element.primitive else { return }
        let literal = value?.literal(type)
        let annotation = annotation.flatMap { $0.hasContent ? $0 : nil }
        guard literal != nil || annotation != nil else { return }
        if type == .xhtml {
            // The text is XML already, and is kept to the letter.
            beginLine()
            text += literal ?? ""
            return
        }
        let attribute = try literal.map { literal throws(XMLEncodingFault) in " value=\"\(try Self.escaped(literal))\"" } ?? ""
        guard let annotation else {
            beginLine()
            text += "<\(element.name)\(attribute)/>"
            return
        }
        try write(annotation, named: element.name, attributes: attribute)
    }

    /// The text as it is between the quotation marks of an attribute. White space other than blanks is escaped, as a reader would turn it into
    /// blanks (<https://www.w3.org/TR/xml/#AVNormalize>).
    private static func escaped(_ literal: String) throws(XMLEncodingFault) -> String {
        var result = ""
        for scalar in literal.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t": result += "&#x9;"
            case "\n": result += "&#xA;"
            case "\r": result += "&#xD;"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": throw XMLEncodingFault()
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Writes comments as far as XML can have them: without pairs of hyphens.
    private mutating func writeComments(_ value: SlotValue) {
        guard case .texts(let comments) = value else { return }
        for comment in comments where !comment.contains("--") && !comment.hasSuffix("-") {
            beginLine()
            text += "<!--\(comment)-->"
        }
    }

    private mutating func beginLine() {
        guard isPretty, !text.isEmpty else { return }
        text += "\n" + String(repeating: "  ", count: depth)
    }
}

/// A text has a character that XML does not have (<https://www.w3.org/TR/xml/#charsets>).
package struct XMLEncodingFault: Error {}
