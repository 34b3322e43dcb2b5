import FireLiteCore
import Foundation

extension FHIRStore {
    /// The versions of the resource with this type and id, the newest first, also if it was deleted.
    ///
    /// ```swift
    /// try store.track(.history)
    /// for version in try store.history(of: Patient.self, id: "123") { print(version.version, version.storedAt ?? "before") }
    /// ```
    /// - Throws: `FHIRStoreError`.
    public func history<Resource: FHIRResource>(of type: Resource.Type, id: String) throws -> [ResourceVersion] {
        try read { try $0.history(of: type, id: id) }
    }

    /// The versions of the resource with this type name and id, the newest first, also if it was deleted.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release.
    public func history(typeName: String, id: String) throws -> [ResourceVersion] {
        try read { try $0.history(typeName: typeName, id: id) }
    }

    /// The versions that were stored, replaced or deleted since a time, of all resources or those of a type, the newest first.
    ///
    /// - Throws: `FHIRStoreError`.
    public func history(typeName: String? = nil, since date: Date = .distantPast, limit: Int? = nil) throws -> [ResourceVersion] {
        try read { try $0.history(typeName: typeName, since: date, limit: limit) }
    }

    /// The content of a version, as an object that is not stored; nil if the version is no longer kept.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match the digest that it was stored with.
    public func resource(at version: ResourceVersion) throws -> FHIRResource? { try read { try $0.resource(at: version) } }

    /// A version of the resource with this type and id, as an object that is not stored; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `notAStore` if the content does not match the digest that it was stored with.
    public func resource<Resource: FHIRResource>(_ type: Resource.Type, id: String, version: Int64) throws -> Resource? {
        try read { try $0.resource(type, id: id, version: version) }
    }

    /// A version of the resource with this type name and id, as an object that is not stored; nil if there is none.
    ///
    /// - Throws: `FHIRStoreError`: `invalidArgument` for a name that is not a resource type of the release; `notAStore`.
    public func resource(typeName: String, id: String, version: Int64) throws -> FHIRResource? {
        try read { try $0.resource(typeName: typeName, id: id, version: version) }
    }
}
