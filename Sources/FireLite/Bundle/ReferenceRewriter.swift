import FireLiteCore

/// Rewrites references to other resources, in an object and everything in it.
struct ReferenceRewriter {
    // The slots of the relevant elements in the classes of a release.
    private let reference: UnsafePointer<LayoutTable>?
    private let referenceSlot: Int
    private let bundle: UnsafePointer<LayoutTable>?

    init(release: FHIRRelease) {
        let layout = release.layout(named: "Reference")
        reference = layout?.table
        referenceSlot = layout?.element(named: "reference")?.slot ?? -1
        bundle = release.layout(named: "Bundle")?.table
    }

    /// Rewrites references and other URIs. A nested Bundle has its own entries and is not changed.
    ///
    /// - Parameter key: returns the new text, or nil to keep it; its second argument is whether the text is a `Reference.reference`.
    func rewrite(_ object: FHIRObject, _ key: (_ text: String, _ isReference: Bool) -> String?) {
        guard object.layoutTable != bundle else { return }
        var changes: [(slot: Int, texts: [String], isList: Bool)] = []
        let entries = object.layoutTable.pointee.entries
        let isReference = object.layoutTable == reference
        object.forEachSlot { slot in
            let index = Int(slot.index)
            switch slot.value {
            case .word: return
            case .object(let child): return rewrite(child, key)
            case .objects(let children):
                for child in children { rewrite(child, key) }
                return
            case .text, .texts: break
            case .annotated, .annotatedTexts: slot.value.forEachChild { rewrite($0, key) }
            }
            let isWhole = isReference && index == referenceSlot
            guard isWhole || Self.isLink(entries[index].primitive) else { return }
            // Most are one text, and stay.
            if case .text(let text) = slot.value {
                if let changed = key(text, isWhole), changed != text { changes.append((index, [changed], false)) }
                return
            }
            guard let texts = slot.value.texts, !texts.isEmpty else { return }
            let changed = texts.map { text in key(text, isWhole) ?? text }
            if changed != texts { changes.append((index, changed, entries[index].isList)) }
        }
        for change in changes {
            if change.isList {
                object.replacePrimitives(change.slot, change.texts)
            } else if let slot = Self.slot(for: change.texts[0], insteadOf: change.slot, of: object.layout) {
                let annotated = if case .annotated(let old)? = object.value(change.slot) { old.element } else { nil as FHIRObject? }
                object._setString(slot, change.texts[0])
                if slot != change.slot { object.setElement(annotated, of: slot) }
            }
        }
    }

    /// Where a new text belongs: `Type/id` is no uuid and no oid, so that `valueUuid` becomes `valueUri`.
    ///
    /// - Returns: nil if the element has no type that can hold it, and stays as it is.
    private static func slot(for text: String, insteadOf slot: Int, of layout: Layout) -> Int? {
        let element = layout.elements[slot]
        guard element.primitive == .uuid || element.primitive == .oid, !text.hasPrefix("urn:") else { return slot }
        return element.choice?.slots.first { layout.elements[$0].primitive == .uri }
    }

    /// Whether a transaction rewrites values of the type.
    private static func isLink(_ type: PrimitiveType) -> Bool {
        switch type {
        case .uri, .url, .oid, .uuid: true
        default: false
        }
    }
}

extension SlotValue {
    /// The text of a primitive, or the texts of a list without its nulls.
    fileprivate var texts: [String]? {
        switch self {
        case .text(let text): [text]
        case .texts(let texts): texts
        case .annotated(let primitive): primitive.value?.texts
        case .annotatedTexts(let list): list.texts.compactMap { $0 }
        default: nil
        }
    }
}
