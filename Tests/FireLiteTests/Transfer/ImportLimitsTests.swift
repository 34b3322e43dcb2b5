import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// What never ends is not read for ever: a line, a resource, and the text around the entries of a Bundle have limits.
@Suite(.soundStores) struct ImportLimitsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func options(_ onFault: ImportOptions.FaultHandling = .stop, resource: Int = 1 << 20) -> ImportOptions {
        var options = ImportOptions()
        options.onFault = onFault
        options.limits.resource = resource
        options.limits.skippedLine = 8 << 20
        return options
    }

    // MARK: - Zeros

    @Test(arguments: [false, true]) func zerosWithoutEndAreRefused(_ isNDJSON: Bool) throws {
        let store = try freshStore()
        var url = URL(fileURLWithPath: "/dev/zero")
        if isNDJSON {
            url = URL(fileURLWithPath: folder.file("zeros.ndjson"))
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: URL(fileURLWithPath: "/dev/zero"))
        }
        #expect {
            try store.importResources(from: url, options: options())
        } throws: { error in
            (error as? ImportFault).map { $0.line == 1 && $0.reason == "longer than 1 MB, the limit of one resource" } ?? false
        }
        #expect(try store.counts().isEmpty)
    }

    @Test func aLineWithoutEndThatIsSkippedEndsTheImport() throws {
        let store = try freshStore()
        let url = URL(fileURLWithPath: folder.file("zeros.ndjson"))
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: URL(fileURLWithPath: "/dev/zero"))
        #expect {
            try store.importResources(from: url, options: options(.skip))
        } throws: { error in
            (error as? TransferError)?.code == .endlessLine
        }
        // A document has no lines to skip to.
        let result = try store.importResources(from: URL(fileURLWithPath: "/dev/zero"), options: options(.skip))
        #expect(result.counts == ImportCounts(rejected: 1))
    }

    @Test func aSequenceWithoutEndIsRefused() async throws {
        struct Zeros: AsyncSequence, AsyncIteratorProtocol {
            func makeAsyncIterator() -> Zeros { self }
            mutating func next() async -> Data? { Data(count: 1 << 16) }
        }
        let store = try freshStore()
        await #expect(throws: ImportFault.self) { try await store.importResources(from: Zeros(), options: options()) }
        await #expect(throws: TransferError.self) { try await store.importResources(from: Zeros(), options: options(.skip)) }
    }

    // MARK: - Documents

    /// Beginnings after which the last letter repeats without end.
    static let endless = [
        #"{"resourceType":"Patient","language":"a"#, #"{"resourceType":"Patient","#, #"["a"#, #"[1"#, "[ ",
        #"[{"resourceType":"Patient","id":"a"#,
        #"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"1"}}],"id":"a"#,
        #"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"1"}}, "#,
        #"{"resourceType":"Bundle","entry":[{"fullUrl":"a"#, #"{"a"#, "{ ", "\n{\"resourceType\":\n ",
    ]

    @Test(arguments: endless, [true, false]) func aDocumentWithoutEndIsRefused(_ beginning: String, stops: Bool) throws {
        var sockets: [Int32] = [0, 0]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &sockets) == 0)
        let writer = sockets[1]
        let thread = Thread {
            let start = Array(beginning.utf8)
            var piece = start
            while Self.send(piece, to: writer) { piece = Array(repeating: start[start.count - 1], count: 1 << 16) }
            close(writer)
        }
        thread.start()
        // Ends the writing.
        defer { close(sockets[0]) }
        let store = try freshStore()
        let content = try options(stops ? .stop : .skip).content(.r4)
        var importer = Importer(store: store, options: content)
        if stops {
            #expect(throws: ImportFault.self) { try importer.run(.standardInput(sockets[0])) }
        } else {
            try importer.run(.standardInput(sockets[0]))
        }
        #expect(importer.counts.rejected == 1)
    }

    // Which of them it is depends on the system's headers.
    private static func number(_ flag: some BinaryInteger) -> Int32 { Int32(flag) }
    private static func number<Flag: RawRepresentable>(_ flag: Flag) -> Int32 where Flag.RawValue: BinaryInteger { Int32(flag.rawValue) }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        #if canImport(Glibc)
            let flags = number(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, flags) }
            if sent <= 0 { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    // MARK: - What is within the limits

    /// Entries and elements of lists have the limit each, not together; nor has the space between them.
    @Test func aBundleMayBeLongerThanAResource() throws {
        let space = String(repeating: " ", count: 60)
        for document in ["{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"entry\":[", "["] {
            let isBundle = document != "["
            let resources = (1...200).map { TransferSamples.patient("p\($0)") }
            let entries = resources.map { isBundle ? "{\"resource\":\($0)}" : $0 }.joined(separator: ",\n" + space)
            let url = URL(fileURLWithPath: try folder.write("all.json", document + entries + (isBundle ? "]}" : "]")))
            let store = try freshStore()
            var options = options(resource: 200)
            options.limits.chunk = 64
            #expect(try store.importResources(from: url, options: options).counts.added == 200)
            options.limits.resource = 40
            #expect(throws: ImportFault.self) { try freshStore().importResources(from: url, options: options) }
        }
    }

    /// What comes through a pipe is read as what is in a file, in pieces of any size: documents, lines, and documents that turn out to be lines.
    @Test(arguments: ["one", "pretty", "bundle", "lines", "longFirst", "broken"]) func aPipeIsReadAsAFile(_ form: String) throws {
        let long = #"{"resourceType":"Patient","id":"long","name":[{"text":""# + String(repeating: "x", count: 500) + #""}]}"#
        let bundle = #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":"# + TransferSamples.patient("b") + "}]}"
        let text =
            switch form {
            case "one": TransferSamples.patient("a")
            case "pretty": TransferSamples.patient("a").replacingOccurrences(of: ",", with: ",\n  ")
            case "bundle": bundle.replacingOccurrences(of: ",", with: ",\n")
            case "lines": TransferSamples.lines(1...40)
            case "longFirst": long + "\n" + TransferSamples.lines(1...40)
            default: String(TransferSamples.patient("a").replacingOccurrences(of: ",", with: ",\n  ").dropLast(2))
            }
        let url = URL(fileURLWithPath: try folder.write("content", text))
        for chunk in [1, 7, 100, 10_000] {
            var options = options(.skip)
            options.limits.chunk = chunk
            options.limits.peek = 64
            let file = try freshStore()
            let pipe = try freshStore()
            let expected = try file.importResources(from: url, options: options).counts
            let ends = Pipe()
            let bytes = Data(text.utf8)
            let thread = Thread {
                ends.fileHandleForWriting.write(bytes)
                do { try ends.fileHandleForWriting.close() } catch {}
            }
            thread.start()
            var importer = Importer(store: pipe, options: try options.content(.r4))
            try importer.run(.standardInput(ends.fileHandleForReading.fileDescriptor))
            #expect(importer.counts == expected, "pieces of \(chunk) bytes")
            #expect(try pipe.contents() == file.contents())
            #expect(try expected.stored == (form == "broken" ? 0 : file.storedPatients()))
        }
    }

    @Test(arguments: [0, -1, Int(Int32.max) + 1]) func limitsThatMakeNoSenseAreRefused(_ limit: Int) throws {
        let store = try freshStore()
        let url = URL(fileURLWithPath: try folder.write("a.ndjson", TransferSamples.lines(1...2)))
        #expect {
            try store.importResources(from: url, options: options(resource: limit))
        } throws: { error in
            (error as? TransferError)?.code == .invalidOption
        }
    }
}
