/// A narrative (FHIR, Narrative) made safe: it is read as tags and text, and written again from a list of elements and attributes. What is not in the
/// lists is left out; of an unknown element the text stays. No address, style, script or event can get through, as none is ever written.
struct Narrative {
    /// Longer ones are cut.
    private static let maximumBytes = 200_000
    private static let maximumDepth = 64

    private static let elements: Set<String> = [
        "a", "abbr", "b", "big", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "dfn", "div", "dl", "dt", "em",
        "h1", "h2", "h3",
        "h4", "h5", "h6", "hr", "i", "kbd", "li", "ol", "p", "pre", "q", "samp", "small", "span", "strong", "sub", "sup", "table", "tbody",
        "td", "tfoot",
        "th", "thead", "tr", "tt", "ul", "var",
    ]
    private static let empty: Set<String> = ["br", "col", "hr"]
    /// Elements whose text is not for a person.
    private static let silent: Set<String> = [
        "script", "style", "iframe", "object", "embed", "template", "noscript", "head", "title", "svg", "math", "textarea", "select", "xmp",
    ]
    /// Headings of a narrative stand below those of the page; links lead nowhere, as their addresses come from the record.
    private static let renamed = [
        "h1": "h4", "h2": "h4", "h3": "h5", "h4": "h5", "h5": "h6", "a": "span", "big": "span", "tt": "code", "cite": "i", "dfn": "i",
    ]
    private static let numbers: Set<String> = ["colspan", "rowspan"]

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var open: [String] = []
    private var output = ""
    private var plain = String.UnicodeScalarView()
    private var silence: String?
    private(set) var isCut = false

    /// The safe form of a narrative's `div`.
    static func safe(_ text: String) -> (html: HTML, isCut: Bool) {
        var reader = Narrative(text)
        let html = reader.read()
        return (html, reader.isCut)
    }

    private init(_ text: String) {
        isCut = text.utf8.count > Self.maximumBytes
        scalars = Array(isCut ? Substring(text.unicodeScalars.prefix(Self.maximumBytes)).unicodeScalars : text[...].unicodeScalars)
    }

    private mutating func read() -> HTML {
        while place < scalars.count {
            let scalar = scalars[place]
            if scalar == "<", let end = markup() {
                place = end
            } else if scalar == "&" {
                entity()
            } else {
                plain.append(scalar)
                place += 1
            }
        }
        flush()
        while let name = open.popLast() { output += "</\(name)>" }
        return HTML(written: output)
    }

    private mutating func flush() {
        if silence == nil { HTMLEscaping.append(String(plain), to: &output) }
        plain = String.UnicodeScalarView()
    }

    // MARK: - Tags

    /// Reads a tag, comment or declaration at the place; nil if it is text. The result is the place behind it.
    private mutating func markup() -> Int? {
        if starts("<!--") { return after("-->") ?? scalars.count }
        if starts("<!") || starts("<?") { return after(">") ?? scalars.count }
        var at = place + 1
        let isEnd = at < scalars.count && scalars[at] == "/"
        if isEnd { at += 1 }
        var name = ""
        while at < scalars.count, Self.isNamePart(scalars[at]) {
            name.unicodeScalars.append(scalars[at])
            at += 1
        }
        guard !name.isEmpty else { return nil }
        name = name.lowercased()
        var attributes: [(name: String, value: String)] = []
        var isEmpty = false
        while at < scalars.count, scalars[at] != ">" {
            if scalars[at] == "/" {
                isEmpty = true
                at += 1
            } else if scalars[at].properties.isWhitespace {
                at += 1
            } else {
                isEmpty = false
                attributes.append(attribute(&at))
            }
        }
        flush()
        if isEnd { close(name) } else { begin(name, attributes, isEmpty: isEmpty) }
        return min(at + 1, scalars.count)
    }

    private mutating func begin(_ name: String, _ attributes: [(name: String, value: String)], isEmpty: Bool) {
        guard silence == nil else { return }
        if Self.silent.contains(name) {
            if !isEmpty { silence = name }
            return
        }
        guard Self.elements.contains(name), open.count < Self.maximumDepth else { return }
        let written = Self.renamed[name] ?? name
        output += "<\(written)"
        for (attribute, value) in attributes where Self.numbers.contains(attribute) {
            if let number = Int(value), (1...100).contains(number) { output += " \(attribute)=\"\(number)\"" }
        }
        output += ">"
        if Self.empty.contains(name) { return }
        if isEmpty { output += "</\(written)>" } else { open.append(written) }
    }

    private mutating func close(_ name: String) {
        if let silent = silence {
            if silent == name { silence = nil }
            return
        }
        let written = Self.renamed[name] ?? name
        guard let index = open.lastIndex(of: written) else { return }
        while open.count > index { output += "</\(open.removeLast())>" }
    }

    private func attribute(_ at: inout Int) -> (name: String, value: String) {
        var name = ""
        while at < scalars.count, !scalars[at].properties.isWhitespace, !"=>/".unicodeScalars.contains(scalars[at]) {
            name.unicodeScalars.append(scalars[at])
            at += 1
        }
        while at < scalars.count, scalars[at].properties.isWhitespace { at += 1 }
        guard at < scalars.count, scalars[at] == "=" else {
            // A sign that is no part of a name must not stop the reading.
            if name.isEmpty { at += 1 }
            return (name.lowercased(), "")
        }
        at += 1
        while at < scalars.count, scalars[at].properties.isWhitespace { at += 1 }
        var value = ""
        if at < scalars.count, scalars[at] == "\"" || scalars[at] == "'" {
            let quote = scalars[at]
            at += 1
            while at < scalars.count, scalars[at] != quote {
                value.unicodeScalars.append(scalars[at])
                at += 1
            }
            at += 1
        } else {
            while at < scalars.count, !scalars[at].properties.isWhitespace, scalars[at] != ">" {
                value.unicodeScalars.append(scalars[at])
                at += 1
            }
        }
        at = min(at, scalars.count)
        return (name.lowercased(), value)
    }

    // MARK: - Text

    /// Reads an entity as the character that it stands for; anything else after an ampersand is text.
    private mutating func entity() {
        var name = ""
        var at = place + 1
        while at < scalars.count, name.utf8.count < 10, scalars[at] == "#" || Self.isNamePart(scalars[at]) {
            name.unicodeScalars.append(scalars[at])
            at += 1
        }
        let scalar: Unicode.Scalar?
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            scalar = UInt32(name.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
        } else if name.hasPrefix("#") {
            scalar = UInt32(name.dropFirst()).flatMap { Unicode.Scalar($0) }
        } else {
            scalar = Self.entities[name]
        }
        guard let scalar, at < scalars.count, scalars[at] == ";" else {
            plain.append("&")
            place += 1
            return
        }
        plain.append(scalar)
        place = at + 1
    }

    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "deg": "°", "micro": "µ", "plusmn": "±",
        "middot": "·", "copy": "©",
        "reg": "®", "ndash": "–", "mdash": "—", "bull": "•", "hellip": "…", "le": "≤", "ge": "≥", "auml": "ä", "ouml": "ö", "uuml": "ü",
        "szlig": "ß",
        "eacute": "é",
    ]

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == ":" || scalar == "-")
    }

    private func starts(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        return place + wanted.count <= scalars.count && Array(scalars[place..<place + wanted.count]) == wanted
    }

    private func after(_ text: String) -> Int? {
        let wanted = Array(text.unicodeScalars)
        var at = place
        while at + wanted.count <= scalars.count {
            if Array(scalars[at..<at + wanted.count]) == wanted { return at + wanted.count }
            at += 1
        }
        return nil
    }
}
