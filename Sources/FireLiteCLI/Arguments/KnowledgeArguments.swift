import FireLite
import FireLiteCrypto
import FireLiteKnowledge
import FireLiteReleases
import Foundation

/// The definitions that a command gets by its options.
struct KnowledgeArguments {
    static let options: [OptionDefinition] = [
        .option(
            "package", "FILE|NAME", kind: .file, isRepeatable: true,
            "a FHIR package: an archive (.tgz), a folder, or NAME#VERSION of the cache"),
        .option("package-cache", "FOLDER", kind: .folder, "where NAME#VERSION and dependencies are, such as ~/.fhir/packages"),
        .option(
            "knowledge", "FILE", kind: .database,
            "a file of packages and code systems, made by `firelite package` and `firelite codes`"),
        .option("supporting", "FILE", kind: .file, isRepeatable: true, "a definition, or another resource that references lead to"),
    ]

    private let packages: [String]
    private let cache: PackageCache?
    private let file: String?
    private let supporting: [String]

    init(_ arguments: ParsedArguments) {
        packages = arguments.all("package")
        cache = arguments["package-cache"].map { PackageCache(folder: $0) }
        file = arguments["knowledge"]
        supporting = arguments.all("supporting")
    }

    /// The definitions of a release with those that the options name.
    ///
    /// - Parameter store: a store whose packages count, too.
    /// - Throws: `ToolError` with status 3 for a file that cannot be used.
    func knowledge(_ release: FHIRRelease, _ store: FHIRStore? = nil) throws -> Knowledge {
        let knowledge = Knowledge(release: release)
        knowledge.useReleases { FHIRRelease.bundled($0) }
        do {
            if let store { try knowledge.addPackages(of: store) }
            if let file { try knowledge.addKnowledge(at: file) }
            for package in packages {
                if let cache, !FileManager.default.fileExists(atPath: package) {
                    try knowledge.addPackage(package, from: cache)
                } else {
                    try knowledge.addPackage(at: package)
                }
            }
        } catch let error as any FireLiteError {
            throw ToolError.failed(error)
        }
        for path in supporting { try Self.add(path, to: knowledge) }
        return knowledge
    }

    /// A validator, and the canonical URLs of the profiles that are named by URL or file.
    func validator(
        _ release: FHIRRelease, _ store: FHIRStore? = nil, profiles: [String], options: ValidationOptions
    ) throws -> (validator: FHIRValidator, profiles: [String]) {
        let knowledge = try knowledge(release, store)
        var urls: [String] = []
        for profile in profiles {
            guard FileManager.default.fileExists(atPath: profile) else {
                urls.append(profile)
                continue
            }
            guard let url = try Self.add(profile, to: knowledge) else {
                throw ToolError.failed("\(profile): it is no profile, as it has no canonical URL")
            }
            urls.append(url)
        }
        for url in urls {
            guard try knowledge.knowsProfile(url) else {
                throw ToolError.failed("the profile \(url) is not known: give the package that defines it with --package")
            }
        }
        var validator = FHIRValidator(knowledge: knowledge, options: options)
        validator.sha1 = { HashAlgorithm.sha1.digest(of: $0) }
        return (validator, urls)
    }

    @discardableResult
    private static func add(_ path: String, to knowledge: Knowledge) throws -> String? {
        do {
            return try knowledge.add(try FileContents.bytes(of: path), source: path)
        } catch let error as KnowledgeError {
            throw ToolError.failed(error)
        }
    }
}
