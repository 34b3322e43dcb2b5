import Foundation
import TestSupport

/// The hand-written Markdown pages of the repository, with their paths in the package.
enum RepositoryPages {
    private static let roots = [
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md",
    ]

    /// Folders whose pages count, and whether those of folders within them count too.
    private static let folders = [
        ("Documentation", false), ("Examples", true), ("Benchmarks", true), ("Templates", false), ("Fuzz", false),
    ]

    /// The paths of the pages, in order.
    static func paths() throws -> [String] {
        var paths = roots
        for (folder, isDeep) in folders {
            let url = PackageFolder.url.appendingPathComponent(folder)
            guard FileManager.default.fileExists(atPath: url.path) else { continue }
            let options: FileManager.DirectoryEnumerationOptions =
                isDeep ? [.skipsHiddenFiles] : [.skipsHiddenFiles, .skipsSubdirectoryDescendants]
            let contents = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil, options: options)
            for case let file as URL in contents ?? .init() where file.pathExtension == "md" {
                paths.append(String(file.path.dropFirst(PackageFolder.url.path.count + 1)))
            }
        }
        return paths.sorted()
    }
}
