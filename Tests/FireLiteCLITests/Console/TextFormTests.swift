import FireLiteTerminal
import Foundation
import Testing

@testable import FireLiteCLI

struct TextFormTests {
    @Test func columnsAreAligned() {
        var table = TextTable([.left, .right])
        table.add("a", "1,000")
        table.add("long name", "7")
        table.add("no number")
        #expect(table.lines == ["a          1,000", "long name      7", "no number"])
    }

    @Test func figuresHaveSeparatorsAndUnits() {
        #expect([0, 999, 1_000, 1_234_567, -12_345].map(Figures.count) == ["0", "999", "1,000", "1,234,567", "-12,345"])
        #expect(
            [0, 1, 999, 1_000, 999_949, 999_950, 5_600_000_000].map(Figures.bytes)
                == ["0 bytes", "1 byte", "999 bytes", "1.0 KB", "999.9 KB", "1.0 MB", "5.6 GB"])
        #expect([0.2, 59, 61, 3_700, 1e9].map(Figures.remaining) == ["1 s", "59 s", "1 min 1 s", "1 h 1 min", "a long time"])
        #expect(Figures.seconds(.milliseconds(1_234)) == "1.23")
    }

    @Test func momentsHaveDatesFromTheYearZeroOn() {
        let moments: [Double] = [0, -62_135_596_800, -62_135_596_801, -62_162_121_600, -62_167_219_200, -62_167_219_201, 253_402_300_800]
        #expect(
            moments.map { Figures.moment(Date(timeIntervalSince1970: $0)) } == [
                "1970-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z", "0000-12-31T23:59:59.000Z", "0000-02-29T00:00:00.000Z",
                "0000-01-01T00:00:00.000Z", "-62167219201000", "253402300800000",
            ])
    }

    @Test func progressNamesWhatIsKnown() {
        #expect(
            ProgressLine.text(resources: 50_000, bytes: 30_000_000, total: 90_000_000, elapsed: .seconds(2))
                == "50,000 resources, 25,000/s, 30.0 MB of 90.0 MB, 4 s left")
        #expect(
            ProgressLine.text(resources: 50_000, bytes: 30_000_000, total: nil, elapsed: .seconds(2))
                == "50,000 resources, 25,000/s, 30.0 MB")
        #expect(ProgressLine.text(resources: 0, bytes: 0, total: 0, elapsed: .zero) == "0 resources, 0/s, 0 bytes")
    }

    @Test func jsonFoldsToTheWidth() {
        let json = #"{"a":[1,2,{"b":"x,]}\"y"}],"c":{},"d":[],"e":"a long string that fits on no line"}"#
        #expect(
            FoldedJSON.lines(json, width: 24) == [
                "{", #"  "a": ["#, "    1,", "    2,", #"    {"b": "x,]}\"y"}"#, "  ],", #"  "c": {},"#, #"  "d": [],"#,
                #"  "e": "a long string that fits on no line""#, "}",
            ])
        #expect(FoldedJSON.lines(#"{"a":[1,2]}"#, width: 40) == [#"{"a": [1, 2]}"#])
        // Made for JSON that was written here, but no text may harm it.
        for text in ["", "{", "[", "\"", "{\"", "{\"a\"", "{\"a\":", "]", "\"\\", "[1,"] { _ = FoldedJSON.lines(text, width: 10) }
    }

    @Test func textsStandSideBySideWhereThereIsRoom() {
        #expect(SideBySide.lines(["ab", "c"], ["1", "2", "3"], width: 20) == ["ab  │  1", "c   │  2", "    │  3"])
        #expect(SideBySide.lines(["ab", "c"], ["1"], width: 20) == ["ab  │  1", "c"])
        #expect(SideBySide.lines(["ab", "c"], ["1"], width: 6) == ["ab", "c", "", "1"])
    }
}
