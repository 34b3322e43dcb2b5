import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteXML

/// Bundles that arrive in pieces give the same as in memory, wherever they are cut.
@Suite struct XMLBundleReaderTests {
    /// Calls `body` with a function that hands out the bytes: 1,024 at first, in which the encoding is found, and then pieces of random sizes.
    private func feed<Value>(_ data: Data, _ seed: UInt64, _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Value) throws
        -> Value
    {
        var generator = SeededGenerator(seed: seed)
        var position = 0
        return try body { memory in
            let wanted = position == 0 ? XMLDeclaration.length : Int.random(in: 1...700, using: &generator)
            let count = min(wanted, memory.count, data.count - position)
            data.dropFirst(position).prefix(count).copyBytes(to: memory)
            position += count
            return count
        }
    }

    private func bundle(_ entries: [String]) -> Data {
        Data(
            ("<?xml version=\"1.0\"?>\n<Bundle xmlns=\"http://hl7.org/fhir\">\n<type value=\"collection\"/>\n"
                + entries.map { "<entry><resource>\($0)</resource></entry>\n" }.joined() + "</Bundle>").utf8)
    }

    @Test func piecesGiveTheSameAsTheWhole() throws {
        try withEvery(0..<40) { seed in
            let entries = (0..<20).map { number in
                let text = String(repeating: "ä \u{1F600}&amp;\n", count: Int(seed) * number)
                return """
                    <Patient><id value="\(number)"/><text><status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml"><p>\(text)</p></div>\
                    </text><name><text value="\(text)"/></name></Patient>
                    """
            }
            let data = bundle(entries)
            let whole = try FHIRXML.decode(Bundle.self, from: data)
            var read: [String] = []
            let reader = XMLBundleReader(release: .r4)
            let (frame, issues) = try feed(data, seed) { fill in
                try reader.read(filling: fill) { entry in
                    #expect(entry.issues.isEmpty && entry.column == 1)
                    read.append(FHIRJSON.string(entry.object))
                }
            }
            #expect(read == whole.entry.map { FHIRJSON.string($0) }, "seed \(seed)")
            #expect(issues.isEmpty && FHIRJSON.string(frame) == #"{"resourceType":"Bundle","type":"collection"}"#)
        }
    }

    @Test func placesAreThoseInTheWhole() throws {
        let entries = (0..<50).map {
            "<Patient><id value=\"\($0)\"/>\n  <nick value=\"\(String(repeating: "x", count: $0 * 20))\"/></Patient>"
        }
        let data = bundle(entries)
        let expected = try FHIRXML.lenientResource(from: data, release: .r4).issues
        try withEvery(0..<20) { seed in
            var found: [FHIRDecodingError] = []
            let reader = XMLBundleReader(release: .r4)
            _ = try feed(data, seed) { fill in try reader.read(filling: fill) { found += $0.issues } }
            #expect(found == expected && found.count == 50, "seed \(seed)")
            #expect(found.last?.path == "Bundle.entry[49].resource.nick")
        }
    }

    @Test func mistakesOutsideOfEntriesAreTheBundles() throws {
        let data = Data(
            "<Bundle xmlns=\"http://hl7.org/fhir\"><nick value=\"a\"/><type value=\"x\"/><entry/><entry><fullUrl value=\"u\"/></entry></Bundle>"
                .utf8)
        var count = 0
        let (_, issues) = try feed(data, 1) { fill in try XMLBundleReader(release: .r4).read(filling: fill) { _ in count += 1 } }
        #expect(count == 1)
        #expect(issues.map(\.path) == ["Bundle.nick", "Bundle.entry[0]"])
    }

    @Test func whatIsNoBundleIsRefused() throws {
        for text in ["<Patient xmlns=\"http://hl7.org/fhir\"/>", "", "<Bundle/>", "<Bundle xmlns=\"http://hl7.org/fhir\">"] {
            #expect(throws: FHIRDecodingError.self) {
                try feed(Data(text.utf8), 1) { fill in try XMLBundleReader(release: .r4).read(filling: fill) { _ in } }
            }
        }
        #expect(XMLBundleReader.isBundle(Array("\u{FEFF}<?xml?>\n<!-- <x> -->\n<f:Bundle xmlns:f='u'>".utf8)))
        #expect(!XMLBundleReader.isBundle(Array("<Bundles/>".utf8)) && !XMLBundleReader.isBundle([]))
    }

    @Test func anErrorOfTheCallerEndsReading() throws {
        struct Enough: Error {}
        var count = 0
        #expect(throws: Enough.self) {
            try feed(bundle((0..<100).map { "<Patient><id value=\"\($0)\"/></Patient>" }), 1) { fill in
                try XMLBundleReader(release: .r4).read(filling: fill) { _ in
                    count += 1
                    if count == 3 { throw Enough() }
                }
            }
        }
        #expect(count == 3)
    }
}
