import FireLiteCore
import FireLiteSQLiteBridge

extension FormatUpgrade {
    /// Format 2: the digests of resources are over the names of elements. In format 1 they were over their numbers in their class, which change
    /// where a later version of the model has more elements.
    ///
    /// A resource that is not what its digest says keeps that digest, so that it is refused as before; where the classes are others than those
    /// that the file grew with, its digest cannot tell.
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
    /// Whether the file last grew with the classes of this release as they are.
    func hasModel(_ release: FHIRRelease) throws -> Bool {
        try connection.text("SELECT value FROM _meta WHERE key = 'model'") == release.fingerprint
    }
}
