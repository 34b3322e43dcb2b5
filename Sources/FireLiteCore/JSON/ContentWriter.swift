/// Writes a resource as JSON and computes its digest from values that come in the order of its elements, without objects.
///
/// The caller passes each element once, and no element without content. The digest is that of an object with the same content
/// (`ContentDigest`), so that it tells whether the JSON is what was stored.
package struct ContentWriter: ~Copyable {
    private var json = JSONWriter()
    private var digest = ContentDigest(key: 0)
    /// Whether the next member or item is the first of its object or list.
    private var isFirst = true

    /// The memory of a larger JSON is returned.
    private static let keptBytes = 1 << 20

    package init() {}

    // MARK: - Beginning and end

    /// Begins a resource.
    ///
    /// - Parameter key: the store's key of digests.
    package mutating func begin(key: UInt64) {
        if json.memory > Self.keptBytes { json = JSONWriter() }
        json.clear()
        digest = ContentDigest(key: key)
        isFirst = true
    }

    /// Ends the resource with a line feed, and returns its digest.
    package mutating func end() -> ContentDigest.Value {
        json.put("\n")
        return digest.finish()
    }

    /// Calls `body` with the bytes of the resource.
    package borrowing func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        try json.withBytes(body)
    }

    // MARK: - Objects

    /// Begins the content of the resource, of an item, or of an element whose member has begun.
    package mutating func beginObject(_ table: UnsafePointer<LayoutTable>) {
        json.put("{")
        let length = table.pointee.typeMemberLength
        isFirst = length == 0
        guard length > 0 else { return }
        json.put(table.pointee.typeMember, length)
        digest.mix(UnsafeBufferPointer(start: table.pointee.typeMember, count: length), tag: 8)
    }

    package mutating func endObject() {
        json.put("}")
        isFirst = false
        digest.mix(0xFFFF_0000, 0)
    }

    /// Begins a to-one element; its object follows.
    package mutating func beginElement(_ entry: UnsafePointer<ElementEntry>) {
        json.beginMember(entry, isAnnotation: false, &isFirst)
        digest.mix(entry.pointee.digestTag | 3, 0)
    }

    // MARK: - Lists

    /// Begins a list of so many objects, each of which begins with `beginItem`.
    package mutating func beginList(_ entry: UnsafePointer<ElementEntry>, count: Int) {
        json.beginMember(entry, isAnnotation: false, &isFirst)
        digest.mix(entry.pointee.digestTag | 4, UInt64(count))
        json.put("[")
        isFirst = true
    }

    /// Begins a list of so many primitives.
    package mutating func beginPrimitives(_ entry: UnsafePointer<ElementEntry>, count: Int) {
        json.beginMember(entry, isAnnotation: false, &isFirst)
        digest.mix(entry.pointee.digestTag | 5, UInt64(count))
        json.put("[")
        isFirst = true
    }

    @inline(__always)
    package mutating func beginItem() {
        if !isFirst { json.put(",") }
        isFirst = false
    }

    package mutating func endList() {
        json.put("]")
        isFirst = false
    }

    /// Writes an item of a list of primitives by its literal.
    package mutating func writeItem(_ literal: UnsafeBufferPointer<UInt8>, _ entry: UnsafePointer<ElementEntry>) {
        beginItem()
        write(literal, entry.pointee.primitive)
        digest.mix(literal, tag: 9)
    }

    // MARK: - Primitives

    /// Writes a value that is one word: a boolean, an integer, a `DecimalWord` or a `TemporalWord`.
    package mutating func write(word: Int64, _ entry: UnsafePointer<ElementEntry>) {
        json.beginMember(entry, isAnnotation: false, &isFirst)
        json.write(word: word, entry.pointee.primitive)
        digest.mix(entry.pointee.digestTag | 1, UInt64(bitPattern: word))
    }

    /// Writes a string, or the literal of a value that does not fit a word.
    package mutating func write(text: UnsafeBufferPointer<UInt8>, _ entry: UnsafePointer<ElementEntry>) {
        json.beginMember(entry, isAnnotation: false, &isFirst)
        write(text, entry.pointee.primitive)
        digest.mix(text, tag: entry.pointee.digestTag | 2)
    }

    @inline(__always)
    private mutating func write(_ text: UnsafeBufferPointer<UInt8>, _ type: PrimitiveType) {
        if type.isString { return json.writeString(text) }
        if let base = text.baseAddress { json.put(base, text.count) }
    }
}
