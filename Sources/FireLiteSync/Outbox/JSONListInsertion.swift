import Foundation

/// Adds an element to a list in the text of a JSON object. Every other byte stays as it is: numbers keep their form.
struct JSONListInsertion {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ json: Data) { bytes = [UInt8](json) }

    /// The text with the element at the end of the list; nil if the text is no JSON object, or has something else at the path.
    ///
    /// - Parameters:
    ///   - element: JSON.
    ///   - path: the names of members, the last one that of the list. What is missing is added.
    static func appending(_ element: String, to path: [String], in json: Data) -> Data? {
        var insertion = JSONListInsertion(json)
        insertion.skipBlanks()
        guard let (place, text) = insertion.find(path, element) else { return nil }
        var result = Data(insertion.bytes[..<place])
        result.append(contentsOf: text.utf8)
        result.append(contentsOf: insertion.bytes[place...])
        return result
    }

    /// Where text goes, and which.
    private mutating func find(_ path: [String], _ element: String) -> (Int, String)? {
        guard let name = path.first, take("{") else { return nil }
        var isEmpty = true
        while true {
            skipBlanks()
            guard place < bytes.count else { return nil }
            if bytes[place] == UInt8(ascii: "}") {
                let inner = path.dropFirst().reversed().reduce("[\(element)]") { inner, next in "{\"\(next)\":\(inner)}" }
                return (place, (isEmpty ? "" : ",") + "\"\(name)\":" + inner)
            }
            if !isEmpty {
                guard take(",") else { return nil }
                skipBlanks()
            }
            isEmpty = false
            let start = place
            guard skipString() else { return nil }
            let key = bytes[start + 1..<place - 1]
            skipBlanks()
            guard take(":") else { return nil }
            skipBlanks()
            if key.elementsEqual(name.utf8) {
                return path.count > 1 ? find(Array(path.dropFirst()), element) : end(element)
            }
            guard skipValue() else { return nil }
        }
    }

    /// The end of a list.
    private mutating func end(_ element: String) -> (Int, String)? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "[") else { return nil }
        let start = place
        guard skipValue() else { return nil }
        let isEmpty = bytes[start + 1..<place - 1].allSatisfy { $0 <= 0x20 }
        return (place - 1, (isEmpty ? "" : ",") + element)
    }

    // MARK: - Bytes

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() { while place < bytes.count, bytes[place] <= 0x20 { place += 1 } }

    private mutating func skipString() -> Bool {
        guard take("\"") else { return false }
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "\\") {
                place += 2
            } else if bytes[place] == UInt8(ascii: "\"") {
                place += 1
                return true
            } else {
                place += 1
            }
        }
        return false
    }

    private mutating func skipValue() -> Bool {
        var depth = 0
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what the value is in.
                if depth == 0 { return place > start }
                depth -= 1
                if depth == 0 {
                    place += 1
                    return true
                }
            case UInt8(ascii: ","), 0...0x20: if depth == 0 { return place > start }
            default: break
            }
            place += 1
        }
        return false
    }
}
