import FireLite
import FireLiteCore
import Foundation

/// A FHIR package that was read: its manifest and its definitions.
package struct LoadedPackage: Sendable {
    package let manifest: PackageManifest
    package let definitions: [Definition]
    /// The files with the ending `.json` that were left out.
    package let skipped: [SkippedFile]
}

/// A file of a package that was left out, as it is not a FHIR resource in JSON.
public struct SkippedFile: Sendable, Hashable, Codable {
    /// The package, `hl7.fhir.us.core#6.1.0`.
    public let package: String
    /// The path of the file in the package.
    public let file: String
    /// What is wrong with it, with the line.
    public let reason: String
}

extension SkippedFile: CustomStringConvertible {
    /// The package, the file and the reason.
    public var description: String { "\(package), \(file): \(reason)" }
}

/// Reads packages: archives (`.tgz`), and folders in which one is unpacked.
package enum PackageReader {
    /// What an archive may unpack to, in bytes.
    static let maximumSize = 1 << 30
    /// An archive that unpacks to so many times its size is taken for a bomb.
    static let maximumRatio = 200

    /// Reads a package from a file or a folder.
    ///
    /// - Parameters:
    ///   - path: the archive or the folder, which has `package.json` in itself or in `package/`.
    ///   - includesExamples: whether examples are read too, which references may lead to.
    /// - Throws: `KnowledgeError`, `TransferError` without zlib.
    package static func read(_ path: String, includesExamples: Bool = false) throws -> LoadedPackage {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw KnowledgeError(.file, "\(path): there is no such file or folder")
        }
        let builder = Builder(source: path, includesExamples: includesExamples)
        if isFolder.boolValue {
            try readFolder(path, builder)
        } else {
            let data: Data
            do throws(WholeFile.Failure) {
                data = try WholeFile.bytes(path)
            } catch {
                throw KnowledgeError(.file, "\(path): the file cannot be read")
            }
            try read(data, name: path, builder)
        }
        return try builder.finish()
    }

    /// Reads a package from an archive in memory.
    ///
    /// - Parameter name: the name of the archive in messages.
    /// - Throws: as for a file.
    package static func read(_ archive: Data, name: String) throws -> LoadedPackage {
        let builder = Builder(source: name, includesExamples: false)
        try read(archive, name: name, builder)
        return try builder.finish()
    }

    private static func read(_ archive: Data, name: String, _ builder: Builder) throws {
        try TarReader(name: name).forEach(in: try unpacked(archive, name)) { try builder.add($0.path, Data($0.content)) }
    }

    /// The bytes of an archive, unpacked.
    private static func unpacked(_ data: Data, _ path: String) throws -> [UInt8] {
        guard data.starts(with: [0x1F, 0x8B]) else { return Array(data) }
        var rest = data[...]
        let reader = try GzipReader(name: path, zlib: try Zlib.system()) { memory in
            let count = min(memory.count, rest.count)
            rest.prefix(count).copyBytes(to: memory)
            rest = rest.dropFirst(count)
            return count
        }
        var bytes: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 1)
        defer { chunk.deallocate() }
        let limit = min(maximumSize, max(data.count * maximumRatio, 1 << 20))
        while true {
            let count: Int
            do {
                count = try reader.read(chunk)
            } catch let error as TransferError {
                throw KnowledgeError(.archive, error.message)
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else {
                throw KnowledgeError(.limit, "\(path) unpacks to more than \(limit) bytes: it is not a package")
            }
        }
    }

    private static func readFolder(_ path: String, _ builder: Builder) throws {
        let inner = "\(path)/package"
        let root = FileManager.default.fileExists(atPath: "\(inner)/package.json") ? inner : path
        guard FileManager.default.fileExists(atPath: "\(root)/package.json") else { throw Builder.noManifest(path) }
        guard let files = FileManager.default.enumerator(atPath: root) else {
            throw KnowledgeError(.file, "\(path): the folder cannot be read")
        }
        // The limits of archives.
        var (count, size) = (0, 0)
        for case let file as String in files where file.hasSuffix(".json") {
            // A link may lead out of the folder.
            if files.fileAttributes?[.type] as? FileAttributeType != .typeRegular { continue }
            let data: Data
            do throws(WholeFile.Failure) {
                data = try WholeFile.bytes("\(root)/\(file)", limit: TarReader.maximumFile)
            } catch {
                throw KnowledgeError(.file, "\(root)/\(file): the file cannot be read")
            }
            (count, size) = (count + 1, size + data.count)
            guard count <= TarReader.maximumCount, size <= maximumSize else {
                throw KnowledgeError(
                    .limit,
                    "\(path) has more than \(TarReader.maximumCount) files or \(maximumSize) bytes in JSON: it is not a package")
            }
            try builder.add("package/\(file)", data)
        }
    }

    /// Collects the files of a package.
    private final class Builder {
        private let source: String
        private let includesExamples: Bool
        private var manifest: PackageManifest?
        private var texts: [(path: String, text: Data)] = []

        init(source: String, includesExamples: Bool) { (self.source, self.includesExamples) = (source, includesExamples) }

        func add(_ path: String, _ data: Data) throws {
            guard path.hasSuffix(".json") else { return }
            let parts = path.split(separator: "/")
            let name = parts.last ?? ""
            let isTop = parts.count <= 2
            if name == "package.json" {
                if isTop, manifest == nil { manifest = try PackageManifest(data, source: source) }
                return
            }
            if name.hasPrefix(".") || parts.contains("other") || parts.contains("openapi") { return }
            if !isTop, !includesExamples || !parts.contains("example") { return }
            texts.append((path, data))
        }

        static func noManifest(_ source: String) -> KnowledgeError {
            KnowledgeError(.manifest, "\(source): there is no package.json: it is not a FHIR package")
        }

        func finish() throws -> LoadedPackage {
            guard let manifest else { throw Self.noManifest(source) }
            var definitions: [Definition] = []
            var skipped: [SkippedFile] = []
            for (path, text) in texts {
                let source = "\(manifest.key), \(path)"
                do {
                    definitions.append(try Definition(text, source: source))
                } catch let error as KnowledgeError {
                    let reason = error.message.hasPrefix(source + ": ") ? String(error.message.dropFirst(source.count + 2)) : error.message
                    skipped.append(SkippedFile(package: manifest.key, file: path, reason: reason))
                }
            }
            return LoadedPackage(manifest: manifest, definitions: definitions, skipped: skipped)
        }
    }
}

extension Knowledge {
    /// Adds the definitions of a package.
    ///
    /// - Parameters:
    ///   - package: an archive (`.tgz`), or a folder with an unpacked one.
    ///   - includesExamples: whether to add its examples too, as targets of references. Default: false.
    /// - Returns: the manifest of the package; ``skippedFiles`` has its files that are not resources.
    /// - Throws: `KnowledgeError` if it is not a package; `TransferError` if the system has no zlib.
    @discardableResult
    public func addPackage(at package: URL, includesExamples: Bool = false) throws -> PackageManifest {
        try addPackage(at: package.filePath, includesExamples: includesExamples)
    }

    /// The same with a path, as the command line has it.
    @discardableResult
    package func addPackage(at path: String, includesExamples: Bool = false) throws -> PackageManifest {
        let loaded = try PackageReader.read(path, includesExamples: includesExamples)
        add(loaded)
        return loaded.manifest
    }

    package func add(_ package: LoadedPackage) {
        note(package.manifest, skipped: package.skipped)
        for definition in package.definitions { insert(definition) }
    }
}
