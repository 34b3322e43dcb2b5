import FireLiteCore
import FireLiteR4

// Documents need what they refer to: a Bundle has it as entries, and a Composition on its own contains it.

extension Maker {
    /// The types of resources of which a document has those of IPS's profile of that name.
    private static let documentProfiles: Set<String> = [
        "AllergyIntolerance", "Condition", "DeviceUseStatement", "DiagnosticReport", "Immunization", "MedicationRequest",
        "MedicationStatement", "Organization", "Patient", "Practitioner", "PractitionerRole", "Procedure",
    ]

    /// A resource of a type as a document has it.
    private mutating func part(_ type: String) -> FHIRResource? {
        let ips = "http://hl7.org/fhir/uv/ips/StructureDefinition/"
        if type == "Observation" { return resource(following: "\(ips)Observation-results-uv-ips") }
        if Self.documentProfiles.contains(type) { return resource(following: "\(ips)\(type)-uv-ips") }
        guard let resource = FHIRRelease.r4.resourceType(named: type)?.init() else { return nil }
        complete(part: resource, "", type)
        return resource
    }

    /// Gives the entries addresses, and adds entries for what the Composition refers to.
    mutating func complete(document bundle: Bundle) {
        for entry in bundle.entry { address(entry, bundle) }
        guard let composition = bundle.entry.lazy.compactMap({ $0.resource as? Composition }).first else { return }
        for reference in Self.references(in: composition) {
            guard let type = Self.type(of: reference) else { continue }
            var found = bundle.entry.first { $0.resource?.resourceType == type }
            if found == nil, let resource = part(type) {
                let entry = BundleEntry { $0.resource = resource as? Resource }
                bundle.entry.append(entry)
                address(entry, bundle)
                found = entry
            }
            if let id = found?.resource?.id { reference.reference = "\(type)/\(id)" }
        }
    }

    private func address(_ entry: BundleEntry, _ bundle: Bundle) {
        guard let resource = entry.resource, let number = bundle.entry.firstIndex(where: { $0 === entry }) else { return }
        // No number that random references have.
        resource.id = "entry-\(number)"
        entry.fullUrl = "http://example.org/fhir/\(resource.resourceType)/entry-\(number)"
    }

    /// Contains what the Composition refers to.
    mutating func complete(alone composition: Composition) {
        composition.contained = []
        for reference in Self.references(in: composition) {
            guard let type = Self.type(of: reference) else { continue }
            var found = composition.contained.first { $0.resourceType == type }
            if found == nil, let resource = part(type) as? Resource {
                resource.id = "part-\(composition.contained.count)"
                composition.contained.append(resource)
                found = resource
            }
            if let id = found?.id { reference.reference = "#\(id)" }
        }
    }

    private static func type(of reference: Reference) -> String? {
        reference.type ?? reference.reference.flatMap { ReferenceParts($0).type }
    }

    /// The references of a resource, without those of resources in it.
    private static func references(in object: FHIRObject) -> [Reference] {
        object.layout.elements.flatMap { element -> [Reference] in
            guard element.kind == .object, element.typeName != "Extension" else { return [] }
            let children: [FHIRObject] =
                element.isList ? object._objects(element.slot) : (object._object(element.slot) as FHIRObject?).map { [$0] } ?? []
            return children.flatMap { child in (child as? Reference).map { [$0] } ?? references(in: child) }
        }
    }
}
