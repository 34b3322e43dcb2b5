import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLite

/// Imports through the API.
@Suite(.soundStores) struct ResourceImportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func url(_ name: String, _ text: String) throws -> URL { URL(fileURLWithPath: try folder.write(name, text)) }

    /// Several lines at most are read, handed over and written at once.
    private func smallPieces(_ chunk: Int = 200) -> ImportOptions {
        var options = ImportOptions()
        options.limits.chunk = chunk
        options.limits.peek = 64
        return options
    }

    // MARK: - Folders

    @Test func aFileWhoseNameIsNotUTF8IsNotLeftOutInSilence() throws {
        let place = folder.file("names")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let text = #"{"resourceType":"Patient","id":"1"}"#
        for name in [[UInt8]("b\u{fc}.ndjson".utf8), Array("photo".utf8) + [0xFF] + Array(".jpg".utf8)] {
            try write(text, to: Array((place + "/").utf8) + name)
        }
        let result = try freshStore().importResources(from: URL(fileURLWithPath: place))
        #expect(result.counts.added == 1)
        try write(text, to: Array((place + "/bad").utf8) + [0xFF] + Array(".ndjson.gz".utf8))
        let error = #expect(throws: TransferError.self) { try freshStore().importResources(from: URL(fileURLWithPath: place)) }
        #expect(error?.message == "\(place): the name of the file 'bad\u{fffd}.ndjson.gz' is not UTF-8: rename it")
    }

    /// Writes a file whose name need not be text. Some file systems refuse such names, and then there is nothing to test.
    private func write(_ text: String, to path: [UInt8]) throws {
        let name = (path + [0]).map { CChar(bitPattern: $0) }
        let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
    }

    // MARK: - Forms

    @Test func formsAndFilesGiveTheSameStore() throws {
        try withEvery(0..<12) { seed in
            let resources = TransferSamples.resources(seed: seed, 24)
            let plain = try freshStore()
            let whole = try url("whole-\(seed).ndjson", resources.joined(separator: "\n"))
            let counts = try plain.importResources(from: whole).counts
            #expect(counts.added == 24 && counts.stored == 24, "seed \(seed)")

            var random = SeededGenerator(seed: seed)
            let place = "in-\(seed)"
            try FileManager.default.createDirectory(atPath: folder.file(place + "/sub"), withIntermediateDirectories: true)
            var rest = resources[...]
            var number = 0
            while !rest.isEmpty {
                let part = Array(rest.prefix(random.int(1...6)))
                rest = rest.dropFirst(part.count)
                number += 1
                try write(part, to: "\(place)/\(random.percent(30) ? "sub/" : "")\(number)", &random)
            }
            let store = try freshStore()
            let result = try store.importResources(
                from: URL(fileURLWithPath: folder.file(place)), options: smallPieces(random.int(1...5_000)))
            #expect(result.counts == counts && result.rejects.isEmpty, "seed \(seed)")
            #expect(try store.contents() == plain.contents(), "seed \(seed)")
        }
    }

    /// Writes resources as one file of a random form.
    private func write(_ resources: [String], to name: String, _ random: inout SeededGenerator) throws {
        let (ending, text): (String, String) =
            switch random.int(0...3) {
            case 0: (".ndjson", resources.joined(separator: random.percent(50) ? "\n" : "\r\n"))
            case 1: (".json", "[" + resources.joined(separator: ",\n") + "]")
            case 2:
                (
                    ".json",
                    #"{"resourceType":"Bundle","type":"collection","entry":["#
                        + resources.map { #"{"resource":\#($0)}"# }.joined(separator: ", ") + "]}"
                )
            default: (".json", resources.joined(separator: "\n"))
            }
        let data = Data((random.percent(20) ? "\u{FEFF}" : "").utf8) + Data(text.utf8)
        if random.percent(40) {
            try folder.write(name + ending + ".gz", TransferSamples.gzip(data))
        } else {
            try folder.write(name + ending, data)
        }
    }

    @Test func aBundleCanStayWhole() throws {
        let store = try freshStore()
        let bundle = #"{"resourceType":"Bundle","id":"b","type":"collection","entry":[{"resource":\#(TransferSamples.patient("1"))}]}"#
        var options = ImportOptions()
        options.keepsBundles = true
        #expect(try store.importResources(from: url("b.json", bundle), options: options).counts == ImportCounts(added: 1))
        #expect(try store.contents() == [bundle])
    }

    @Test func correctedDatesAreNoted() throws {
        let store = try freshStore()
        let notes = Shared<[String]>([])
        var options = ImportOptions()
        options.correctsDates = true
        options.timeOffset = "+01:00"
        options.onNote = { note in notes.change { $0.append(note) } }
        let file = try url("a.ndjson", #"{"resourceType":"Patient","id":"1","deceasedDateTime":"2020-01-05 9:30"}"#)
        try store.importResources(from: file, options: options)
        #expect(try store.contents() == [#"{"resourceType":"Patient","id":"1","deceasedDateTime":"2020-01-05T09:30:00+01:00"}"#])
        #expect(notes.value.count == 1 && notes.value[0].hasSuffix("Patient.deceasedDateTime: not in FHIR's format, corrected"))
        options.timeOffset = "1 o'clock"
        #expect(throws: TransferError.self) { try store.importResources(from: file, options: options) }
    }

    // MARK: - Rejects

    private var mixed: String {
        TransferSamples.patient("1") + "\n{\"resourceType\":\"Patient\",\"id\":\"2\",\"birthDate\":\"SECRET\"}\n"
            + TransferSamples.patient("3") + "\nno JSON SECRET\n" + TransferSamples.patient("5") + "\n"
    }

    @Test func rejectsNameTheirPlacesAndNoValues() throws {
        let store = try freshStore()
        let texts = Shared<[String]>([])
        var options = smallPieces()
        options.onFault = .skip
        options.listedRejects = 1
        options.onReject = { fault, text in texts.change { $0.append("\(fault.line):\(text)") } }
        let file = try url("mixed.ndjson", mixed)
        let result = try store.importResources(from: file, options: options)
        #expect(result.counts == ImportCounts(added: 3, rejected: 2))
        let fault = try #require(result.rejects.first)
        #expect(result.rejects.count == 1 && fault.file == file.path && fault.line == 2 && fault.column == 48)
        #expect(fault.reason.hasPrefix("column 48, Patient.birthDate: expected") && !fault.description.contains("SECRET"))
        #expect(texts.value == [#"2:{"resourceType":"Patient","id":"2","birthDate":"SECRET"}"#, "4:no JSON SECRET"])
    }

    @Test func theFirstFaultEndsTheImportAndFinishedFilesStay() throws {
        let store = try freshStore()
        let files = [try url("a.ndjson", TransferSamples.lines(10...12)), try url("b.ndjson", mixed)]
        let fault = #expect(throws: ImportFault.self) { try store.importResources(from: files) }
        #expect(fault?.file == files[1].path && fault?.line == 2)
        #expect(try store.count(Patient.self) == 3)
    }

    @Test func anErrorOfTheCallbackEndsTheImport() throws {
        struct Full: Error {}
        let store = try freshStore()
        var options = ImportOptions()
        options.onFault = .skip
        options.onReject = { _, _ in throw Full() }
        #expect(throws: Full.self) { try store.importResources(from: url("mixed.ndjson", mixed), options: options) }
        #expect(try store.count(Patient.self) == 0)
    }

    // MARK: - Storing

    @Test func importingAgainChangesNothing() throws {
        let store = try freshStore()
        let file = try url("a.ndjson", TransferSamples.lines(1...50))
        #expect(try store.importResources(from: file).counts == ImportCounts(added: 50))
        #expect(try store.importResources(from: file).counts == ImportCounts(unchanged: 50))
    }

    @Test func olderResourcesCanBeSkipped() throws {
        let store = try freshStore()
        func version(_ number: Int) -> String { #"{"resourceType":"Patient","id":"1","meta":{"versionId":"\#(number)"}}"# }
        try store.importResources(from: url("new.ndjson", version(2)))
        var options = ImportOptions()
        options.policy = .keepNewer
        let result = try store.importResources(from: url("old.ndjson", version(1)), options: options)
        #expect(result.counts.skipped == 1 && result.counts.stored == 0)
        #expect(try store.contents() == [version(2)])
    }

    @Test func anImportFromAServerIsNotAmongLocalChanges() throws {
        let store = try freshStore()
        try store.track(.changes)
        let start = try store.newestChange()
        var options = ImportOptions()
        options.origin = .server
        try store.importResources(from: url("a.ndjson", TransferSamples.patient("1")), options: options)
        #expect(try store.changes(since: start).isEmpty)
        try store.importResources(from: url("b.ndjson", TransferSamples.patient("2")))
        #expect(try store.changes(since: start).map(\.resourceID) == ["2"])
    }

    @Test func progressEndsWithEverything() throws {
        let store = try freshStore()
        let text = TransferSamples.lines(1...100)
        let last = Shared(StoreProgress(.importing, 0, of: text.utf8.count, .bytes, resources: 0, committed: 0))
        var options = smallPieces()
        options.transactions = .batches(10)
        try store.importResources(from: url("a.ndjson", text), options: options) { progress in
            let before = last.value
            let (resources, committed) = (try #require(progress.resources), try #require(progress.committed))
            #expect(progress.completed >= before.completed && progress.bytes == progress.completed)
            #expect(resources >= before.resources ?? 0 && committed >= before.committed ?? 0 && committed <= resources)
            last.change { $0 = progress }
        }
        let end = last.value
        #expect(end.phase == .importing && end.unit == .bytes && end.completed == text.utf8.count && end.total == text.utf8.count)
        #expect(end.resources == 100 && end.committed == 100 && end.fraction == 1)
    }

    // MARK: - Gzip

    @Test func aMissingZlibIsNamedWithItsRemedy() throws {
        let store = try freshStore()
        var options = ImportOptions()
        options.zlib = { try Zlib.load(["no-such-library.so"]).get() }
        let path = try folder.write("a.ndjson.gz", TransferSamples.gzip(Data(TransferSamples.lines(1...2).utf8)))
        let error = #expect(throws: TransferError.self) {
            try store.importResources(from: URL(fileURLWithPath: path), options: options)
        }
        #expect(error?.code == .missingZlib)
        #expect(error?.message.hasPrefix("\(path): ") == true && error?.message.contains("apt-get install zlib1g") == true)
        let plain = try store.importResources(from: url("a.ndjson", TransferSamples.lines(1...2)), options: options)
        #expect(plain.counts == ImportCounts(added: 2))
    }

    @Test func damagedGzipIsNamed() throws {
        let store = try freshStore()
        var data = TransferSamples.gzip(Data(TransferSamples.lines(1...2).utf8))
        data[data.count - 6] ^= 1
        let path = try folder.write("a.ndjson.gz", data)
        let error = #expect(throws: TransferError.self) { try store.importResources(from: URL(fileURLWithPath: path)) }
        #expect(error?.code == .damaged)
        #expect(try store.count(Patient.self) == 0)
    }
}
