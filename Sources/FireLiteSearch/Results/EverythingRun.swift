import FireLite
import FireLiteCore

/// Finds what the resources of `$everything` refer to: practitioners, organizations, medications and the like, and what these refer to.
///
/// Resources of other patients are left out, though one refers to them.
struct EverythingRun {
    let run: SearchRun
    let compartment: SearchRequest.Compartment

    func resources(for matches: [FHIRResource]) throws -> [FHIRResource] {
        let compartments = Compartments(release: run.release.name)
        let types = Set(run.control.types)
        var seen = Set(matches.compactMap { run.transaction.key(of: $0) })
        var found: [FHIRResource] = []
        var latest = matches
        while !latest.isEmpty {
            var next: [FHIRResource] = []
            for resource in latest {
                for reference in Self.references(in: resource) {
                    guard let target = try reference.resolve(in: run.store), let key = run.transaction.key(of: target),
                        seen.insert(key).inserted, try !hasOwner(target, compartments)
                    else { continue }
                    next.append(target)
                }
            }
            found += next
            guard found.count <= run.options.maximumIncluded else {
                throw SearchError(.notSupported, "more than \(run.options.maximumIncluded) resources are included", in: "$everything")
            }
            latest = next
        }
        return found.filter { types.isEmpty || types.contains($0.resourceType) }
    }

    /// Whether a resource belongs to some compartment of this type: to this one, so that it is a match of some page, or to another.
    private func hasOwner(_ resource: FHIRResource, _ compartments: Compartments) throws -> Bool {
        if resource.resourceType == compartment.type { return true }
        for code in compartments.parameters(of: resource.resourceType, in: compartment.type) {
            guard let definition = try run.catalog.parameter(code, on: resource.layout) else { continue }
            for path in try run.catalog.compiled(definition, on: resource.layout).paths {
                let references = path.typeName == "CodeableReference" ? path.child("reference") : path
                let texts = references?.objects(in: resource).compactMap { $0.text("reference") } ?? []
                if texts.contains(where: { ReferenceParts($0).type == compartment.type }) { return true }
            }
        }
        return false
    }

    /// The references in a resource, with those in what it contains.
    private static func references(in object: FHIRObject) -> [any FHIRReference] {
        var found: [any FHIRReference] = []
        func walk(_ object: FHIRObject) {
            if let reference = object as? any FHIRReference, object.text("reference") != nil { found.append(reference) }
            for slot in object.slotRun { slot.value.forEachChild(walk) }
        }
        walk(object)
        return found
    }
}
