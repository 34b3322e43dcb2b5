import FireLite
import FireLiteR4
import FireLiteXML
import Foundation

/// The strict and the lenient reader of XML, the reader of Bundles, and the writer.
///
/// What the strict reader accepts is written and read again without change, in both forms of the text; the lenient reader makes the same
/// of it and finds nothing to mend.
enum XMLTarget {
    private nonisolated(unsafe) static let strict = FHIRXMLReader(release: .r4)
    private nonisolated(unsafe) static let lenient = FHIRXMLReader(release: .r4, isLenient: true)

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let accepted = try read(bytes, strict)
        let mended = try read(bytes, lenient)
        if let accepted {
            guard let mended else { fatalError("property broken: lenient reading refuses what strict reading accepts") }
            require(mended == accepted && lenient.issues.isEmpty, "lenient reading differs from strict reading")
            let xml = try FHIRXML.data(accepted)
            let again = try FHIRXML.data(strict.resource(from: xml))
            require(again == xml, "written XML reads differently")
            let pretty = try strict.resource(from: FHIRXML.data(accepted, pretty: true))
            require(pretty == accepted, "indented XML reads differently")
            let json = try FHIRJSON.resource(from: FHIRJSON.data(accepted), release: .r4)
            require(json == accepted, "JSON reads differently")
        } else if mended != nil {
            require(!lenient.issues.isEmpty, "lenient reading says nothing of what strict reading refuses")
        }
        try checkBundle(bytes)
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ reader: FHIRXMLReader) throws -> FHIRResource? {
        do {
            return try reader.resource(from: bytes)
        } catch let error as FHIRDecodingError {
            require(error.line >= 1 && error.column >= 1 && (0...bytes.count).contains(error.offset), "no place: \(error)")
            return nil
        }
    }

    /// The entries of a Bundle that arrives in pieces are those in memory.
    private static func checkBundle(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        var position = 0
        var entries: [FHIRObject] = []
        do {
            _ = try XMLBundleReader(release: .r4).read(
                filling: { memory in
                    let count = min(position == 0 ? 1_024 : 1 + position % 37, bytes.count - position, memory.count)
                    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[position..<position + count]))
                    position += count
                    return count
                }, { entries.append($0.object) })
        } catch is FHIRDecodingError {
            return
        }
        let whole = try lenient.resource(from: bytes)
        require(whole.children("entry").elementsEqual(entries) { $0 == $1 }, "the entries of a Bundle in pieces differ")
    }
}
