import FireLiteCore

/// The places of payloads in resources of one release: `data` of every Attachment, and the content of a Binary.
struct PayloadPlaces: Sendable {
    private let attachment: Layout?
    private let attachmentSlot: Int
    private let binary: Layout?
    private let binarySlot: Int

    init(_ release: FHIRRelease) {
        attachment = release.layout(named: "Attachment")
        attachmentSlot = attachment?.element(named: "data")?.slot ?? -1
        binary = release.resourceLayout(named: "Binary")
        // `content` before R4, `data` from R4 on.
        binarySlot = (binary?.element(named: "data") ?? binary?.element(named: "content"))?.slot ?? -1
    }

    func slot(of object: FHIRObject) -> Int? {
        let layout = object.layout
        if layout === attachment { return attachmentSlot >= 0 ? attachmentSlot : nil }
        if layout === binary { return binarySlot >= 0 ? binarySlot : nil }
        return nil
    }

    /// Calls `body` with each object in a resource, and itself, that has a text in such a place.
    func forEach(in object: FHIRObject, _ body: (FHIRObject, Int, String) throws -> Void) rethrows {
        if let slot = slot(of: object), case .text(let text)? = object.plainValue(slot) { try body(object, slot, text) }
        for place in object.slotRun {
            switch place.value {
            case .word, .text, .texts: continue
            default: try place.value.forEachChild { try forEach(in: $0, body) }
            }
        }
    }
}
