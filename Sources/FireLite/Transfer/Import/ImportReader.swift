import FireLiteCore
import Foundation

/// Reads the content of one file into batches of resources, on a thread of its own, ahead of the writer.
package final class ImportReader {
    let input: InputFile
    let options: ContentOptions
    private let digest: (FHIRResource) -> ContentDigest.Value
    private let deliver: (ImportBatch) throws -> Void
    private let reader: FHIRJSONReader
    let lenient: LenientReader?
    private let mending: (any ResourceMending)?
    let bundleLayout: Layout?
    private let entryLayout: Layout?
    var batch = ImportBatch(text: TextBuffer(capacity: 1))

    /// - Parameters:
    ///   - digest: computes the digest of a resource's content, while the resource is still in the processor's cache.
    ///   - deliver: takes over each batch, which is not used afterwards.
    package init(
        _ input: InputFile, options: ContentOptions, digest: @escaping (FHIRResource) -> ContentDigest.Value,
        deliver: @escaping (ImportBatch) throws -> Void
    ) {
        self.input = input
        self.options = options
        self.digest = digest
        self.deliver = deliver
        reader = FHIRJSONReader(release: options.release)
        lenient = options.dates.map { LenientReader(release: options.release, $0) }
        mending = options.mender?.reader(of: input.name)
        entryLayout = options.keepsBundles ? nil : options.release.layout(named: "Bundle.entry")
        bundleLayout = entryLayout == nil ? nil : options.release.layout(named: "Bundle")
    }

    /// Reads everything.
    ///
    /// - Throws: `RejectedText` at the first fault if the options say so; errors of `deliver`; `TransferError` if the system fails.
    package func run() throws {
        if input.isStream { return try readLines() }
        let beginning = try input.peek(options.limits.peek)
        switch ContentKind.detect(beginning, isAll: beginning.count < options.limits.peek, name: input.name) {
        case .lines: try readLines()
        case .document:
            try input.keepForRewinding()
            try readDocument()
        case .list: try readList()
        case .xml: try readXML(beginning)
        }
    }

    // MARK: - Lines

    private func readLines() throws {
        // Where the first fault ends the import, nobody needs what follows.
        var lines = LineReader(
            input, size: options.limits.chunk, longest: options.limits.resource,
            skipped: options.stopsAtFault ? 0 : options.limits.skippedLine)
        var line = 1
        while let chunk = try lines.next() {
            if chunk.isTooLong {
                batch = ImportBatch(text: TextBuffer(capacity: 1))
                try reject(tooLong(TextPlace(line: line)))
                if chunk.isEndless { throw endless(line) }
                line += 1
            } else {
                batch = ImportBatch(text: chunk.text)
                try LineReader.forEachLine(in: chunk.text.slice(0..<chunk.count)) { range in
                    try readLine(chunk.text, range, line)
                    line += 1
                }
            }
            batch.end = chunk.end
            try flush()
        }
    }

    private func readLine(_ text: TextBuffer, _ range: Range<Int>, _ line: Int) throws {
        let bytes = text.slice(range)
        if Self.isBlank(bytes) { return }
        if bytes.count > options.limits.resource { return try reject(tooLong(TextPlace(line: line))) }
        // A long line may be a Bundle, of which only one entry at a time must be in memory.
        if bundleLayout != nil, bytes.count > options.limits.chunk { return try readLineEntries(text, range, line) }
        if let rows = mending?.rows(in: bytes) { return try readRows(rows, text: text, range: range, place: TextPlace(line: line)) }
        do {
            try accept(resource(from: bytes, TextPlace(line: line)), .init(place: TextPlace(line: line), range: range))
        } catch let error as FHIRDecodingError {
            if bundleLayout != nil, try isBundle(bytes) { return try readLineEntries(text, range, line) }
            try reject(error, TextPlace(line: line).place(of: error), bytes)
        }
    }

    /// Reads a line as a document: entry by entry if it is a Bundle.
    private func readLineEntries(_ text: TextBuffer, _ range: Range<Int>, _ line: Int) throws {
        try flush()
        try readDocument(MemoryBytes(text.slice(range)), firstLine: line)
        try flush()
        batch = ImportBatch(text: text)
    }

    private func isBundle(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
        let outline = try scanner(MemoryBytes(bytes), keepsFrame: false).scan { _, _, _ in }
        return outline.typeName == "Bundle" && outline.violation == nil && outline.isComplete
    }

    static func isBlank(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    }

    // MARK: - Documents

    /// Reads the file as one document, unless that ends on its first line and more lines follow.
    private func readDocument() throws {
        let (outline, unpacker) = try survey(input)
        if outline.isOneLine, outline.violation != nil {
            try input.rewind(isLast: true)
            return try readLines()
        }
        try readDocument(input, outline, unpacker, firstLine: 1)
    }

    private func readDocument(_ source: any RewindableBytes, firstLine: Int) throws {
        let (outline, unpacker) = try survey(source)
        try readDocument(source, outline, unpacker, firstLine: firstLine)
    }

    private func readDocument(
        _ source: any RewindableBytes, _ outline: DocumentScanner.Outline, _ unpacker: BundleUnpacker, firstLine: Int
    ) throws {
        let isWhole = outline.isComplete && outline.violation == nil
        if isWhole, bundleLayout != nil, outline.typeName == "Bundle", outline.hasPlainEntries {
            try readEntries(source, unpacker, firstLine: firstLine)
        } else {
            try readWhole(source, outline, firstLine: firstLine)
        }
    }

    /// Walks the document once to learn what it is, and what its entries' `fullUrl`s refer to.
    private func survey(_ source: any RewindableBytes) throws -> (DocumentScanner.Outline, BundleUnpacker) {
        var unpacker = BundleUnpacker(release: options.release)
        let outline = try scanner(source, keepsFrame: false).scan { bytes, _, _ in
            let head = EntryHead(bytes)
            if let type = head.resourceType { unpacker.note(fullUrl: head.fullUrl, type: type, id: head.id) }
        }
        unpacker.kind = outline.kind
        return (outline, unpacker)
    }

    private func scanner(_ source: any RewindableBytes, keepsFrame: Bool) -> DocumentScanner {
        DocumentScanner(source, window: options.limits.chunk, longest: options.limits.resource, keepsFrame: keepsFrame)
    }

    private func readEntries(_ source: any RewindableBytes, _ unpacker: BundleUnpacker, firstLine: Int) throws {
        var unpacker = unpacker
        batch = entryBatch()
        let outline = try scanner(source, keepsFrame: true).scan { bytes, place, end in
            var place = place
            place.line += firstLine - 1
            let start = batch.text.count
            batch.text.append(bytes)
            if source === input { batch.end = end }
            do {
                let (entry, mends) = try readEntry(bytes, place)
                if let taken = unpacker.take(from: entry) {
                    accept(taken, .init(place: place, range: start..<batch.text.count), mends)
                }
            } catch let error as FHIRDecodingError {
                try reject(error, place.place(of: error), bytes)
            }
            if batch.text.count >= options.limits.chunk {
                try flush()
                batch = entryBatch()
            }
        }
        try flush()
        try checkFrame(outline.frame, firstLine: firstLine)
    }

    private func entryBatch() -> ImportBatch { ImportBatch(text: TextBuffer(capacity: options.limits.chunk + (options.limits.chunk >> 2))) }

    private func readEntry(_ bytes: UnsafeBufferPointer<UInt8>, _ place: TextPlace) throws -> (FHIRObject, [Mend]) {
        // Invariant: entries are read only if the release has Bundles.
        guard let entryLayout else { preconditionFailure("an entry without a Bundle") }
        if let mending { return try mending.read(bytes, as: entryLayout) }
        let entry = entryLayout.makeObject()
        do {
            try reader.read(bytes, into: entry)
            return (entry, [])
        } catch let error as FHIRDecodingError {
            guard let (entry, changes) = lenient?.read(bytes, as: entryLayout) else { throw error }
            note(changes, place)
            return (entry, [])
        }
    }

    private func resource(from bytes: UnsafeBufferPointer<UInt8>, _ place: TextPlace) throws -> (FHIRResource, [Mend]) {
        if let mending { return try mending.resource(from: bytes) }
        do {
            return (try reader.resource(from: bytes), [])
        } catch let error as FHIRDecodingError {
            guard let (resource, changes) = lenient?.resource(from: bytes) else { throw error }
            note(changes, place)
            return (resource, [])
        }
    }

    func note(_ changes: [FHIRDecodingError], _ place: TextPlace) {
        for change in changes { batch.note(place.place(of: change).note(change, file: input.name)) }
    }

    /// Reports mistakes in a Bundle outside of its entries, and the issues that it states itself.
    private func checkFrame(_ frame: DocumentFrame, firstLine: Int) throws {
        do {
            let bundle = try frame.bytes.withUnsafeBufferPointer { try mending?.resource(from: $0).resource ?? reader.resource(from: $0) }
            guard let issues = BundleUnpacker.issues(of: bundle) else { return }
            note(outcome: issues, about: "the Bundle", TextPlace(line: firstLine))
            try flush()
        } catch let error as FHIRDecodingError {
            var place = frame.place(of: error)
            place.line += firstLine - 1
            try frame.bytes.withUnsafeBufferPointer { try reject(error, place, $0) }
            try flush()
        }
    }

    /// Reads a document that is one resource, or reports what is wrong with it.
    private func readWhole(_ source: any RewindableBytes, _ outline: DocumentScanner.Outline, firstLine: Int) throws {
        try source.rewind()
        let text = try wholeText(source)
        if text.count > options.limits.resource {
            try reject(tooLong(TextPlace(line: firstLine)))
            return try flush()
        }
        batch = ImportBatch(text: text)
        if let rows = mending?.rows(in: text.bytes) {
            try readRows(rows, text: text, range: 0..<text.count, place: TextPlace(line: firstLine))
            return try flush()
        }
        do {
            let place = TextPlace(line: firstLine)
            try accept(resource(from: text.bytes, place), .init(place: place, range: 0..<text.count))
        } catch let error as FHIRDecodingError {
            let keepsText = text.count <= options.limits.rejectedDocument
            try reject(error, TextPlace(line: firstLine).place(of: error), keepsText ? text.bytes : text.slice(0..<0))
        }
        try flush()
    }

    /// The text from here on; that of one that is too long is incomplete.
    func wholeText(_ source: any RewindableBytes) throws -> TextBuffer {
        let text = TextBuffer(capacity: options.limits.chunk)
        while true {
            let room = text.room
            let number = try source.fill(room)
            text.count += number
            if number < room.count { break }
            if text.count > options.limits.resource { break }
            text.reserve(text.count + 1)
        }
        return text
    }

    // MARK: - Rows

    /// Reads the rows of a dump, which is in memory as a whole.
    private func readRows(_ rows: ForeignRows, text: TextBuffer, range: Range<Int>, place: TextPlace) throws {
        let bytes = text.slice(range)
        for row in rows.resources {
            let part = row.range.lowerBound + range.lowerBound..<row.range.upperBound + range.lowerBound
            var begin = place
            begin.line += bytes[..<row.range.lowerBound].count { $0 == UInt8(ascii: "\n") }
            do {
                try accept(row.read(bytes), .init(place: begin, range: part))
            } catch let error as FHIRDecodingError {
                try reject(error, place.place(of: error), text.slice(part), typeName: row.typeName)
            }
            if batch.resources.count + batch.faults.count >= Self.rowsAtOnce {
                try flush()
                batch = ImportBatch(text: text)
            }
        }
        for mend in rows.skipped {
            batch.append(MendedPlace(file: input.name, line: place.line, resource: mend.path, path: mend.path, kind: mend.kind))
        }
    }

    /// The number of rows that are handed over together.
    private static let rowsAtOnce = 1_000

    // MARK: - Lists

    /// Reads a list of resources, one in memory at a time.
    private func readList() throws {
        batch = entryBatch()
        let scanner = DocumentScanner(
            InOrder(input), window: options.limits.chunk, longest: options.limits.resource, keepsFrame: false, isList: true)
        let outline = try scanner.scan { bytes, place, end in
            let place = TextPlace(line: place.line, column: place.column)
            let start = batch.text.count
            batch.text.append(bytes)
            batch.end = end
            do {
                try accept(resource(from: bytes, place), .init(place: place, range: start..<batch.text.count))
            } catch let error as FHIRDecodingError {
                try reject(error, place.place(of: error), bytes)
            }
            if batch.text.count >= options.limits.chunk {
                try flush()
                batch = entryBatch()
            }
        }
        if outline.isTooLong {
            try reject(tooLong(outline.violation ?? TextPlace(line: 1)))
        } else if outline.violation != nil || !outline.isComplete {
            let place = outline.violation ?? TextPlace(line: scanner.line)
            let reason = "column \(place.column): the list of resources is truncated or not JSON here"
            try reject(place.fault(reason, file: input.name, text: "", column: place.column))
        } else if !outline.hasPlainEntries {
            try reject(TextPlace(line: 1).fault("the list contains values that are not resources", file: input.name, text: ""))
        }
        try flush()
    }

    // MARK: - Outcomes

    func accept(_ read: (resource: FHIRResource, mends: [Mend]), _ origin: ImportBatch.Origin) throws {
        guard let bundleLayout, read.resource.layout === bundleLayout else { return append(read.resource, origin, read.mends) }
        let content = BundleUnpacker.content(of: read.resource)
        note(read.mends, read.resource, origin)
        for resource in content.resources { append(resource, origin, []) }
        for outcome in content.outcomes { accept(.outcome(outcome), origin, []) }
        if let issues = BundleUnpacker.issues(of: read.resource) { note(outcome: issues, about: "the Bundle", origin.place) }
        batch.superseded += content.superseded
    }

    private func append(_ resource: FHIRResource, _ origin: ImportBatch.Origin, _ mends: [Mend]) {
        let id = mending?.assignID(resource)
        note(mends + (id.map { [$0] } ?? []), resource, origin)
        batch.append(resource, digest(resource), origin)
    }

    private func note(_ mends: [Mend], _ resource: FHIRResource, _ origin: ImportBatch.Origin) {
        let name = resource.id.map { "\(resource.resourceType)/\($0)" } ?? resource.resourceType
        for mend in mends {
            let path = origin.place.entryPath(mend.path)
            batch.append(MendedPlace(file: input.name, line: origin.place.line, resource: name, path: path, kind: mend.kind))
        }
    }

    func accept(_ entry: BundleUnpacker.Entry, _ origin: ImportBatch.Origin, _ mends: [Mend]) {
        switch entry {
        case .resource(let resource): append(resource, origin, mends)
        case .superseded: batch.superseded += 1
        case .outcome(let outcome): note(outcome: outcome, about: "the search", origin.place)
        }
    }

    func note(outcome: FHIRResource, about subject: String, _ place: TextPlace) {
        let reason = "the server reports about \(subject): \(BundleUnpacker.summary(of: outcome)); not stored"
        batch.append(outcome: place.fault(reason, file: input.name, text: "").fault.description)
    }

    private func reject(
        _ error: FHIRDecodingError, _ place: TextPlace, _ text: UnsafeBufferPointer<UInt8>, typeName: String? = nil
    ) throws {
        var fault = place.fault(error, file: input.name, text: String(decoding: text, as: UTF8.self))
        if let stated = StatedRelease.name(in: text), stated != options.release.name {
            fault.fault.reason += "; the resource says that it is FHIR \(stated), not \(options.release.name)"
        }
        fault.fault.resource = mending?.name(of: text, typeName: typeName)
        try reject(fault)
    }

    func reject(_ fault: RejectedText) throws {
        if options.stopsAtFault { throw fault }
        batch.append(fault)
    }

    func tooLong(_ place: TextPlace) -> RejectedText {
        let limit = options.limits.resource
        let size = limit & 0xF_FFFF == 0 ? "\(limit >> 20) MB" : "\(limit) bytes"
        return place.fault("longer than \(size), the limit of one resource", file: input.name, text: "")
    }

    private func endless(_ line: Int) -> TransferError {
        TransferError(
            .endlessLine,
            "\(input.name): line \(line) has not ended after \(options.limits.skippedLine >> 20) MB: check that the file contains resources"
        )
    }

    func flush() throws {
        let full = batch
        batch = ImportBatch(text: TextBuffer(capacity: 1))
        try deliver(full)
    }
}
