import FireLiteCore

/// A narrative that is being read, and the namespaces that are declared around it.
struct NarrativeCapture {
    /// A namespace's prefix and URI, by addresses that are valid as long as the parser; nil for the default namespace, and for none.
    struct Declaration {
        let depth: Int
        let prefix: UnsafePointer<UInt8>?
        let uri: UnsafePointer<UInt8>?
    }

    /// The declarations of the open elements, innermost last, with the number of frames around them.
    private var outer: [Declaration] = []
    /// The depth of the last of them; -1 if there is none.
    private var deepest = -1
    /// Those of the open elements of the narrative.
    private var inner: [Declaration] = []
    /// Those from outside that the narrative uses, each once.
    private(set) var missing: [Declaration] = []
    /// The number of open elements of the narrative; 0 outside.
    private(set) var depth = 0
    /// Where the narrative begins.
    private(set) var start = 0
    private(set) var slot = 0

    mutating func declare(_ tag: XMLTag, depth: Int) {
        for index in 0..<tag.namespaceCount {
            let (prefix, uri) = tag.namespace(index)
            outer.append(Declaration(depth: depth, prefix: prefix, uri: uri))
        }
        deepest = max(deepest, depth)
    }

    /// Forgets what the element with so many frames around it declared.
    @inline(__always)
    mutating func leave(depth: Int) {
        if depth <= deepest { forget(depth) }
    }

    @inline(never)
    private mutating func forget(_ depth: Int) {
        defer { deepest = outer.last?.depth ?? -1 }
        while let last = outer.last, last.depth >= depth { outer.removeLast() }
    }

    mutating func begin(at offset: Int, slot: Int) {
        (start, self.slot) = (offset, slot)
        missing = []
        inner = []
    }

    mutating func enter(_ tag: XMLTag) {
        depth += 1
        for index in 0..<tag.namespaceCount {
            let (prefix, uri) = tag.namespace(index)
            inner.append(Declaration(depth: depth, prefix: prefix, uri: uri))
        }
        use(tag.prefix)
        for index in 0..<tag.attributeCount { if let prefix = tag.attribute(index)?.prefix { use(prefix) } }
    }

    mutating func exit() {
        depth -= 1
        while let last = inner.last, last.depth > depth { inner.removeLast() }
    }

    /// Whether the innermost element declares its default namespace.
    var declaresDefault: Bool { inner.contains { $0.depth == depth && $0.prefix == nil } }

    private mutating func use(_ prefix: UnsafePointer<UInt8>?) {
        guard !inner.contains(where: { $0.prefix == prefix }), !missing.contains(where: { $0.prefix == prefix }) else { return }
        // The prefix xml is declared nowhere.
        if let found = outer.last(where: { $0.prefix == prefix }) { missing.append(found) }
    }
}

// Narratives are kept to the letter: the bytes from `<div` to `</div>`. If they use namespaces that are declared around them, those are declared in
// the first tag, as the text must be complete by itself.
extension XMLReader {
    func startNarrative(_ tag: XMLTag, _ slot: Int) {
        closeList(frames.top)
        narrative.leave(depth: frames.count)
        narrative.begin(at: tagOffset, slot: slot)
        narrative.enter(tag)
        guard let uri = tag.uri, XMLTag.equals(uri, Self.xhtml) else {
            fail(.namespace, "the namespace \(Self.xhtml)", "another one", member: tag)
            if !hasFailed, tag.prefix != nil || narrative.declaresDefault {
                narrative.exit()
                skip()
            }
            return
        }
    }

    func startInNarrative(_ tag: XMLTag) {
        narrative.enter(tag)
        if narrative.depth > Self.maximumNarrativeDepth {
            stop(
                .tooDeep, offset: tagOffset, expected: "at most \(Self.maximumNarrativeDepth) levels of nesting in a narrative",
                found: "one more")
        }
    }

    func endInNarrative() {
        narrative.exit()
        guard narrative.depth == 0 else { return }
        let bytes = window.slice(narrative.start..<offset)
        guard let text = narrative.missing.isEmpty ? string(bytes) : declared(bytes) else { return }
        put(.text(text), narrative.slot, frames.top)
    }

    /// The narrative with declarations of the namespaces that it uses.
    private func declared(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var text: [UInt8] = []
        let nameEnd = bytes.firstIndex { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D || $0 == 0x2F || $0 == 0x3E } ?? bytes.count
        text += bytes[..<nameEnd]
        for declaration in narrative.missing {
            let prefix = declaration.prefix.map { ":" + String(cString: $0) } ?? ""
            // Without a declaration of its own, lenient reading takes FHIR's namespace for a forgotten one.
            let uri = declaration.prefix == nil ? Self.xhtml : declaration.uri.map { String(cString: $0) } ?? ""
            text += " xmlns\(prefix)=\"\(XMLWriter.quoted(uri))\"".utf8
        }
        text += bytes[nameEnd...]
        return text.withUnsafeBufferPointer { string($0) }
    }
}
