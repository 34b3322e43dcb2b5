/// Writes objects as FHIR JSON in UTF-8, driven by their layouts.
///
/// Elements without content are skipped, as FHIR allows no empty objects and arrays.
struct JSONWriter: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity = 4096
    private let isPretty: Bool
    private var depth = 0

    init(isPretty: Bool = false) {
        self.isPretty = isPretty
        bytes = .allocate(capacity: capacity)
    }

    deinit { bytes.deallocate() }

    // MARK: - Output

    borrowing func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        try body(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Starts a new text in the same memory.
    mutating func clear() { count = 0 }

    /// The number of bytes that the memory has.
    var memory: Int { capacity }

    /// Adds bytes that are no JSON.
    mutating func append(_ other: UnsafeRawBufferPointer) {
        reserve(other.count)
        UnsafeMutableRawBufferPointer(start: bytes + count, count: other.count).copyMemory(from: other)
        count += other.count
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = larger
    }

    @inline(__always)
    mutating func put(_ byte: Unicode.Scalar) {
        reserve(1)
        bytes[count] = UInt8(truncatingIfNeeded: byte.value)
        count += 1
    }

    @inline(__always)
    mutating func put(_ source: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        (bytes + count).update(from: source, count: length)
        count += length
    }

    private mutating func put(literal text: String) {
        var text = text
        text.withUTF8 { source in if let base = source.baseAddress { put(base, source.count) } }
    }

    private mutating func newLine() {
        put("\n")
        for _ in 0..<depth {
            put(" ")
            put(" ")
        }
    }

    // MARK: - Objects

    mutating func write(_ object: FHIRObject) {
        put("{")
        depth += 1
        let table = object.layoutTable
        var isFirst = true
        if table.pointee.typeMemberLength > 0 {
            writeTypeMember(table)
            isFirst = false
        }
        if let slots = object.slots {
            for index in 0..<Int(object.slotCount) { write(slots + index, table.pointee.entries + Int(slots[index].index), &isFirst) }
        }
        depth -= 1
        if isPretty, !isFirst { newLine() }
        put("}")
    }

    /// Writes the value of a slot in place.
    @inline(__always)
    private mutating func write(
        _ slot: UnsafeMutablePointer<ElementSlot>, _ entry: UnsafePointer<ElementEntry>, _ isFirst: inout Bool
    ) {
        switch slot.pointee.value {
        case .object:
            slot.object._withUnsafeGuaranteedRef { child in
                guard child.hasContent else { return }
                beginMember(entry, isAnnotation: false, &isFirst)
                write(child)
            }
        case .objects: writeList(slot.objects, entry, &isFirst)
        case .text where entry.pointee.primitive.isString:
            beginMember(entry, isAnnotation: false, &isFirst)
            slot.text.withUTF8 { writeString($0) }
        default: write(slot.pointee.value, entry, &isFirst)
        }
    }

    private mutating func writeTypeMember(_ table: UnsafePointer<LayoutTable>) {
        let member = table.pointee.typeMember
        guard isPretty else { return put(member, table.pointee.typeMemberLength) }
        let keyLength = 15
        newLine()
        put(member, keyLength)
        put(" ")
        put(member + keyLength, table.pointee.typeMemberLength - keyLength)
    }

    @inline(__always)
    mutating func beginMember(_ entry: UnsafePointer<ElementEntry>, isAnnotation: Bool, _ isFirst: inout Bool) {
        if !isFirst { put(",") }
        isFirst = false
        if isPretty { newLine() }
        if isAnnotation {
            put("\"")
            put("_")
            put(entry.pointee.key + 1, entry.pointee.keyLength - 1)
        } else {
            put(entry.pointee.key, entry.pointee.keyLength)
        }
        if isPretty { put(" ") }
    }

    @inline(__always)
    private mutating func write(_ value: borrowing SlotValue, _ entry: UnsafePointer<ElementEntry>, _ isFirst: inout Bool) {
        switch value {
        case .word(let word):
            beginMember(entry, isAnnotation: false, &isFirst)
            write(word: word, entry.pointee.primitive)
        case .text(let text):
            beginMember(entry, isAnnotation: false, &isFirst)
            write(text: text, entry.pointee.primitive)
        case .object(let child):
            guard child.hasContent else { return }
            beginMember(entry, isAnnotation: false, &isFirst)
            write(child)
        case .objects(let children):
            writeList(children, entry, &isFirst)
        case .texts(let texts):
            beginMember(entry, isAnnotation: false, &isFirst)
            writeList(texts.count) { writer, index in writer.write(text: texts[index], entry.pointee.primitive) }
        case .annotated(let primitive):
            if let plain = primitive.value { write(plain, entry, &isFirst) }
            guard primitive.element.hasContent else { return }
            beginMember(entry, isAnnotation: true, &isFirst)
            write(primitive.element)
        case .annotatedTexts(let list):
            writeAnnotated(list, entry, &isFirst)
        }
    }

    private mutating func writeList(_ children: [FHIRObject], _ entry: UnsafePointer<ElementEntry>, _ isFirst: inout Bool) {
        let full = children.allSatisfy { $0.hasContent } ? children : children.filter { $0.hasContent }
        guard !full.isEmpty else { return }
        beginMember(entry, isAnnotation: false, &isFirst)
        writeList(full.count) { writer, index in writer.write(full[index]) }
    }

    private mutating func writeList(
        _ children: UnsafeBufferPointer<Unmanaged<FHIRObject>>, _ entry: UnsafePointer<ElementEntry>, _ isFirst: inout Bool
    ) {
        var isEmpty = true
        for child in children where child._withUnsafeGuaranteedRef({ $0.hasContent }) {
            if isEmpty {
                beginMember(entry, isAnnotation: false, &isFirst)
                put("[")
                depth += 1
                isEmpty = false
            } else {
                put(",")
            }
            if isPretty { newLine() }
            child._withUnsafeGuaranteedRef { write($0) }
        }
        guard !isEmpty else { return }
        depth -= 1
        if isPretty { newLine() }
        put("]")
    }

    private mutating func writeAnnotated(_ list: AnnotatedList, _ entry: UnsafePointer<ElementEntry>, _ isFirst: inout Bool) {
        if list.texts.contains(where: { $0 != nil }) || list.elements.allSatisfy({ $0 == nil }) {
            beginMember(entry, isAnnotation: false, &isFirst)
            writeList(list.texts.count) { writer, index in
                if let text = list.texts[index] {
                    writer.write(text: text, entry.pointee.primitive)
                } else {
                    writer.put(literal: "null")
                }
            }
        }
        guard list.elements.contains(where: { $0?.hasContent ?? false }) else { return }
        beginMember(entry, isAnnotation: true, &isFirst)
        writeList(list.elements.count) { writer, index in
            if let element = list.elements[index], element.hasContent {
                writer.write(element)
            } else {
                writer.put(literal: "null")
            }
        }
    }

    private mutating func writeList(_ number: Int, _ item: (inout JSONWriter, Int) -> Void) {
        put("[")
        depth += 1
        for index in 0..<number {
            if index > 0 { put(",") }
            if isPretty { newLine() }
            item(&self, index)
        }
        depth -= 1
        if isPretty { newLine() }
        put("]")
    }

    // MARK: - Primitives

    mutating func write(word: Int64, _ type: PrimitiveType) {
        reserve(40)
        switch type.storage {
        case .boolean: put(literal: word != 0 ? "true" : "false")
        case .decimal: count += DecimalWord(raw: word).write(to: bytes + count)
        case .temporal:
            bytes[count] = UInt8(ascii: "\"")
            let length = TemporalWord(raw: word).write(to: bytes + count + 1)
            bytes[count + 1 + length] = UInt8(ascii: "\"")
            count += length + 2
        case .integer, .text:
            if type == .integer64 { put("\"") }
            writeNumber(word)
            if type == .integer64 { put("\"") }
        }
    }

    private mutating func writeNumber(_ number: Int64) {
        var rest = number.magnitude
        var length = 1
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        if number < 0 { put("-") }
        reserve(length)
        rest = number.magnitude
        var place = count + length
        repeat {
            place -= 1
            bytes[place] = UInt8(truncatingIfNeeded: rest % 10) + 48
            rest /= 10
        } while rest > 0
        count += length
    }

    /// Writes the literal of a primitive, quoted unless JSON has the type.
    private mutating func write(text: String, _ type: PrimitiveType) {
        if type.isString { writeString(text) } else { put(literal: text) }
    }

    /// Writes a JSON string.
    mutating func writeString(_ text: String) {
        var text = text
        text.withUTF8 { writeString($0) }
    }

    mutating func writeString(_ source: UnsafeBufferPointer<UInt8>) {
        reserve(source.count + 2)
        put("\"")
        var runStart = 0
        var index = 0
        while index < source.count {
            index = Self.endOfPlain(source, from: index)
            guard index < source.count else { break }
            put(source: source, runStart, index)
            writeEscape(source[index])
            index += 1
            runStart = index
        }
        put(source: source, runStart, source.count)
        put("\"")
    }

    /// The index of the first byte that is written as an escape, or the number of bytes. It looks at eight bytes at once.
    @inline(__always)
    private static func endOfPlain(_ source: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(source)
        let (ones, high) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var index = start
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A byte below 32, a quotation mark or a backslash sets its highest bit; those from 128 on have it and are left out.
            let controls = word &- ones &* 0x20
            let quotes = (word ^ ones &* UInt64(UInt8(ascii: "\""))) &- ones
            let backslashes = (word ^ ones &* UInt64(UInt8(ascii: "\\"))) &- ones
            if (controls | quotes | backslashes) & ~word & high != 0 { break }
            index += 8
        }
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
            index += 1
        }
        return index
    }

    @inline(__always)
    private mutating func put(source: UnsafeBufferPointer<UInt8>, _ from: Int, _ to: Int) {
        if let base = source.baseAddress, to > from { put(base + from, to - from) }
    }

    private mutating func writeEscape(_ byte: UInt8) {
        put("\\")
        switch byte {
        case UInt8(ascii: "\""): put("\"")
        case UInt8(ascii: "\\"): put("\\")
        case 0x08: put("b")
        case 0x09: put("t")
        case 0x0A: put("n")
        case 0x0C: put("f")
        case 0x0D: put("r")
        default:
            let digits = Array("0123456789abcdef".unicodeScalars)
            put(literal: "u00")
            put(digits[Int(byte >> 4)])
            put(digits[Int(byte & 15)])
        }
    }
}

extension PrimitiveType {
    /// Whether its literals are strings in JSON.
    var isString: Bool {
        switch storage {
        case .boolean, .decimal: false
        case .integer: self == .integer64
        case .temporal, .text: true
        }
    }
}
