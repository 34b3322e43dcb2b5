import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

/// A code system that was imported from files of its own form.
public struct ImportedCodeSystem: Sendable, Hashable {
    /// The canonical URL.
    public let url: String
    /// The version: for SNOMED CT the edition with its date, `http://snomed.info/sct/900000000000207008/version/20250101`.
    public let version: String
    /// The name for people.
    public let name: String
    /// The number of concepts.
    public let conceptCount: Int
    /// The number of names.
    public let nameCount: Int

    init(_ system: CodeTables.System) {
        (url, version, name) = (system.url, system.version, system.name)
        (conceptCount, nameCount) = (system.concepts.count, system.names.count)
    }
}

/// Large code systems in a file of packages (see ``KnowledgeFile``), imported from what their owners ship: SNOMED CT's RF2, LOINC's tables, RxNorm's RRF,
/// ICD-10-CM's order file, ICD-10 and its like in ClaML.
///
/// An import is one transaction: a process that is killed leaves the file as it was. Nothing is downloaded.
public struct CodeSystemFile: Sendable {
    /// The file.
    public let path: String

    /// A file, which the first import makes if there is none.
    ///
    /// - Parameter path: the file.
    public init(path: String) { self.path = path }

    /// Imports a release; the same version of the code system is replaced.
    ///
    /// - Parameters:
    ///   - release: the folder in which it is unpacked, or its file. For SNOMED CT several: an extension and the edition that it extends.
    ///   - progress: called with what is done, now and then; an error that it throws ends the import, and the file is as before.
    /// - Returns: what was imported.
    /// - Throws: `KnowledgeError` with the file and line of what is wrong; `missing` for a form that is not known, `file` for a file of another kind, or
    ///   if the system's SQLite has no full-text search or another import runs for long. A file that the import made is removed then.
    @discardableResult
    public func add(_ release: [URL], progress: ((String) throws -> Void)? = nil) throws -> ImportedCodeSystem {
        try add(release.map(\.filePath), progress: progress)
    }

    /// The same with paths, as the command line has them.
    @discardableResult
    package func add(_ paths: [String], progress: ((String) throws -> Void)? = nil) throws -> ImportedCodeSystem {
        let read = try CodeSystemForm.reader(of: paths) { try progress?($0) }
        let tables = try CodeTables(writing: path)
        do { return ImportedCodeSystem(try read(tables)) } catch {
            tables.discardIfNew()
            throw error
        }
    }

    /// The code systems of the file, by URL and version.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    public func systems() throws -> [ImportedCodeSystem] { try CodeTables(reading: path).systems().map(ImportedCodeSystem.init) }

    /// Removes a code system.
    ///
    /// - Parameters:
    ///   - url: its URL.
    ///   - version: its version; nil for all versions.
    /// - Returns: the number of code systems that were removed.
    /// - Throws: `KnowledgeError` with code `file`.
    @discardableResult
    public func remove(_ url: String, version: String? = nil) throws -> Int {
        let found = try CodeTables(reading: path).systems().filter { $0.url == url && (version == nil || $0.version == version) }
        guard !found.isEmpty else { return 0 }
        return try CodeTables(writing: path).transaction { connection in
            for system in found { try CodeTableWriter.remove(system, connection) }
            return found.count
        }
    }
}

/// Finds out in which form a release is.
enum CodeSystemForm {
    /// What reads a release into tables.
    typealias Reader = (CodeTables) throws -> CodeTables.System

    static func reader(of paths: [String], _ report: @escaping (String) throws -> Void) throws -> Reader {
        guard let first = paths.first else { throw KnowledgeError(.missing, "there is no path of a release: give its folder") }
        if let found = LoincImport(paths) { return { try found.run($0, report) } }
        if let found = RxNormImport(paths) { return { try found.run($0, report) } }
        if let found = OrderFileImport(first) { return { try found.run($0, report) } }
        if let found = try ClaMLImport(paths) { return { try found.run($0, report) } }
        let found = try SnomedImport(paths, report)
        return { try found.run($0) }
    }
}

extension Terminology {
    /// Adds the code systems that a file has, which `CodeSystemFile` or `firelite codes` imported.
    ///
    /// Definitions of packages in the file are not added: they come, with the code systems, from a `Knowledge` after `addKnowledge(at:)`.
    /// - Parameter file: the file.
    /// - Throws: `KnowledgeError` with code `file`.
    public mutating func addCodeSystems(at file: URL) throws { try addCodeSystems(at: file.filePath) }

    /// The same with a path, as the command line has it.
    package mutating func addCodeSystems(at path: String) throws {
        let tables = try CodeTables(reading: path)
        for system in try tables.systems() { library.add(try TableCodeSystem(tables, system)) }
    }
}
