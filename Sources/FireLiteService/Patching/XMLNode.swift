import FireLiteXML
import Foundation

/// A node of an XML document that is changed: an element with its children, text, a comment, an instruction, or the document itself.
final class XMLNode {
    /// A name with its namespace, which is empty for none.
    struct Name: Hashable {
        let uri: String
        let local: String
    }

    struct Attribute {
        let name: Name
        /// The prefix, without which a name in a namespace cannot be written.
        let prefix: String
        var value: String
    }

    enum Kind {
        case document, element, text, comment, instruction
    }

    let kind: Kind
    /// The name of an element.
    let name: Name
    var attributes: [Attribute] = []
    var children: [XMLNode] = []
    /// The text of what has no children.
    let text: String
    /// The namespaces by their prefixes, in an element.
    private(set) var scope: [String: String] = [:]

    init(_ kind: Kind, text: String = "") {
        self.kind = kind
        self.text = text
        name = Name(uri: "", local: "")
    }

    init(element name: Name, scope: [String: String]) {
        kind = .element
        text = ""
        self.name = name
        self.scope = scope
    }

    var elements: [XMLNode] { children.filter { $0.kind == .element } }
    /// Whether it is text of white space.
    var isSpace: Bool { kind == .text && text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D } }
    /// The text of all its descendants (XPath, 5).
    var value: String { kind == .text ? text : children.filter { $0.kind == .text || $0.kind == .element }.map(\.value).joined() }

    /// A copy with all descendants.
    func copy() -> XMLNode {
        guard kind == .element else { return self }
        let copy = XMLNode(element: name, scope: scope)
        copy.attributes = attributes
        copy.children = children.map { $0.copy() }
        return copy
    }

    // MARK: - Writing

    /// The document in UTF-8. Elements have no prefixes, so that their default namespace changes where their namespace does.
    var data: Data {
        var bytes: [UInt8] = []
        write(into: &bytes, namespace: "")
        return Data(bytes)
    }

    private func write(into bytes: inout [UInt8], namespace: String) {
        switch kind {
        case .document: for child in children { child.write(into: &bytes, namespace: "") }
        case .text: Self.write(text, into: &bytes)
        case .comment: bytes += "<!--\(text)-->".utf8
        case .instruction: bytes += "<?\(text)?>".utf8
        case .element:
            bytes += "<\(name.local)".utf8
            if name.uri != namespace { Self.write("xmlns", name.uri, into: &bytes) }
            for attribute in attributes {
                let prefix = attribute.name.uri.isEmpty ? "" : attribute.prefix + ":"
                if !prefix.isEmpty, attribute.prefix != "xml" { Self.write("xmlns:" + attribute.prefix, attribute.name.uri, into: &bytes) }
                Self.write(prefix + attribute.name.local, attribute.value, into: &bytes)
            }
            guard !children.isEmpty else {
                bytes += "/>".utf8
                return
            }
            bytes += ">".utf8
            for child in children { child.write(into: &bytes, namespace: name.uri) }
            bytes += "</\(name.local)>".utf8
        }
    }

    private static func write(_ name: String, _ value: String, into bytes: inout [UInt8]) {
        bytes += " \(name)=\"".utf8
        write(value, into: &bytes, isAttribute: true)
        bytes.append(UInt8(ascii: "\""))
    }

    private static func write(_ text: String, into bytes: inout [UInt8], isAttribute: Bool = false) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\"") where isAttribute: bytes += "&quot;".utf8
            // Written as they are, a parser would read other characters.
            case 0x0D: bytes += "&#13;".utf8
            case 0x09 where isAttribute: bytes += "&#9;".utf8
            case 0x0A where isAttribute: bytes += "&#10;".utf8
            default: bytes.append(byte)
            }
        }
    }
}
