import Foundation

/// Walks the structure of one JSON text that arrives in pieces: brackets, members, strings. The reader checks whether the values are FHIR.
///
/// The depth of containers counts from 1. Values below the depths of interest give no events.
struct JSONStructure {
    enum Event: Equatable {
        /// An object or a list began; its bracket is the byte before the index.
        case began(isObject: Bool)
        /// An object or a list ended; its bracket is the byte before the index.
        case ended(isObject: Bool)
        /// The name of a member of the innermost object is in `text`.
        case member
        /// A string value in the innermost container is in `text`.
        case string
        /// A number, `true`, `false` or `null` in the innermost container began; its first byte is the byte before the index.
        case scalar
        /// The text is complete: its last bracket is the byte before the index.
        case finished
        /// The byte at the index is invalid there.
        case violation
    }

    private enum State {
        case value, valueOrEnd, member, memberOrEnd, colon, separatorOrEnd, string, escape, scalar, finished
    }

    /// The reader allows 128 levels; walking stops at deeper text.
    private static let deepest = 1_000

    private let containerDepth: Int
    private let textDepth: Int
    private let allowsList: Bool
    private var state = State.value
    /// Whether each open container is an object.
    private var containers: [Bool] = []
    private var stringIsMember = false
    private var keepsText = false

    /// The last member name or string value within the depth of interest, with its escapes, cut at `longestText`.
    private(set) var text: [UInt8] = []
    private(set) var textHasEscapes = false
    /// The number of the line, from 1.
    private(set) var line = 1
    /// The offset of the line's first byte.
    private(set) var lineStart = 0
    /// The line of the first byte that is not white space; 0 until it is reached.
    private(set) var firstLine = 0
    /// The number of bytes walked.
    private(set) var offset = 0

    /// Longer names and values are not compared.
    private static let longestText = 2_048

    var depth: Int { containers.count }
    var isInString: Bool { state == .string || state == .escape }

    /// - Parameters:
    ///   - containerDepth: containers up to this depth give events.
    ///   - textDepth: names and values in containers up to this depth give events.
    ///   - allowsList: whether the text may be a list; false, the default, allows only an object.
    init(containerDepth: Int, textDepth: Int, allowsList: Bool = false) {
        self.allowsList = allowsList
        self.containerDepth = containerDepth
        self.textDepth = textDepth
    }

    /// Walks on from `index` to the next event; returns nil at the end of the bytes.
    ///
    /// `index` is then after what the event describes.
    mutating func next(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Event? {
        let start = index
        let base = offset
        defer { offset = base + index - start }
        while index < bytes.count {
            if state == .string {
                if let event = walkString(bytes, &index) { return event }
                continue
            }
            let byte = bytes[index]
            if state == .escape {
                if keepsText { keep(byte) }
                state = .string
                index += 1
                continue
            }
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\t") {
                if state == .scalar { state = .separatorOrEnd }
                index += 1
                if byte == UInt8(ascii: "\n") {
                    line += 1
                    lineStart = base + index - start
                }
                continue
            }
            let (isAllowed, event) = step(byte)
            guard isAllowed else { return .violation }
            if firstLine == 0 { firstLine = line }
            index += 1
            if let event { return event }
        }
        return nil
    }

    // MARK: - Bytes outside strings

    private mutating func step(_ byte: UInt8) -> (isAllowed: Bool, event: Event?) {
        switch (byte, state) {
        case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd): return open(isObject: true)
        case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd): return open(isObject: false)
        case (UInt8(ascii: "}"), .memberOrEnd): return close(isObject: true)
        case (UInt8(ascii: "]"), .valueOrEnd): return close(isObject: false)
        case (UInt8(ascii: "}"), .separatorOrEnd), (UInt8(ascii: "}"), .scalar): return close(isObject: true)
        case (UInt8(ascii: "]"), .separatorOrEnd), (UInt8(ascii: "]"), .scalar): return close(isObject: false)
        case (UInt8(ascii: ","), .separatorOrEnd), (UInt8(ascii: ","), .scalar):
            state = containers.last == true ? .member : .value
            return (true, nil)
        case (UInt8(ascii: ":"), .colon):
            state = .value
            return (true, nil)
        case (UInt8(ascii: "\""), .member), (UInt8(ascii: "\""), .memberOrEnd): return beginString(isMember: true)
        case (UInt8(ascii: "\""), .value) where depth > 0, (UInt8(ascii: "\""), .valueOrEnd): return beginString(isMember: false)
        case (_, .scalar): return (Self.isScalar(byte), nil)
        case (_, .value), (_, .valueOrEnd):
            guard Self.isScalar(byte), !containers.isEmpty else { return (false, nil) }
            state = .scalar
            return (true, depth <= textDepth ? .scalar : nil)
        default: return (false, nil)
        }
    }

    /// Whether the byte can be part of a number or literal.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"): true
        default: false
        }
    }

    private mutating func open(isObject: Bool) -> (Bool, Event?) {
        guard depth < Self.deepest, isObject || depth > 0 || allowsList else { return (false, nil) }
        containers.append(isObject)
        state = isObject ? .memberOrEnd : .valueOrEnd
        return (true, depth <= containerDepth ? .began(isObject: isObject) : nil)
    }

    private mutating func close(isObject: Bool) -> (Bool, Event?) {
        guard containers.last == isObject else { return (false, nil) }
        containers.removeLast()
        state = containers.isEmpty ? .finished : .separatorOrEnd
        if containers.isEmpty { return (true, .finished) }
        return (true, depth < containerDepth ? .ended(isObject: isObject) : nil)
    }

    // MARK: - Strings

    private mutating func beginString(isMember: Bool) -> (Bool, Event?) {
        state = .string
        stringIsMember = isMember
        keepsText = depth <= textDepth
        if keepsText {
            text.removeAll(keepingCapacity: true)
            textHasEscapes = false
        }
        return (true, nil)
    }

    private mutating func walkString(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Event? {
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            index += 1
        }
        if keepsText, text.count < Self.longestText { text.append(contentsOf: bytes[start..<index].prefix(Self.longestText - text.count)) }
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            state = stringIsMember ? .colon : .separatorOrEnd
            return keepsText ? (stringIsMember ? .member : .string) : nil
        case UInt8(ascii: "\\"):
            if keepsText { keep(UInt8(ascii: "\\")) }
            textHasEscapes = true
            state = .escape
            index += 1
            return nil
        default: return .violation
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if text.count < Self.longestText { text.append(byte) }
    }
}

extension JSONStructure {
    /// The last member name or string value, unescaped; nil if an escape is invalid.
    var plainText: String? {
        guard textHasEscapes else { return String(decoding: text, as: UTF8.self) }
        let literal = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
        // Only escapes can be invalid, and the reader of the whole text reports them with their place; here they match no known text.
        return try? JSONDecoder().decode(String.self, from: Data(literal))
    }

    /// Whether the last member name or string value is this one.
    func isText(_ wanted: String) -> Bool {
        if !textHasEscapes { return text.elementsEqual(wanted.utf8) }
        return plainText == wanted
    }
}
