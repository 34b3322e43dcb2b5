import FireLiteCore
import Foundation

/// The FHIR release that a resource names itself: in `meta.profile`, whose URLs of FHIR's own profiles contain a version, or as `fhirVersion`.
enum StatedRelease {
    /// The short name of the release, `STU3`; nil if the text names none, or several.
    static func name(in text: UnsafeBufferPointer<UInt8>) -> String? {
        // Only for a text that was refused, so that copying it does not matter.
        let data = Data(text)
        var found: Set<String> = []
        for (mark, gap) in [("http://hl7.org/fhir/", 0), ("\"fhirVersion\"", 8)] {
            var rest = data.startIndex..<data.endIndex
            while let place = data.range(of: Data(mark.utf8), in: rest) {
                rest = place.upperBound..<data.endIndex
                if let name = version(data[rest].prefix(gap + 4)) { found.insert(name) }
            }
        }
        return found.count == 1 ? found.first : nil
    }

    /// The release of a version at the beginning, after punctuation.
    private static func version(_ bytes: Data) -> String? {
        let digits = bytes.drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }.prefix(3)
        return ReleaseFacts.name(ofVersion: String(decoding: digits, as: UTF8.self))
    }
}
