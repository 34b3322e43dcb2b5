import FireLiteClient
import FireLiteCore
import FireLiteKnowledge
import Foundation

/// A registry of FHIR packages, from which they are downloaded and verified (FHIR, NPM Package Specification; NPM, Registry API).
///
/// ```swift
/// let registry = try PackageRegistry(URL(string: "https://packages.example.org")!)
/// let package = try await registry.package(named: "hl7.fhir.us.core", version: "6.1.0")
/// try knowledge.addPackage(package)
/// ```
/// The registry is asked with `GET /NAME`. Only archives at the registry's own address are downloaded, and nothing of an archive is read before its checksums
/// are those that the registry gives. No script of a package is run.
public struct PackageRegistry: Sendable {
    /// The address of the registry.
    public let address: URL
    private let origin: Origin
    private let transport: any HTTPTransport

    /// The longest list of a package's versions, in bytes.
    static let maximumList = 32 << 20
    /// The largest archive, in bytes.
    static let maximumArchive = 256 << 20
    /// The number of redirects that are followed.
    static let maximumRedirects = 5
    /// The number of packages that one asks for with its dependencies.
    static let maximumPackages = 100

    /// Names a registry.
    ///
    /// - Parameters:
    ///   - address: its address, of HTTPS, or of the machine itself.
    ///   - transport: sends the requests. Default: the system's.
    /// - Throws: `KnowledgeError` with code `registry` for another address.
    public init(_ address: URL, transport: any HTTPTransport = .standard) throws {
        guard let origin = Origin(address), address.query == nil, address.fragment == nil, address.user == nil, address.password == nil
        else {
            throw KnowledgeError(
                .registry, "the address of a registry is a URL such as https://packages.example.org, without query and user")
        }
        guard origin.isConfidential else {
            throw KnowledgeError(
                .registry, "\(origin.address): packages are not downloaded over plain http: give an address that begins with https")
        }
        (self.address, self.origin, self.transport) = (address, origin, transport)
    }

    // MARK: - Packages

    /// Downloads a package.
    ///
    /// - Parameters:
    ///   - name: its name, `hl7.fhir.us.core`.
    ///   - version: `6.1.0`; `6.1.x` for the newest of those; `latest` or nil for the one that the registry calls so, or else the newest release.
    /// - Throws: `KnowledgeError`: `missing` if the registry does not have it, `registry` if its answer cannot be used, `checksum` if the archive is not what
    ///   the registry says or has no checksum, `limit` for an answer that is too large, and errors of reading a package; `HTTPTransportError` if there is no
    ///   answer.
    public func package(named name: String, version: String? = nil) async throws -> DownloadedPackage {
        guard PackageManifest.isName(name) else {
            throw KnowledgeError(.manifest, "'\(name)' is not the name of a FHIR package: give one such as hl7.fhir.us.core")
        }
        let list = try await list(of: name)
        guard let found = list.version(version) else {
            throw KnowledgeError(.missing, "the registry has no version \(version ?? "latest") of \(name)")
        }
        let source = try list.source(of: found, at: origin)
        let archive = try await bytes(at: source.url, upTo: Self.maximumArchive, of: "\(name)#\(found)")
        try source.verify(archive)
        let loaded = try PackageReader.read(archive, name: "\(name)#\(found)")
        guard loaded.manifest.name == name, loaded.manifest.version == found else {
            throw KnowledgeError(.registry, "the registry gives \(loaded.manifest.key) for \(name)#\(found): use another registry")
        }
        return DownloadedPackage(archive: archive, loaded: loaded)
    }

    /// Downloads a package, and those that it depends on, without FHIR's own.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - version: as for ``package(named:version:)``.
    ///   - present: packages that you already have: as dependencies they are not downloaded again.
    /// - Returns: the packages, the one that was asked for first.
    /// - Throws: as ``package(named:version:)`` does; `limit` for more than 100 packages. A dependency that the registry does not have is no error: it is
    ///   among `PackageManifest.missingDependencies(of:)`.
    public func packages(
        named name: String, version: String? = nil, present: [PackageManifest] = []
    ) async throws -> [DownloadedPackage] {
        var found = [try await self.package(named: name, version: version)]
        var known = present + found.map(\.manifest)
        var next = 0
        while next < found.count {
            for dependency in found[next].manifest.neededPackages {
                let versions = known.filter { $0.name == dependency.name }.map(\.version)
                if dependency.isSatisfied(by: versions) { continue }
                do {
                    let package = try await self.package(named: dependency.name, version: dependency.version)
                    found.append(package)
                    known.append(package.manifest)
                } catch let error as KnowledgeError where error.code == .missing {
                    continue
                }
                guard found.count <= Self.maximumPackages else {
                    throw KnowledgeError(.limit, "\(name) needs more than \(Self.maximumPackages) packages: add them one by one")
                }
            }
            next += 1
        }
        return found
    }

    // MARK: - Requests

    private func list(of name: String) async throws -> VersionList {
        let data = try await bytes(at: address.appendingPathComponent(name), upTo: Self.maximumList, of: name)
        return try VersionList(data, of: name)
    }

    /// The body of an answer; redirects are followed within the registry's own address.
    private func bytes(at start: URL, upTo limit: Int, of name: String) async throws -> Data {
        var url = start
        for _ in 0...Self.maximumRedirects {
            // The type that NPM's registries answer with; archives have several.
            let response = try await transport.stream(HTTPRequest(.get, url, fields: ["Accept": "application/json, */*"]))
            switch response.status {
            case 200: return try await body(of: response, upTo: limit, of: name)
            case 404, 410: throw KnowledgeError(.missing, "the registry has no package \(name)")
            case 301, 302, 303, 307, 308:
                guard let location = response.fields["Location"], let next = URL(string: location, relativeTo: url)?.absoluteURL else {
                    throw KnowledgeError(.registry, "the registry redirects \(name) to no address: use another registry")
                }
                try Self.check(next, at: origin, "the registry redirects \(name)")
                url = next
            default:
                throw KnowledgeError(.registry, "the registry answers with the status \(response.status) for \(name): try again later")
            }
        }
        throw KnowledgeError(.registry, "the registry redirects \(name) more than \(Self.maximumRedirects) times: use another registry")
    }

    private func body(of response: HTTPStreamedResponse, upTo limit: Int, of name: String) async throws -> Data {
        if let length = response.fields["Content-Length"].flatMap({ Int($0) }), length > limit { throw Self.tooLarge(name, limit) }
        do {
            return try await response.body.collected(upTo: limit)
        } catch let error as HTTPTransportError where error.code == .tooLarge {
            throw Self.tooLarge(name, limit)
        }
    }

    private static func tooLarge(_ name: String, _ limit: Int) -> KnowledgeError {
        KnowledgeError(.limit, "the registry's answer for \(name) has more than \(limit) bytes: it is not a package")
    }

    /// Refuses an address that is not the registry's own.
    static func check(_ url: URL, at origin: Origin, _ action: String) throws {
        guard let other = Origin(url), url.user == nil, url.password == nil else {
            throw KnowledgeError(.registry, "\(action) to an address that is not one of HTTP: use another registry")
        }
        guard other.scheme == origin.scheme || other.scheme == "https" else {
            throw KnowledgeError(.registry, "\(action) to plain http at \(other.address): use another registry")
        }
        guard other.host == origin.host, other.port == origin.port || other.scheme != origin.scheme else {
            throw KnowledgeError(
                .registry,
                "\(action) to another host, \(other.address), and the registry is \(origin.address): name that one, if you trust it")
        }
    }
}

/// A package that a ``PackageRegistry`` has sent, with the checksums that it gives.
public struct DownloadedPackage: Sendable {
    /// The archive (`.tgz`).
    public let archive: Data
    package let loaded: LoadedPackage

    /// The manifest of the package.
    public var manifest: PackageManifest { loaded.manifest }
    /// The number of its definitions.
    public var definitionCount: Int { loaded.definitions.count }
    /// Its files that are left out, as they are not FHIR resources in JSON.
    public var skippedFiles: [SkippedFile] { loaded.skipped }
}

extension Knowledge {
    /// Adds the definitions of a package that was downloaded.
    public func addPackage(_ package: DownloadedPackage) { add(package.loaded) }
}

extension KnowledgeFile {
    /// Adds a package that was downloaded, in place of the same version of it.
    ///
    /// - Throws: `KnowledgeError` with code `file`.
    public func addPackage(_ package: DownloadedPackage) throws { try add(package.loaded) }
}

extension Origin {
    /// The host, with the port where it is not the scheme's own.
    fileprivate var address: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }
    /// Whether what comes from it cannot be changed on the way: HTTPS, or the machine itself.
    fileprivate var isConfidential: Bool { scheme == "https" || ["localhost", "127.0.0.1", "::1"].contains(host) }
}
