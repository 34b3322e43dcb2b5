/// The members that identify the resource of a Bundle's entry, read from its text without reading the rest.
struct EntryHead {
    private(set) var fullUrl: String?
    private(set) var resourceType: String?
    private(set) var id: String?

    /// - Parameter text: the entry, a well-formed object.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        var structure = JSONStructure(containerDepth: 2, textDepth: 2)
        var index = 0
        var isResource = false
        var target: WritableKeyPath<EntryHead, String?>?
        while let event = structure.next(text, &index), event != .violation {
            switch (event, structure.depth) {
            case (.member, 1):
                isResource = structure.isText("resource")
                target = structure.isText("fullUrl") ? \.fullUrl : nil
            case (.member, 2):
                let isType = structure.isText("resourceType")
                target = !isResource ? nil : isType ? \.resourceType : structure.isText("id") ? \.id : nil
            case (.string, _):
                if let target { self[keyPath: target] = structure.plainText }
                target = nil
            default:
                target = nil
            }
        }
    }
}
