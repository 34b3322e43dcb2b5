import FireLiteCore
import Foundation

/// Reads one JSON document piece by piece and passes on the elements of its `entry` list, or of the list that it is, one in memory at a time.
final class DocumentScanner {
    /// What a walk through the document found.
    struct Outline {
        /// The `resourceType` of the document.
        var typeName: String?
        /// The `type` of the document, which says what kind of Bundle it is.
        var kind: String?
        /// Whether the document is complete; false if it is truncated or malformed.
        var isComplete = false
        /// Whether it begins and ends on the same line.
        var isOneLine = false
        /// Where the text breaks JSON's grammar; nil if it does not.
        var violation: TextPlace?
        /// Whether all elements of the list are objects, and there is only one list.
        var hasPlainEntries = true
        /// Whether an entry, or the text before, between or after the entries, is too long to read; the walk ends there.
        var isTooLong = false
        /// The document with one empty entry instead of all.
        var frame: DocumentFrame
    }

    private enum Member {
        case resourceType, type, entry, other
    }

    private let source: any RewindableBytes
    private let window: TextBuffer
    private let longest: Int
    private var structure: JSONStructure
    /// The depth of the list in the document.
    private let listDepth: Int
    private var outline = Outline(frame: DocumentFrame())
    private var member = Member.other
    private var isInList = false
    private var lists = 0
    private var entries = 0
    /// Where the current entry begins in the window; nil outside of entries.
    private var entryStart: Int?
    private var entryPlace = TextPlace(line: 1)
    /// The beginning of an entry that continues after the window.
    private var entryText = TextBuffer(capacity: 1 << 16)
    /// Where the frame's text begins in the window; nil in the list.
    private var frameStart: Int? = 0
    private let keepsFrame: Bool
    /// The offset in the content where the text outside of entries began.
    private var outsideFrom = 0

    /// - Parameters:
    ///   - window: the number of bytes read at once.
    ///   - longest: the maximum length of an entry, and of the text outside of entries, in bytes.
    ///   - keepsFrame: whether to collect the text outside of the list.
    ///   - isList: whether the document is the list itself; false, the default, for a resource.
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
    /// - Parameter body: called with each entry, its place and the offset of its end in the content. The memory is valid only during the call.
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
                if outline.isTooLong { return outline }
            }
            keepUnfinished()
            if outline.isTooLong { return outline }
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

    /// The line of the last byte walked.
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
            outline.isTooLong = true
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
        outsideFrom = structure.offset
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

    /// Keeps what continues in the next window.
    private func keepUnfinished() {
        if let start = entryStart {
            entryText.append(window.slice(start..<window.count))
            entryStart = 0
            if entryText.count > longest {
                outline.isTooLong = true
                outline.violation = entryPlace
            }
        } else if structure.offset - outsideFrom > longest {
            outline.isTooLong = true
            outline.violation = TextPlace(line: structure.line, column: structure.offset - structure.lineStart + 1)
        }
        keepFrame(to: window.count)
        if frameStart != nil { frameStart = 0 }
    }
}
