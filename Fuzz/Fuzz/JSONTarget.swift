import FireLite
import FireLiteR4
import Foundation

/// The strict and the lenient reader, and the writer.
///
/// What the strict reader accepts is written and read again without change, in both forms of the text; the lenient reader makes the same
/// of it and finds nothing to mend. What the lenient reader makes of anything else stays what it is, too.
enum JSONTarget {
    private nonisolated(unsafe) static let strict = FHIRJSONReader(release: .r4)
    private nonisolated(unsafe) static let lenient = FHIRJSONReader(release: .r4, isLenient: true)

    @Sendable static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        let accepted = try read(bytes, strict)
        let mended = try read(bytes, lenient)
        if let accepted {
            let json = FHIRJSON.data(accepted)
            try checkAgain(json, strict)
            let pretty = try strict.resource(from: FHIRJSON.data(accepted, pretty: true))
            require(FHIRJSON.data(pretty) == json, "indented JSON reads differently")
            require(accepted.copyObject() == accepted, "a copy differs")
            require(lenient.issues.isEmpty, "lenient reading has issues with what strict reading accepts")
            guard let mended else { fatalError("property broken: lenient reading refuses what strict reading accepts") }
            require(mended == accepted, "lenient reading differs from strict reading")
            require(FHIRJSON.data(mended) == json, "lenient reading differs from strict reading in its JSON")
            _ = accepted.validate()
        } else if let mended {
            require(!lenient.issues.isEmpty, "lenient reading says nothing of what strict reading refuses")
            try checkAgain(FHIRJSON.data(mended), lenient)
        }
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ reader: FHIRJSONReader) throws -> FHIRResource? {
        do {
            return try reader.resource(from: bytes)
        } catch let error as FHIRDecodingError {
            require(error.line >= 1 && error.column >= 1 && (0...bytes.count).contains(error.offset), "no place: \(error)")
            return nil
        }
    }

    private static func checkAgain(_ json: Data, _ reader: FHIRJSONReader) throws {
        let again = try reader.resource(from: json)
        require(FHIRJSON.data(again) == json, "written JSON reads differently")
    }
}
