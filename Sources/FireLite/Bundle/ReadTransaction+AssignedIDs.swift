import FireLiteCore
import FireLiteSQLiteBridge

/// Resources for use outside of the store, where their pks are unknown.
extension ReadTransaction {
    /// The resource with an id, and with references that also work elsewhere. A resource without an id gets its pk as id. A reference to a
    /// resource of the store by pk (`urn:uuid:`, as `Reference(to:)` writes for one without an id) becomes
    /// `Type/id`, with the id that this method gives that resource.
    ///
    /// If a pk is not a valid id (<https://hl7.org/fhir/R4/datatypes.html#id>), or is another resource's id, the UUID that the store
    /// derives from the resource's number is used instead. The ids are the same each time. Nothing in the store changes. The content of
    /// Bundles is not changed.
    /// - Returns: a copy, or the resource itself if nothing must change.
    /// - Throws: `FHIRStoreError`: `alreadyExists` if another resource has that UUID as its id too.
    public func withAssignedIDs<Resource: FHIRResource>(_ resource: Resource) throws -> Resource {
        let rewriter = ReferenceRewriter(release: store.release)
        var references: Set<String> = []
        rewriter.rewrite(resource) { text, isReference in
            if isReference, text.hasPrefix(Self.scheme) { references.insert(text) }
            return nil
        }
        let (keys, id) = try perform {
            var keys: [String: String] = [:]
            for reference in references { keys[reference] = try assignedKey(reference) }
            return (keys, try resource.id ?? assignedID(of: resource))
        }
        guard !keys.isEmpty || resource.id != id else { return resource }
        let copy = resource.copy()
        copy.id = id
        rewriter.rewrite(copy) { text, isReference in isReference ? keys[text] : nil }
        return copy
    }

    private static var scheme: String { "urn:uuid:" }

    private func assignedID(of resource: FHIRResource) throws -> String? {
        guard let tie = resource.objectExtras as? StoreTie, tie.store === store else { return nil }
        return try assignedID(tie.root, pk: resource.pk, table(of: resource.layout))
    }

    private func assignedID(_ root: Int64, pk: String, _ table: TablePlan) throws -> String {
        for candidate in [pk, store.identity.pk(ofRoot: root)] where BundleUnpacker.isID(candidate) {
            if try access.registry.root(of: table, id: candidate) == nil { return candidate }
        }
        throw FHIRStoreError(
            .alreadyExists,
            "the \(table.name) with number \(root) has no id, and the one it would get belongs to another resource: give it an id")
    }

    /// `Type/id` for a reference by pk, with its version and fragment, if any; nil if the pk is not in the store.
    private func assignedKey(_ reference: String) throws -> String? {
        let name = reference.dropFirst(Self.scheme.count)
        let pk = String(name.prefix { $0 != "#" && $0 != "/" })
        guard let registration = try registration(pk: pk), let type = try access.registry.typeName(ofShape: registration.shape),
            let table = access.schema.table(named: type), table.isInFile
        else { return nil }
        let statement = try access.connection.cached("SELECT id FROM \(table.quotedName) WHERE _k = ?")
        statement.bind(1, RowKey.key(registration.root))
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let id = try statement.text(0) ?? assignedID(registration.root, pk: pk, table)
        return "\(type)/\(id)\(name.dropFirst(pk.count))"
    }
}
