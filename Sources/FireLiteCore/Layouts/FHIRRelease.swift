/// A release of FHIR and its generated classes: `.r4` from the module FireLiteR4.
public struct FHIRRelease: Sendable, Hashable, CustomStringConvertible {
    private let model: Model

    /// Creates a release with its classes; for generated code.
    public init(_name: String, version: String, types: [_TypeGroup], codes: [[any FHIRCode.Type]]) {
        model = Model(name: _name, version: version, types: types, codes: codes)
    }

    /// The release's short name, `R4`.
    public var name: String { model.name }

    /// The version of the specification, `4.0.1`.
    public var version: String { model.version }

    /// The release's short name.
    public var description: String { name }

    /// The class of a FHIR type or backbone path, or nil.
    public func type(named name: String) -> FHIRObject.Type? { model.types[name] }

    /// The class of a resource type, or nil; abstract types are excluded.
    public func resourceType(named name: String) -> FHIRResource.Type? {
        guard let type = model.types[name] as? FHIRResource.Type, type._layout.isResource else { return nil }
        return type
    }

    /// Every class, in the order of their names.
    public var types: [FHIRObject.Type] { model.names.compactMap { model.types[$0] } }

    /// Every resource class that has instances, in the order of their names.
    public var resourceTypes: [FHIRResource.Type] { model.names.compactMap { resourceType(named: $0) } }

    /// The codes of a required binding by its Swift name, or nil.
    package func codes(ofBinding name: String) -> [Substring]? { model.codes[name]?._knownCodes }

    /// Whether both are the release of one module.
    public static func == (left: FHIRRelease, right: FHIRRelease) -> Bool { left.model === right.model }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(model)) }

    /// A digest of all classes and their elements. It differs if elements or types were added, removed or changed.
    ///
    /// - Complexity: reads every layout, once per process.
    package var fingerprint: String { model.fingerprint.text(of: types) }

    private final class Model: Sendable {
        let fingerprint = ModelFingerprint()
        let name: String
        let version: String
        let types: [String: FHIRObject.Type]
        let names: [String]
        let codes: [String: any FHIRCode.Type]

        init(name: String, version: String, types groups: [_TypeGroup], codes: [[any FHIRCode.Type]]) {
            self.name = name
            self.version = version
            var types: [String: FHIRObject.Type] = [:]
            types.reserveCapacity(1_000)
            for group in groups {
                let names = group.names.utf8.split(separator: UInt8(ascii: " "))
                misuse(unless: names.count == group.types.count, "\(group.names) does not name \(group.types.count) types")
                for (name, type) in zip(names, group.types) { types[String(Substring(name))] = type }
            }
            self.types = types
            names = types.keys.sorted()
            self.codes = Dictionary(uniqueKeysWithValues: codes.joined().map { ("\($0)", $0) })
        }
    }
}

/// Generated classes and their FHIR names, separated by spaces, in the same order; for generated code.
public struct _TypeGroup: Sendable {
    let names: String
    let types: [FHIRObject.Type]

    /// The names and as many classes.
    public init(_ names: String, _ types: [FHIRObject.Type]) {
        self.names = names
        self.types = types
    }
}
