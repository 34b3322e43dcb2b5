import Foundation

/// Opens files with samples by what is in them.
public enum SampleFile {
    /// A source of the samples in a file: Apple's export, also in a zip, or NDJSON with samples or Open mHealth data points.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``SampleError/Code/file`` if it cannot be read; ``SampleError/Code/damaged`` if it is none of these.
    public static func source(path: String) throws -> any SampleSource {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw SampleError(.file, "\(path) cannot be read") }
        let beginning = try handle.read(upToCount: 64) ?? Data()
        try handle.close()
        let first = beginning.drop { $0 == 0xEF || $0 == 0xBB || $0 == 0xBF || $0 == 32 || $0 == 10 || $0 == 13 }.first
        if first == UInt8(ascii: "{") { return try NDJSONSamples(path: path) }
        return try AppleExport(path: path)
    }
}
