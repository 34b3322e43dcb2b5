import FireLiteCore
import FireLiteSQLiteBridge
import Foundation

extension ReadTransaction {
    /// The versions of the resource with this type and id, the newest first, also if it was deleted.
    ///
    /// - Throws: `FHIRStoreError`.
    public func history<Resource: FHIRResource>(of type: Resource.Type, id: String) throws -> [ResourceVersion] {
        try perform { try history(table(of: type), id: id) }
    }

    /// The versions of the resource with this type name and id, the newest first, also if it was deleted.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    public func history(typeName: String, id: String) throws -> [ResourceVersion] {
        try perform { try history(table(ofTypeNamed: typeName), id: id) }
    }

    /// The content of a version, as an object that is not stored; nil if the version is no longer kept.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match the digest that it was stored with.
    public func resource(at version: ResourceVersion) throws -> FHIRResource? { try perform { try content(of: version) } }

    /// A version of the resource with this type and id, as an object that is not stored; nil if there is none.
    ///
    /// If several resources have had the number, as before the history was on, the later one counts; `resource(at:)` reads those of each.
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: the resource's id.
    ///   - version: the number of the version (`ResourceVersion.version`).
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match the digest that it was stored with.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String, version: Int64) throws -> Resource? {
        try resource(in: table(of: type), id: id, version: version) as? Resource
    }

    fileprivate func resource(in table: @autoclosure () throws -> TablePlan, id: String, version: Int64) throws -> FHIRResource? {
        try perform {
            guard let found = try history(table(), id: id).first(where: { $0.version == version }) else { return nil }
            return try content(of: found)
        }
    }

    /// A version of the resource with this type name and id, as an object that is not stored; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; `notAStore`.
    public func resource(typeName: String, id: String, version: Int64) throws -> FHIRResource? {
        try resource(in: table(ofTypeNamed: typeName), id: id, version: version)
    }

    /// The versions that were stored, replaced or deleted since a time, of all resources or those of a type, the newest first.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of a type. Default: all types.
    ///   - date: the time, by the clock of the device. Default: the beginning of the history.
    ///   - limit: the maximum number of versions. Default: all.
    /// - Throws: `FHIRStoreError`.
    public func history(typeName: String? = nil, since date: Date = .distantPast, limit: Int? = nil) throws -> [ResourceVersion] {
        try perform {
            guard hasChangeTable else { return [] }
            // Also what a damaged file says was before any date.
            let isAll = date == .distantPast
            let time = isAll ? Int64.min : Int64(min(max(date.timeIntervalSince1970, -1e12), 1e12) * 1_000)
            var versions: [ResourceVersion] = []
            var seen: Set<Int64> = []
            for row in try changeTable.rows("time >= ?", [.integer(time)], isDescending: true) where seen.insert(row.root).inserted {
                for version in try self.versions(of: row.root) where typeName == nil || version.typeName == typeName {
                    guard isAll || (version.replacedAt ?? version.storedAt ?? .distantPast) >= date else { continue }
                    reads?.note(rowsOf: version.typeName)
                    versions.append(version)
                }
            }
            versions.sort { ($0.replacedAt ?? .distantFuture, $0.version) > ($1.replacedAt ?? .distantFuture, $1.version) }
            return limit.map { Array(versions.prefix($0)) } ?? versions
        }
    }

    // MARK: - Versions

    private func history(_ table: TablePlan, id: String) throws -> [ResourceVersion] {
        try access.schema.requireWhole(table, access.connection)
        var roots: Set<Int64> = []
        if let root = try access.registry.root(of: table, id: id) { roots.insert(root) }
        if hasChangeTable {
            for row in try changeTable.rows("type = ? AND id = ?", [.text(table.name), .text(id)]) { roots.insert(row.root) }
        }
        if !roots.isEmpty { noteRead(table.name, id: id) }
        return try roots.sorted(by: >).flatMap { try versions(of: $0) }
    }

    /// The versions of one resource, the newest first.
    private func versions(of root: Int64) throws -> [ResourceVersion] {
        let rows = hasChangeTable ? try changeTable.rows("root = ?", [.integer(root)]) : []
        let identity = store.identity
        var versions: [ResourceVersion] = []
        var stored: Date?
        for row in rows {
            let time = Date(milliseconds: row.time)
            if let revision = row.revision, row.digest != nil {
                versions.append(
                    ResourceVersion(
                        typeName: row.typeName ?? "", id: row.id, pk: row.pk ?? identity.pk(ofRoot: root), version: revision,
                        storedAt: stored,
                        replacedAt: time, isDeleted: row.kind == .deleted, root: root))
            }
            stored = time
        }
        if let registration = try access.registry.registration(root: root),
            let type = try access.registry.typeName(ofShape: registration.shape),
            let table = access.schema.table(named: type)
        {
            versions.append(
                ResourceVersion(
                    typeName: type, id: try access.registry.id(of: table, root: root), pk: registration.pk ?? identity.pk(ofRoot: root),
                    version: registration.revision, storedAt: stored, replacedAt: nil, isDeleted: false, root: root))
        }
        return versions.reversed()
    }

    /// The content of a version, as an object that is not stored.
    func content(of version: ResourceVersion) throws -> FHIRResource? {
        if version.isCurrent {
            return try access.registry.registration(root: version.root).flatMap { try loader.resource($0).copyResource() }
        }
        let row = try changeTable.rows("root = ? AND revision = ?", [.integer(version.root), .integer(version.version)]).first
        return try row.flatMap { try ChangeLogReader(self).resource($0) }
    }
}

extension FHIRResource {
    fileprivate func copyResource() -> FHIRResource? { copyObject() as? FHIRResource }
}

extension WriteTransaction {
    /// Makes an earlier version of a resource the current one again, also of a deleted resource. It becomes a new version itself.
    ///
    /// - Parameters:
    ///   - type: the resource type.
    ///   - id: the resource's id.
    ///   - version: the number of the version (`ResourceVersion.version`).
    /// - Returns: the stored resource; nil if there is no such version.
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match the digest that it was stored with.
    @discardableResult
    public func restore<Resource: FHIRResource>(_ type: Resource.Type, id: String, version: Int64) throws -> Resource? {
        try restore(in: table(of: type), id: id, version: version) as? Resource
    }

    /// Makes an earlier version of a resource the current one again, also of a deleted resource. It becomes a new version itself.
    ///
    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the resource's id.
    ///   - version: the number of the version (`ResourceVersion.version`).
    /// - Returns: the stored resource; nil if there is no such version.
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; `notAStore` if the content does
    ///   not match the digest that it was stored with.
    @discardableResult
    public func restore(typeName: String, id: String, version: Int64) throws -> FHIRResource? {
        try restore(in: table(ofTypeNamed: typeName), id: id, version: version)
    }

    private func restore(in table: @autoclosure () throws -> TablePlan, id: String, version: Int64) throws -> FHIRResource? {
        try resource(in: table(), id: id, version: version).map { try upsert($0) }
    }
}
