import FireLite
import Foundation

/// Reads one JSON document piece by piece and hands out the elements of its `entry` list, or of the list that it is, one in memory at a time.
final class DocumentScanner {
    /// What a walk through the document found.
    struct Outline {
        /// The `resourceType` of the document.
        var typeName: String?
        /// The `type` of the document, which says what kind of Bundle it is.
        var kind: String?
        /// Whether the document ends; it does not where it is cut off or malformed.
        var isComplete = false
        /// Whether it ends on the line on which it begins.
        var isOneLine = false
        /// Where the grammar of JSON is broken, if it is.
        var violation: TextPlace?
        /// Whether the list's elements are objects throughout, and there is one list.
        var hasPlainEntries = true
        /// Whether an entry is too long to read.
        var hasLongEntry = false
        /// The document with one empty entry in the place of all.
        var frame: DocumentFrame
    }

    private enum Member {
        case resourceType, type, entry, other
    }

    private let source: any RewindableBytes
    private let window: TextBuffer
    private let longest: Int
    private var structure: JSONStructure
    /// How deep in the document the list is.
    private let listDepth: Int
    private var outline = Outline(frame: DocumentFrame())
    private var member = Member.other
    private var isInList = false
    private var lists = 0
    private var entries = 0
    /// Where the entry that is being walked begins in the window; nil outside of entries.
    private var entryStart: Int?
    private var entryPlace = TextPlace(line: 1)
    /// The beginning of an entry that goes on behind the window.
    private var entryText = TextBuffer(capacity: 1 << 16)
    /// Where in the window begins what belongs to the frame; nil in the list.
    private var frameStart: Int? = 0
    private let keepsFrame: Bool

    /// - Parameters:
    ///   - window: how many bytes are read at once.
    ///   - longest: how long an entry may be.
    ///   - keepsFrame: whether to collect what is outside of the list.
    ///   - isList: whether the document is the list itself; default: a resource.
    init(_ source: any RewindableBytes, window: Int, longest: Int, keepsFrame: Bool, isList: Bool = false) {
        structure = JSONStructure(containerDepth: 3, textDepth: 2, allowsList: isList)
        listDepth = isList ? 1 : 2
        self.source = source
        self.window = TextBuffer(capacity: window)
        self.longest = longest
        self.keepsFrame = keepsFrame
    }

    /// Walks the document to its end, or to the first mistake in its grammar.
    ///
    /// - Parameter body: called with each entry, its place and how many bytes of the content it ends after. The memory is only valid in the call.
    func scan(_ body: (UnsafeBufferPointer<UInt8>, TextPlace, Int) throws -> Void) throws -> Outline {
        try source.rewind()
        var isAtEnd = false
        while !isAtEnd {
            window.count = 0
            window.count = try source.fill(window.room)
            isAtEnd = window.count < window.capacity
            var index = 0
            while let event = structure.next(window.bytes, &index) {
                if event == .violation {
                    outline.violation = TextPlace(line: structure.line, column: structure.offset - structure.lineStart + 1)
                    return outline
                }
                try handle(event, index, body)
                if outline.hasLongEntry { return outline }
            }
            keepUnfinished()
        }
        return outline
    }

    private func handle(_ event: JSONStructure.Event, _ index: Int, _ body: (UnsafeBufferPointer<UInt8>, TextPlace, Int) throws -> Void)
        throws
    {
        switch (event, structure.depth) {
        case (.finished, _):
            outline.isComplete = true
            outline.isOneLine = structure.line == structure.firstLine
        case (.began(isObject: false), 1) where listDepth == 1:
            beginList(index)
        case (.member, 1):
            member =
                structure.isText("entry")
                ? .entry : structure.isText("resourceType") ? .resourceType : structure.isText("type") ? .type : .other
        case (.string, 1) where listDepth == 2:
            if member == .resourceType { outline.typeName = structure.plainText }
            if member == .type { outline.kind = structure.plainText }
        case (.began(isObject: false), 2) where member == .entry:
            beginList(index)
        case (.began(isObject: true), listDepth + 1) where isInList:
            entryStart = index - 1
            entryPlace = TextPlace(line: structure.line, column: structure.offset - structure.lineStart, entry: entries)
        case (.ended(isObject: true), listDepth) where isInList:
            try endEntry(index, body)
        case (.ended(isObject: false), listDepth - 1) where isInList:
            endList(index)
        case (.began(isObject: false), listDepth + 1) where isInList, (.string, listDepth) where isInList,
            (.scalar, listDepth) where isInList:
            outline.hasPlainEntries = false
        default: break
        }
    }

    /// The line of the last byte that was walked.
    var line: Int { structure.line }

    // MARK: - Entries

    private func beginList(_ index: Int) {
        isInList = true
        lists += 1
        if lists > 1 { outline.hasPlainEntries = false }
        keepFrame(to: index)
        frameStart = nil
    }

    private func endEntry(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>, TextPlace, Int) throws -> Void) throws {
        let part = window.slice((entryStart ?? 0)..<index)
        if entryText.count + part.count > longest {
            outline.hasLongEntry = true
            outline.violation = entryPlace
            return
        }
        if entryText.count > 0 {
            entryText.append(part)
            try body(entryText.bytes, entryPlace, structure.offset)
            entryText.count = 0
        } else {
            try body(part, entryPlace, structure.offset)
        }
        if entries == 0, keepsFrame { outline.frame.appendEntry() }
        entries += 1
        entryStart = nil
    }

    private func endList(_ index: Int) {
        isInList = false
        frameStart = index - 1
        if keepsFrame {
            outline.frame.resume(at: TextPlace(line: structure.line, column: structure.offset - structure.lineStart))
        }
    }

    // MARK: - Window

    private func keepFrame(to index: Int) {
        if keepsFrame, let frameStart { outline.frame.append(window.slice(frameStart..<index)) }
    }

    /// Keeps what goes on in the next window.
    private func keepUnfinished() {
        if let start = entryStart {
            entryText.append(window.slice(start..<window.count))
            entryStart = 0
            if entryText.count > longest {
                outline.hasLongEntry = true
                outline.violation = entryPlace
            }
        }
        keepFrame(to: window.count)
        if frameStart != nil { frameStart = 0 }
    }
}
