import FireLiteClient
import FireLiteCore
import FireLiteCrypto
import FireLiteKnowledge
import Foundation

/// The versions of a package, as a registry lists them: `versions`, each with `dist.tarball` and its checksums, and `dist-tags`.
struct VersionList {
    private let name: String
    private let versions: [(version: String, item: JSONItem)]
    private let latest: String?

    init(_ text: Data, of name: String) throws {
        let json: JSONItem
        do {
            json = try JSONItemReader.read(text)
        } catch {
            throw KnowledgeError(.registry, "the registry's list of \(name) is not JSON, line \(error.line): \(error.problem)")
        }
        guard let members = json["versions"]?.members else {
            throw KnowledgeError(
                .registry, "the registry's list of \(name) has no versions: the address is not that of a registry of packages")
        }
        self.name = name
        versions = members.map { ($0.name, $0.value) }
        latest = json["dist-tags"]?["latest"]?.text
    }

    /// The version that a range names; nil if there is none.
    func version(_ wanted: String?) -> String? {
        let names = versions.map(\.version)
        if wanted == nil || wanted == "latest", let latest, names.contains(latest) { return latest }
        return PackageCache.version(wanted, of: names)
    }

    /// Where the archive of a version is, with its checksums.
    ///
    /// - Throws: `KnowledgeError`: `registry` for an address that is not the registry's, `checksum` if there is none that can be verified.
    func source(of version: String, at origin: Origin) throws -> ArchiveSource {
        let key = "\(name)#\(version)"
        let dist = versions.last { $0.version == version }?.item["dist"]
        guard let text = dist?["tarball"]?.text, let url = URL(string: text) else {
            throw KnowledgeError(.registry, "the registry gives no address for the archive of \(key)")
        }
        try PackageRegistry.check(url, at: origin, "the registry leads for \(key)")
        return try ArchiveSource(url: url, key: key, shasum: dist?["shasum"]?.text, integrity: dist?["integrity"]?.text)
    }
}

/// Where an archive is, and what it must be.
struct ArchiveSource {
    let url: URL
    private let key: String
    private let checksums: [(algorithm: HashAlgorithm, digests: [Data])]

    /// - Parameters:
    ///   - shasum: SHA-1 in hexadecimal digits.
    ///   - integrity: hashes in base64 after their names, `sha512-…` (W3C, Subresource Integrity).
    init(url: URL, key: String, shasum: String?, integrity: String?) throws {
        (self.url, self.key) = (url, key)
        var checksums: [(algorithm: HashAlgorithm, digests: [Data])] = []
        if let integrity, let strongest = try Self.strongest(of: integrity, key) { checksums.append(strongest) }
        if let shasum {
            guard let digest = Hexadecimal.bytes(shasum), digest.count == HashAlgorithm.sha1.byteCount else {
                throw KnowledgeError(.checksum, "the registry's shasum of \(key) is not a SHA-1: use another registry")
            }
            checksums.append((.sha1, [digest]))
        }
        guard !checksums.isEmpty else {
            throw KnowledgeError(
                .checksum,
                "the registry gives no checksum of \(key) that can be verified (integrity with SHA-256, 384 or 512, or shasum): use another registry"
            )
        }
        self.checksums = checksums
    }

    private static let names: [(prefix: String, algorithm: HashAlgorithm)] = [
        ("sha512", .sha512), ("sha384", .sha384), ("sha256", .sha256),
    ]

    /// The hashes of the strongest algorithm that is known, one of which an archive must have.
    private static func strongest(of integrity: String, _ key: String) throws -> (algorithm: HashAlgorithm, digests: [Data])? {
        let parts = integrity.split(whereSeparator: \.isWhitespace).map { part in
            // Options after a question mark have no meaning yet.
            part.prefix { $0 != "?" }.split(separator: "-", maxSplits: 1).map(String.init)
        }
        for (prefix, algorithm) in names {
            let texts = parts.filter { $0.first == prefix }.map { $0.count > 1 ? $0[1] : "" }
            if texts.isEmpty { continue }
            let digests = texts.compactMap { Data(base64Encoded: $0) }.filter { $0.count == algorithm.byteCount }
            guard digests.count == texts.count else {
                throw KnowledgeError(
                    .checksum, "the registry's integrity of \(key) is not a \(algorithm.rawValue) in base64: use another registry")
            }
            return (algorithm, digests)
        }
        return nil
    }

    /// Compares an archive with its checksums.
    ///
    /// - Throws: `KnowledgeError` with code `checksum` if one differs.
    func verify(_ archive: Data) throws {
        for (algorithm, digests) in checksums where !digests.contains(algorithm.digest(of: archive)) {
            throw KnowledgeError(
                .checksum, "the archive of \(key) does not have the \(algorithm.rawValue) that the registry gives: nothing of it was read")
        }
    }
}
