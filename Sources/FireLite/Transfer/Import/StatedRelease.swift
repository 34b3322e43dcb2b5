import Foundation

/// The FHIR release that a resource names itself: in `meta.profile`, whose URLs of FHIR's own profiles contain a version, or as `fhirVersion`.
enum StatedRelease {
    /// Versions of FHIR by their first two numbers (<https://hl7.org/fhir/versions.html>).
    private static let names = [
        "0.5": "DSTU2", "1.0": "DSTU2", "3.0": "STU3", "4.0": "R4", "4.1": "R4B", "4.3": "R4B", "4.2": "R5", "4.4": "R5", "4.5": "R5",
        "4.6": "R5", "5.0": "R5",
    ]

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
        return names[String(decoding: digits, as: UTF8.self)]
    }
}
