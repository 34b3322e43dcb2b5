/// Whether the text of a narrative is the XHTML that FHIR allows (FHIR, Narrative, txt-1 and txt-2).
enum NarrativeCheck {
    /// The elements of HTML 4.0, chapters 7 to 11 and 15, without those for scripts, forms and changes, and without deprecated ones.
    private static let elements: Set<UInt64> = Set(
        """
        a abbr acronym address area b bdo big blockquote br caption cite code col colgroup dd dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li map
        ol p pre q samp small span strong sub sup table tbody td tfoot th thead tr tt ul var
        """.split(whereSeparator: \.isWhitespace).map { word in
            var word = String(word)
            return word.withUTF8 { key(of: $0[...]) }
        })
    private static let division = key("div")
    private static let image = key("img")

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func key(_ name: StaticString) -> UInt64 { name.withUTF8Buffer { key(of: $0[...]) } }

    /// A name's first seven bytes in lower case and its length, which tell the allowed names apart.
    private static func key(of name: Slice<Bytes>) -> UInt64 {
        var key = UInt64(min(name.count, 255)) << 56
        for (index, byte) in name.prefix(7).enumerated() { key |= UInt64(lowercase(byte)) << (8 * index) }
        return key
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

    /// Whether there is one `div` with allowed elements, closed as they are opened, without scripts, and with some text or an image.
    static func isValid(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { check($0) }
    }

    private static func check(_ bytes: Bytes) -> Bool {
        var open: [UInt64] = []
        var hasContent = false
        var hasRoot = false
        var place = 0
        while place < bytes.count {
            let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            switch content(bytes[place..<start]) {
            case .space: break
            case .text where !open.isEmpty: hasContent = true
            default: return false
            }
            guard start < bytes.count else { break }
            if bytes[start...].starts(with: "<!--".utf8) {
                guard let end = endOfComment(bytes, from: start + 4) else { return false }
                place = end
                continue
            }
            guard let tag = Tag(bytes, from: start), elements.contains(tag.name) else { return false }
            place = tag.end
            if tag.isClosing {
                guard open.popLast() == tag.name else { return false }
                continue
            }
            if open.isEmpty {
                guard tag.name == division, !hasRoot else { return false }
                hasRoot = true
            }
            if tag.name == image { hasContent = true }
            if !tag.isEmpty { open.append(tag.name) }
        }
        return hasRoot && open.isEmpty && hasContent
    }

    private static func endOfComment(_ bytes: Bytes, from start: Int) -> Int? {
        var place = start
        while place + 2 < bytes.count {
            if bytes[place] == UInt8(ascii: "-"), bytes[place + 1] == UInt8(ascii: "-") {
                return bytes[place + 2] == UInt8(ascii: ">") ? place + 3 : nil
            }
            place += 1
        }
        return nil
    }

    // MARK: - Text

    private enum Content {
        case space, text, broken
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// What text between tags is; each `&` in it begins an entity.
    private static func content(_ text: Slice<Bytes>) -> Content {
        var result = Content.space
        var place = text.startIndex
        while place < text.endIndex {
            let byte = text[place]
            if byte == UInt8(ascii: "&") {
                guard let end = endOfEntity(text, from: place + 1) else { return .broken }
                place = end
                result = .text
                continue
            }
            // A no-break space is white space.
            let isNoBreak = byte == 0xC2 && place + 1 < text.endIndex && text[place + 1] == 0xA0
            if !isSpace(byte), !isNoBreak { result = .text }
            place += isNoBreak ? 2 : 1
        }
        return result
    }

    /// The end of an entity after its `&`: `lt;`, `nbsp;`, `#160;`, `#xA0;`; nil if there is none.
    private static func endOfEntity(_ text: Slice<Bytes>, from start: Int) -> Int? {
        guard let end = text[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")), end > start else { return nil }
        var name = text[start..<end]
        if name.first == UInt8(ascii: "#") {
            name = name.dropFirst()
            if let mark = name.first, mark == UInt8(ascii: "x") {
                name = name.dropFirst()
                return !name.isEmpty && name.allSatisfy { isDigit($0) || lowercase($0) &- 97 < 6 } ? end + 1 : nil
            }
            return !name.isEmpty && name.allSatisfy(isDigit) ? end + 1 : nil
        }
        return isLetter(text[start]) && name.allSatisfy { isLetter($0) || isDigit($0) } ? end + 1 : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { lowercase(byte) &- 97 < 26 }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    // MARK: - Tags

    /// A tag that was read.
    private struct Tag {
        let name: UInt64
        let isClosing: Bool
        /// Whether it is closed at once: `<br/>`.
        let isEmpty: Bool
        /// The place after it.
        let end: Int

        /// Reads a tag; nil for one that is not well-formed, that handles an event, or that links to a script.
        init?(_ bytes: Bytes, from start: Int) {
            var place = start + 1
            isClosing = place < bytes.count && bytes[place] == UInt8(ascii: "/")
            if isClosing { place += 1 }
            let first = place
            while place < bytes.count, isLetter(bytes[place]) || isDigit(bytes[place]) { place += 1 }
            name = NarrativeCheck.key(of: bytes[first..<place])
            guard place > first else { return nil }
            while true {
                let gap = place
                while place < bytes.count, isSpace(bytes[place]) { place += 1 }
                guard place < bytes.count else { return nil }
                if bytes[place] == UInt8(ascii: ">") {
                    isEmpty = false
                    break
                }
                if bytes[place] == UInt8(ascii: "/") {
                    guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: ">"), !isClosing else { return nil }
                    place += 1
                    isEmpty = true
                    break
                }
                guard place > gap, !isClosing, let next = Self.endOfAttribute(bytes, from: place) else { return nil }
                place = next
            }
            end = place + 1
        }

        private static func endOfAttribute(_ bytes: Bytes, from start: Int) -> Int? {
            var place = start
            while place < bytes.count, bytes[place] != UInt8(ascii: "="), !isSpace(bytes[place]), bytes[place] != UInt8(ascii: ">") {
                place += 1
            }
            let name = bytes[start..<place]
            while place < bytes.count, isSpace(bytes[place]) { place += 1 }
            guard !name.isEmpty, place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return nil }
            place += 1
            while place < bytes.count, isSpace(bytes[place]) { place += 1 }
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'"),
                let end = bytes[(place + 1)...].firstIndex(of: bytes[place])
            else { return nil }
            let value = bytes[(place + 1)..<end]
            guard !value.contains(UInt8(ascii: "<")), content(value) != .broken else { return nil }
            if isEqual(name.prefix(2), "on") { return nil }
            if isEqual(name, "href"), isEqual(value.prefix(11), "javascript:") { return nil }
            return end + 1
        }

        private static func isEqual(_ bytes: Slice<Bytes>, _ text: StaticString) -> Bool {
            text.withUTF8Buffer { bytes.count == $0.count && zip(bytes, $0).allSatisfy { lowercase($0) == $1 } }
        }
    }
}
