import Foundation

/// Reads many resources one after another; equal strings share memory. Not thread-safe.
public final class FHIRJSONReader {
    /// The release of the resources.
    public let release: FHIRRelease
    /// Whether to read the valid parts of an invalid resource and list the others in `issues`.
    public let isLenient: Bool
    /// The parts of the last resource that lenient reading skipped or corrected.
    public private(set) var issues: [FHIRDecodingError] = []
    private var workspace: JSONWorkspace?

    /// Creates a reader of resources of a release.
    ///
    /// - Parameters:
    ///   - release: the release of the resources.
    ///   - isLenient: whether to skip mistakes instead of throwing at the first one. Default: false.
    public convenience init(release: FHIRRelease, isLenient: Bool = false) {
        self.init(release: release, isLenient: isLenient, isReused: true)
    }

    init(release: FHIRRelease, isLenient: Bool = false, isReused: Bool) {
        self.release = release
        self.isLenient = isLenient
        workspace = JSONWorkspace(sharesStrings: isReused)
    }

    /// Whether its memory has not grown for a large text.
    fileprivate var isSmall: Bool { workspace?.isSmall ?? false }

    /// Reads one resource.
    ///
    /// - Throws: `FHIRDecodingError`.
    public func resource(from json: Data) throws -> FHIRResource {
        try json.withUnsafeBytes { try resource(from: $0.bindMemory(to: UInt8.self)) }
    }

    /// Reads one resource from bytes in memory.
    ///
    /// - Throws: `FHIRDecodingError`.
    public func resource(from bytes: UnsafeBufferPointer<UInt8>) throws -> FHIRResource {
        try read(bytes) { (reader: inout JSONReader) throws(JSONFailure) in try reader.readOnlyResource() }
    }

    package func read(_ bytes: UnsafeBufferPointer<UInt8>, into object: FHIRObject) throws {
        try read(bytes, rootName: object.layout.name) { (reader: inout JSONReader) throws(JSONFailure) in try reader.readOnly(into: object)
        }
    }

    private func read<Value>(
        _ bytes: UnsafeBufferPointer<UInt8>, rootName: String? = nil, _ body: (inout JSONReader) throws(JSONFailure) -> Value
    ) throws -> Value {
        var reader = JSONReader(
            bytes, release: release, isLenient: isLenient, workspace: workspace.take() ?? JSONWorkspace(sharesStrings: false))
        let outcome: Result<Value, JSONFailure>
        do throws(JSONFailure) {
            outcome = .success(try body(&reader))
        } catch {
            outcome = .failure(error)
        }
        let failures = reader.issues
        workspace = reader.finish()
        if !failures.isEmpty || !issues.isEmpty { issues = JSONLocator.errors(failures, in: bytes, release: release, rootName: rootName) }
        switch outcome {
        case .success(let result): return result
        case .failure(let failure):
            throw JSONLocator.errors([failure], in: bytes, release: release, rootName: rootName).first ?? JSONLocator.unlocated(failure)
        }
    }
}

/// Strict readers for calls without one of their own, which would spend as much on its memory as on a small resource.
///
/// They keep texts of 16 to 96 bytes of what they have read, as any reader does: at most 2,048 each.
enum SharedReaders {
    /// So many calls at the same time find one.
    private static let most = 4
    private static let lock = NSLock()
    /// Guarded by `lock`; those of the release used last at the end.
    private nonisolated(unsafe) static var readers: [FHIRJSONReader] = []

    static func with<Value>(_ release: FHIRRelease, _ body: (FHIRJSONReader) throws -> Value) rethrows -> Value {
        let reader = take(release) ?? FHIRJSONReader(release: release)
        defer { if reader.isSmall { give(reader) } }
        return try body(reader)
    }

    private static func take(_ release: FHIRRelease) -> FHIRJSONReader? {
        lock.withLock {
            guard let place = readers.lastIndex(where: { $0.release == release }) else { return nil }
            return readers.remove(at: place)
        }
    }

    private static func give(_ reader: FHIRJSONReader) {
        lock.withLock {
            if readers.count == most { readers.removeFirst() }
            readers.append(reader)
        }
    }
}
