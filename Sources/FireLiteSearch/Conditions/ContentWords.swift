import Foundation

/// Words that are looked for in the values of resources, without regard to case and diacritics.
///
/// Foundation folds texts and finds words in them, which takes 200 microseconds for a resource. So here ASCII is folded by itself, and other
/// characters one by one where none has an influence on its neighbours: Foundation folds each of these once.
struct ContentWords {
    private static let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]

    /// The words as Foundation folds them.
    private let words: [String]
    private let bytes: [[UInt8]]
    /// The values of a resource, each followed by a blank.
    private var text: [UInt8] = []
    private var folded: [UInt8] = []
    /// What characters become, by their number.
    private var known: [UInt32: [UInt8]] = [:]

    init(_ words: [String]) {
        self.words = words.map { $0.folding(options: Self.options, locale: nil) }
        bytes = self.words.map { Array($0.utf8) }
    }

    /// Whether each word is in a value of the resource, names of members and of types not counted.
    ///
    /// - Parameter json: without white space between its parts, as FHIRJSON writes it.
    mutating func areIn(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        collect(json)
        guard fold() else {
            let content = String(decoding: text, as: UTF8.self).folding(options: Self.options, locale: nil)
            return words.allSatisfy { content.contains($0) }
        }
        return bytes.allSatisfy(isInText)
    }

    private func isInText(_ word: [UInt8]) -> Bool {
        folded.withUnsafeBytes { text in
            word.withUnsafeBytes { word in
                guard let start = word.baseAddress, let first = word.first else { return true }
                guard var place = text.baseAddress else { return false }
                // The first place at which the word would be too long.
                let end = place + max(0, text.count - word.count + 1)
                while place < end, let found = memchr(place, Int32(first), end - place) {
                    if memcmp(found, start, word.count) == 0 { return true }
                    place = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }

    // MARK: - Values

    private mutating func collect(_ json: UnsafeBufferPointer<UInt8>) {
        text.removeAll(keepingCapacity: true)
        var index = 0
        var isType = false
        while index < json.count {
            let byte = json[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                let start = text.count
                index = string(json, from: index)
                if index < json.count, json[index] == UInt8(ascii: ":") {
                    isType = text[start...].elementsEqual("resourceType".utf8)
                    text.removeLast(text.count - start)
                } else if isType {
                    text.removeLast(text.count - start)
                    isType = false
                } else {
                    text.append(UInt8(ascii: " "))
                }
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"):
                text.append(UInt8(ascii: " "))
            default: text.append(byte)
            }
        }
    }

    /// Appends the string that begins there.
    ///
    /// - Returns: the place after its end.
    private mutating func string(_ json: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var (run, index) = (start, start)
        while index < json.count, json[index] != UInt8(ascii: "\"") {
            guard json[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            text.append(contentsOf: UnsafeBufferPointer(rebasing: json[run..<index]))
            // Only control characters are written in other ways; they separate words.
            let escaped = index + 1 < json.count ? json[index + 1] : 0
            let isItself = escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") || escaped == UInt8(ascii: "/")
            text.append(isItself ? escaped : UInt8(ascii: " "))
            index = min(json.count, index + (escaped == UInt8(ascii: "u") ? 6 : 2))
            run = index
        }
        text.append(contentsOf: UnsafeBufferPointer(rebasing: json[run..<index]))
        return min(json.count, index + 1)
    }

    // MARK: - Folding

    /// Folds the text; false if Foundation has to do it.
    private mutating func fold() -> Bool {
        folded.removeAll(keepingCapacity: true)
        var isASCII: UInt8 = 0
        for byte in text { isASCII |= byte }
        if isASCII < 0x80 {
            folded.append(contentsOf: text)
            folded.withUnsafeMutableBufferPointer { bytes in for index in bytes.indices { bytes[index] = Self.lowercase(bytes[index]) } }
            return true
        }
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                folded.append(Self.lowercase(byte))
                index += 1
                continue
            }
            guard let (scalar, length) = scalar(at: index) else { return false }
            folded.append(contentsOf: known[scalar] ?? remember(scalar))
            index += length
        }
        return true
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

    /// A character of two or three bytes that has no influence on its neighbours: of Latin, or a sign.
    private func scalar(at index: Int) -> (scalar: UInt32, length: Int)? {
        let first = UInt32(text[index])
        func next(_ offset: Int) -> UInt32? { index + offset < text.count ? UInt32(text[index + offset] & 0x3F) : nil }
        if first < 0xE0, let second = next(1) {
            let scalar = (first & 0x1F) << 6 | second
            // U+00AD is no character of its own.
            return scalar >= 0xA0 && scalar < 0x300 && scalar != 0xAD ? (scalar, 2) : nil
        }
        guard first < 0xF0, let second = next(1), let third = next(2) else { return nil }
        let scalar = (first & 0x0F) << 12 | second << 6 | third
        switch scalar {
        case 0x1E00...0x1EFF, 0x2010...0x2027, 0x2030...0x205E, 0x20A0...0x20BF, 0x2190...0x22FF: return (scalar, 3)
        default: return nil
        }
    }

    private mutating func remember(_ scalar: UInt32) -> [UInt8] {
        let text = Unicode.Scalar(scalar).map { String(Character($0)) } ?? ""
        let folded = Array(text.folding(options: Self.options, locale: nil).utf8)
        known[scalar] = folded
        return folded
    }
}
