import FireLiteCore
import Foundation

extension FHIRRequest {
    // MARK: - Reading

    /// Reads a resource.
    ///
    /// - Parameters:
    ///   - typeName: its type.
    ///   - id: its id.
    ///   - version: its version, or nil for the present one.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no type, id or version.
    public static func read(_ typeName: String, id: String, version: String? = nil) throws -> FHIRRequest {
        let path = try path(typeName, id)
        guard let version else { return FHIRRequest(.get, path) }
        return FHIRRequest(.get, path + "/_history/" + (try checked(version, "version")))
    }

    // MARK: - Writing

    /// Creates a resource; its id is ignored by servers.
    ///
    /// - Parameters:
    ///   - resource: the resource to send.
    ///   - condition: search parameters: the server creates the resource only if none matches them. Nil to create it anyway.
    public static func create(_ resource: FHIRResource, ifNoneExist condition: FHIRParameters? = nil) -> FHIRRequest {
        var fields = contentFields(resource.layout.release)
        fields["If-None-Exist"] = condition?.query
        return FHIRRequest(.post, resource.resourceType, fields: fields, body: FHIRJSON.data(resource))
    }

    /// Stores a resource by its id, whether or not it exists.
    ///
    /// - Parameters:
    ///   - resource: the resource, with an id.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if the resource has no valid id.
    public static func update(_ resource: FHIRResource, ifMatch version: String? = nil) throws -> FHIRRequest {
        guard let id = resource.id else {
            throw FHIRClientError(.invalidArgument, "a resource without an id cannot be updated: set its id, or create it")
        }
        var fields = contentFields(resource.layout.release)
        fields["If-Match"] = version.map(entityTag)
        return FHIRRequest(.put, try path(resource.resourceType, id), fields: fields, body: FHIRJSON.data(resource))
    }

    /// Stores a resource instead of the one that matches, or as a new one if none does.
    ///
    /// - Parameters:
    ///   - resource: the resource to send.
    ///   - condition: search parameters that at most one resource matches.
    public static func update(_ resource: FHIRResource, where condition: FHIRParameters) -> FHIRRequest {
        FHIRRequest(
            .put, resource.resourceType, parameters: condition, fields: contentFields(resource.layout.release),
            body: FHIRJSON.data(resource))
    }

    /// Changes parts of a resource by a JSON Patch (RFC 6902).
    ///
    /// - Parameters:
    ///   - typeName: its type.
    ///   - id: its id.
    ///   - json: the patch, an array of operations.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no type or id.
    public static func patch(_ typeName: String, id: String, json: Data, ifMatch version: String? = nil) throws -> FHIRRequest {
        var fields: HTTPFields = ["Content-Type": MediaType.jsonPatch]
        fields["If-Match"] = version.map(entityTag)
        return FHIRRequest(.patch, try path(typeName, id), fields: fields, body: json)
    }

    /// Changes parts of a resource by a FHIRPath Patch (<https://hl7.org/fhir/fhirpatch.html>).
    ///
    /// - Parameters:
    ///   - typeName: its type.
    ///   - id: its id.
    ///   - parameters: a Parameters resource with the operations.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no type or id.
    public static func patch(
        _ typeName: String, id: String, parameters: FHIRResource, ifMatch version: String? = nil
    ) throws -> FHIRRequest {
        var fields = contentFields(parameters.layout.release)
        fields["If-Match"] = version.map(entityTag)
        return FHIRRequest(.patch, try path(typeName, id), fields: fields, body: FHIRJSON.data(parameters))
    }

    /// Deletes a resource.
    ///
    /// - Parameters:
    ///   - typeName: its type.
    ///   - id: its id.
    ///   - version: the version that it must still have at the server; nil for any.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` if that is no type or id.
    public static func delete(_ typeName: String, id: String, ifMatch version: String? = nil) throws -> FHIRRequest {
        var fields: HTTPFields = [:]
        fields["If-Match"] = version.map(entityTag)
        return FHIRRequest(.delete, try path(typeName, id), fields: fields)
    }

    /// Deletes the resource that matches.
    ///
    /// - Parameters:
    ///   - typeName: its type.
    ///   - condition: search parameters, at least one.
    /// - Throws: ``FHIRClientError/Code/invalidArgument`` without a condition, which some servers take for every resource.
    public static func delete(_ typeName: String, where condition: FHIRParameters) throws -> FHIRRequest {
        guard !condition.all.isEmpty else {
            throw FHIRClientError(.invalidArgument, "a conditional delete without a condition would delete every \(typeName)")
        }
        return FHIRRequest(.delete, try checkedType(typeName), parameters: condition)
    }

    // MARK: - Parts

    /// A version as an entity tag, `W/"3"`.
    package static func entityTag(_ version: String) -> String { "W/\"\(version)\"" }

    /// The version in an entity tag; nil for anything else.
    package static func version(inEntityTag tag: String?) -> String? {
        guard var text = tag?.utf8[...] else { return nil }
        if text.starts(with: "W/".utf8) { text = text.dropFirst(2) }
        guard text.count > 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return nil }
        return String(text.dropFirst().dropLast())
    }

    package static func contentFields(_ release: FHIRRelease) -> HTTPFields { ["Content-Type": release.facts.json] }

    package static func path(_ typeName: String, _ id: String) throws -> String { try checkedType(typeName) + "/" + checked(id, "id") }

    package static func checkedType(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.allSatisfy({ 65...90 ~= $0 || 97...122 ~= $0 }) else {
            throw FHIRClientError(.invalidArgument, "the name of a resource type consists of letters")
        }
        return name
    }

    /// Refuses a path that leads somewhere else than its parts say: with a part that is empty, `.` or `..`, also percent-encoded, as everything on
    /// the way may resolve those: `DELETE Patient/.` would delete a type.
    ///
    /// - Throws: ``FHIRClientError/Code/invalidArgument``.
    package func checkPath() throws {
        guard !path.isEmpty else { return }
        let isSafe =
            path.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
                var plain = String(part) ?? ""
                if part.contains(UInt8(ascii: "%")) { plain = plain.removingPercentEncoding ?? "" }
                return !plain.isEmpty && plain != "." && plain != ".." && !plain.utf8.contains(UInt8(ascii: "/"))
            }
        guard isSafe else {
            throw FHIRClientError(
                .invalidArgument,
                "\(method): the path of the request has a part that is empty, '.' or '..', or a mark that is not part of a path: such an id "
                    + "cannot be sent")
        }
    }

    /// Whether an id can be part of an address.
    package static func isAddressable(_ id: String) -> Bool {
        isID(id) && id != "." && id != ".."
    }

    /// Whether a text is an id by FHIR's rule (<https://hl7.org/fhir/datatypes.html#id>).
    package static func isID(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { 65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || $0 == 45 || $0 == 46 }
    }

    /// An id by FHIR's rule (<https://hl7.org/fhir/datatypes.html#id>): anything else could lead to another address.
    static func checked(_ id: String, _ what: String) throws -> String {
        guard isAddressable(id) else {
            throw FHIRClientError(
                .invalidArgument, "the \(what) of a resource has 1 to 64 letters, digits, hyphens and dots, and is not '.' or '..'")
        }
        return id
    }
}
