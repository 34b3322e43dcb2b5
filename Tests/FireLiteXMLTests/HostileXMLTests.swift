import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteXML

/// Documents made to harm: they give errors, quickly, and load nothing.
@Suite struct HostileXMLTests {
    private func code(_ text: String) -> String? { code(Data(text.utf8)) }

    private func code(_ data: Data) -> String? {
        do {
            _ = try FHIRXML.resource(from: data, release: .r4)
            return nil
        } catch let error as FHIRDecodingError {
            return error.code.rawValue
        } catch {
            return "\(error)"
        }
    }

    // MARK: - Document types and entities

    @Test(arguments: [
        "<!DOCTYPE Patient>", "<!DOCTYPE Patient SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE Patient [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE Patient [<!ENTITY % x SYSTEM \"http://127.0.0.1:1/\"> %x;]>",
        "<!DOCTYPE Patient [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">]>",
        "<!DOCTYPE Patient [<!ATTLIST Patient xmlns CDATA #FIXED \"http://hl7.org/fhir\">]>",
    ])
    func documentTypesAreRefused(_ type: String) {
        #expect(code(type + #"<Patient xmlns="http://hl7.org/fhir"><id value="&c;&x;"/></Patient>"#) == "documentType")
        #expect(code("<?xml version=\"1.0\"?>\n" + type + #"<Patient xmlns="http://hl7.org/fhir"/>"#) == "documentType")
        do {
            _ = try FHIRXML.lenientResource(from: Data((type + #"<Patient xmlns="http://hl7.org/fhir"/>"#).utf8), release: .r4)
            Issue.record("a document type was read")
        } catch {
            #expect((error as? FHIRDecodingError)?.code == .documentType)
        }
    }

    @Test func undeclaredEntitiesAreRefused() {
        for entity in ["&nbsp;", "&x;", "&x", "&#xD800;", "&#x110000;", "&;", "&"] {
            #expect(code("<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"\(entity)\"/></Patient>") != nil, "\(entity)")
            let div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">\(entity)</div>"
            #expect(
                code("<Patient xmlns=\"http://hl7.org/fhir\"><text><status value=\"generated\"/>\(div)</text></Patient>") != nil,
                "\(entity)")
        }
    }

    // MARK: - Depth and length

    @Test func depthIsLimited() throws {
        func nested(_ levels: Int) -> String {
            "<Patient xmlns=\"http://hl7.org/fhir\">" + String(repeating: "<extension url=\"u\">", count: levels)
                + "<valueCode value=\"c\"/>"
                + String(repeating: "</extension>", count: levels) + "</Patient>"
        }
        // In JSON, a list and its item are two levels.
        #expect(code(nested(63)) == nil)
        #expect(
            try FHIRJSON.resource(from: FHIRJSON.data(FHIRXML.resource(from: Data(nested(63).utf8), release: .r4)), release: .r4).layout
                .name == "Patient")
        #expect(code(nested(64)) == "tooDeep")
        #expect(code(nested(100_000)) == "tooDeep")
        #expect(code("<Patient xmlns=\"http://hl7.org/fhir\">" + String(repeating: "<contained><Patient>", count: 1_000)) == "tooDeep")
        let unknown = "<Patient xmlns=\"http://hl7.org/fhir\">" + String(repeating: "<x>", count: 1_000)
        let error = #expect(throws: FHIRDecodingError.self) { try FHIRXML.lenientResource(from: Data(unknown.utf8), release: .r4) }
        #expect(error?.code == .tooDeep)
        func narrative(_ levels: Int) -> String {
            "<Patient xmlns=\"http://hl7.org/fhir\"><text><status value=\"generated\"/><div xmlns=\"http://www.w3.org/1999/xhtml\">"
                + String(repeating: "<b>", count: levels) + String(repeating: "</b>", count: levels) + "</div></text></Patient>"
        }
        #expect(code(narrative(999)) == nil)
        #expect(code(narrative(1_000)) == "tooDeep")
    }

    @Test func longTextsAreRead() throws {
        let text = String(repeating: "a&amp;", count: 3_000_000)
        let patient = try FHIRXML.decode(
            Patient.self, from: Data("<Patient xmlns=\"http://hl7.org/fhir\"><name><text value=\"\(text)\"/></name></Patient>".utf8))
        #expect(patient.name.first?.text?.utf8.count == 6_000_000)
    }

    @Test func manyMistakesTakeTimeInProportion() throws {
        // Many unknown attributes in one tag, and much text after one tag: each mistake is located.
        let attributes = (0..<999).map { " a\($0)=\"\"" }.joined()
        let (_, issues) = try FHIRXML.lenientResource(
            from: Data("<Patient xmlns=\"http://hl7.org/fhir\"><active value=\"true\"\(attributes)/></Patient>".utf8), release: .r4)
        #expect(issues.count == 999)
        let text = String(repeating: "text <![CDATA[x]]>", count: 100_000)
        let (_, others) = try FHIRXML.lenientResource(
            from: Data("<Patient xmlns=\"http://hl7.org/fhir\"><active value=\"true\"/>\(text)</Patient>".utf8), release: .r4)
        #expect(others.count == 1)
    }

    /// libxml2 compares each attribute with all before it, so their number is limited before it sees them.
    @Test func attributesAreLimited() throws {
        func patient(_ attributes: String) -> String {
            "<Patient xmlns=\"http://hl7.org/fhir\">\n<active value=\"true\"\(attributes)/></Patient>"
        }
        func attributes(_ count: Int, _ value: String = "x") -> String { (0..<count).map { " a\($0)='\(value)'" }.joined() }
        let start = threadSeconds()
        for text in [attributes(400_000), attributes(400_000, ">"), attributes(1_000), (0..<100_000).map { " xmlns:n\($0)='u'" }.joined()] {
            let data = Data(patient(text).utf8)
            for isLenient in [false, true] {
                let error = #expect(throws: FHIRDecodingError.self) {
                    _ =
                        try isLenient
                        ? FHIRXML.lenientResource(from: data, release: .r4).resource : FHIRXML.resource(from: data, release: .r4)
                }
                #expect(error?.code == .tooManyAttributes && error?.line == 2 && error?.path.hasPrefix("Patient") == true)
            }
        }
        #expect(code("<Patient xmlns=\"http://hl7.org/fhir\"" + attributes(400_000) + "/>") == "tooManyAttributes")
        #expect(threadSeconds() - start < 20)
        #expect(code(patient(attributes(999))) == "unknownMember")
        // Quotation marks elsewhere are no attributes.
        let quotes = String(repeating: "'\"", count: 2_000)
        for text in ["<!-- \(quotes) -->", "<?p \(quotes)?>"] {
            #expect(code("<Patient xmlns=\"http://hl7.org/fhir\">\(text)<active value=\"true\"/></Patient>") == nil)
        }
        let div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">\(quotes)<![CDATA[<\(quotes)>]]></div>"
        #expect(code("<Patient xmlns=\"http://hl7.org/fhir\"><text><status value=\"generated\"/>\(div)</text></Patient>") == nil)
        let wide = "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p\(attributes(2_000))>x</p></div>"
        #expect(
            code("<Patient xmlns=\"http://hl7.org/fhir\"><text><status value=\"generated\"/>\(wide)</text></Patient>")
                == "tooManyAttributes")
        let error = #expect(throws: FHIRXMLError.self) { try FHIRXML.data(Patient { $0.text = Narrative { $0.div = wide } }) }
        #expect(error?.code == .malformedNarrative)
    }

    // MARK: - Encodings

    @Test func otherEncodingsAreRefused() throws {
        let text = "<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"a\"/></Patient>"
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian] {
            #expect(code(try #require(text.data(using: encoding))) == "encoding", "\(encoding)")
        }
        for name in ["ISO-8859-1", "UTF-16", "windows-1252", "UTF-7", "x"] {
            #expect(code("<?xml version=\"1.0\" encoding=\"\(name)\"?>" + text) == "encoding", "\(name)")
        }
        for name in ["UTF-8", "utf-8", "US-ASCII"] { #expect(code("<?xml version='1.0' encoding='\(name)' ?>" + text) == nil, "\(name)") }
        #expect(code(Data([0x4C, 0x6F, 0xA7, 0x94, 0x93])) == "encoding")
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        let head = Array(
            "<Patient xmlns=\"http://hl7.org/fhir\"><text><status value=\"generated\"/><div xmlns=\"http://www.w3.org/1999/xhtml\">".utf8)
        let tail = Array("</div></text></Patient>".utf8)
        let sequences: [[UInt8]] = [
            [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xEF, 0xBF, 0xBE], [0x01],
            [0x0B],
            [0],
        ]
        for bytes in sequences {
            #expect(code(Data(head + bytes + tail)) != nil, "\(bytes) in a narrative")
            for suffix in ["", "abcdefghijklmnopqrstuvw"] {
                let value =
                    Array("<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"a".utf8) + bytes + Array("\(suffix)\"/></Patient>".utf8)
                #expect(code(Data(value)) != nil, "\(bytes) in a value")
            }
            #expect(
                code(Data(Array("<Patient xmlns=\"http://hl7.org/fhir\"><!-- ".utf8) + bytes + Array(" --></Patient>".utf8))) != nil
                    || bytes.count > 1)
            #expect(code(Data(Array("<Patient xmlns=\"http://hl7.org/fhir\"/>".utf8) + bytes)) != nil, "\(bytes) at the end")
        }
    }

    // MARK: - Broken documents

    private static let document = """
        <?xml version="1.0"?><!-- c --><Patient xmlns="http://hl7.org/fhir"><text><status value="generated"/><div \
        xmlns="http://www.w3.org/1999/xhtml">ä<b>&lt;</b></div></text><contained><Patient><id value="1"/></Patient></contained>\
        <birthDate id="b" value="1974-12-25"><extension url="u"><valueDecimal value="1.50"/></extension></birthDate></Patient>
        """

    @Test func documentsCutAnywhereAreRefused() throws {
        let bytes = Array(Self.document.utf8)
        #expect(code(Data(bytes)) == nil)
        for count in 0..<bytes.count {
            #expect(code(Data(bytes[..<count])) != nil, "\(count) bytes")
            #expect(throws: FHIRDecodingError.self, "\(count) bytes") {
                try FHIRXML.lenientResource(from: Data(bytes[..<count]), release: .r4)
            }
        }
    }

    @Test func anyByteMayBeAnyOther() throws {
        var generator = SeededGenerator(seed: 38)
        let bytes = Array(Self.document.utf8)
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let data = Data(changed)
            do {
                let resource = try FHIRXML.resource(from: data, release: .r4)
                // What reads strictly is written and read to the same.
                let again = try FHIRXML.resource(from: FHIRXML.data(resource), release: .r4)
                #expect(again == resource)
                #expect(try FHIRXML.lenientResource(from: data, release: .r4).resource == resource)
            } catch let error as FHIRDecodingError {
                #expect(error.line == 1 + changed[..<min(error.offset, changed.count)].count { $0 == 0x0A })
                do { _ = try FHIRXML.lenientResource(from: data, release: .r4) } catch is FHIRDecodingError {}
            }
        }
    }

    @Test func nothingMayFollowTheRoot() {
        let root = "<Patient xmlns=\"http://hl7.org/fhir\"/>"
        for tail in ["a", "<a/>", root, "\0", "&amp;", "<![CDATA[]]>", "<!DOCTYPE a>", "<!--"] {
            #expect(code(root + tail) != nil, "\(tail)")
        }
        for tail in ["\n", "<!-- a -->", "<?a?>"] { #expect(code(root + tail) == nil, "\(tail)") }
        for text in ["", " ", "a", "{}", "\u{FEFF}", "<", "<?xml version=\"1.0\"?>"] { #expect(code(text) != nil, "\(text)") }
    }

    @Test func theMissingLibraryIsNamed() {
        guard case .failure(let error) = XMLLibrary.load(["no-such-library.so"]) else { return #expect(Bool(false)) }
        #expect(error.code == .missingLibrary && error.message.contains("apt-get install libxml2"))
    }

    // MARK: - Forms that another reader has confirmed

    private static let start = "<Patient xmlns=\"http://hl7.org/fhir\">"

    /// An XML reader of its own kind, lxml, agrees about each of these.
    @Test(arguments: [
        "<?xml version=\"1.0\" encoding=\"utf-8\" standalone='yes'?>\(start)<id value=\"a\"/></Patient><!-- x --><?y?>\n",
        "\u{FEFF}<?xml version='1.0'?><!-- x --><?xml-stylesheet a?>\(start)<id value='a'/></Patient>",
        "\(start)<![CDATA[ \n]]>&#32;&#x9;<id\r\n\tvalue =\n\"a\"></id  ></Patient>",
        "<ü:Patient xmlns:ü=\"http://hl7.org/fhir\"><ü:id xmlns:q=\"urn:q\" value=\"&#97;\"/></ü:Patient>",
        "<Patient xmlns=\"http://hl7.org/fhi&#114;\"><id xmlns=\"http://hl7.org/fhir\" value=\"a\"/></Patient>",
    ])
    func unusualFormsAreRead(_ text: String) throws {
        #expect(try FHIRXML.decode(Patient.self, from: Data(text.utf8)).id == "a")
    }

    @Test(arguments: [
        "\u{FEFF}\u{FEFF}\(start)<id value=\"a\"/></Patient>", " <?xml version=\"1.0\"?>\(start)<id value=\"a\"/></Patient>",
        "\(start)<id value=\"a\"/></Patient>\u{0}", "\(start)\u{A0}<id value=\"a\"/></Patient>",
        "\(start)<id value=\"a\"/><![CDATA[x]]></Patient>", "\(start)<id value=\"a\" value=\"a\"/></Patient>",
        "\(start)<id a:x=\"1\" b:x=\"2\" xmlns:a=\"u\" xmlns:b=\"u\" value=\"a\"/></Patient>",
        "\(start)<id q:a=\"1\" value=\"a\"/></Patient>",
        "\(start)<id xmlns:q=\"\" value=\"a\"/></Patient>", "\(start)<id xml:lang=\"de\" value=\"a\"/></Patient>",
        "\(start)<id xml:id=\"x\" value=\"a\"/></Patient>", "\(start)<id xmlns=\"\" value=\"a\"/></Patient>",
        "\(start)<id>a</id></Patient>",
        "\(start)<id value=\"a\"><id value=\"b\"/></id></Patient>", "\(start)<active value=\"1\"/></Patient>",
        "\(start)<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"/etc/passwd\"/></Patient>",
        "\(start)<id value=\"a\"/></Patient>\(start)</Patient>", "\(start)<?xml version=\"1.0\"?><id value=\"a\"/></Patient>",
        "\(start)<id value=\"&#x100000041;\"/></Patient>", "\(start)<id value=\"\u{FFFF}\"/></Patient>",
        "\(start)<id value=\"a\"/>]]></Patient>",
    ])
    func whatIsNotOneDocumentOfFHIRIsRefused(_ text: String) { #expect(code(text) != nil) }

    /// A Bundle that arrives in pieces has the same beginning.
    @Test func aSecondByteOrderMarkIsRefusedInPiecesToo() throws {
        func read(_ marks: String) throws -> Int {
            var rest = Data((marks + "<Bundle xmlns=\"http://hl7.org/fhir\"><entry><resource><Patient/></resource></entry></Bundle>").utf8)
            var count = 0
            _ = try XMLBundleReader(release: .r4).read(
                filling: { memory in
                    let piece = rest.prefix(memory.count)
                    memory.copyBytes(from: piece)
                    rest = Data(rest.dropFirst(piece.count))
                    return piece.count
                }, { _ in count += 1 })
            return count
        }
        #expect(try read("") == read("\u{FEFF}"))
        #expect(throws: FHIRDecodingError.self) { try read("\u{FEFF}\u{FEFF}") }
    }
}
