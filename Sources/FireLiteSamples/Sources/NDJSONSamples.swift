import FireLiteCore
import FireLiteCrypto
import Foundation

/// Samples in a file with one JSON object per line: samples in the form of ``Sample/json``, and data points of Open mHealth and IEEE 1752.
///
/// The anchor is a place in the file, so lines that are appended later are new.
public final class NDJSONSamples: SampleSource {
    private static let chunkSize = 1 << 18
    private static let markSize = 256
    /// The longest line. A file without line breaks must not fill the memory.
    private static let longestLine = 16 << 20

    /// The source's name, by the beginning of the file.
    public let name: String
    /// The file.
    public let url: URL
    private var path: String { url.filePath }
    private let skipsDamage: Bool

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - skipsDamage: whether a line that is not a sample is counted and skipped. Default: false; it ends the reading.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read.
    public init(_ url: URL, skipsDamage: Bool = false) throws {
        self.url = url
        self.skipsDamage = skipsDamage
        let handle = try Self.open(url.filePath)
        let beginning = (try handle.read(upToCount: Self.markSize) ?? Data()).prefix { $0 != 10 }
        try handle.close()
        let digest = HashAlgorithm.sha256.digest(of: Data(beginning)).prefix(8)
        name = "ndjson-" + digest.hexText
    }

    private static func open(_ path: String) throws -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw SampleError(.file, "\(path) cannot be read") }
        return handle
    }

    /// All types in one order, the order of the file.
    public func types() async throws -> [SampleType] { [.all] }

    /// The samples after an anchor, in the order of the file.
    public func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
        let parts = (anchor.map { String(decoding: $0.data, as: UTF8.self) } ?? "0 0").split(separator: " ").compactMap { UInt64($0) }
        guard parts.count == 2 else { throw SampleError(.invalidArgument, "the anchor is of another source") }
        var (offset, line) = (parts[0], Int(parts[1]))
        let handle = try Self.open(path)
        // A file that has become shorter is another one: what is known of it is skipped by its content.
        if try handle.seekToEnd() < offset { (offset, line) = (0, 0) }
        try handle.seek(toOffset: offset)
        var samples: [Sample] = []
        var rest: [UInt8] = []
        var isComplete = false
        var rejections = SampleRejections()
        reading: while true {
            let chunk = try handle.read(upToCount: Self.chunkSize) ?? Data()
            rest += chunk
            var start = 0
            while let end = rest[start...].firstIndex(of: 10) ?? (chunk.isEmpty && start < rest.count ? rest.count : nil) {
                line += 1
                do {
                    if let sample = try Self.sample(Array(rest[start..<end]), line: line) { samples.append(sample) }
                } catch let error as SampleError where skipsDamage && error.code == .damaged {
                    rejections.note(error)
                }
                offset += UInt64(min(end + 1, rest.count) - start)
                start = min(end + 1, rest.count)
                if samples.count == limit { break reading }
            }
            rest.removeFirst(start)
            guard rest.count <= Self.longestLine else {
                throw SampleError(.damaged, "a line has more than \(Self.longestLine >> 20) MB", line: line + 1)
            }
            if chunk.isEmpty {
                isComplete = true
                break
            }
        }
        try handle.close()
        var changes = SampleChanges(added: samples, anchor: SampleAnchor(data: Data("\(offset) \(line)".utf8)), isComplete: isComplete)
        changes.rejections = rejections
        return changes
    }

    /// The sample of a line; nil for an empty line.
    private static func sample(_ bytes: [UInt8], line: Int) throws -> Sample? {
        guard bytes.contains(where: { $0 > 32 }) else { return nil }
        let json = try JSONItem.read(bytes, firstLine: line)
        let sample = try json["header"] != nil || json["body"] != nil ? OpenMHealth.sample(json) : Sample(json)
        // The engine rejects it, too, but does not know its line.
        guard sample.isFinite else { throw SampleError(.damaged, Sample.tooLarge, line: json.line) }
        return sample
    }
}
