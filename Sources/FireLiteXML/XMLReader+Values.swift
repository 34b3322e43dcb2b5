import FireLiteCore

// Attributes, values of primitives, lists, and what is between elements.
extension XMLReader {
    // MARK: - Attributes

    /// Reads the attributes of the element whose frame is the innermost one.
    ///
    /// - Parameter primitive: the element, if it is a primitive.
    func readAttributes(_ tag: XMLTag, primitive: UnsafePointer<ElementEntry>?) {
        for index in 0..<tag.attributeCount {
            guard !hasFailed, let attribute = tag.attribute(index) else { return }
            readAttribute(attribute, primitive)
        }
    }

    private func readAttribute(_ attribute: XMLTag.Attribute, _ primitive: UnsafePointer<ElementEntry>?) {
        let frame = frames.top
        if let uri = attribute.uri {
            // Where a schema is found is no part of the content.
            if XMLTag.equals(uri, "http://www.w3.org/2001/XMLSchema-instance") { return }
            return fail(.unknownMember, "an attribute of FHIR", "one of another namespace")
        }
        if let primitive, isValue(attribute.name) {
            frame.pointee.value = value(attribute.value, primitive)
            frame.pointee.isReported = frame.pointee.value == nil
            return
        }
        let isObject = frame.pointee.kind == .object && frame.pointee.table.pointee.typeMemberLength == 0
        if XMLTag.equals(attribute.name, "id"), isObject || primitive != nil {
            guard prepareElement(frame), isAttribute(0, frame.pointee.table), let text = string(attribute.value) else { return }
            return put(.text(text), 0, frame)
        }
        if XMLTag.equals(attribute.name, "url"), isObject, isExtension(frame.pointee.table) {
            guard let text = string(attribute.value) else { return }
            return put(.text(text), extensionURLSlot, frame)
        }
        fail(.unknownMember, "an attribute of FHIR", "another one")
    }

    /// Whether the name of an attribute is `value`, which almost all are.
    @inline(__always)
    private func isValue(_ name: UnsafePointer<UInt8>) -> Bool {
        if name == valueName { return true }
        guard XMLTag.equals(name, "value") else { return false }
        valueName = name
        return true
    }

    /// Makes the `Element` of a primitive, which holds its id and extensions; false if the release has none.
    func prepareElement(_ frame: UnsafeMutablePointer<XMLFrame>) -> Bool {
        guard frame.pointee.kind == .primitive, frame.pointee.object == nil else { return true }
        guard let elementLayout else {
            fail(.unknownMember, "an element without an id and extensions", "one with them")
            return false
        }
        guard frame.pointee.depth <= Self.maximumDepth else {
            tooDeep()
            return false
        }
        let element = elementLayout.makeObject()
        element.ownerObject = frames[frames.count - 2].pointee.object
        frame.pointee.object = element
        frame.pointee.base = workspace.count
        return true
    }

    // MARK: - Values

    /// The value of a primitive; nil if it is invalid, which was reported.
    private func value(_ bytes: UnsafeBufferPointer<UInt8>, _ entry: UnsafePointer<ElementEntry>) -> SlotValue? {
        let type = entry.pointee.primitive
        switch entry.pointee.storage {
        case .text: return string(bytes).map { .text($0) }
        case .boolean:
            if Self.equals(bytes, "true") { return .word(1) }
            if Self.equals(bytes, "false") { return .word(0) }
        case .integer:
            if let value = JSONNumber.integer(bytes), Self.isPlain(bytes), type.integerRange.contains(value) { return .word(value) }
        case .decimal:
            if JSONNumber.isNumber(bytes) {
                return DecimalWord(bytes).map { .word($0.raw) } ?? .text(String(decoding: bytes, as: UTF8.self))
            }
        case .temporal:
            switch TemporalWord.read(bytes, as: type) {
            case .word(let word): return .word(word.raw)
            case .text: return string(bytes).map { .text($0) }
            case .invalid:
                guard let text = string(bytes) else { return nil }
                fail(.invalidValue, type.format, PrimitiveType.temporalFault(text, type))
                return .text(text)
            }
        }
        fail(.invalidValue, Self.form(of: type), "another text")
        return string(bytes).flatMap { SlotValue(literal: $0, type) }
    }

    /// Whether an integer has no superfluous zeros.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { JSONNumber.isNumber(bytes) }

    private static func form(of type: PrimitiveType) -> String {
        type == .integer64 ? "a whole number of 64 bits" : type.format
    }

    private static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
        return sameBytes(start, word.utf8Start, bytes.count)
    }

    /// The text of bytes; nil if they are not UTF-8, which ends reading.
    func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return "" }
        let text =
            StringCache.keeps(bytes.count)
            ? workspace.cache.string(start, bytes.count) : String(decoding: bytes, as: UTF8.self)
        // Of what is not UTF-8 the parser lets only overlong forms pass, whose replacements are longer.
        guard text.utf8.count == bytes.count else {
            stop(.invalidText, offset: tagOffset, expected: "UTF-8", found: "other bytes")
            return nil
        }
        return text
    }

    // MARK: - Lists

    /// The number of open items of all lists of the element's kind.
    func items(of entry: UnsafePointer<ElementEntry>) -> Int { entry.pointee.kind == .primitive ? texts.count : objects.count }

    func openList(_ frame: UnsafeMutablePointer<XMLFrame>, _ slot: Int, _ entry: UnsafePointer<ElementEntry>) {
        frame.pointee.openSlot = slot
        frame.pointee.listBase = items(of: entry)
    }

    /// Moves the items of the open list into the workspace.
    @inline(__always)
    func closeList(_ frame: UnsafeMutablePointer<XMLFrame>) {
        if frame.pointee.openSlot >= 0 { moveList(frame) }
    }

    private func moveList(_ frame: UnsafeMutablePointer<XMLFrame>) {
        let slot = frame.pointee.openSlot
        let base = frame.pointee.listBase
        let entry = frame.pointee.table.pointee.entries + slot
        frame.pointee.openSlot = -1
        // In lenient reading, a list may go on after other elements.
        let earlier = slot <= frame.pointee.highestSlot ? workspace.position(of: slot, from: frame.pointee.base) : nil
        let old = earlier.map { workspace.slots[$0].value }
        if entry.pointee.kind == .primitive {
            guard texts.count > base else { return }
            // Most lists have one item.
            if earlier == nil, texts.count == base + 1, let text = texts[base].text, texts[base].element == nil {
                texts.removeLast()
                return put(.texts([text]), slot, frame)
            }
            var items = Array(texts[base...])
            texts.removeSubrange(base...)
            switch old {
            case .texts(let texts): items = texts.map { ($0, nil) } + items
            case .annotatedTexts(let list): items = zip(list.texts, list.elements).map { ($0, $1) } + items
            default: break
            }
            if let value = AnnotatedList.value(texts: items.map(\.text), elements: items.map(\.element)) { put(value, slot, frame) }
        } else {
            guard objects.count > base else { return }
            if earlier == nil, objects.count == base + 1 { return put(.objects([objects.removeLast()]), slot, frame) }
            var items = Array(objects[base...])
            objects.removeSubrange(base...)
            if case .objects(let objects)? = old { items = objects + items }
            put(.objects(items), slot, frame)
        }
    }

    // MARK: - Between elements

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !hasFailed, narrative.depth == 0, skipped == 0, !isInText else { return }
        let isSpace = bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }
        guard !isSpace else { return }
        isInText = true
        fail(.misplacedText, "elements alone", "text", at: offset)
    }

    /// Comments are part of the content in DSTU2 alone (<https://hl7.org/fhir/DSTU2/json.html>).
    func comment(_ text: UnsafePointer<UInt8>) {
        guard !hasFailed, narrative.depth == 0, skipped == 0, frames.count > 0, release.hasComments else { return }
        guard frames.top.pointee.kind != .holder, prepareElement(frames.top) else { return }
        let bytes = UnsafeBufferPointer(start: text, count: XMLTag.length(text))
        if let text = string(bytes) { comments.append((frames.count, text)) }
    }

    /// Adds the comments in the innermost element to it.
    func addComments() {
        guard let last = comments.last, last.depth == frames.count else { return }
        let frame = frames.top
        let own = comments.drop { $0.depth < frames.count }.map(\.text)
        comments.removeLast(own.count)
        guard let slot = frame.pointee.table.pointee.layout._withUnsafeGuaranteedRef({ $0.element(named: XMLWriter.comments)?.slot }) else {
            return
        }
        put(.texts(own), slot, frame)
    }
}

extension FHIRRelease {
    /// Whether comments are part of its content.
    var hasComments: Bool { elementLayout?.element(named: XMLWriter.comments) != nil }
}
