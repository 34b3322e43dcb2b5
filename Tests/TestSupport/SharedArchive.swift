import Foundation

/// An archive of data beside the package, in `../shared/data`, which is not part of it: without it, tests that need it are skipped.
public struct SharedArchive: Sendable {
    /// The archive's file.
    public let url: URL

    /// The archive with this name; nil if it is not there.
    public init?(_ name: String) {
        url = PackageFolder.url.deletingLastPathComponent().appendingPathComponent("shared/data/\(name)")
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    }

    /// Suites of tests by others: HL7's for FHIRPath and SQL on FHIR, Project Wycheproof's for cryptography.
    public static var suites: SharedArchive? { SharedArchive("suites.tar.xz") }

    /// Unpacks it into a folder.
    public func unpack(into folder: String) throws { _ = try tar(["-xf", url.path, "-C", folder]) }

    /// The content of a file in it.
    public func content(of file: String) throws -> Data { try tar(["-xOf", url.path, file]) }

    /// - Returns: what it writes.
    private func tar(_ arguments: [String]) throws -> Data {
        let tar = Process()
        let output = Pipe()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar"] + arguments
        tar.standardOutput = output
        try tar.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        tar.waitUntilExit()
        guard tar.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
        return data
    }

    /// The files below a folder, in the order of their names.
    public static func files(in folder: String, where isWanted: (String) -> Bool) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter(isWanted).sorted().map { "\(folder)/\($0)" }
    }
}
