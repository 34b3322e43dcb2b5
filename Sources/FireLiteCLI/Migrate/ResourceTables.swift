import FireLite

/// A dump of a Realm: an object with a list of rows for each class, as Realm Studio and many apps write it.
struct ResourceTables {
    /// A row of a resource's class.
    struct Row {
        let typeName: String
        let node: JSONNode
    }

    private(set) var rows: [Row] = []
    /// The classes of the rows that are elements, which their resources have too.
    private(set) var elements: [String] = []

    /// - Returns: nil if the value is not such a dump.
    init?(_ node: JSONNode, _ release: FHIRRelease) {
        guard let members = node.members, node["resourceType"] == nil,
            members.contains(where: { release.hasResourceType(named: $0.name) && Self.isTable($0.value) }),
            members.allSatisfy({ Self.isTable($0.value) })
        else { return nil }
        for member in members {
            for row in member.value.items ?? [member.value] where !row.isNull {
                if release.hasResourceType(named: member.name) || Self.isResource(row, member.name) {
                    rows.append(Row(typeName: member.name, node: row))
                } else {
                    elements.append(member.name)
                }
            }
        }
    }

    /// A list of objects, one object, or nothing.
    private static func isTable(_ node: JSONNode) -> Bool {
        if let items = node.items { return items.allSatisfy { $0.members != nil } }
        return node.members != nil || node.isNull
    }

    /// Whether a row of a class that the release does not have is a resource: every resource of FireKit has these columns.
    private static func isResource(_ row: JSONNode, _ name: String) -> Bool {
        name != "ContainedResource" && row.members?.contains { ["resourceType", "implicitRules", "_versionId"].contains($0.name) } ?? false
    }
}
