extension JSONReader {
    /// The first byte from `place` on that a plain string does not contain: a quote, a backslash, a control character, or not ASCII.
    @inline(__always)
    private func specialByte(from place: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var place = place
        while end - place >= 8 {
            let word = UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).littleEndian
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let special = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- ones &* 0x20) & ~word) | word
            if special & highs != 0 { return place + (special & highs).trailingZeroBitCount / 8 }
            place += 8
        }
        while place < end, place[0] >= 0x20, place[0] < 0x80, place[0] != UInt8(ascii: "\""), place[0] != UInt8(ascii: "\\") { place += 1 }
        return place
    }

    /// Reads the string at `"`.
    @inline(__always)
    mutating func readString() throws(JSONFailure) -> String {
        let text = next + 1
        let special = specialByte(from: text)
        if special < end, special[0] == UInt8(ascii: "\"") {
            next = special + 1
            let length = special - text
            if StringCache.keeps(length) { return workspace.cache.string(text, length) }
            workspace.clearBytes()
            return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
        }
        return try readUnusualString(text)
    }

    /// Reads a string with escapes or non-ASCII characters. Also leaves its bytes in the workspace.
    @inline(never)
    private mutating func readUnusualString(_ text: UnsafePointer<UInt8>) throws(JSONFailure) -> String {
        workspace.clearBytes()
        next = text
        while true {
            let run = next
            while next < end {
                next = specialByte(from: next)
                if next < end, next[0] >= 0x80 { next += 1 } else { break }
            }
            workspace.append(run, next - run)
            guard next < end else { throw malformed("the end of the string") }
            switch next[0] {
            case UInt8(ascii: "\""):
                next += 1
                return try validated(text)
            case UInt8(ascii: "\\"): try readEscape()
            default: throw malformed("no control character in a string")
            }
        }
    }

    private mutating func validated(_ text: UnsafePointer<UInt8>) throws(JSONFailure) -> String {
        let bytes = UnsafeBufferPointer(start: workspace.bytes, count: workspace.byteCount)
        if let string = String(validating: bytes, as: UTF8.self) { return string }
        try fail(.invalidText, place: Self.firstInvalidByte(text, end), expected: "UTF-8", found: "other bytes")
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The offset of the first byte that is not UTF-8.
    private static func firstInvalidByte(_ text: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var decoder = UTF8()
        var bytes = UnsafeBufferPointer(start: text, count: end - text).makeIterator()
        var place = text
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { place += UTF8.width(scalar) }
        return place
    }

    private mutating func readEscape() throws(JSONFailure) {
        let escape = next
        guard end - next >= 2 else { throw malformed("an escape") }
        let plain: Unicode.Scalar
        switch next[1] {
        case UInt8(ascii: "\""): plain = "\""
        case UInt8(ascii: "\\"): plain = "\\"
        case UInt8(ascii: "/"): plain = "/"
        case UInt8(ascii: "b"): plain = "\u{8}"
        case UInt8(ascii: "f"): plain = "\u{C}"
        case UInt8(ascii: "n"): plain = "\n"
        case UInt8(ascii: "r"): plain = "\r"
        case UInt8(ascii: "t"): plain = "\t"
        case UInt8(ascii: "u"):
            var unit = try hexUnit(at: next)
            next += 6
            if unit & 0xFC00 == 0xD800, end - next >= 6, next[0] == UInt8(ascii: "\\"), next[1] == UInt8(ascii: "u") {
                let low = try hexUnit(at: next)
                if low & 0xFC00 == 0xDC00 {
                    next += 6
                    unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
                }
            }
            if let scalar = Unicode.Scalar(unit) {
                workspace.append(scalar)
            } else {
                try fail(.invalidText, place: escape, expected: "both halves of a surrogate pair", found: "one of them")
                workspace.append("\u{FFFD}")
            }
            return
        default: throw malformed("a JSON escape")
        }
        workspace.append(plain)
        next += 2
    }

    private func hexUnit(at escape: UnsafePointer<UInt8>) throws(JSONFailure) -> UInt32 {
        guard end - escape >= 6 else { throw malformed("four hexadecimal digits") }
        var unit: UInt32 = 0
        for index in 2..<6 {
            let byte = escape[index]
            let digit: UInt8
            if byte &- 48 < 10 {
                digit = byte - 48
            } else if (byte | 0x20) &- 97 < 6 {
                digit = (byte | 0x20) - 87
            } else {
                throw malformed("four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Steps over the string at `"`, which must be valid.
    mutating func skipString() throws(JSONFailure) {
        let special = specialByte(from: next + 1)
        if special < end, special[0] == UInt8(ascii: "\"") {
            next = special + 1
        } else {
            _ = try readString()
        }
    }
}
