import FireLiteCore

/// What is stored of a resource, so that what was made of it once serves as long as it is stored: equal values mean equal content and revision.
package struct StoredContent: Hashable, Sendable {
    /// The number of the resource.
    private let root: Int64
    /// That of its tables, which says its type: the digest does not.
    private let shape: Int64
    /// The number of times that the resource was stored, from 1.
    package let revision: Int64
    private let digest: ContentDigest.Value

    init(_ registration: Registration) {
        root = registration.root
        shape = registration.shape
        revision = registration.revision
        digest = registration.digest
    }

    package static func == (left: StoredContent, right: StoredContent) -> Bool {
        left.root == right.root && left.shape == right.shape && left.revision == right.revision && left.digest == right.digest
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(root)
        hasher.combine(revision)
    }
}

extension ReadTransaction {
    /// Whether the rows of resources are all that there is to know of them, and nothing keeps a record of which are read.
    package var hasOnlyRows: Bool { loader.hasOnlyRows }

    /// What is stored of a resource; nil if there is none, if it is hidden, or if reading it tells more.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    package func storedContent(typeName: String, id: String) throws -> StoredContent? {
        try perform(observesRestriction: true) {
            let table = try table(ofTypeNamed: typeName)
            guard hasOnlyRows, let registration = try access.registry.registration(of: table, id: id) else { return nil }
            if restriction != nil, try !permitted([registration.root], table.root.layout).contains(registration.root) { return nil }
            return StoredContent(registration)
        }
    }

    /// What is stored of the resources with these keys, which `places` has returned; nil for one that is not stored on its own, or if reading it
    /// tells more.
    ///
    /// - Throws: `FHIRStoreError`.
    package func storedContents(keys: [Int64]) throws -> [StoredContent?] {
        try perform(observesRestriction: true) {
            guard hasOnlyRows else { return keys.map { _ in nil } }
            return try keys.map { key -> StoredContent? in
                guard key & RowKey.lastNode == 0 else { return nil }
                return try access.registry.registration(root: RowKey.root(key)).map(StoredContent.init)
            }
        }
    }
}
