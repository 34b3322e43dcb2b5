import Foundation

/// Walks through the text of JSON value by value, without decoding it.
package struct JSONWalk {
    package let bytes: [UInt8]
    package var place: Int

    package init(_ bytes: [UInt8], from place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    package mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: mark) else { return false }
        place += 1
        return true
    }

    package mutating func skipBlanks() { while place < bytes.count, bytes[place] <= 0x20 { place += 1 } }

    package mutating func skipString() -> Bool {
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

    package mutating func skipValue() -> Bool {
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

    // MARK: - Containers

    /// The members of the object that begins here: their names with quotation marks, and their values.
    ///
    /// - Returns: nil if no object begins here, or it does not end.
    mutating func members() -> [(name: Range<Int>, value: Range<Int>)]? {
        var members: [(name: Range<Int>, value: Range<Int>)] = []
        let isWhole = walk("{", "}") { walk in
            let start = walk.place
            guard walk.skipString() else { return false }
            let name = start..<walk.place
            walk.skipBlanks()
            guard walk.take(":") else { return false }
            walk.skipBlanks()
            let value = walk.place
            guard walk.skipValue() else { return false }
            members.append((name, value..<walk.place))
            return true
        }
        return isWhole ? members : nil
    }

    /// The items of the array that begins here.
    ///
    /// - Returns: nil if no array begins here, or it does not end.
    mutating func items() -> [Range<Int>]? {
        var items: [Range<Int>] = []
        let isWhole = walk("[", "]") { walk in
            let start = walk.place
            guard walk.skipValue() else { return false }
            items.append(start..<walk.place)
            return true
        }
        return isWhole ? items : nil
    }

    private mutating func walk(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ item: (inout JSONWalk) -> Bool) -> Bool {
        skipBlanks()
        guard take(open) else { return false }
        var isFirst = true
        while true {
            skipBlanks()
            if take(close) { return true }
            if !isFirst {
                guard take(",") else { return false }
                skipBlanks()
            }
            isFirst = false
            guard item(&self) else { return false }
        }
    }
}
