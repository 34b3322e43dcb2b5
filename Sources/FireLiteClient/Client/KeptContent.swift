import FireLiteCore

// Whether a server has kept what was sent to it. Servers add elements, replace some references, and write numbers and times in forms of their own.

extension FHIRResource {
    /// Whether a server's state has everything that was sent to it. What is the server's in `meta`, and a narrative that says nothing else than the
    /// elements (its status is not `additional`), which it may make by itself, need not be the same.
    ///
    /// - Parameter base: the server's address.
    package func hasEverything(ofSent sent: FHIRResource, base: String) -> Bool {
        let (own, wanted) = (withoutServerMeta, sent.withoutServerMeta)
        if let slot = wanted.layout.element(named: "text")?.slot, own.child("text") != nil,
            wanted.child("text")?.text("status") != "additional"
        {
            wanted.store(nil, in: slot)
        }
        return own.hasEverything(of: wanted, base: base)
    }

    /// Gives numbers and times of a server's state, which has everything that was sent, the form in which they were sent: `1.50` where it has 1.5.
    package func keepForms(ofSent sent: FHIRResource, base: String) { (self as FHIRObject).keepForms(of: sent, base: base) }
}

extension FHIRObject {
    /// Whether the object has every value of another one, at any depth. Items of lists may stand between others.
    ///
    /// - Parameter base: the address of the server that has the object, which may have given addresses, numbers and times another form; nil if it must
    ///   not have.
    func hasEverything(of other: FHIRObject, base: String? = nil) -> Bool {
        guard layoutTable == other.layoutTable else { return false }
        return other.layout.elements.allSatisfy { element in
            guard let wanted = other.value(element.slot), wanted.hasContent else { return true }
            if element.name == "reference", let sent = other.text("reference"), isResolved(sent, base) { return true }
            guard let own = value(element.slot) else { return false }
            return own.hasEverything(of: wanted, base: base) || base != nil && element.primitive.map { own.means(wanted, $0) } ?? false
        }
    }

    /// Whether the reference can be what a server makes of another one. It puts its own address instead of that of an entry of the same Bundle, and the
    /// resource that it finds instead of a search (<https://hl7.org/fhir/R5/http.html#trules>). What it has may be named by its address or without it.
    private func isResolved(_ sent: String, _ base: String?) -> Bool {
        if sent.hasPrefix("urn:uuid:") { return true }
        guard let text = text("reference"), text != sent else { return false }
        let own = ReferenceParts(text)
        if let place = sent.firstIndex(of: "?") { return own.id != nil && own.type.map { sent[..<place] == $0 } ?? false }
        guard let base else { return false }
        let parts = ReferenceParts(sent)
        func isHere(_ parts: ReferenceParts) -> Bool { parts.form == .relative || parts.form == .absolute && parts.base == base }
        return isHere(own) && isHere(parts) && own.type == parts.type && own.id == parts.id && own.version == parts.version
    }

    fileprivate func keepForms(of other: FHIRObject, base: String) {
        for element in other.layout.elements {
            guard let wanted = other.value(element.slot), let own = value(element.slot) else { continue }
            switch (own, wanted) {
            case (.object(let own), .object(let wanted)): own.keepForms(of: wanted, base: base)
            case (.objects(let own), .objects(let wanted)):
                for (place, item) in SlotValue.places(of: wanted, in: own, base: base) ?? [] { own[place].keepForms(of: item, base: base) }
            default:
                if let type = element.primitive, !own.hasSameContent(as: wanted), own.means(wanted, type) {
                    store(wanted, in: element.slot)
                }
            }
        }
    }
}

extension SlotValue {
    fileprivate func hasEverything(of other: SlotValue, base: String?) -> Bool {
        switch (self, other) {
        case (.object(let own), .object(let wanted)): own.hasEverything(of: wanted, base: base)
        case (.objects(let own), .objects(let wanted)): Self.places(of: wanted, in: own, base: base) != nil
        default: hasSameContent(as: other)
        }
    }

    /// Where the items of a list are in another one, in its order; nil if not all are there.
    fileprivate static func places(of wanted: [FHIRObject], in own: [FHIRObject], base: String?) -> [(Int, FHIRObject)]? {
        var places: [(Int, FHIRObject)] = []
        for item in wanted {
            let start = places.last.map { $0.0 + 1 } ?? 0
            guard let found = own[start...].firstIndex(where: { $0.hasEverything(of: item, base: base) }) else { return nil }
            places.append((found, item))
        }
        return places
    }

    /// Whether both are the same number or the same moment, in different forms.
    fileprivate func means(_ other: SlotValue, _ type: PrimitiveType) -> Bool {
        guard type.storage == .decimal || type.storage == .temporal, let own = literal(type), let wanted = other.literal(type) else {
            return false
        }
        if type.storage == .decimal {
            // Foundation rounds longer ones.
            guard max(own.utf8.count, wanted.utf8.count) <= 38 else { return false }
            guard let own = FHIRDecimal(own)?.decimalValue, let wanted = FHIRDecimal(wanted)?.decimalValue else { return false }
            return own == wanted
        }
        guard type == .dateTime || type == .instant, own.contains("T"), wanted.contains("T"), let own = FHIRDateTime(own),
            let wanted = FHIRDateTime(wanted)
        else { return false }
        return own.date == wanted.date
    }
}
