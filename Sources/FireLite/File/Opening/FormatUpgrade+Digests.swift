import FireLiteCore
import FireLiteSQLiteBridge

extension FormatUpgrade {
    /// Format 2: digests of resources cover the names of elements. In format 1 they covered their numbers in their class, which change
    /// if a later version of the model has more elements.
    ///
    /// A resource that does not match its digest keeps that digest, so that it is refused as before. If the classes differ from those
    /// that the file was last extended with, the digest cannot be compared.
    static let digestsOverNames = FormatUpgrade(from: 1) { connection, release in
        let access = try StoreConnection(connection, release: release)
        try access.schema.refresh(connection)
        let key = UInt64(bitPattern: try connection.integer("SELECT value FROM _meta WHERE key = 'digestKey'") ?? 0)
        let isSameModel = try access.hasModel(release)
        var last: Int64 = 0
        while true {
            let registrations = try access.registry.registrations(after: last, limit: 1_000)
            guard let end = registrations.last?.root else { break }
            last = end
            for registration in registrations {
                guard let resource = try access.reader.resource(registration) else { continue }
                if isSameModel, ContentDigest.digest(of: resource, key: key, usesSlots: true) != registration.digest { continue }
                try access.registry.setDigest(ContentDigest.digest(of: resource, key: key), root: registration.root)
            }
        }
    }
}

extension StoreConnection {
    /// Whether the file was last extended with the current classes of this release.
    func hasModel(_ release: FHIRRelease) throws -> Bool {
        try connection.text("SELECT value FROM _meta WHERE key = 'model'") == release.fingerprint
    }
}
