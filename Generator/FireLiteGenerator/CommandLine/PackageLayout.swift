import Foundation

/// The folders and files of the package.
struct PackageLayout {
    /// Folder of the package, `.` or a path upwards.
    let root: String

    static let digestExtension = ".digest"

    /// The package that contains a folder: the folder itself or the nearest one above it with a `Package.swift` and `Templates`.
    ///
    /// - Throws: `GeneratorError` if there is none.
    static func find(from folder: String) throws -> PackageLayout {
        var candidate = URL(fileURLWithPath: folder).standardizedFileURL
        var relative = "."
        while true {
            let hasManifest = FileManager.default.fileExists(atPath: candidate.appendingPathComponent("Package.swift").path)
            let hasTemplates = FileManager.default.fileExists(atPath: candidate.appendingPathComponent("Templates").path)
            if hasManifest, hasTemplates {
                if relative == "." { return PackageLayout(root: folder) }
                return PackageLayout(root: folder == "." ? relative : folder + "/" + relative)
            }
            let parent = candidate.deletingLastPathComponent().standardizedFileURL
            guard parent.path != candidate.path, candidate.path != "/" else {
                throw GeneratorError("run this inside the package: no Package.swift and Templates from here upwards")
            }
            candidate = parent
            relative = relative == "." ? ".." : relative + "/.."
        }
    }

    var templates: String { path("Templates") }

    var definitions: String { path("Generator/Definitions") }

    func digest(of release: String) -> String { path("Generator/Definitions/\(release)\(Self.digestExtension)") }

    func output(for release: String) -> String { path("Sources/FireLite\(release)/Generated") }

    /// The folder with the aliases of a release's classes; nil if the package has no module for them.
    func aliases(of release: String) -> String? {
        let module = path("Sources/FireLite\(release)Names")
        return FileManager.default.fileExists(atPath: module) ? module + "/Generated" : nil
    }

    /// The folder with the layouts of all releases, for programs without their classes.
    var bundledLayouts: String { path("Sources/FireLiteReleases/Generated") }

    /// The folder with the search parameters of all releases.
    var searchParameters: String { path("Sources/FireLiteSearch/Generated") }

    /// The folder with the constraints of the releases that have them in FHIRPath.
    var constraints: String { path("Sources/FireLiteFHIRPath/Generated") }

    /// The folder with the bindings of all releases.
    var knowledge: String { path("Sources/FireLiteKnowledge/Generated") }

    /// Names of the releases with a digest, in order.
    ///
    /// - Throws: `GeneratorError` if the folder is there and cannot be read.
    func releases() throws -> [String] {
        guard FileManager.default.fileExists(atPath: definitions) else { return [] }
        return try FileTree.names(in: definitions).filter { $0.hasSuffix(Self.digestExtension) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(Self.digestExtension.count)) }.sorted()
    }

    private func path(_ relative: String) -> String {
        root == "." || root.isEmpty ? relative : root + "/" + relative
    }
}
