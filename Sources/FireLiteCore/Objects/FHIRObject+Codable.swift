/// Gives every class `Decodable`'s initializer, including abstract resource classes.
///
/// Reading a `Resource` returns an object of the class that `resourceType` names. An initializer of a class cannot do that, so it calls a
/// function. The protocol is not limited to classes because only then can the initializer assign `self`.
public protocol FHIRCodable: Codable {
    /// Reads an object of the class, or of the class below it that the input names.
    static func _decoded(from decoder: any Decoder) throws -> Self
}

extension FHIRCodable {
    /// Reads an object with any coder, as strictly as FireLite's own reader.
    ///
    /// Numbers are read as the decoder provides them, so `1.50` from a `JSONDecoder` is 1.5. `init(json:)` keeps literals, and is faster.
    /// - Throws: `DecodingError`, with the coding path of the mistake.
    public init(from decoder: any Decoder) throws {
        self = try Self._decoded(from: decoder)
    }
}

extension FHIRObject: FHIRCodable {
    /// Writes the object with any coder. Decimals are written as Foundation's `Decimal`, exact up to 38 digits.
    ///
    /// - Throws: `EncodingError` if a decimal is too large for the coder's numbers; errors of the encoder.
    public final func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FHIRCodingKey.self)
        try FHIRObjectEncoder.encode(self, &container)
    }
}

extension FHIRObjectInitializers where Self: FHIRObject {
    /// Reads an object of the class, or of the class below it that the input names.
    public static func _decoded(from decoder: any Decoder) throws -> Self {
        let container = try decoder.container(keyedBy: FHIRCodingKey.self)
        let isRoot = self == FHIRObject.self || self == FHIRResource.self
        guard isRoot || (self is FHIRResource.Type && _layout.kind == .abstract) else {
            let object = self.init()
            try FHIRObjectDecoder(release: _layout.release).decode(object, container, depth: 1)
            return object
        }
        guard let release = decoder.userInfo[.fhirRelease] as? FHIRRelease ?? (isRoot ? nil : _layout.release) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "no FHIR release: set one in the decoder's userInfo[.fhirRelease]"))
        }
        let resource = try FHIRObjectDecoder(release: release).resource(container, depth: 1)
        guard let result = resource as? Self else {
            throw DecodingError.typeMismatch(
                self,
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "expected a \(self), found a \(resource.resourceType)"))
        }
        return result
    }
}

extension CodingUserInfoKey {
    /// The `FHIRRelease` whose classes a decoder creates if the class to decode, `FHIRResource`, does not determine it.
    public static let fhirRelease = CodingUserInfoKey(rawValue: "fhirRelease")!
}

/// A JSON member name.
struct FHIRCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
