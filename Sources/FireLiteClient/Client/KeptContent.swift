import FireLiteCore

// Whether a server has kept what was sent to it. Servers add elements, replace some references, and write numbers and times in forms of their own.

extension FHIRResource {
    /// Whether a server's state has everything that was sent to it. What is the server's in `meta`, and a narrative that says nothing else than the
    /// elements (its status is not `additional`), which it may make by itself, need not be the same.
    ///
    /// - Parameter base: the server's address.
    package func hasEverything(ofSent sent: FHIRResource, base: String) -> Bool {
        let (own, wanted) = (withoutServerMeta, sent.withoutServerMeta)
        if let slot = wanted.layout.element(named: "text")?.slot, own.child("text") != nil, let text = wanted.child("text"),
            text.text("status") != "additional", text.hasOnlyValues(of: ["status", "div"])
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
            guard let own = value(element.slot) else { return false }
            if element.name == "reference", let sent = other.text("reference"), isResolved(sent, other.text("type"), base) {
                return own.hasAnnotation(of: wanted, base: base)
            }
            return own.hasEverything(of: wanted, base: base) || base != nil && element.primitive.map { own.means(wanted, $0) } ?? false
        }
    }

    /// Whether the reference can be what a server makes of another one. It puts its own address instead of that of an entry of the same Bundle, and the
    /// resource that it finds instead of a search (<https://hl7.org/fhir/R5/http.html#trules>). What it has may be named by its address or without it.
    ///
    /// - Parameters:
    ///   - type: `Reference.type`, if it was sent.
    ///   - base: the server's address; nil if any is the server's.
    private func isResolved(_ sent: String, _ type: String?, _ base: String?) -> Bool {
        guard let text = text("reference"), text != sent else { return false }
        let own = ReferenceParts(text)
        func isHere(_ parts: ReferenceParts) -> Bool {
            parts.form == .relative || parts.form == .absolute && base.map { parts.base == $0 } ?? true
        }
        guard isHere(own), own.id != nil, type.map({ own.type == $0 }) ?? true else { return false }
        if sent.hasPrefix("urn:uuid:") { return true }
        if let place = sent.firstIndex(of: "?") {
            let conditions = FHIRParameters(query: String(sent[sent.index(after: place)...])).all
            let ids = conditions.filter { $0.name == "_id" }.map(\.value)
            return own.type.map { sent[..<place] == $0 } ?? false && !conditions.isEmpty && ids.allSatisfy { $0 == own.id }
        }
        guard base != nil else { return false }
        let parts = ReferenceParts(sent)
        return isHere(parts) && own.type == parts.type && own.id == parts.id && own.version == parts.version
    }

    /// Whether nothing but the plain values of some elements is there.
    fileprivate func hasOnlyValues(of names: [String]) -> Bool {
        layout.elements.allSatisfy { element in
            switch value(element.slot) {
            case .text, .word: names.contains(element.name)
            case let value?: !value.hasContent
            case nil: true
            }
        }
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

    /// Whether the value has the id and the extensions of another one.
    fileprivate func hasAnnotation(of other: SlotValue, base: String?) -> Bool {
        guard case .annotated(let wanted) = other, wanted.element.hasContent else { return true }
        guard case .annotated(let own) = self else { return false }
        return own.element.hasEverything(of: wanted.element, base: base)
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
        let (ownText, wantedText) = (own, wanted)
        guard type == .dateTime || type == .instant, own.contains("T"), wanted.contains("T"), let own = FHIRDateTime(own),
            let wanted = FHIRDateTime(wanted)
        else { return false }
        // Zones differ by whole minutes, and the time has no more digits than a Double.
        return own.date == wanted.date && Self.seconds(of: ownText) == Self.seconds(of: wantedText)
    }

    /// The seconds of a time with their fraction, without the zeros at its end: `59`, `59.5`.
    private static func seconds(of text: String) -> Substring? {
        guard let time = text.firstIndex(of: "T") else { return nil }
        let seconds = text[time...].dropFirst(7).prefix { $0.isNumber || $0 == "." }
        return seconds.contains(".") ? seconds.dropLast(while: { $0 == "0" }).dropLast(while: { $0 == "." }) : seconds
    }
}

extension Substring {
    fileprivate func dropLast(while isDropped: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, isDropped(last) { text.removeLast() }
        return text
    }
}
