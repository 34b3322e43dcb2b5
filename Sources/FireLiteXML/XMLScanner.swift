import CFireLiteXML
import FireLiteCore

/// Receives what an `XMLScanner` finds.
package protocol XMLScannerDelegate: AnyObject {
    /// An element begins.
    func begin(_ tag: XMLTag)
    /// The innermost open element ends.
    func end()
    /// The text is not well-formed XML, or an element has too many attributes. No event follows.
    ///
    /// - Parameter code: the parser's number of the fault (xmlParserErrors), of which its words say too much about the text.
    func fault(_ code: Int)
}

/// Parses any XML that arrives in pieces, and reports its elements. It reads UTF-8, loads nothing and expands no entities but the five of XML.
///
/// It is for documents other than FHIR's own, whose text, comments and instructions are of no interest. Not thread-safe.
package final class XMLScanner {
    private unowned(unsafe) let delegate: any XMLScannerDelegate
    private var parser: UnsafeMutablePointer<PushParser>?
    private var hasFailed = false

    /// - Parameter delegate: must live longer than the scanner.
    /// - Throws: `FHIRXMLError.missingLibrary`, `outOfMemory`.
    package init(_ delegate: any XMLScannerDelegate) throws(FHIRXMLError) {
        self.delegate = delegate
        let library = try XMLLibrary.system()
        let push = try PushParser(library, Self.events, context: Unmanaged.passUnretained(self).toOpaque())
        let memory = UnsafeMutablePointer<PushParser>.allocate(capacity: 1)
        memory.initialize(to: push)
        parser = memory
    }

    deinit {
        parser?.deinitialize(count: 1)
        parser?.deallocate()
    }

    /// The line that the parser has reached, from 1.
    package var line: Int { parser?.pointee.line ?? 1 }

    /// Parses the next bytes; less than 2 GB of them, without NUL.
    package func feed(_ bytes: UnsafeBufferPointer<UInt8>) { if !hasFailed { parser?.pointee.feed(bytes) } }

    /// Parses what is left after the last bytes.
    package func finish() { if !hasFailed { parser?.pointee.finish() } }

    /// Ends parsing: no event follows.
    package func stop() {
        hasFailed = true
        parser?.pointee.stop()
    }

    /// What is wrong with a text, by the number of the fault; `kind` is what it should be.
    package static func words(ofFault code: Int, _ kind: String) -> String {
        code == XMLFault.manyAttributes
            ? "an element has more than \(PushParser.mostAttributes) attributes" : "this is not well-formed \(kind) (error \(code))"
    }

    private func fault(_ code: Int32, _ level: Int32) {
        // What is wrong with namespaces alone is well-formed.
        guard !hasFailed, level > XMLErrorLevel.warning, !XMLFault.namespaces.contains(code) else { return }
        delegate.fault(Int(code))
        stop()
    }

    private static let events = firelite_xml_events(
        start: { context, name, prefix, uri, namespaceCount, namespaces, attributeCount, _, attributes in
            guard let context, let name else { return }
            Unmanaged<XMLScanner>.fromOpaque(context)._withUnsafeGuaranteedRef { scanner in
                guard !scanner.hasFailed else { return }
                scanner.delegate.begin(
                    XMLTag(
                        name: name, prefix: prefix, uri: uri, namespaces: namespaces, namespaceCount: Int(namespaceCount),
                        attributes: attributes, attributeCount: Int(attributeCount)))
            }
        },
        end: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<XMLScanner>.fromOpaque(context)._withUnsafeGuaranteedRef { if !$0.hasFailed { $0.delegate.end() } }
        },
        text: nil, comment: nil, instruction: nil,
        document_type: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<XMLScanner>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.fault(XMLFault.documentType, XMLErrorLevel.fatal) }
        },
        error: { context, error in
            guard let context, let error else { return }
            Unmanaged<XMLScanner>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.fault(error.pointee.code, error.pointee.level) }
        })
}
