import FireLiteCore
import FireLiteXML
import Foundation

// FHIR XML: a file is one resource. The entries of a Bundle are read one by one, in two walks like those through JSON. A rejected text is not kept, as
// it is no line.
extension ImportReader {
    func readXML(_ beginning: [UInt8]) throws {
        do {
            if bundleLayout != nil, XMLBundleReader.isBundle(beginning) {
                try input.keepForRewinding()
                try readXMLBundle()
            } else {
                try readXMLResource()
            }
        } catch let error as FHIRXMLError {
            throw TransferError(.missingXMLReader, "\(input.name): \(error.message)")
        }
    }

    private func readXMLResource() throws {
        let text = try wholeText(input)
        batch = ImportBatch(text: TextBuffer(capacity: 1))
        batch.end = text.count
        if text.count > options.limits.resource {
            try reject(tooLong(TextPlace(line: 1)))
            return try flush()
        }
        do {
            let resource = try FHIRXMLReader(release: options.release).resource(from: text.bytes)
            try accept((resource, []), Self.origin(line: 1, column: 1))
        } catch let error as FHIRDecodingError {
            if let resource = try mendedXML(text.bytes) {
                try accept((resource, []), Self.origin(line: 1, column: 1))
            } else {
                try reject(xml: error)
            }
        }
        try flush()
    }

    /// The resource with corrected dates; nil if it has other mistakes, or dates are not corrected.
    private func mendedXML(_ bytes: UnsafeBufferPointer<UInt8>) throws -> FHIRResource? {
        guard let lenient else { return nil }
        let reader = FHIRXMLReader(release: options.release, isLenient: true)
        do {
            guard let resource = lenient.mended(try reader.resource(from: bytes), reader.issues) as? FHIRResource else { return nil }
            noteXML(reader.issues)
            return resource
        } catch is FHIRDecodingError {
            // The strict reader's error is reported.
            return nil
        }
    }

    // MARK: - Bundles

    private func readXMLBundle() throws {
        batch = ImportBatch(text: TextBuffer(capacity: 1))
        var unpacker = BundleUnpacker(release: options.release)
        let reader = XMLBundleReader(release: options.release)
        do {
            try input.rewind()
            let bundle = try reader.read(filling: { try self.input.fill($0) }, { unpacker.note($0.object) }).bundle
            unpacker.kind = bundle.text("type")
        } catch let error as FHIRDecodingError {
            // Of a document that is not well-formed, nothing is stored.
            try reject(xml: error)
            return try flush()
        }
        try input.rewind(isLast: true)
        var flushed = 0
        let (bundle, issues) = try reader.read(filling: { try self.input.fill($0) }) { entry in
            self.batch.end = entry.end
            guard let object = try self.valid(entry) else { return }
            if let taken = unpacker.take(from: object) { self.accept(taken, Self.origin(line: entry.line, column: entry.column), []) }
            guard entry.end - flushed >= self.options.limits.chunk else { return }
            flushed = entry.end
            try self.flush()
        }
        if let issue = issues.first { try reject(xml: issue) }
        if let bundle = bundle as? FHIRResource, let issues = BundleUnpacker.issues(of: bundle) {
            note(outcome: issues, about: "the Bundle", TextPlace(line: 1))
        }
        try flush()
    }

    /// The entry, if it has no mistakes or they were corrected.
    private func valid(_ entry: XMLEntry) throws -> FHIRObject? {
        guard let issue = entry.issues.first else { return entry.object }
        if let mended = lenient?.mended(entry.object, entry.issues) {
            noteXML(entry.issues)
            return mended
        }
        try reject(xml: issue)
        return nil
    }

    // MARK: - Outcomes

    private static func origin(line: Int, column: Int) -> ImportBatch.Origin {
        ImportBatch.Origin(place: TextPlace(line: line, column: column), range: 0..<0)
    }

    private func noteXML(_ issues: [FHIRDecodingError]) {
        for issue in issues { batch.note(TextPlace(line: issue.line, column: issue.column).note(issue, file: input.name)) }
    }

    private func reject(xml error: FHIRDecodingError) throws {
        try reject(TextPlace(line: error.line, column: error.column).fault(error, file: input.name, text: ""))
    }
}
