import FireLiteXML
import Foundation
import TestSupport
import Testing

@testable import FireLiteSamples

/// What stands before the parser, and why.
@Suite struct ExportFilterTests {
    private func filtered(_ text: String, chunk: Int = .max) -> String { filtered(Array(text.utf8), chunk: chunk) }

    private func filtered(_ bytes: [UInt8], chunk: Int = .max) -> String {
        var filter = ExportFilter()
        var output: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(chunk))
            rest = rest.dropFirst(part.count)
            part.withUnsafeBufferPointer { filter.filter($0, isLast: false, into: &output) }
        }
        [UInt8]().withUnsafeBufferPointer { filter.filter($0, isLast: true, into: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Counts the elements and errors that the parser reports.
    private final class Counter: XMLScannerDelegate {
        var (records, errors) = (0, 0)

        func begin(_ tag: XMLTag) { if tag.text == "Record" { records += 1 } }
        func end() {}
        func fault(_ code: Int) { errors += 1 }
    }

    private func parsed(_ text: String) throws -> (records: Int, isWhole: Bool) {
        let counter = Counter()
        let scanner = try XMLScanner(counter)
        var text = text
        text.withUTF8 { scanner.feed($0) }
        scanner.finish()
        return (counter.records, counter.errors == 0)
    }

    /// The reason for the filter: the parser reads nothing of a file with Apple's document type, and stops at a control character.
    @Test func theParserAloneRefusesSuchFiles() throws {
        let record = ExportText.record("HeartRate", "60", "count/min", minute: 1)
        let control = record.replacing("value=\"60\"", with: "value=\"6\u{B}0\"")
        let broken = ExportText.of([record, control, record])
        let withoutType = "<HealthData>\(record)\(control)\(record)</HealthData>"
        #expect(try parsed(broken) == (0, false))
        #expect(try !parsed(withoutType).isWhole)
        #expect(try parsed(filtered(broken)) == (3, true))
        #expect(try parsed(filtered(withoutType)) == (3, true))
    }

    /// Chunks of one byte take none of the shortcuts.
    @Test func everyByteAtEveryPlaceIsTreatedAlike() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<20 {
                let run = [UInt8](repeating: UInt8(ascii: "x"), count: place) + [byte] + [UInt8](repeating: UInt8(ascii: "y"), count: 19)
                let text = [UInt8]("<a b=\"".utf8) + run + [UInt8]("\"/>".utf8)
                #expect(filtered(text, chunk: .max) == filtered(text, chunk: 1), "\(byte) at \(place)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 5, 7, 11, 64, 1_000]) func chunksOfAnySizeGiveTheSame(_ chunk: Int) {
        let text = ExportText.of([
            ExportText.record(
                "HeartRate", "60", "count/min", minute: 1, device: ExportText.device,
                content: "<MetadataEntry key=\"é😀\" value=\"&#65;&#x1F600;&unknown;&#11;\u{1}&amp;&\"/>")
        ])
        let expected = filtered(text)
        #expect(filtered(text, chunk: chunk) == expected)
        #expect(expected.contains("key=\"é😀\" value=\"&#65;&#x1F600;&amp;unknown;&amp;&amp;\""))
        #expect(!expected.contains("DOCTYPE") && !expected.contains("ATTLIST"))
        // Errors name the lines of the file.
        #expect(expected.count { $0 == "\n" } == text.count { $0 == "\n" })
    }

    @Test(arguments: [
        ("<a>&#0;&#xD800;&#xFFFF;&#x110000;</a>", "<a></a>"), ("<a>&#;&#x;&a b;</a>", "<a>&amp;#;&amp;#x;&amp;a b;</a>"),
        ("<a>&lt;&gt;&quot;&apos;</a>", "<a>&lt;&gt;&quot;&apos;</a>"),
        ("<?xml version=\"1.0\"?><!-- c --><a/>", "<?xml version=\"1.0\"?><!-- c --><a/>"),
        ("<!DOCTYPE a><a/>", "<a/>"), ("<!DOCTYPE a\n[]><a/>", "\n<a/>"), ("<!DOCTYPE a [\n]\n]\n><a/>", "\n\n\n<a/>"),
        ("<a b=\"<!DOCTYPE\"/>", "<a b=\"<!DOCTYPE\"/>"),
        ("\u{FEFF}<a>\t\r\n\u{7F}\u{1F}</a>", "<a>\t\r\n\u{7F}</a>"), ("<", "<"), ("<!DOC", "<!DOC"),
    ])
    func onlyWhatIsNoXMLIsChanged(_ text: String, _ expected: String) {
        #expect(filtered(text) == expected)
        #expect(filtered(text, chunk: 1) == expected)
    }

    @Test(arguments: [1, 2, 100]) func bytesThatAreNotUTF8AreReplaced(_ chunk: Int) throws {
        let bytes = Array("<a>".utf8) + [0xFF, 0xC3, 0x28, 0xE2, 0x82, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF0, 0x9F, 0x98] + Array("</a>".utf8)
        let text = filtered(bytes, chunk: chunk)
        #expect(text.hasPrefix("<a>\u{FFFD}\u{FFFD}(\u{FFFD}"))
        #expect(text.hasSuffix("</a>"))
        #expect(try parsed("<Record>\(text)</Record>") == (1, true))
    }
}
