/// A FHIR release and its types: `.r4` with the classes of the module FireLiteR4, or one read from a file of layouts.
///
/// Code that works from layouts works with both. Only a release with generated classes has typed properties and typed queries.
public struct FHIRRelease: Sendable, Hashable, CustomStringConvertible {
    private let model: Model

    /// Creates a release with its classes; for generated code.
    public init(_name: String, version: String, types: [_TypeGroup], codes: [[any FHIRCode.Type]]) {
        model = Model(name: _name, version: version, types: types, codes: codes)
    }

    /// Reads a release from the text that `swift run Generator --layouts` writes: its types and codes, without generated classes.
    ///
    /// Its resources are of class `FHIRResource` and all other objects of class `FHIRObject`. JSON, validation, stores, SQL and `firelite` work as
    /// with generated classes.
    ///
    /// - Parameter layouts: the text, in UTF-8.
    /// - Complexity: reads every layout, some tens of milliseconds for a whole release.
    /// - Throws: `FHIRReleaseError` with the line of the mistake.
    public init(layouts: String) throws {
        self = try Self(uncheckedLayouts: layouts)
        try model.layouts?.createAll(self)
    }

    /// Reads a release whose text is known to be valid; a layout is created when it is first needed.
    ///
    /// - Throws: `FHIRReleaseError` if the text has another form.
    package init(uncheckedLayouts text: String) throws {
        let layouts = try ReleaseLayouts(text)
        model = Model(layouts)
        try layouts.createElement(self)
    }

    /// The release's short name, `R4`.
    public var name: String { model.name }

    /// The version of the specification, `4.0.1`.
    public var version: String { model.version }

    /// The release's short name.
    public var description: String { name }

    /// The generated class of a FHIR type or backbone path, or nil. A release read from a file has none: see `layout(named:)`.
    public func type(named name: String) -> FHIRObject.Type? { model.types[name] }

    /// The generated class of a resource type, or nil; abstract types are excluded. A release read from a file has none.
    public func resourceType(named name: String) -> FHIRResource.Type? {
        guard let type = model.types[name] as? FHIRResource.Type, type._layout.isResource else { return nil }
        return type
    }

    /// Every generated class, in the order of their names.
    public var types: [FHIRObject.Type] { model.names.compactMap { model.types[$0] } }

    /// Every generated resource class that has instances, in the order of their names.
    public var resourceTypes: [FHIRResource.Type] { model.names.compactMap { resourceType(named: $0) } }

    /// The layout of a FHIR type or backbone path, or nil.
    public func layout(named name: String) -> Layout? {
        if let layouts = model.layouts { return layouts.layout(named: name, self) }
        return model.types[name]?._layout
    }

    /// The layout of a resource type, or nil; abstract types are excluded.
    public func resourceLayout(named name: String) -> Layout? {
        if let layouts = model.layouts { return layouts.isResource(name) ? layouts.layout(named: name, self) : nil }
        return resourceType(named: name)?._layout
    }

    /// A resource of this type with no element set; nil if the release has no such type.
    package func makeResource(named name: String) -> FHIRResource? { resourceLayout(named: name)?.makeObject() as? FHIRResource }

    /// Whether the release has a resource type of this name; abstract types are excluded.
    public func hasResourceType(named name: String) -> Bool {
        model.layouts?.isResource(name) ?? (resourceType(named: name) != nil)
    }

    /// The names of all resource types that have instances, in order.
    public var resourceTypeNames: [String] { model.names.filter { hasResourceType(named: $0) } }

    /// Every layout, in the order of their names.
    ///
    /// - Complexity: creates those that were not used yet.
    public var layouts: [Layout] { model.names.compactMap { layout(named: $0) } }

    /// The layout of the type `Element`, which every primitive has for its id and extensions; nil if the release lacks it.
    package var elementLayout: Layout? { model.layouts?.element ?? layout(named: "Element") }

    /// The codes of a required binding by its Swift name, or nil.
    package func codes(ofBinding name: String) -> [Substring]? { model.layouts?.codes[name] ?? model.codes[name]?._knownCodes }

    /// The codes of a required binding by its Swift name, for looking one up; empty if they are not known.
    ///
    /// - Complexity: reads the codes once per process.
    package func codeSet(ofBinding name: String) -> Set<Substring> { model.codeSets.codes(of: name) { codes(ofBinding: name) ?? [] } }

    /// The constraints of the definitions, if the release was read as data: path, key, severity and FHIRPath, separated by blanks.
    package var constraintLines: [Substring] { model.layouts?.constraints ?? [] }

    /// Whether both are the release of one module, or copies of one read from a file.
    public static func == (left: FHIRRelease, right: FHIRRelease) -> Bool { left.model === right.model }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(model)) }

    /// A digest of all types and their elements. It differs if elements or types were added, removed or changed.
    ///
    /// - Complexity: reads every layout, once per process.
    package var fingerprint: String { model.fingerprint.text(of: layouts) }

    private final class Model: Sendable {
        let fingerprint = ModelFingerprint()
        let codeSets = BindingCodes()
        let name: String
        let version: String
        let types: [String: FHIRObject.Type]
        let names: [String]
        let codes: [String: any FHIRCode.Type]
        /// The layouts, if the release was read as data.
        let layouts: ReleaseLayouts?

        init(_ layouts: ReleaseLayouts) {
            name = layouts.name
            version = layouts.version
            types = [:]
            names = layouts.names
            codes = [:]
            self.layouts = layouts
        }

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
            layouts = nil
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
