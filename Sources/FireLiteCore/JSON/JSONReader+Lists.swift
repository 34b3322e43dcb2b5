extension JSONReader {
    @inline(__always)
    mutating func skipSpace() {
        while next < end {
            let byte = next[0]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            next += 1
        }
    }

    var isListHere: Bool { next < end && next[0] == UInt8(ascii: "[") }

    /// Steps over an opening bracket.
    mutating func enter() throws(JSONFailure) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw JSONFailure(.tooDeep, offset: offset, expected: "at most \(Self.maximumDepth) levels of nesting", found: "one more")
        }
        next += 1
    }

    /// Enters the array at `[`; returns true if it is empty.
    mutating func enterList() throws(JSONFailure) -> ListState {
        let opening = next
        try enter()
        return ListState(opening: opening)
    }

    /// Steps to the next item of an array, or past its end.
    @inline(__always)
    mutating func nextItem(_ list: inout ListState) throws(JSONFailure) -> Bool {
        skipSpace()
        guard next < end else { throw malformed("']'") }
        if next[0] == UInt8(ascii: "]") {
            next += 1
            depth -= 1
            if list.count == 0 { try fail(.empty, place: list.opening, expected: "an array with values", found: "an empty array") }
            return false
        }
        if list.count > 0 {
            guard next[0] == UInt8(ascii: ",") else { throw malformed("',' or ']'") }
            next += 1
            skipSpace()
            if next < end, next[0] == UInt8(ascii: "]") { throw malformed("a value") }
        }
        list.count += 1
        return true
    }

    /// Skips a value that lenient reading ignores.
    mutating func skippingValue<Value>() throws(JSONFailure) -> Value? {
        try skipValue()
        return nil
    }

    /// Steps over one value of any kind, which must be JSON.
    mutating func skipValue() throws(JSONFailure) {
        guard next < end else { throw malformed("a value") }
        switch next[0] {
        case UInt8(ascii: "{"):
            try enter()
            skipSpace()
            if next < end, next[0] == UInt8(ascii: "}") {
                next += 1
            } else {
                while true {
                    guard next < end, next[0] == UInt8(ascii: "\"") else { throw malformed("a member name in quotes") }
                    try skipString()
                    skipSpace()
                    guard next < end, next[0] == UInt8(ascii: ":") else { throw malformed("':'") }
                    next += 1
                    skipSpace()
                    try skipValue()
                    skipSpace()
                    guard next < end, next[0] == UInt8(ascii: ",") || next[0] == UInt8(ascii: "}") else { throw malformed("',' or '}'") }
                    next += 1
                    if next[-1] == UInt8(ascii: "}") { break }
                    skipSpace()
                }
            }
            depth -= 1
        case UInt8(ascii: "["):
            try enter()
            skipSpace()
            if next < end, next[0] == UInt8(ascii: "]") {
                next += 1
            } else {
                while true {
                    try skipValue()
                    skipSpace()
                    guard next < end, next[0] == UInt8(ascii: ",") || next[0] == UInt8(ascii: "]") else { throw malformed("',' or ']'") }
                    next += 1
                    if next[-1] == UInt8(ascii: "]") { break }
                    skipSpace()
                }
            }
            depth -= 1
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: _ = try numberHere()
        }
    }

    /// Steps over `true`, `false` or `null`.
    mutating func skipWord(_ word: StaticString) throws(JSONFailure) {
        let length = word.utf8CodeUnitCount
        guard end - next >= length, sameBytes(next, word.utf8Start, length) else {
            throw JSONFailure(.malformedJSON, offset: offset, expected: "'\(word)'", found: "a word unknown to JSON")
        }
        next += length
    }

    /// Reads over the number at the current byte.
    mutating func numberHere() throws(JSONFailure) -> UnsafeBufferPointer<UInt8> {
        guard let length = JSONNumber.end(of: next, from: 0, limit: end - next) else { throw malformed("a JSON value") }
        let number = UnsafeBufferPointer(start: next, count: length)
        next += length
        return number
    }

    /// The value of the member `resourceType` of the object at `{`, and its offset. Looks ahead without moving.
    mutating func findResourceType() throws(JSONFailure) -> (name: String, offset: Int) {
        let (opening, openingDepth, issueCount) = (next, depth, issues.count)
        defer {
            (next, depth) = (opening, openingDepth)
            // Mistakes in the members are reported when they are read.
            issues.removeSubrange(issueCount...)
        }
        try enter()
        skipSpace()
        while next < end, next[0] == UInt8(ascii: "\"") {
            let name = next + 1
            try skipString()
            let isType = next - name == 13 && Self.isResourceType(name)
            skipSpace()
            guard next < end, next[0] == UInt8(ascii: ":") else { throw malformed("':'") }
            next += 1
            skipSpace()
            if isType {
                let offset = offset
                guard next < end, next[0] == UInt8(ascii: "\"") else {
                    throw JSONFailure(.resourceType, offset: offset, expected: "the name of a resource type", found: foundHere)
                }
                return (try readString(), offset)
            }
            try skipValue()
            skipSpace()
            guard next < end, next[0] == UInt8(ascii: ",") else { break }
            next += 1
            skipSpace()
        }
        throw JSONFailure(.resourceType, offset: opening - start, expected: "a member 'resourceType'", found: "none")
    }
}

/// The progress of reading an array.
struct ListState {
    let opening: UnsafePointer<UInt8>
    var count = 0
}
