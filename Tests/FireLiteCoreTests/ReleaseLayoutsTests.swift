import FireLiteCore
import Foundation
import TestSupport
import Testing

/// A text with the layouts of a release is read, or refused with the line of its mistake.
@Suite struct ReleaseLayoutsTests {
    private static let text = """
        FireLite layouts 1
        release Mini 0.1
        abstract resource Resource -
          id 0..1 id
        abstract datatype Element -
          id 0..1 string
          extension 0..* Extension
        datatype Extension Element
          url 1..1 uri
          value[x] 0..1 string|Reference >Thing
        datatype Reference Element
          reference 0..1 string
        resource Thing Resource
          kind 1..1 code =Kind
          part 0..* Thing.part
        backbone Thing.part Element
          part 0..* Thing.part
          amount 0..1 decimal
        codes Kind
          one kind
          other

        """

    @Test func aReleaseIsReadAndItsResourcesAreObjects() throws {
        let release = try FHIRRelease(layouts: Self.text)
        #expect(release.name == "Mini" && release.version == "0.1" && release.resourceTypeNames == ["Thing"])
        #expect(release.layouts.map(\.name) == ["Element", "Extension", "Reference", "Resource", "Thing", "Thing.part"])
        let parts = #"[{"part":[{"amount":1.50}]},{"amount":2,"_amount":{"id":"x"}}]"#
        let json = #"{"resourceType":"Thing","id":"1","kind":"one kind","part":"# + parts + "}"
        let thing = try FHIRJSON.resource(from: .init(json.utf8), release: release)
        #expect(FHIRJSON.string(thing) == json)
        #expect(thing.validate().isEmpty)
        thing.id = "2"
        let wrong = try FHIRJSON.resource(from: .init(#"{"resourceType":"Thing","kind":"third"}"#.utf8), release: release)
        #expect(wrong.validate().map(\.code) == [.unknownCode])
        let object = try #require(release.layout(named: "Thing.part")).makeObject()
        #expect(object.isEmpty && object.layout.name == "Thing.part" && release.layout(named: "Thing.whole") == nil)
        #expect(throws: FHIRDecodingError.self) { try FHIRJSON.resource(from: .init(#"{"resourceType":"Other"}"#.utf8), release: release) }
    }

    private struct Mistake: Sendable {
        let old: String
        let new: String
        let code: FHIRReleaseError.Code
        let line: Int
        let message: String
    }

    private static let mistakes = [
        Mistake(old: "layouts 1", new: "layouts 2", code: .format, line: 1, message: "expected 'FireLite layouts 1'"),
        Mistake(old: "release Mini 0.1", new: "release Mini", code: .malformed, line: 2, message: "expected 'release'"),
        Mistake(
            old: "datatype Extension Element", new: "datatype Extension", code: .malformed, line: 8, message: "expected a kind of type"),
        Mistake(
            old: "datatype Extension Element", new: "abstract backbone Extension Element", code: .malformed, line: 8, message: "a kind"),
        Mistake(old: "datatype Reference", new: "datatype Extension", code: .name, line: 11, message: "Extension is defined twice"),
        Mistake(old: "codes Kind\n", new: "codes Kind a b\ncodes Kind\n", code: .name, line: 20, message: "codes Kind are defined twice"),
        Mistake(old: "url 1..1 uri", new: "url 1..1", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url 1.1 uri", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url -1..1 uri", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url 0..0 uri", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url 1..1 uri|string", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url 1..1 uri extra", code: .malformed, line: 9, message: "malformed line"),
        Mistake(old: "url 1..1 uri", new: "url 1..1 Uri", code: .malformed, line: 9, message: "unknown type 'Uri'"),
        Mistake(old: "url 1..1 uri", new: "url 1..1 Thing", code: .malformed, line: 9, message: "unknown type 'Thing'"),
        Mistake(old: "url 1..1 uri", new: "id 1..1 uri", code: .name, line: 9, message: "has the element id twice"),
        Mistake(old: "=Kind", new: "=Kinds", code: .name, line: 14, message: "there are no codes Kinds"),
        Mistake(old: "resource Thing Resource", new: "resource Thing Element", code: .name, line: 13, message: "not a type of its kind"),
        Mistake(old: "resource Thing Resource", new: "resource Thing Thing", code: .name, line: 13, message: "a base of its own"),
        Mistake(old: "  id 0..1 id\n", new: "", code: .name, line: 3, message: "is not its id"),
        Mistake(
            old: "abstract datatype Element -", new: "abstract datatype Elements -", code: .name, line: 8, message: "derives from Element"),
        Mistake(old: "\ncodes Kind", new: "\n  \ncodes Kind", code: .malformed, line: 19, message: "malformed line"),
    ]

    @Test(arguments: mistakes.indices) func aMistakeIsNamedWithItsLine(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        let text = Self.text.replacingOccurrences(of: mistake.old, with: mistake.new)
        #expect(text != Self.text)
        let error = #expect(throws: FHIRReleaseError.self) { try FHIRRelease(layouts: text) }
        #expect(error?.code == mistake.code && error?.line == mistake.line, "\(String(describing: error))")
        #expect(error?.message.contains(mistake.message) == true, "\(String(describing: error))")
    }

    @Test func aTypeWithTooManyElementsIsRefused() throws {
        let elements = (0..<254).map { "  e\($0) 0..1 string" }.joined(separator: "\n")
        let text = Self.text.replacingOccurrences(of: "  kind 1..1 code =Kind", with: elements)
        let error = #expect(throws: FHIRReleaseError.self) { try FHIRRelease(layouts: text) }
        #expect(error?.code == .tooManyElements && error?.line == 13)
    }

    /// Any change of any byte gives a release or an error.
    @Test func damagedTextsGetAnAnswer() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<Effort.count(400) {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<generator.int(1...3) {
                let place = generator.int(19...bytes.count - 1)
                switch generator.int(0...2) {
                case 0: bytes[place] = UInt8(generator.int(9...126))
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(place + 20, bytes.count)], at: place)
                }
            }
            do {
                let release = try FHIRRelease(layouts: String(decoding: bytes, as: UTF8.self))
                #expect(!release.layouts.isEmpty)
            } catch let error as FHIRReleaseError {
                #expect(error.line > 0 && !error.message.isEmpty)
            }
        }
    }
}
