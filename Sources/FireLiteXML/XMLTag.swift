/// A start tag, as the parser reports it. The memory is valid only during the event; names have the same address in the whole document.
package struct XMLTag {
    /// The name without a prefix, which ends with NUL.
    package let name: UnsafePointer<UInt8>
    package let prefix: UnsafePointer<UInt8>?
    /// The namespace; nil for none.
    package let uri: UnsafePointer<UInt8>?
    let namespaces: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let namespaceCount: Int
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    package let attributeCount: Int

    /// The number of bytes of the name.
    var nameLength: Int { Self.length(name) }

    /// The name.
    package var text: String { String(cString: name) }

    /// An attribute.
    package struct Attribute {
        package let name: UnsafePointer<UInt8>
        package let prefix: UnsafePointer<UInt8>?
        let uri: UnsafePointer<UInt8>?
        package let value: UnsafeBufferPointer<UInt8>
    }

    /// The attribute with this number.
    package func attribute(_ index: Int) -> Attribute? {
        guard let place = attributes.map({ $0 + index * 5 }), let name = place[0], let start = place[3], let end = place[4] else {
            return nil
        }
        return Attribute(name: name, prefix: place[1], uri: place[2], value: UnsafeBufferPointer(start: start, count: end - start))
    }

    /// The namespace declaration with this number: the prefix, nil for the default one, and the URI, nil for none.
    func namespace(_ index: Int) -> (prefix: UnsafePointer<UInt8>?, uri: UnsafePointer<UInt8>?) {
        guard let place = namespaces.map({ $0 + index * 2 }) else { return (nil, nil) }
        return (place[0], place[1])
    }

    static func length(_ text: UnsafePointer<UInt8>) -> Int {
        var length = 0
        while text[length] != 0 { length += 1 }
        return length
    }

    /// Whether a text that ends with NUL is this one.
    package static func equals(_ text: UnsafePointer<UInt8>, _ other: String) -> Bool {
        var index = 0
        for byte in other.utf8 {
            if text[index] != byte { return false }
            index += 1
        }
        return text[index] == 0
    }
}
