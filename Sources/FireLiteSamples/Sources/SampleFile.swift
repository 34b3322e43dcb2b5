import Foundation

/// Opens files with samples, whose content determines the form.
public enum SampleFile {
    private static let beginningSize = 4_096
    private static let root = Data("<HealthData".utf8)
    private static let documentType = Data("<!DOCTYPE HealthData".utf8)

    /// A source of the samples in a file: Apple's export, also in a zip, or NDJSON with samples or Open mHealth data points.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - skipsDamage: whether a record that is not a sample is counted in ``SampleChanges/rejections`` and skipped. Default: false; it
    ///     ends the reading.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read; ``SampleError/Code/damaged`` if it is none of these.
    public static func source(_ url: URL, skipsDamage: Bool = false) throws -> any SampleSource {
        let first = try beginning(url.filePath).drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0 == 32 || $0 == 10 || $0 == 13 }.first
        if first == UInt8(ascii: "{") { return try NDJSONSamples(url, skipsDamage: skipsDamage) }
        return try AppleExport(url, skipsDamage: skipsDamage)
    }

    /// The sources of the samples in a file, or in a folder and those within it: the exports of Apple that it contains, and files that end in
    /// `.ndjson`, `.jsonl` and `.zip`, by name.
    ///
    /// - Parameters:
    ///   - url: the file or folder.
    ///   - skipsDamage: whether records that are not samples are skipped. Default: false; they end the reading.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read, or if a folder has no such file; ``SampleError/Code/damaged`` for a file that
    ///   is none of these.
    public static func sources(_ url: URL, skipsDamage: Bool = false) throws -> [(url: URL, source: any SampleSource)] {
        let path = url.filePath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw SampleError(.file, "\(path) cannot be read")
        }
        guard isFolder.boolValue else { return [(url, try source(url, skipsDamage: skipsDamage))] }
        guard let names = FileManager.default.enumerator(atPath: path) else { throw SampleError(.file, "\(path) cannot be read") }
        let files = names.compactMap { $0 as? String }.sorted().map { (path as NSString).appendingPathComponent($0) }
        let sources = try files.filter(isSamples).map { URL(fileURLWithPath: $0) }.map {
            (url: $0, source: try source($0, skipsDamage: skipsDamage))
        }
        guard !sources.isEmpty else {
            throw SampleError(.file, "\(path) has no file with samples: an export.xml, the zip with it, .ndjson or .jsonl")
        }
        return sources
    }

    /// Whether a file in a folder is one with samples.
    private static func isSamples(_ path: String) throws -> Bool {
        let name = (path as NSString).lastPathComponent
        guard !name.hasPrefix("."), isRegular(path) else { return false }
        switch (name as NSString).pathExtension.lowercased() {
        case "ndjson", "jsonl", "zip": return true
        // The name of Apple's export is in the language of the phone, and other files of the export are XML too.
        case "xml":
            let beginning = try beginning(path)
            return beginning.range(of: root) != nil || beginning.range(of: documentType) != nil
        default: return false
        }
    }

    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func beginning(_ path: String) throws -> Data {
        // A device never ends.
        guard isRegular(path), let handle = FileHandle(forReadingAtPath: path) else { throw SampleError(.file, "\(path) cannot be read") }
        let bytes = try handle.read(upToCount: beginningSize) ?? Data()
        try handle.close()
        return bytes
    }
}
