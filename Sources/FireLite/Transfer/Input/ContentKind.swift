/// How the content of an import is laid out.
enum ContentKind {
    /// One resource on each line (NDJSON), even if there is only one line.
    case lines
    /// One resource on one or more lines.
    case document
    /// A list of resources.
    case list
    /// One resource as XML.
    case xml

    /// Decides by the name and the beginning of the content.
    ///
    /// A truncated or malformed line must not turn the lines around it into a document. So content that begins like a document and then breaks
    /// JSON's grammar still counts as lines if one of its lines is a resource by itself.
    ///
    /// - Parameters:
    ///   - beginning: the first bytes.
    ///   - isAll: whether they are the whole content.
    static func detect(_ beginning: [UInt8], isAll: Bool, name: String) -> ContentKind {
        let name = name.lowercased()
        if [".xml", ".xml.gz"].contains(where: { name.hasSuffix($0) }) { return .xml }
        if [".ndjson", ".jsonl"].contains(where: { name.hasSuffix($0) || name.hasSuffix($0 + ".gz") }) { return .lines }
        return beginning.withUnsafeBufferPointer { detect($0, isAll: isAll) }
    }

    private static func detect(_ bytes: UnsafeBufferPointer<UInt8>, isAll: Bool) -> ContentKind {
        let blank: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        guard var index = bytes.firstIndex(where: { !blank.contains($0) }) else { return .lines }
        if bytes[index] == UInt8(ascii: "[") { return .list }
        if bytes[index] == UInt8(ascii: "<") { return .xml }
        var structure = JSONStructure(containerDepth: 0, textDepth: 0)
        let event = structure.next(bytes, &index)
        let isLegal = event == .finished || (event == nil && !isAll)
        if isLegal { return event == .finished && structure.line == 1 ? .lines : .document }
        return hasResourceLine(bytes) ? .lines : .document
    }

    /// Whether a line is a complete object with a resource type.
    private static func hasResourceLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var isFound = false
        LineReader.forEachLine(in: bytes) { range in
            if !isFound { isFound = isResource(UnsafeBufferPointer(rebasing: bytes[range])) }
        }
        return isFound
    }

    private static func isResource(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var structure = JSONStructure(containerDepth: 0, textDepth: 1)
        var index = 0
        var hasType = false
        while let event = structure.next(bytes, &index) {
            switch event {
            case .member: hasType = hasType || structure.isText("resourceType")
            case .finished: return hasType
            case .violation: return false
            default: break
            }
        }
        return false
    }
}
