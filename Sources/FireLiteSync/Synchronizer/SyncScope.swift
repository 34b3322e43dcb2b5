/// The resources that a ``Synchronizer`` pulls from its server: types, searches, compartments and groups.
public struct SyncScope: Sendable, Hashable {
    /// One of the searches that a scope consists of.
    enum Part: Sendable, Hashable {
        case everything
        case search(path: String, typeName: String, parameters: FHIRParameters)
        case group(id: String, typeNames: [String])

        /// The part in the store.
        var key: String {
            switch self {
            case .everything: "*"
            case .search(let path, _, let parameters): parameters.all.isEmpty ? path : path + "?" + parameters.query
            case .group(let id, let typeNames): "Group/\(id) " + typeNames.joined(separator: " ")
            }
        }
    }

    var parts: [Part]

    /// Every resource of the types that the server offers, by its CapabilityStatement.
    public static let everything = SyncScope(parts: [.everything])
    /// Nothing: for synchronizers that only push.
    public static let nothing = SyncScope(parts: [])

    /// Every resource of types.
    public static func types(_ typeNames: String...) -> SyncScope { types(typeNames) }

    /// Every resource of types.
    public static func types(_ typeNames: [String]) -> SyncScope {
        SyncScope(parts: typeNames.map { .search(path: $0, typeName: $0, parameters: [:]) })
    }

    /// The resources of a type that match search parameters.
    ///
    /// - Parameters:
    ///   - typeName: the type.
    ///   - parameters: the search parameters.
    public static func search(_ typeName: String, _ parameters: FHIRParameters) -> SyncScope {
        SyncScope(parts: [.search(path: typeName, typeName: typeName, parameters: parameters)])
    }

    /// The resources of types in a compartment, such as a patient's.
    ///
    /// - Parameters:
    ///   - typeName: the type of the compartment, `Patient`.
    ///   - id: the id of the compartment's resource.
    ///   - typeNames: the types of the resources. The compartment's own resource is pulled if its type is among them.
    public static func compartment(_ typeName: String, id: String, types typeNames: [String]) -> SyncScope {
        SyncScope(
            parts: typeNames.map { name in
                name == typeName
                    ? .search(path: name, typeName: name, parameters: ["_id": id])
                    : .search(path: "\(typeName)/\(id)/\(name)", typeName: name, parameters: [:])
            })
    }

    /// The compartments of the patients who are members of a Group when the pull begins.
    ///
    /// - Parameters:
    ///   - id: the Group's id.
    ///   - typeNames: the types of the resources.
    public static func group(id: String, types typeNames: [String]) -> SyncScope {
        SyncScope(parts: [.group(id: id, typeNames: typeNames)])
    }

    /// Both scopes.
    public static func + (left: SyncScope, right: SyncScope) -> SyncScope {
        var parts = left.parts
        for part in right.parts where !parts.contains(part) { parts.append(part) }
        return SyncScope(parts: parts)
    }
}
