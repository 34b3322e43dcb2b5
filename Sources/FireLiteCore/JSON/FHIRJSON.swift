import Foundation

/// Converts FHIR JSON (<https://hl7.org/fhir/json.html>) to objects and back, without loss.
///
/// Reading is strict by default: invalid FHIR is an error with line, column and path. Unknown codes are not errors. Calls can be made from any
/// thread. They share a few readers, so that each costs little more than with a `FHIRJSONReader` of your own; those keep short texts of what they
/// have read.
public enum FHIRJSON {
    /// The maximum nesting depth of objects and arrays.
    package static let maximumDepth = JSONReader.maximumDepth

    /// Reads an object of a known class; a resource must be of that type, or of any type if the class is `Resource`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - json: UTF-8, with or without a byte order mark.
    /// - Throws: `FHIRDecodingError`.
    public static func decode<Object: FHIRObject>(_ type: Object.Type, from json: Data) throws -> Object {
        if type is FHIRResource.Type, type._layout.kind == .abstract {
            let resource = try resource(from: json, release: type._layout.release)
            if let object = resource as? Object { return object }
            throw FHIRDecodingError(
                code: .resourceType, line: 1, column: 1, offset: 0, path: resource.resourceType, expected: "a \(type._layout.name)",
                found: "'\(resource.resourceType)'")
        }
        let object = type.init()
        try read(json, into: object)
        return object
    }

    /// Reads a resource of the type that its `resourceType` names.
    ///
    /// - Throws: `FHIRDecodingError`, also if the release has no such type.
    public static func resource(from json: Data, release: FHIRRelease) throws -> FHIRResource {
        try SharedReaders.with(release) { try $0.resource(from: json) }
    }

    /// Reads the valid parts of a resource, and returns skipped and corrected parts as issues.
    ///
    /// - Throws: `FHIRDecodingError` if the text is not JSON, or not a resource of the release.
    public static func lenientResource(
        from json: Data, release: FHIRRelease
    ) throws -> (resource: FHIRResource, issues: [FHIRDecodingError]) {
        let reader = FHIRJSONReader(release: release, isLenient: true, isReused: false)
        let resource = try reader.resource(from: json)
        return (resource, reader.issues)
    }

    /// Reads the valid parts of an object of a known class, and returns skipped and corrected parts as issues.
    ///
    /// - Throws: `FHIRDecodingError` if the text is not JSON, or a resource of another type.
    public static func lenientDecode<Object: FHIRObject>(
        _ type: Object.Type, from json: Data
    ) throws -> (object: Object, issues: [FHIRDecodingError]) {
        let object = type.init()
        let reader = FHIRJSONReader(release: type._layout.release, isLenient: true, isReused: false)
        try json.withUnsafeBytes { try reader.read($0.bindMemory(to: UInt8.self), into: object) }
        return (object, reader.issues)
    }

    /// The object as JSON: members in the order of FHIR's definitions, numbers with their literals, no white space unless `pretty`.
    public static func data(_ object: FHIRObject, pretty: Bool = false) -> Data {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(object)
        return writer.withBytes { Data($0) }
    }

    /// The object as JSON text.
    public static func string(_ object: FHIRObject, pretty: Bool = false) -> String {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(object)
        return writer.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the UTF-8 of the object as JSON.
    package static func withUTF8<Value>(of object: FHIRObject, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        var writer = JSONWriter()
        writer.write(object)
        return try writer.withBytes(body)
    }

    package static func read(_ json: Data, into object: FHIRObject) throws {
        try SharedReaders.with(object.layout.release) { reader in
            try json.withUnsafeBytes { try reader.read($0.bindMemory(to: UInt8.self), into: object) }
        }
    }
}
