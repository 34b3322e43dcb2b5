import FireLiteCore
import Foundation

/// Converts FHIR XML (<https://hl7.org/fhir/xml.html>) to objects and back.
///
/// ```swift
/// let patient = try FHIRXML.decode(Patient.self, from: xml)
/// let text = try FHIRXML.string(patient, pretty: true)
/// ```
/// Reading is strict by default: invalid FHIR is an error with line, column and path. Unknown codes are not errors. Comments, processing
/// instructions and white space between elements are no part of the content; DSTU2 alone keeps comments. A narrative is kept to the letter. XML
/// must be in UTF-8 and must not have a document type declaration, so that there are no entities of its own.
///
/// It needs the system's libxml2, which is loaded when XML is first read or a narrative is written.
public enum FHIRXML {
    /// Reads an object of a known class; a resource must be of that type, or of any type if the class is `Resource`.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - xml: UTF-8, with or without a byte order mark. The root element has the name of the type.
    /// - Throws: `FHIRDecodingError`, or `FHIRXMLError` if the system has no libxml2.
    public static func decode<Object: FHIRObject>(_ type: Object.Type, from xml: Data) throws -> Object {
        if type is FHIRResource.Type, type._layout.kind == .abstract {
            let resource = try resource(from: xml, release: type._layout.release)
            if let object = resource as? Object { return object }
            throw FHIRDecodingError(
                code: .resourceType, line: 1, column: 1, offset: 0, path: resource.resourceType, expected: "a \(type._layout.name)",
                found: "'\(resource.resourceType)'")
        }
        let object = type.init()
        let reader = FHIRXMLReader(release: type._layout.release, isReused: false)
        _ = try xml.withUnsafeBytes { try reader.read($0.bindMemory(to: UInt8.self), into: object) }
        return object
    }

    /// Reads a resource of the type that the root element names.
    ///
    /// - Throws: `FHIRDecodingError`, also if the release has no such type, or `FHIRXMLError` if the system has no libxml2.
    public static func resource(from xml: Data, release: FHIRRelease) throws -> FHIRResource {
        try FHIRXMLReader(release: release, isReused: false).resource(from: xml)
    }

    /// Reads the valid parts of a resource, and returns skipped and corrected parts as issues.
    ///
    /// - Throws: `FHIRDecodingError` if the text is not XML, or not a resource of the release; `FHIRXMLError` if the system has no libxml2.
    public static func lenientResource(
        from xml: Data, release: FHIRRelease
    ) throws -> (resource: FHIRResource, issues: [FHIRDecodingError]) {
        let reader = FHIRXMLReader(release: release, isLenient: true, isReused: false)
        let resource = try reader.resource(from: xml)
        return (resource, reader.issues)
    }

    /// Reads the valid parts of an object of a known class, and returns skipped and corrected parts as issues.
    ///
    /// - Throws: `FHIRDecodingError` if the text is not XML, or an object of another type; `FHIRXMLError` if the system has no libxml2.
    public static func lenientDecode<Object: FHIRObject>(
        _ type: Object.Type, from xml: Data
    ) throws -> (object: Object, issues: [FHIRDecodingError]) {
        let object = type.init()
        let reader = FHIRXMLReader(release: type._layout.release, isLenient: true, isReused: false)
        _ = try xml.withUnsafeBytes { try reader.read($0.bindMemory(to: UInt8.self), into: object) }
        return (object, reader.issues)
    }

    /// The object as XML in UTF-8: elements in the order of FHIR's definitions, values with their literals, no XML declaration.
    ///
    /// - Parameters:
    ///   - object: a resource, or an object of another type, whose root element has the name of its type.
    ///   - pretty: whether each element begins on a line of its own. Default: false.
    /// - Throws: `FHIRXMLError` if XML cannot hold the content: a text has a control character, or a narrative is not well-formed.
    public static func data(_ object: FHIRObject, pretty: Bool = false) throws -> Data {
        var writer = XMLWriter(isPretty: pretty)
        try writer.writeRoot(object)
        return Data(writer.bytes)
    }

    /// The namespace of FHIR's elements.
    package static let namespace = XMLReader.namespace

    /// The name of a document's root element without its prefix; nil if the beginning of the document does not show it.
    package static func rootName(of xml: Data) -> String? { XMLDeclaration.rootName(Array(xml.prefix(XMLDeclaration.rootLength))) }

    /// A resource as the entry of a Bundle whose text is written around it.
    package static func entry(_ resource: FHIRResource) throws -> Data {
        var writer = XMLWriter()
        try writer.writeEntry(resource)
        return Data(writer.bytes)
    }

    /// The text of a Bundle before and after its entries.
    package static let bundle = (
        start: "<Bundle xmlns=\"\(XMLReader.namespace)\"><type value=\"collection\"/>\n", end: "</Bundle>\n"
    )

    /// The object as XML text.
    ///
    /// - Throws: as `data(_:pretty:)` does.
    public static func string(_ object: FHIRObject, pretty: Bool = false) throws -> String {
        var writer = XMLWriter(isPretty: pretty)
        try writer.writeRoot(object)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
