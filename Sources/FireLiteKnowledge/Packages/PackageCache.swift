import FireLiteCore
import Foundation

/// A folder of unpacked packages in the form that FHIR's tools share, usually `~/.fhir/packages`: one folder `name#version` for each package, with its
/// files in `package` (FHIR, NPM Package Specification, Package cache).
///
/// It is only read, and only if a program names it.
public struct PackageCache: Sendable {
    private let folder: String

    /// A cache.
    ///
    /// - Parameter folder: the folder with the folders of the packages.
    public init(folder: URL) { self.folder = folder.filePath }

    /// The same with a path, as the command line has it: `~` stands for the home folder.
    package init(folder: String) { self.folder = NSString(string: folder).expandingTildeInPath }

    /// The packages in it by name and version, without those that are not unpacked whole.
    ///
    /// - Throws: `KnowledgeError` with code `file` if the folder cannot be read.
    public func packages() throws -> [(name: String, version: String)] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw KnowledgeError(.file, "\(folder): the folder cannot be read: name the folder of a package cache")
        }
        return names.sorted().compactMap { entry in
            let parts = entry.split(separator: "#", maxSplits: 1).map(String.init)
            guard parts.count == 2, FileManager.default.fileExists(atPath: "\(folder)/\(entry)/package/package.json") else { return nil }
            return (parts[0], parts[1])
        }
    }

    /// The folder of a package.
    ///
    /// - Parameters:
    ///   - name: the package's name, `hl7.fhir.us.core`.
    ///   - version: `6.1.0`; `6.1.x` or `6.x` for the newest of those; `current` or `dev` for a build of that name; `latest` or nil for the newest release.
    /// - Returns: the version found and its folder; nil if there is none.
    /// - Throws: `KnowledgeError` with code `file` if the cache cannot be read.
    public func package(named name: String, version: String? = nil) throws -> (version: String, folder: URL)? {
        let versions = try packages().filter { $0.name == name }.map(\.version)
        guard let found = Self.version(version, of: versions) else { return nil }
        return (found, URL(fileURLWithPath: "\(folder)/\(name)#\(found)"))
    }

    /// The version of a list that a range names.
    package static func version(_ wanted: String?, of versions: [String]) -> String? {
        if let wanted, versions.contains(wanted) { return wanted }
        let pattern = wanted == nil || wanted == "latest" ? "x" : wanted ?? "x"
        guard VersionPattern.isPattern(pattern) else { return nil }
        // `current` and `dev` are builds, not releases.
        let released = versions.filter { $0.first?.isNumber ?? false && VersionPattern.matches($0, pattern) }
        let stable = released.filter { !$0.contains("-") }
        return (stable.isEmpty ? released : stable).max { VersionPattern.isOlder($0, $1) }
    }
}

extension Knowledge {
    /// Adds a package of a cache, and those that it depends on, without FHIR's own.
    ///
    /// A dependency that the cache lacks is not an error: `missingDependencies` has it.
    ///
    /// - Parameters:
    ///   - key: the name, perhaps with a version after `#`: `hl7.fhir.us.core#6.1.x`.
    ///   - cache: where it is.
    /// - Returns: the packages that were added, in their order.
    /// - Throws: `KnowledgeError` with code `missing` if the cache lacks the package itself; `file`, `manifest`, `limit`.
    @discardableResult
    public func addPackage(_ key: String, from cache: PackageCache) throws -> [PackageManifest] {
        let parts = key.split(separator: "#", maxSplits: 1).map(String.init)
        guard let name = parts.first, let found = try cache.package(named: name, version: parts.count > 1 ? parts[1] : nil) else {
            throw KnowledgeError(.missing, "the cache has no package \(key): add it with another tool, or name its file")
        }
        var added = [try addPackage(at: found.folder)]
        var known = packages
        var next = 0
        while next < added.count {
            let needed = added[next].neededPackages
            next += 1
            for dependency in needed where !dependency.isSatisfied(by: known.filter { $0.name == dependency.name }.map(\.version)) {
                guard let found = try cache.package(named: dependency.name, version: dependency.version) else { continue }
                let manifest = try addPackage(at: found.folder)
                added.append(manifest)
                known.append(manifest)
            }
        }
        return added
    }
}
