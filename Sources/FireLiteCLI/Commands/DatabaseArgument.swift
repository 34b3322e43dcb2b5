import FireLite
import Foundation

/// The database that `--database` and `--release` name, and the key in `--key-file`.
struct DatabaseArgument {
    static let options = [
        OptionDefinition.option("database", "FILE", isRequired: true, "the SQLite file"),
        release,
        KeyFile.option,
    ]
    static let release = OptionDefinition.option("release", "R4", "the FHIR release of the data; R4 unless given")

    let path: String
    let release: FHIRRelease
    private let keyPath: String?

    init(_ arguments: ParsedArguments, path: String? = nil) throws {
        self.path = arguments["database"] ?? path ?? ""
        if self.path.isEmpty { throw ToolError.usage("--database needs the name of a file") }
        let name = arguments["release"] ?? "R4"
        guard let release = FireLiteTool.releases.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            let known = FireLiteTool.releases.map(\.name).joined(separator: ", ")
            throw ToolError.usage("unknown FHIR release '\(name)': this build has \(known)")
        }
        self.release = release
        keyPath = arguments["key-file"]
    }

    /// The key of the database; nil where no file is named for it.
    ///
    /// - Throws: `ToolError` with status 3.
    func key() throws -> EncryptionKey? { try keyPath.map { try KeyFile.key(path: $0) } }

    private func configuration() throws -> FHIRStore.Configuration {
        var configuration = FHIRStore.Configuration()
        configuration.key = try key()
        return configuration
    }

    /// Opens the database; a file that is not there yet is made.
    func create() throws -> FHIRStore {
        try located { try FHIRStore(path: path, release: release, configuration: configuration()) }
    }

    /// Opens a database that must be there.
    func open() throws -> FHIRStore { try located { try openUnlocated() } }

    /// Opens a database that must be there; the store's errors come as they are.
    func openUnlocated() throws -> FHIRStore {
        guard FileManager.default.fileExists(atPath: path) else { throw ToolError.failed("\(path): there is no such database") }
        return try FHIRStore(path: path, release: release, configuration: configuration())
    }

    /// Runs `body` so that the store's errors name the file.
    func located<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FHIRStoreError {
            throw ToolError.failed(message(of: error))
        }
    }

    /// The store's error with the name of the file, which most have in them.
    func message(of error: FHIRStoreError) -> String {
        error.description.contains(path) ? error.description : "\(path): \(error)"
    }

    /// The class of a resource type.
    ///
    /// - Throws: `ToolError` with status 2 where the release has no such type.
    func resourceType(named name: String) throws -> FHIRResource.Type {
        guard let type = release.resourceType(named: name) else {
            throw ToolError.usage("'\(name)' is no resource type of FHIR \(release.name)")
        }
        return type
    }
}
