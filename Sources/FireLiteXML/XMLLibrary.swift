import CFireLiteXML

/// The system's libxml2, loaded when the first XML is read, so that programs do not link it.
///
/// `@unchecked Sendable`: the addresses of functions never change; separate parsers are independent.
package struct XMLLibrary: @unchecked Sendable {
    fileprivate var functions = firelite_xml()

    /// The names of the library on Linux, since its version 2.14 too, and on Apple platforms.
    private static let names = ["libxml2.so.2", "libxml2.so.16", "/usr/lib/libxml2.2.dylib", "libxml2.2.dylib"]
    private static let loaded = load(names)

    /// The system's library.
    ///
    /// - Throws: `FHIRXMLError.missingLibrary`.
    package static func system() throws(FHIRXMLError) -> XMLLibrary { try loaded.get() }

    /// Loads the first library that exists.
    static func load(_ names: [String]) -> Result<XMLLibrary, FHIRXMLError> {
        var library = XMLLibrary()
        for name in names where firelite_xml_load(name, &library.functions) == 1 { return .success(library) }
        return .failure(
            FHIRXMLError(
                .missingLibrary, path: "",
                "XML needs the system's libxml2 (\(names[0])): install it (Debian, Ubuntu: apt-get install libxml2)"))
    }
}

/// A parser that takes a document piece by piece and calls functions with what it finds.
struct PushParser: ~Copyable {
    private let library: XMLLibrary
    private let parser: UnsafeMutableRawPointer
    private let events: firelite_xml_events
    private let context: UnsafeMutableRawPointer
    private let tags: UnsafeMutablePointer<State>

    /// What is known of the tags so far.
    private struct State {
        var counts = firelite_xml_tags()
        var isRefused = false
    }

    /// The maximum number of attributes of an element, declarations of namespaces included. Those of FHIR have three at most, and other formats some
    /// tens; libxml2 compares each attribute with all before it.
    static let mostAttributes = 1_000

    /// - Parameter context: the first argument of the events' functions. It must live longer than the parser.
    /// - Throws: `FHIRXMLError.outOfMemory`.
    init(_ library: XMLLibrary, _ events: firelite_xml_events, context: UnsafeMutableRawPointer) throws(FHIRXMLError) {
        let parser = withUnsafePointer(to: library.functions) { functions in
            withUnsafePointer(to: events) { firelite_xml_begin(functions, $0, context) }
        }
        guard let parser else {
            throw FHIRXMLError(.outOfMemory, path: "", "there is no memory for a parser of XML: try again later, or close something")
        }
        self.library = library
        self.parser = parser
        self.events = events
        self.context = context
        tags = .allocate(capacity: 1)
        tags.initialize(to: State())
    }

    deinit {
        library.functions.release(parser)
        tags.deallocate()
    }

    /// Parses the next bytes; less than 2 GB of them. An element with too many attributes is an error of the document, and nothing after its
    /// beginning is parsed.
    func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !tags.pointee.isRefused, let start = bytes.baseAddress else { return }
        let count = firelite_xml_count(&tags.pointee.counts, start, bytes.count, UInt32(Self.mostAttributes))
        tags.pointee.isRefused = count < bytes.count
        // One byte of a refused tag shows the parser that the text before it ends, so that its line is that of the tag.
        let parsed = count + (tags.pointee.isRefused ? 1 : 0)
        UnsafeBufferPointer(rebasing: bytes[..<parsed]).withMemoryRebound(to: CChar.self) {
            _ = library.functions.parse(parser, $0.baseAddress, Int32($0.count), 0)
        }
        guard tags.pointee.isRefused else { return }
        var error = firelite_xml_error(domain: 0, code: XMLFault.manyAttributes, message: nil, level: XMLErrorLevel.fatal)
        events.error?(context, &error)
    }

    /// Parses what is left after the last bytes.
    func finish() { if !tags.pointee.isRefused { _ = library.functions.parse(parser, nil, 0, 1) } }

    /// Ends parsing: no event follows.
    func stop() { library.functions.stop(parser) }

    /// The line that the parser has reached, from 1.
    var line: Int { max(1, Int(library.functions.line(parser))) }

    /// The number of bytes that were parsed. In the event of a tag they end in it or after it.
    var offset: Int { max(0, library.functions.offset(parser)) }
}

/// The levels of libxml2's errors.
enum XMLErrorLevel {
    static let warning: Int32 = 1
    static let fatal: Int32 = 3
}
