import FireLiteCrypto
import FireLiteXML
import Foundation

/// Apple's export of a person's health data: `export.xml`, or the zip that contains it. Memory holds one batch, whatever the size of the
/// file.
///
/// The file has no UUIDs: each sample gets one made of its type, times, value and source, so that the next export of the same person adds
/// only what is new. Deletions are not in the file. Records of blood pressures are left out, as their correlations hold them. Clinical
/// records, routes, activity summaries and the person's characteristics are skipped and counted.
///
/// `@unchecked Sendable`: the queue guards the reader.
public final class AppleExport: SampleSource, @unchecked Sendable {
    /// The name of all exports.
    public let name = "apple-export"
    /// The file.
    public let url: URL
    private var path: String { url.filePath }
    private let skipsDamage: Bool
    /// Tells this export from others.
    private let mark: String
    private let queue = DispatchQueue(label: "firelite.samples.export")
    /// The samples that are read ahead.
    private var reader: ExportQueue?
    /// How many samples were taken from the reader.
    private var position = 0

    private static let skipSize = 5_000

    /// Opens an export.
    ///
    /// - Parameters:
    ///   - url: an `export.xml`, or the zip that contains one.
    ///   - skipsDamage: whether a record that is not a sample, such as one without a time, is counted and skipped. Default: false; it ends
    ///     the reading, as malformed XML always does.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read; ``SampleError/Code/damaged`` if it is a zip without an `export.xml`;
    ///   `FHIRXMLError` if the system has no libxml2.
    public init(_ url: URL, skipsDamage: Bool = false) throws {
        _ = try XMLLibrary.system()
        self.url = url
        self.skipsDamage = skipsDamage
        mark = try ExportFile(path: url.filePath).mark()
    }

    deinit { reader?.cancel() }

    /// The number of elements so far that are not samples, by name.
    public var ignored: [String: Int] { queue.sync { reader?.ignored ?? [:] } }

    /// All types in one order, the order of the file.
    public func types() async throws -> [SampleType] { [.all] }

    /// The samples after an anchor, in the order of the file.
    public func changes(of type: SampleType, after anchor: SampleAnchor?, limit: Int) async throws -> SampleChanges {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read(after: anchor, limit: limit) }) }
        }
    }

    /// Runs on the queue.
    private func read(after anchor: SampleAnchor?, limit: Int) throws -> SampleChanges {
        var start = 0
        if let parts = anchor.map({ String(decoding: $0.data, as: UTF8.self).split(separator: " ") }), parts.count == 3, parts[0] == mark {
            start = Int(parts[1]) ?? 0
            if parts[2] == "end" { return SampleChanges(added: [], anchor: anchor, isComplete: true) }
        }
        let reader = try reading(from: start)
        do {
            let (samples, isComplete) = try reader.take(limit)
            position += samples.count
            var changes = SampleChanges(
                added: samples, anchor: SampleAnchor(data: Data("\(mark) \(position) \(isComplete ? "end" : "more")".utf8)),
                isComplete: isComplete)
            changes.rejections = reader.takeRejections()
            return changes
        } catch {
            self.reader = nil
            throw error
        }
    }

    /// The reader at a place of the file.
    private func reading(from start: Int) throws -> ExportQueue {
        if let reader, start == position { return reader }
        reader?.cancel()
        let new = ExportReader.start(
            try ExportFile(path: path), name: path, leavingOut: [.bloodPressureSystolic, .bloodPressureDiastolic],
            skipsDamage: skipsDamage)
        reader = new
        position = 0
        while position < start {
            let skipped = try new.take(min(start - position, Self.skipSize)).samples.count
            if skipped == 0 { break }
            position += skipped
        }
        return new
    }
}
