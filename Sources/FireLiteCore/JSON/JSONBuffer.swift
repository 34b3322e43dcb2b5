/// Memory for the JSON of one object after another.
///
/// It must not be used by two threads at once.
package final class JSONBuffer {
    private var writer = JSONWriter()

    /// The memory of a larger JSON is returned.
    private static let keptBytes = 1 << 20

    package init() {}

    /// Calls `body` with some bytes and the UTF-8 of the object as JSON after them. It must not use the buffer.
    package func withUTF8<Value>(
        of object: FHIRObject, after prefix: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
    ) rethrows -> Value {
        defer { if writer.memory > Self.keptBytes { writer = JSONWriter() } }
        writer.clear()
        writer.append(prefix)
        writer.write(object)
        return try writer.withBytes(body)
    }

    /// Calls `body` with the UTF-8 of the object as JSON and a line feed. It must not use the buffer.
    package func withLine<Value>(of object: FHIRObject, _ body: (UnsafeBufferPointer<UInt8>) throws -> Value) rethrows -> Value {
        defer { if writer.memory > Self.keptBytes { writer = JSONWriter() } }
        writer.clear()
        writer.write(object)
        writer.put("\n")
        return try writer.withBytes(body)
    }
}
