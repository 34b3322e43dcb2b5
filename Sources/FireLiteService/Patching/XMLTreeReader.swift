import FireLiteXML
import Foundation

/// Reads a document into a tree. libxml2 parses it first, so what this reads is well-formed, in UTF-8, and has no document type and therefore no
/// entities of its own.
struct XMLTreeReader {
    /// The levels of elements at most.
    private static let maximumDepth = 128
    private static let xml = "http://www.w3.org/XML/1998/namespace"

    private let bytes: [UInt8]
    private var place = 0

    /// Reads a document.
    ///
    /// - Throws: `ServiceFault` with status 400 for text that is not XML, or is nested too deeply; `FHIRXMLError` without libxml2.
    static func document(_ data: Data) throws -> XMLNode {
        let check = WellFormedness()
        let scanner = try XMLScanner(check)
        guard !data.contains(0) else { throw notXML }
        data.withUnsafeBytes { scanner.feed($0.bindMemory(to: UInt8.self)) }
        scanner.finish()
        guard !check.isBroken else {
            throw ServiceFault(400, "structure", "the XML is not well-formed, or has a document type declaration (line \(scanner.line))")
        }
        guard check.deepest <= maximumDepth else {
            throw ServiceFault(400, "too-long", "the XML has more than \(maximumDepth) levels of elements")
        }
        var reader = XMLTreeReader(bytes: [UInt8](data))
        return try reader.read()
    }

    private final class WellFormedness: XMLScannerDelegate {
        private(set) var isBroken = false
        private(set) var deepest = 0
        private var depth = 0

        func begin(_ tag: XMLTag) {
            depth += 1
            deepest = max(deepest, depth)
        }

        func end() { depth -= 1 }
        func fault(_ code: Int) { isBroken = true }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static var notXML: ServiceFault { ServiceFault(400, "structure", "the body is not XML in UTF-8") }

    // MARK: - Nodes

    private mutating func read() throws -> XMLNode {
        let document = XMLNode(.document)
        var open = [document]
        var scopes = [["": "", "xml": Self.xml]]
        if starts("\u{FEFF}") { place = 3 }
        while place < bytes.count, let parent = open.last, let scope = scopes.last {
            if starts("<!--") {
                parent.children.append(XMLNode(.comment, text: try text(after: 4, until: "-->")))
            } else if starts("<![CDATA[") {
                parent.children.append(XMLNode(.text, text: Self.string(try slice(after: 9, until: "]]>"), isMarkup: false)))
            } else if starts("<?") {
                let text = try text(after: 2, until: "?>")
                // The declaration is no instruction.
                if text.prefix(while: { !$0.isWhitespace }) != "xml" { parent.children.append(XMLNode(.instruction, text: text)) }
            } else if starts("</") {
                _ = try slice(after: 2, until: ">")
                guard open.count > 1 else { throw Self.notXML }
                open.removeLast()
                scopes.removeLast()
            } else if starts("<") {
                let (element, isEmpty) = try startTag(scope)
                parent.children.append(element)
                if !isEmpty {
                    open.append(element)
                    scopes.append(element.scope)
                }
            } else {
                let start = place
                while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
                if parent.kind == .element { parent.children.append(XMLNode(.text, text: Self.string(bytes[start..<place]))) }
            }
        }
        guard open.count == 1, document.elements.count == 1 else { throw Self.notXML }
        return document
    }

    private mutating func startTag(_ outer: [String: String]) throws -> (XMLNode, isEmpty: Bool) {
        place += 1
        let tag = try name()
        var found: [(name: String, value: String)] = []
        var isEmpty = false
        while true {
            skipSpace()
            guard place < bytes.count else { throw Self.notXML }
            if bytes[place] == UInt8(ascii: "/") {
                isEmpty = true
                place += 1
            } else if bytes[place] == UInt8(ascii: ">") {
                place += 1
                break
            } else {
                let name = try name()
                skipSpace()
                guard starts("=") else { throw Self.notXML }
                place += 1
                skipSpace()
                guard starts("\"") || starts("'") else { throw Self.notXML }
                found.append((name, Self.string(try slice(after: 1, until: starts("'") ? "'" : "\""), isAttribute: true)))
            }
        }
        var scope = outer
        for (name, value) in found {
            if name == "xmlns" { scope[""] = value } else if name.hasPrefix("xmlns:") { scope[String(name.dropFirst(6))] = value }
        }
        let element = XMLNode(element: try Self.name(tag, scope, isElement: true), scope: scope)
        for (name, value) in found where name != "xmlns" && !name.hasPrefix("xmlns:") {
            let prefix = name.contains(":") ? String(name.prefix { $0 != ":" }) : ""
            element.attributes.append(.init(name: try Self.name(name, scope, isElement: false), prefix: prefix, value: value))
        }
        return (element, isEmpty)
    }

    /// A name with its namespace: that of its prefix, or of an element without one the default namespace.
    ///
    /// - Throws: `ServiceFault` with status 400 for a prefix that is not declared.
    static func name(_ text: String, _ scope: [String: String], isElement: Bool) throws -> XMLNode.Name {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1 else { return XMLNode.Name(uri: isElement ? scope[""] ?? "" : "", local: text) }
        guard let uri = scope[parts[0]], !parts[1].isEmpty else {
            throw ServiceFault(400, "structure", "the prefix of a name is not declared")
        }
        return XMLNode.Name(uri: uri, local: parts[1])
    }

    // MARK: - Text

    private func starts(_ text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private mutating func skipSpace() { while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 } }

    private mutating func name() throws -> String {
        let start = place
        while place < bytes.count, !Self.isSpace(bytes[place]), !"=/>".utf8.contains(bytes[place]) { place += 1 }
        guard place > start else { throw Self.notXML }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// The bytes between here and an end, after which it goes on.
    private mutating func slice(after count: Int, until end: String) throws -> ArraySlice<UInt8> {
        let start = place + count
        place = start
        while place < bytes.count {
            if starts(end) {
                defer { place += end.utf8.count }
                return bytes[start..<place]
            }
            place += 1
        }
        throw Self.notXML
    }

    private mutating func text(after count: Int, until end: String) throws -> String {
        Self.string(try slice(after: count, until: end), isMarkup: false)
    }

    /// The text of bytes: references replaced, ends of lines as XML has them (XML, 2.11, 3.3.3).
    private static func string(_ bytes: ArraySlice<UInt8>, isAttribute: Bool = false, isMarkup: Bool = true) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if isMarkup, byte == UInt8(ascii: "&"), let end = bytes[index...].firstIndex(of: UInt8(ascii: ";")) {
                text += character(bytes[index..<end])
                index = end + 1
            } else if byte == 0x0D {
                if index < bytes.endIndex, bytes[index] == 0x0A { index += 1 }
                text.append(isAttribute ? 0x20 : 0x0A)
            } else {
                text.append(isAttribute && isSpace(byte) ? 0x20 : byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The character of a reference. Others than these are not well-formed.
    private static func character(_ name: ArraySlice<UInt8>) -> [UInt8] {
        let text = String(decoding: name, as: UTF8.self)
        switch text {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let isHex = text.hasPrefix("#x")
            let number = UInt32(text.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            return number.flatMap { Unicode.Scalar($0) }.map { Array(String(Character($0)).utf8) } ?? []
        }
    }
}
