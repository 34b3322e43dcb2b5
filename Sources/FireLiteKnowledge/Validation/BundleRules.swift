import FireLiteCore

/// Rules for Bundles beside the constraints bdl-1 to bdl-12 (FHIR, Bundle; Search; Documents; Messaging; RESTful API, transaction).
struct BundleRules {
    private let run: ValidationRun

    init(_ run: ValidationRun) { self.run = run }

    func check(_ bundle: FHIRResource) {
        let type = bundle.text("type") ?? ""
        checkLinks(of: bundle, type)
        let index = bundle === run.root ? run.references : ReferenceIndex(bundle)
        run.forEach("entry", of: bundle) { entry, number in
            check(entry, number, type)
        }
        switch type {
        case "searchset": checkMatches(bundle)
        case "document": checkDocument(bundle, index)
        case "message": checkMessage(bundle, index)
        default: break
        }
        checkReferences(bundle, type, index)
    }

    // MARK: - Links

    private static let searchLinks: Set<String> = ["first", "previous", "prev", "next", "last"]

    private func checkLinks(of bundle: FHIRResource, _ type: String) {
        var seen: Set<String> = []
        run.forEach("link", of: bundle) { link, _ in
            guard let relation = link.text("relation") else { return }
            if !seen.insert(relation).inserted, ["self", "first", "previous", "prev", "next", "last"].contains(relation) {
                run.at("relation") { run.add(.bundleLink, "the link '\(relation)' may occur once") }
            }
            if Self.searchLinks.contains(relation), ["document", "message", "transaction", "batch", "collection"].contains(type) {
                run.at("relation") { run.add(.bundleLink, "the link '\(relation)' is for results of searches, not for a \(type)") }
            }
        }
    }

    // MARK: - Entries

    private func check(_ entry: FHIRObject, _ number: Int, _ type: String) {
        let resource = entry.children("resource").first as? FHIRResource
        if let url = entry.text("fullUrl") {
            checkFullURL(url, resource)
        } else if resource != nil, ["document", "message"].contains(type) {
            run.add(.fullURL, "each entry of a \(type) needs a fullUrl")
        }
        guard let request = entry.child("request") else { return }
        run.at("request") { check(request, resource, type) }
    }

    private func checkFullURL(_ url: String, _ resource: FHIRResource?) {
        run.at("fullUrl") {
            guard URLRules.isAbsolute(url) else { return run.add(.fullURL, "must be absolute") }
            guard let resource else { return }
            let parts = ReferenceParts(url)
            guard parts.form == .absolute, let type = parts.type, run.release.hasResourceType(named: type) else { return }
            if type != resource.resourceType { return run.add(.fullURL, "has another type than the resource") }
            if let id = resource.id, let own = parts.id, id != own { run.add(.fullURL, "has another id than the resource") }
        }
    }

    private func check(_ request: FHIRObject, _ resource: FHIRResource?, _ type: String) {
        guard type == "transaction" || type == "batch" else { return }
        let method = request.text("method")
        let url = request.text("url") ?? ""
        if ["POST", "PUT", "PATCH"].contains(method), resource == nil {
            run.add(.bundleEntry, "a \(method ?? "") needs a resource")
        }
        if ["GET", "HEAD", "DELETE"].contains(method), resource != nil, method != "DELETE" {
            run.add(.bundleEntry, "a \(method ?? "") has no resource", .warning)
        }
        guard let resource, method == "PUT" || method == "POST" else { return }
        let name = url.prefix { $0 != "/" && $0 != "?" }
        guard run.release.hasResourceType(named: String(name)) else { return }
        let isOperation = url.contains("$")
        if name != resource.resourceType, !isOperation {
            run.at("url") { run.add(.bundleEntry, "names another type than the resource has") }
        }
        let parts = ReferenceParts(String(url.prefix { $0 != "?" }))
        if method == "PUT", parts.form == .relative, let id = parts.id, resource.id != id {
            run.at("url") { run.add(.bundleEntry, "names another id than the resource has", resource.id == nil ? .warning : .error) }
        }
    }

    // MARK: - Searches

    private func checkMatches(_ bundle: FHIRResource) {
        let expected = Self.searchedTypes(of: bundle)
        run.forEach("entry", of: bundle) { entry, _ in
            guard let resource = entry.children("resource").first as? FHIRResource else { return }
            let mode = entry.child("search")?.text("mode")
            run.at("resource") {
                let isOutcome = resource.resourceType == "OperationOutcome"
                if mode == "outcome" {
                    if !isOutcome { run.add(.bundleEntry, "an entry with the mode outcome is an OperationOutcome") }
                    return
                }
                // Without a mode, an OperationOutcome is about the search.
                if isOutcome, mode == nil { return }
                if resource.id == nil { run.add(.bundleEntry, "a result of a search needs an id") }
                if mode == "match" || mode == nil, let expected, run.release.hasResourceType(named: expected.first ?? ""),
                    !expected.contains(resource.resourceType), mode == "match"
                {
                    run.add(.bundleEntry, "the search was for \(expected.joined(separator: ", ")), and this is \(resource.resourceType)")
                }
            }
        }
    }

    /// The types that the link `self` searches for; nil if it does not say.
    private static func searchedTypes(of bundle: FHIRResource) -> [String]? {
        guard let link = bundle.children("link").first(where: { $0.text("relation") == "self" })?.text("url") else { return nil }
        let parts = link.split(separator: "?", maxSplits: 1)
        if parts.count > 1 {
            for parameter in parts[1].split(separator: "&") where parameter.hasPrefix("_type=") {
                return parameter.dropFirst(6).replacingBytes("%2C", with: ",").split(separator: ",").map(String.init)
            }
        }
        guard let name = parts.first?.split(separator: "/").last, name.first?.isUppercase ?? false, name.allSatisfy(\.isLetter) else {
            return nil
        }
        return [String(name)]
    }

    // MARK: - Documents and messages

    private func checkDocument(_ bundle: FHIRResource, _ index: ReferenceIndex) {
        guard let first = bundle.children("entry").first?.children("resource").first as? FHIRResource,
            first.resourceType == "Composition"
        else { return }
        run.at("entry", 0) {
            run.at("resource") {
                let names = ["subject", "encounter", "author", "attester", "custodian", "relatesTo", "event", "section"]
                for name in names { checkResolved(name, of: first, index) }
            }
        }
    }

    private func checkMessage(_ bundle: FHIRResource, _ index: ReferenceIndex) {
        guard let first = bundle.children("entry").first?.children("resource").first as? FHIRResource,
            first.resourceType == "MessageHeader"
        else { return }
        run.at("entry", 0) { run.at("resource") { checkResolved("focus", of: first, index) } }
    }

    /// References at an element, and below it, must lead to an entry.
    private func checkResolved(_ name: String, of object: FHIRObject, _ index: ReferenceIndex) {
        run.forEach(name, of: object) { child, _ in
            if child.layout.name == "Reference" { return checkResolved(child, index) }
            guard !(child is FHIRResource), child.layout.name != "Extension" else { return }
            for element in child.layout.elements where element.kind == .object { checkResolved(element.name, of: child, index) }
        }
    }

    private func checkResolved(_ reference: FHIRObject, _ index: ReferenceIndex) {
        guard let text = reference.text("reference"), !text.hasPrefix("#") else { return }
        let found = index.matches(reference, text)
        if found.isEmpty {
            // External addresses of documents are allowed to stay outside only as URLs of other servers.
            run.add(.bundleReference, "refers to a resource that is not in the Bundle")
        }
    }

    // MARK: - References

    /// A reference that several entries answer is ambiguous; one to a UUID leads to an entry of the Bundle.
    private func checkReferences(_ bundle: FHIRResource, _ type: String, _ index: ReferenceIndex) {
        for entry in index.entries {
            run.at("entry", entry.number) { run.at("resource") { check(entry.resource, type, index) } }
        }
    }

    private func check(_ object: FHIRObject, _ type: String, _ index: ReferenceIndex) {
        let layout = object.layout
        for position in object.slotRun.indices {
            let slot = Int(object.slotRun[position].index)
            switch object.slotRun[position].value {
            case .word, .text, .texts: continue
            case .object(let child):
                check(child, layout.elements[slot].name, object.layoutTable.pointee.entries[slot].isList ? 0 : nil, type, index)
            case .objects(let children):
                let name = layout.elements[slot].name
                for (place, child) in children.enumerated() { check(child, name, place, type, index) }
            case .annotated, .annotatedTexts:
                for value in object.values(at: slot..<slot + 1) {
                    if let child = value.children { check(child, value.name, value.index, type, index) }
                }
            }
        }
    }

    private func check(_ child: FHIRObject, _ name: String, _ place: Int?, _ type: String, _ index: ReferenceIndex) {
        guard run.mayContinue() else { return }
        run.at(name, place) {
            guard child.layout.name == "Reference", let text = child.text(of: "reference"), !text.hasPrefix("#") else {
                if child.layout.name != "Bundle" { check(child, type, index) }
                return
            }
            let found = index.matches(child, text)
            if found.count > 1, !Self.areSame(found) {
                run.add(.bundleReference, "\(found.count) entries of the Bundle answer the reference")
            }
            if found.isEmpty, ReferenceParts(text).form == .uuid,
                ["document", "message", "transaction", "collection", "batch"].contains(type)
            {
                run.add(
                    .bundleReference, "no entry of the Bundle has this UUID as its fullUrl",
                    type == "batch" || type == "collection" ? .warning : .error)
            }
        }
    }

    private static func areSame(_ entries: [ReferenceIndex.Entry]) -> Bool { Set(entries.map { ObjectIdentifier($0.resource) }).count == 1 }
}
