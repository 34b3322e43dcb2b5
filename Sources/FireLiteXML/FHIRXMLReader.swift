import FireLiteCore
import Foundation

/// Reads many resources of XML one after another; equal strings share memory. Not thread-safe.
public final class FHIRXMLReader {
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

    /// Reads one resource.
    ///
    /// - Throws: `FHIRDecodingError`, or `FHIRXMLError` if the system has no libxml2.
    public func resource(from xml: Data) throws -> FHIRResource {
        try xml.withUnsafeBytes { try resource(from: $0.bindMemory(to: UInt8.self)) }
    }

    /// Reads one resource from bytes in memory.
    ///
    /// - Throws: `FHIRDecodingError`, or `FHIRXMLError` if the system has no libxml2.
    public func resource(from bytes: UnsafeBufferPointer<UInt8>) throws -> FHIRResource {
        let object = try read(bytes, into: nil)
        // Invariant: without an object to read into, the root is of a resource type.
        guard let resource = object as? FHIRResource else { preconditionFailure("a root that is not a resource") }
        return resource
    }

    @discardableResult
    package func read(_ bytes: UnsafeBufferPointer<UInt8>, into object: FHIRObject?) throws -> FHIRObject {
        let reader = XMLReader(
            release: release, isLenient: isLenient, target: object, workspace: workspace.take() ?? JSONWorkspace(sharesStrings: false))
        defer {
            issues = reader.issues
            workspace = reader.takeWorkspace()
        }
        return try reader.read(bytes)
    }
}
