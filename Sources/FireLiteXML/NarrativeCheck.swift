import CFireLiteXML
import FireLiteCore

/// Checks that a narrative is one well-formed `div` element of XHTML, so that it can be put into XML as it is.
final class NarrativeCheck {
    enum Outcome {
        case valid
        /// The element is in no namespace, as in the JSON of DSTU2.
        case withoutNamespace
        case malformed
    }

    private var depth = 0
    private var isValid = true
    private var roots = 0
    private var hasNamespace = true

    /// - Throws: `FHIRXMLError.missingLibrary`.
    static func check(_ text: String) throws(FHIRXMLError) -> Outcome {
        let library = try XMLLibrary.system()
        var text = text
        let outcome = text.withUTF8 { bytes in Result { () throws(FHIRXMLError) in try NarrativeCheck().check(bytes, library) } }
        return try outcome.get()
    }

    private func check(_ bytes: UnsafeBufferPointer<UInt8>, _ library: XMLLibrary) throws(FHIRXMLError) -> Outcome {
        // No declaration, white space or byte order mark before it, and nothing after it.
        guard bytes.first == UInt8(ascii: "<"), bytes.last == UInt8(ascii: ">"), bytes.count < Int(Int32.max), !bytes.contains(0) else {
            return .malformed
        }
        let parser = try PushParser(library, Self.events, context: Unmanaged.passUnretained(self).toOpaque())
        guard !bytes.starts(with: Array("<?xml".utf8)) else { return .malformed }
        parser.feed(bytes)
        parser.finish()
        guard isValid, roots == 1, depth == 0 else { return .malformed }
        return hasNamespace ? .valid : .withoutNamespace
    }

    private static let events = firelite_xml_events(
        start: { context, name, _, uri, _, _, _, _, _ in
            guard let context, let name else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { check in
                if check.depth == 0 {
                    check.roots += 1
                    check.hasNamespace = uri != nil
                    let isXHTML = uri.map { XMLTag.equals($0, XMLReader.xhtml) } ?? true
                    if !XMLTag.equals(name, "div") || !isXHTML { check.isValid = false }
                }
                check.depth += 1
                if check.depth > XMLReader.maximumNarrativeDepth { check.isValid = false }
            }
        },
        end: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.depth -= 1 }
        },
        text: nil,
        comment: { context, _ in
            guard let context else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { if $0.depth == 0 { $0.isValid = false } }
        },
        instruction: { context, _, _ in
            guard let context else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { if $0.depth == 0 { $0.isValid = false } }
        },
        document_type: { context, _, _, _ in
            guard let context else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.isValid = false }
        },
        error: { context, error in
            guard let context, let error, error.pointee.level > XMLErrorLevel.warning else { return }
            Unmanaged<NarrativeCheck>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.isValid = false }
        })
}
