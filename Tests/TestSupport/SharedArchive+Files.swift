import Foundation

extension SharedArchive {
    /// HL7's examples of a release, by its short name.
    public static func examples(of release: String) -> SharedArchive? { SharedArchive("examples-\(release).tar.xz") }

    /// Unpacks the archive into a temporary folder, and calls `body` with the files that end with `ending`, in the order of their paths.
    public func withFiles<Value>(ending: String = ".json", _ body: ([URL]) throws -> Value) throws -> Value {
        let folder = try TemporaryFolder()
        try unpack(into: folder.path)
        return try body(Self.files(in: folder.path) { $0.hasSuffix(ending) }.map { URL(fileURLWithPath: $0) })
    }

    /// Unpacks the archive into a temporary folder, and calls `body` with the folder.
    public func unpacked<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = try TemporaryFolder()
        try unpack(into: folder.path)
        let value = try await body(URL(fileURLWithPath: folder.path))
        withExtendedLifetime(folder) {}
        return value
    }
}
