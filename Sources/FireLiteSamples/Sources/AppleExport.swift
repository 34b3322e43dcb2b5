import FireLiteCrypto
import Foundation

/// Apple's export of a person's health data: `export.xml`, or the zip that contains it. It is read in the memory of a batch, whatever its size.
///
/// The file has no UUIDs: each sample gets one made of its type, times, value and source, so that the next export of the same person adds only
/// what is new. Deletions are not in the file. Records of blood pressures are left out, as their correlations hold them. Clinical records,
/// routes, activity summaries and what is known of the person are skipped and counted.
///
/// `@unchecked Sendable`: the queue guards the reader.
public final class AppleExport: SampleSource, @unchecked Sendable {
    /// The name of all exports.
    public let name = "apple-export"
    /// The file.
    public let path: String
    /// Tells this export from others.
    private let mark: String
    private let queue = DispatchQueue(label: "firelite.samples.export")
    private var reader: ExportReader?
    /// How many samples were taken from the reader, apart from those read ahead.
    private var position = 0
    private var isAtEnd = false
    /// What ended the file early, after samples that were given.
    private var failure: (any Error)?
    /// The next batch, which is read while the last one is stored.
    private var ahead: (result: Result<[Sample], any Error>, limit: Int)?

    /// Opens an export.
    ///
    /// - Parameter path: an `export.xml`, or the zip that contains one.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read; ``SampleError/Code/damaged`` if it is a zip without an `export.xml`.
    public init(path: String) throws {
        self.path = path
        mark = try ExportFile(path: path).mark()
    }

    /// The elements that are no samples, by name, with their numbers so far.
    public var ignored: [String: Int] { queue.sync { reader?.ignored ?? [:] } }

    public func types() async throws -> [SampleType] { [.all] }

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
        if reader == nil || start != position || (ahead.map { $0.limit != limit } ?? false) {
            try open()
            while position < start, try reader?.next() != nil { position += 1 }
        }
        let samples: [Sample]
        if let ahead { samples = try ahead.result.get() } else { samples = try batch(limit) }
        ahead = nil
        position += samples.count
        let isComplete = samples.count < limit && failure == nil
        if !isComplete { queue.async { self.readAhead(limit) } }
        return SampleChanges(
            added: samples, anchor: SampleAnchor(data: Data("\(mark) \(position) \(isComplete ? "end" : "more")".utf8)),
            isComplete: isComplete)
    }

    private func readAhead(_ limit: Int) {
        // Somebody else was quicker, or reads from elsewhere now.
        guard ahead == nil, reader != nil else { return }
        ahead = (Result { try batch(limit) }, limit)
    }

    private func open() throws {
        let file = try ExportFile(path: path)
        reader = ExportReader(ExportScanner(file.read), leavingOut: [.bloodPressureSystolic, .bloodPressureDiastolic])
        position = 0
        ahead = nil
        failure = nil
    }

    private func batch(_ limit: Int) throws -> [Sample] {
        var samples: [Sample] = []
        samples.reserveCapacity(limit)
        if let failure {
            reader = nil
            throw failure
        }
        do {
            while samples.count < limit, let sample = try reader?.next() { samples.append(sample) }
        } catch {
            // What comes before the damage is given first.
            failure = error
            if samples.isEmpty {
                reader = nil
                throw error
            }
        }
        return samples
    }
}
