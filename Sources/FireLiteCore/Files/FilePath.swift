import Foundation

extension URL {
    /// The path of a file's URL. An address of another kind is a mistake of the caller.
    package var filePath: String {
        misuse(unless: isFileURL, "a URL with the scheme \(scheme ?? "none") is no file: make it with URL(fileURLWithPath:)")
        return path
    }
}
