import FireLiteCore

/// An entry of a Bundle, read leniently.
package struct XMLEntry {
    /// The entry, which belongs to no Bundle.
    package let object: FHIRObject
    /// The line of its tag, from 1.
    package let line: Int
    /// The column of its tag in bytes, from 1.
    package let column: Int
    /// The number of bytes of the document before its tag, and up to its end.
    package let start: Int
    package let end: Int
    /// What lenient reading skipped or corrected in it.
    package let issues: [FHIRDecodingError]
}

/// Reads a Bundle of any length that arrives in pieces, and passes on its entries one by one.
package final class XMLBundleReader {
    private let release: FHIRRelease
    private var workspace: JSONWorkspace?

    package init(release: FHIRRelease) {
        self.release = release
        workspace = JSONWorkspace(sharesStrings: true)
    }

    /// Whether a document begins like a Bundle.
    package static func isBundle(_ beginning: [UInt8]) -> Bool { XMLDeclaration.rootName(beginning) == "Bundle" }

    /// Reads a Bundle.
    ///
    /// - Parameters:
    ///   - fill: reads bytes into the memory, and returns how many; 0 at the end.
    ///   - body: called with each entry.
    /// - Returns: the Bundle without its entries, and the mistakes outside of entries.
    /// - Throws: `FHIRDecodingError` if the text is not XML, or not a Bundle; `FHIRXMLError`; errors of `fill` and `body`.
    package func read(
        filling fill: (UnsafeMutableRawBufferPointer) throws -> Int, _ body: @escaping (XMLEntry) throws -> Void
    ) throws -> (bundle: FHIRObject, issues: [FHIRDecodingError]) {
        guard let layout = release.layout(named: "Bundle"), let slot = layout.element(named: "entry")?.slot else {
            throw FHIRDecodingError(
                code: .resourceType, line: 1, column: 1, offset: 0, path: "", expected: "a release with Bundles", found: "\(release.name)")
        }
        let reader = XMLReader(
            release: release, isLenient: true, rootLayout: layout, workspace: workspace.take() ?? JSONWorkspace(sharesStrings: true))
        reader.entries = XMLEntries(body: body)
        reader.entrySlot = slot
        defer {
            reader.entries = nil
            workspace = reader.takeWorkspace()
        }
        let bundle = try reader.read(filling: fill)
        return (bundle, reader.issues)
    }
}

/// The entries of a Bundle that are passed on one by one.
struct XMLEntries {
    let body: (XMLEntry) throws -> Void
    /// The number of entries so far.
    var count = 0
    /// The place of the open one, and the number of issues before it.
    var place = (line: 1, column: 1)
    var start = 0
    var issues = 0
    /// What `body` threw.
    var error: (any Error)?
}

extension XMLReader {
    func beginEntry() {
        let place = window.place(of: tagOffset)
        entries?.place = place
        entries?.start = tagOffset
        entries?.issues = issues.count
    }

    func endEntry(_ object: FHIRObject) {
        guard let entries else { return }
        object.ownerObject = nil
        let own = Array(issues[entries.issues...])
        if !own.isEmpty { issues.removeSubrange(entries.issues...) }
        do {
            try entries.body(
                XMLEntry(
                    object: object, line: entries.place.line, column: entries.place.column, start: entries.start, end: offset, issues: own))
            self.entries?.count += 1
        } catch {
            self.entries?.error = error
            stop(.malformedXML, offset: offset, expected: "an entry that is wanted", found: "another one")
        }
    }

    /// Reads a document that arrives in pieces.
    func read(filling fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> FHIRObject {
        let library = try XMLLibrary.system()
        defer { window.close() }
        var piece = try window.advance(keepingFrom: 0, room: Self.piece, filling: fill)
        try parse(library) { feed in
            while !piece.isEmpty, !hasFailed {
                feed(piece)
                if let error = entries?.error { throw error }
                // The next event begins at the last tag or after it.
                let kept = narrative.depth > 0 ? min(narrative.start, window.tag(before: offset)) : window.tag(before: offset)
                piece = try window.advance(keepingFrom: kept, room: Self.piece, filling: fill)
            }
        }
        if let error = entries?.error { throw error }
        if let failure { throw failure }
        guard let root else {
            throw located(.malformedXML, offset: window.end, expected: "a complete document", found: "the end of the text")
        }
        return root
    }
}
