import Foundation

/// Adds an element to a list in the text of a JSON object. Every other byte stays as it is: numbers keep their form.
struct JSONListInsertion {
    private var walk: JSONWalk

    private init(_ json: Data) { walk = JSONWalk([UInt8](json)) }

    /// The text with the element at the end of the list; nil if the text is no JSON object, or has something else at the path.
    ///
    /// - Parameters:
    ///   - element: JSON.
    ///   - path: the names of members, the last one that of the list. What is missing is added.
    static func appending(_ element: String, to path: [String], in json: Data) -> Data? {
        var insertion = JSONListInsertion(json)
        insertion.walk.skipBlanks()
        guard let (place, text) = insertion.find(path, element) else { return nil }
        var result = Data(insertion.walk.bytes[..<place])
        result.append(contentsOf: text.utf8)
        result.append(contentsOf: insertion.walk.bytes[place...])
        return result
    }

    /// Where text goes, and which.
    private mutating func find(_ path: [String], _ element: String) -> (Int, String)? {
        guard let name = path.first, walk.take("{") else { return nil }
        var isEmpty = true
        while true {
            walk.skipBlanks()
            guard walk.place < walk.bytes.count else { return nil }
            if walk.bytes[walk.place] == UInt8(ascii: "}") {
                let inner = path.dropFirst().reversed().reduce("[\(element)]") { inner, next in "{\"\(next)\":\(inner)}" }
                return (walk.place, (isEmpty ? "" : ",") + "\"\(name)\":" + inner)
            }
            if !isEmpty {
                guard walk.take(",") else { return nil }
                walk.skipBlanks()
            }
            isEmpty = false
            let start = walk.place
            guard walk.skipString() else { return nil }
            let key = walk.bytes[start + 1..<walk.place - 1]
            walk.skipBlanks()
            guard walk.take(":") else { return nil }
            walk.skipBlanks()
            if key.elementsEqual(name.utf8) {
                return path.count > 1 ? find(Array(path.dropFirst()), element) : end(element)
            }
            guard walk.skipValue() else { return nil }
        }
    }

    /// The end of a list.
    private mutating func end(_ element: String) -> (Int, String)? {
        guard walk.place < walk.bytes.count, walk.bytes[walk.place] == UInt8(ascii: "[") else { return nil }
        let start = walk.place
        guard walk.skipValue() else { return nil }
        let isEmpty = walk.bytes[start + 1..<walk.place - 1].allSatisfy { $0 <= 0x20 }
        return (walk.place - 1, (isEmpty ? "" : ",") + element)
    }
}
