import CFireLiteXML
import FireLiteCore
import Foundation

/// Reads FHIR XML (<https://hl7.org/fhir/xml.html>) into objects, driven by their layouts, in one walk and without recursion.
///
/// The values of an object wait in the workspace until its end tag, and then move into it, as in reading JSON. Not thread-safe.
final class XMLReader {
    static let namespace = "http://hl7.org/fhir"
    static let xhtml = "http://www.w3.org/1999/xhtml"
    /// The maximum nesting depth of the object in JSON, and of the elements in a narrative.
    static let maximumDepth = FHIRJSON.maximumDepth
    static let maximumNarrativeDepth = 1_000
    /// The number of bytes that are parsed at once.
    static let piece = 1 << 16

    let release: FHIRRelease
    let isLenient: Bool
    /// The layout that the root must have; nil for any resource.
    private let rootLayout: Layout?
    /// The object to read into; nil to make one.
    private let target: FHIRObject?

    @exclusivity(unchecked) var frames = XMLFrames()
    @exclusivity(unchecked) var workspace: JSONWorkspace
    /// The items of the open lists, innermost last.
    @exclusivity(unchecked) var objects: [FHIRObject] = []
    @exclusivity(unchecked) var texts: [(text: String?, element: FHIRObject?)] = []
    /// Comments of the open elements, innermost last, with the number of frames.
    @exclusivity(unchecked) var comments: [(depth: Int, text: String)] = []
    /// The parser, while the document is read.
    var parser: UnsafeMutablePointer<PushParser>?
    var window = XMLWindow(UnsafeBufferPointer(start: nil, count: 0), start: 0)
    /// The number of bytes of a byte order mark.
    var markLength = 0
    /// The number of open elements that lenient reading skips.
    @exclusivity(unchecked) var skipped = 0
    @exclusivity(unchecked) var narrative = NarrativeCapture()
    /// The mistake that ended reading.
    var failure: FHIRDecodingError?
    /// Whether there is one: looking at it is cheaper.
    @exclusivity(unchecked) var hasFailed = false
    var issues: [FHIRDecodingError] = []
    private(set) var root: FHIRObject?
    var rootName = ""
    /// The Bundle's entries, if they are passed on one by one.
    @exclusivity(unchecked) var entries: XMLEntries?
    /// Their slot; -1 if they are not passed on.
    @exclusivity(unchecked) var entrySlot = -1

    /// The addresses of names that the parser keeps once for each document.
    @exclusivity(unchecked) private var fhirURI: UnsafePointer<UInt8>?
    @exclusivity(unchecked) var valueName: UnsafePointer<UInt8>?
    @exclusivity(unchecked) private var slotCache = XMLSlotCache()
    @exclusivity(unchecked) private var lastTag = (start: 0, end: -1)
    /// Whether text was reported since the last tag.
    @exclusivity(unchecked) var isInText = false
    @exclusivity(unchecked) private var lastType: (name: UnsafePointer<UInt8>, layout: Layout)?
    /// `maximumDepth`, where it is read without a look whether it was computed.
    private let deepest = XMLReader.maximumDepth
    let elementLayout: Layout?
    let elementTable: UnsafePointer<LayoutTable>?
    private let extensionTable: UnsafePointer<LayoutTable>?
    let extensionURLSlot: Int

    /// - Parameters:
    ///   - target: the object to read into; nil to make a resource of the type that the root names.
    init(
        release: FHIRRelease, isLenient: Bool, target: FHIRObject? = nil, rootLayout: Layout? = nil, workspace: consuming JSONWorkspace
    ) {
        self.release = release
        self.isLenient = isLenient
        self.target = target
        self.rootLayout = target?.layout ?? rootLayout
        self.workspace = workspace
        elementLayout = release.elementLayout
        elementTable = elementLayout?.table
        let extensionLayout = release.layout(named: "Extension")
        extensionTable = extensionLayout?.table
        extensionURLSlot = extensionLayout?.element(named: "url")?.slot ?? -1
    }

    /// Gives back the memory that the next document can use.
    func takeWorkspace() -> JSONWorkspace {
        var other = JSONWorkspace(sharesStrings: false)
        swap(&other, &workspace)
        other.clear()
        return other
    }

    // MARK: - Documents

    /// Reads a document in memory.
    ///
    /// - Throws: `FHIRDecodingError`, or `FHIRXMLError` if the system has no libxml2.
    func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> FHIRObject {
        let library = try XMLLibrary.system()
        if bytes.starts(with: XMLDeclaration.byteOrderMark) { markLength = XMLDeclaration.byteOrderMark.count }
        let text = UnsafeBufferPointer(rebasing: bytes[markLength...])
        window = XMLWindow(text, start: 0)
        try parse(library) { feed in
            var index = 0
            while index < text.count, !hasFailed {
                let end = min(index + Self.piece, text.count)
                feed(UnsafeBufferPointer(rebasing: text[index..<end]))
                index = end
            }
        }
        if let failure { throw failure }
        guard let root else {
            throw located(.malformedXML, offset: window.end, expected: "a complete document", found: "the end of the text")
        }
        return root
    }

    /// Runs the parser over what `body` feeds it.
    func parse(_ library: XMLLibrary, _ body: ((UnsafeBufferPointer<UInt8>) -> Void) throws -> Void) throws {
        if let encoding = XMLDeclaration.foreignEncoding(window.bytes, afterMark: markLength > 0) {
            throw located(.encoding, offset: 0, expected: "UTF-8", found: encoding)
        }
        let push = try PushParser(library, Self.events, context: Unmanaged.passUnretained(self).toOpaque())
        let parser = UnsafeMutablePointer<PushParser>.allocate(capacity: 1)
        parser.initialize(to: push)
        self.parser = parser
        defer {
            self.parser = nil
            parser.deinitialize(count: 1)
            parser.deallocate()
        }
        var fed = 0
        try body { bytes in
            // The parser may take a NUL for the end of its memory.
            if let nul = Self.nul(in: bytes) {
                return stop(.malformedXML, offset: fed + nul, expected: "a character", found: "NUL")
            }
            parser.pointee.feed(bytes)
            fed += bytes.count
        }
        if !hasFailed { parser.pointee.finish() }
        frames = XMLFrames()
    }

    private static func nul(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    private static let events = firelite_xml_events(
        start: { context, name, prefix, uri, namespaceCount, namespaces, attributeCount, _, attributes in
            guard let context, let name else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef { reader in
                reader.start(
                    XMLTag(
                        name: name, prefix: prefix, uri: uri, namespaces: namespaces, namespaceCount: Int(namespaceCount),
                        attributes: attributes,
                        attributeCount: Int(attributeCount)))
            }
        },
        end: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.end() }
        },
        text: { context, text, length in
            guard let context, let text else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef {
                $0.text(UnsafeBufferPointer(start: text, count: Int(length)))
            }
        },
        comment: { context, text in
            guard let context, let text else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.comment(text) }
        },
        // Instructions are not part of the content.
        instruction: nil,
        document_type: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef { reader in
                reader.stop(
                    .documentType, offset: reader.tagOffset, expected: "a document without a document type",
                    found: "a document type declaration")
            }
        },
        error: { context, error in
            guard let context, let error, error.pointee.level > XMLErrorLevel.warning else { return }
            Unmanaged<XMLReader>.fromOpaque(context)._withUnsafeGuaranteedRef { reader in
                let (expected, found) = XMLFault.words(error.pointee.code)
                reader.stop(XMLFault.code(error.pointee.code), offset: reader.offset, expected: expected, found: found)
            }
        })

    // MARK: - Elements

    private func start(_ tag: XMLTag) {
        guard !hasFailed else { return }
        isInText = false
        if narrative.depth > 0 { return startInNarrative(tag) }
        if skipped > 0 {
            skipped += 1
            if frames.top.pointee.depth + skipped > Self.maximumDepth { tooDeep() }
            return
        }
        if tag.namespaceCount > 0 { narrative.declare(tag, depth: frames.count) }
        guard frames.count > 0 else { return startRoot(tag) }
        let parent = frames.top
        if parent.pointee.kind == .holder { return startResource(tag, in: parent) }
        guard parent.pointee.kind == .object || prepareElement(parent) else { return }
        let table = parent.pointee.table
        let slot = slotCache.slot(tag.name, table) {
            guard let slot = table.pointee.slot(named: tag.name, tag.nameLength), !isAttribute(slot, table) else { return -1 }
            return slot
        }
        guard slot >= 0 else {
            // Only after the name: the narrative's namespace differs.
            let found = "an element, \(Self.shown(tag))\(hint(for: tag, table))"
            fail(.unknownMember, "an element of \(layoutName(table))", found, member: tag)
            return skip()
        }
        let entry = table.pointee.entries + slot
        let isNarrative = entry.pointee.primitive == .xhtml && entry.pointee.kind == .primitive
        guard isNarrative || isFHIR(tag) else {
            fail(.namespace, "the namespace \(Self.namespace)", "another one", member: tag)
            return skip()
        }
        guard isAllowed(slot, entry: entry, parent: parent, tag: tag) else { return skip() }
        if isNarrative { return startNarrative(tag, slot) }
        if slot != parent.pointee.openSlot {
            closeList(parent)
            if entry.pointee.isList { openList(parent, slot, entry) }
        }
        let isEntry = frames.count == 1 && entrySlot == slot
        var position = entry.pointee.isList ? items(of: entry) - parent.pointee.listBase : 0
        if isEntry { position += entries?.count ?? 0 }
        let depth = parent.pointee.depth + (entry.pointee.isList ? 2 : 1)
        guard depth <= deepest || entry.pointee.kind == .primitive && depth == deepest + 1 else { return tooDeep() }
        switch entry.pointee.kind {
        case .primitive:
            // Its Element, if it needs one, has this table.
            frames.push(
                XMLFrame(
                    kind: .primitive, slot: slot, position: position, depth: depth, object: nil, table: elementTable ?? table, value: nil,
                    base: workspace.count))
            readAttributes(tag, primitive: entry)
        case .object:
            guard let object = entry.pointee.makeObject() else { return }
            object.ownerObject = parent.pointee.object
            frames.push(
                XMLFrame(
                    kind: .object, slot: slot, position: position, depth: depth, object: object, table: object.layoutTable, value: nil,
                    base: workspace.count))
            if isEntry { beginEntry() }
            readAttributes(tag, primitive: nil)
        case .resource:
            frames.push(
                XMLFrame(
                    kind: .holder, slot: slot, position: position, depth: depth, object: nil, table: table, value: nil,
                    base: workspace.count))
            readAttributes(tag, primitive: nil)
        }
    }

    private func startRoot(_ tag: XMLTag) {
        let name = tag.text
        if let layout = release.layout(named: name) { rootName = layout.name }
        guard isFHIR(tag) else {
            return stop(.namespace, offset: tagOffset, expected: "the namespace \(Self.namespace)", found: "another one, or none")
        }
        let object: FHIRObject
        if let rootLayout, rootLayout.kind != .abstract {
            guard name == rootLayout.name else {
                return stop(.resourceType, offset: tagOffset, expected: "the element \(rootLayout.name)", found: shownType(name))
            }
            object = target ?? rootLayout.makeObject()
        } else {
            guard let layout = release.resourceLayout(named: name) else {
                return stop(.resourceType, offset: tagOffset, expected: "a resource type of FHIR \(release.name)", found: shownType(name))
            }
            object = layout.makeObject()
        }
        push(resource: object, depth: 1)
        readAttributes(tag, primitive: nil)
    }

    private func startResource(_ tag: XMLTag, in holder: UnsafeMutablePointer<XMLFrame>) {
        guard isFHIR(tag) else {
            fail(.namespace, "the namespace \(Self.namespace)", "another one")
            return skip()
        }
        let known: Layout?
        if let lastType, lastType.name == tag.name { known = lastType.layout } else { known = release.resourceLayout(named: tag.text) }
        guard let layout = known else {
            fail(.resourceType, "a resource type of FHIR \(release.name)", shownType(tag.text))
            return skip()
        }
        lastType = (tag.name, layout)
        guard holder.pointee.object == nil else {
            fail(.duplicateMember, "one resource", "a second one")
            return skip()
        }
        let resource = layout.makeObject()
        resource.ownerObject = frames[frames.count - 2].pointee.object
        push(resource: resource, depth: holder.pointee.depth)
        readAttributes(tag, primitive: nil)
    }

    private func push(resource: FHIRObject, depth: Int) {
        frames.push(
            XMLFrame(
                kind: .object, slot: -1, position: 0, depth: depth, object: resource, table: resource.layoutTable, value: nil,
                base: workspace.count))
    }

    /// Whether the element may be here: in order, once unless it is a list, and of one type.
    private func isAllowed(
        _ slot: Int, entry: UnsafePointer<ElementEntry>, parent: UnsafeMutablePointer<XMLFrame>, tag: XMLTag
    ) -> Bool {
        let last = parent.pointee.lastSlot
        if slot > last, entry.pointee.choiceCount < 2 {
            parent.pointee.lastSlot = slot
            return true
        }
        if slot == last, entry.pointee.isList { return true }
        if entry.pointee.choiceCount > 1 {
            let choices = Int(entry.pointee.choiceFirst)..<Int(entry.pointee.choiceFirst + entry.pointee.choiceCount)
            for position in parent.pointee.base..<workspace.count
            where choices.contains(Int(workspace.slots[position].index)) && Int(workspace.slots[position].index) != slot {
                fail(.secondChoice, "one value of a choice element", "a second one", member: tag)
                return false
            }
        }
        if !entry.pointee.isList, workspace.position(of: slot, from: parent.pointee.base) != nil {
            fail(.duplicateMember, "each element once", "an element again", member: tag)
        } else if slot < last {
            fail(.outOfOrder, "the elements of \(layoutName(parent.pointee.table)) in their order", "one too late", member: tag)
        }
        parent.pointee.lastSlot = max(slot, last)
        return !hasFailed
    }

    private func end() {
        guard !hasFailed else { return }
        isInText = false
        if narrative.depth > 0 { return endInNarrative() }
        if skipped > 0 {
            skipped -= 1
            if skipped == 0 { narrative.leave(depth: frames.count) }
            return
        }
        narrative.leave(depth: frames.count - 1)
        closeList(frames.top)
        if !comments.isEmpty { addComments() }
        let depth = frames.count
        let frame = frames.top
        let hasContent = workspace.count > frame.pointee.base
        if frame.pointee.kind != .holder, let object = frame.pointee.object {
            if !frame.pointee.isSorted { workspace.sort(from: frame.pointee.base) }
            workspace.hand(to: object, from: frame.pointee.base)
        }
        var isEmpty = false
        switch frame.pointee.kind {
        case .object: isEmpty = frame.pointee.slot >= 0 && !hasContent
        case .primitive: isEmpty = frame.pointee.value == nil && !hasContent
        case .holder: isEmpty = frame.pointee.object == nil
        }
        if isEmpty, !frame.pointee.isReported {
            fail(.empty, frame.pointee.kind == .holder ? "an element with a resource" : "an element with content", "an empty one")
        }
        guard !hasFailed else { return }
        let ended = frames.pop()
        if isEmpty {
            // Who reads leniently goes on without it.
        } else if ended.slot >= 0 {
            add(ended, to: frames.top)
        } else if depth == 1 {
            root = ended.object
        } else {
            frames.top.pointee.object = ended.object
        }
    }

    /// Adds the value of an element that ended to the object around it.
    private func add(_ frame: borrowing XMLFrame, to parent: UnsafeMutablePointer<XMLFrame>) {
        let entry = parent.pointee.table.pointee.entries + frame.slot
        switch (frame.kind, entry.pointee.isList) {
        case (.primitive, true):
            texts.append((frame.value?.literal(entry.pointee.primitive), frame.object))
        case (.primitive, false):
            guard let element = frame.object else {
                if let value = frame.value { put(value, frame.slot, parent) }
                return
            }
            put(.annotated(AnnotatedPrimitive(value: frame.value, element: element)), frame.slot, parent)
        case (_, true):
            guard let object = frame.object else { return }
            if frames.count == 1, entrySlot == frame.slot { return endEntry(object) }
            objects.append(object)
        case (_, false):
            if let object = frame.object { put(.object(object), frame.slot, parent) }
        }
    }

    /// Adds a value to the object of a frame.
    func put(_ value: consuming SlotValue, _ slot: Int, _ frame: UnsafeMutablePointer<XMLFrame>) {
        if slot <= frame.pointee.highestSlot {
            if let position = workspace.position(of: slot, from: frame.pointee.base) {
                workspace.slots[position].value = value
                return
            }
            frame.pointee.isSorted = false
        } else {
            frame.pointee.highestSlot = slot
        }
        workspace.push(ElementSlot(value: value, index: slot))
    }

    // MARK: - State

    /// The number of bytes that the parser has read.
    var offset: Int { parser?.pointee.offset ?? 0 }

    /// The offset of the tag that the parser has just read.
    var tagOffset: Int {
        let offset = offset
        // Many mistakes may be in one tag.
        if lastTag.end != offset { lastTag = (window.tag(before: offset), offset) }
        return lastTag.start
    }

    /// Whether an element is in FHIR's namespace.
    private func isFHIR(_ tag: XMLTag) -> Bool {
        guard let uri = tag.uri else { return false }
        if uri == fhirURI { return true }
        guard XMLTag.equals(uri, Self.namespace) else { return false }
        fhirURI = uri
        return true
    }

    /// Whether a slot is an attribute in XML: the id of an element, and the URL of an extension.
    func isAttribute(_ slot: Int, _ table: UnsafePointer<LayoutTable>) -> Bool {
        if table == extensionTable, slot == extensionURLSlot { return true }
        guard slot == 0, table.pointee.typeMemberLength == 0 else { return false }
        let entry = table.pointee.entries
        return entry.pointee.keyLength == 5 && entry.pointee.key[1] == UInt8(ascii: "i") && entry.pointee.key[2] == UInt8(ascii: "d")
    }

    func isExtension(_ table: UnsafePointer<LayoutTable>) -> Bool { table == extensionTable }

    func layoutName(_ table: UnsafePointer<LayoutTable>) -> String { table.pointee.layout._withUnsafeGuaranteedRef { $0.name } }

    func skip() { if !hasFailed { skipped += 1 } }
}
