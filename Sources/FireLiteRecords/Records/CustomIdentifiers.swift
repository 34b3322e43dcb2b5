import FireLiteCore

/// Identifiers that a partner has given a resource: values of its element `identifier` whose `assigner` refers to the partner.
extension FHIRResource {
    /// The identifiers assigned by a partner.
    public func customIdentifiers(of partner: String) -> [String] {
        identifierObjects.filter { $0.isAssigned(by: partner) }.compactMap { $0.text("value") }
    }

    /// Adds an identifier of a partner; does nothing if it exists.
    ///
    /// - Throws: ``RecordError/Code/invalidArgument`` if the type has no element `identifier`, or allows only one, which is already set.
    public func addCustomIdentifier(_ value: String, partner: String) throws {
        let known = customIdentifiers(of: partner)
        if !known.contains(value) { try setCustomIdentifiers(known + [value], partner: partner) }
    }

    /// Replaces the identifiers of a partner. Those of others stay.
    ///
    /// - Parameters:
    ///   - values: the identifiers; none removes them.
    ///   - partner: the reference to the partner.
    /// - Throws: ``RecordError/Code/invalidArgument`` if the type has no element `identifier`, or allows only one.
    public func setCustomIdentifiers(_ values: [String], partner: String) throws {
        guard let element = layout.element(named: "identifier"), element.kind == .object else {
            throw RecordError(.invalidArgument, "a \(resourceType) has no element 'identifier'")
        }
        let others = identifierObjects.filter { !$0.isAssigned(by: partner) }
        guard element.isList || others.count + values.count <= 1 else {
            throw RecordError(.invalidArgument, "a \(resourceType) has room for one identifier only")
        }
        let known = identifierObjects.filter { $0.isAssigned(by: partner) }
        let new = try values.map { value in
            // An identifier that stays keeps its other elements.
            try known.first { $0.text("value") == value } ?? Self.identifier(value, partner, element)
        }
        if element.isList { _setObjects(element.slot, others + new) } else { _setObject(element.slot, (others + new).first) }
    }

    private static func identifier(_ value: String, _ partner: String, _ element: LayoutElement) throws -> FHIRObject {
        guard let identifier = element.makeObject(), let slot = identifier.layout.element(named: "value")?.slot,
            let assigner = identifier.layout.element(named: "assigner"), let reference = assigner.makeObject(),
            let place = reference.layout.element(named: "reference")?.slot
        else { throw RecordError(.invalidArgument, "the release has no Identifier with an assigner") }
        identifier._setString(slot, value)
        reference._setString(place, partner)
        identifier._setObject(assigner.slot, reference)
        return identifier
    }

    private var identifierObjects: [FHIRObject] {
        guard let element = layout.element(named: "identifier"), element.kind == .object else { return [] }
        return element.isList ? _objects(element.slot) : [_object(element.slot)].compactMap { $0 }
    }
}

extension FHIRObject {
    fileprivate func isAssigned(by partner: String) -> Bool {
        guard let slot = layout.element(named: "assigner")?.slot, let assigner: FHIRObject = _object(slot) else { return false }
        return assigner.text("reference") == partner
    }
}
