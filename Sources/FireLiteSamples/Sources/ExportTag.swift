import FireLiteXML

/// What the element that has just begun is called, and its attributes. The memory of the values is valid only during the event.
///
/// The parser keeps each name once for a document, so names are compared by their addresses after the first time.
struct ExportTag {
    /// The attributes that almost every element has.
    enum Attribute: Int, CaseIterable {
        case type, sourceName, sourceVersion, device, unit, startDate, endDate, value, key
    }

    typealias Value = UnsafeBufferPointer<UInt8>

    private static let names: [String] = Attribute.allCases.map { "\($0)" }
    /// The most addresses that are kept: files have about thirty names, of which a hostile one may have millions.
    private static let mostAddresses = 64

    /// The address of each name in this document, and its attribute; nil for another name.
    private var addresses: [(name: UnsafePointer<UInt8>, attribute: Attribute?)] = []
    private var values = [Value?](repeating: nil, count: Attribute.allCases.count)
    private var elements: [(name: UnsafePointer<UInt8>, text: String)] = []
    private var tag: XMLTag?
    /// The name with its prefix.
    private(set) var name = ""

    /// Takes the place of the element before.
    mutating func read(_ tag: XMLTag) {
        self.tag = tag
        name = elementName(tag)
        for index in values.indices { values[index] = nil }
        for index in 0..<tag.attributeCount {
            guard let found = tag.attribute(index), found.prefix == nil, let attribute = attribute(found.name) else { continue }
            values[attribute.rawValue] = found.value
        }
    }

    /// The value of an attribute; nil if the element has none.
    subscript(_ attribute: Attribute) -> Value? { values[attribute.rawValue] }

    /// The value of an attribute by its name, as text.
    func text(_ name: String) -> String? {
        guard let tag else { return nil }
        for index in 0..<tag.attributeCount {
            guard let found = tag.attribute(index), found.prefix == nil, XMLTag.equals(found.name, name) else { continue }
            return Self.text(found.value)
        }
        return nil
    }

    /// The value of an attribute as text.
    func text(_ attribute: Attribute) -> String? { self[attribute].map(Self.text) }

    static func text(_ value: Value) -> String { String(decoding: value, as: UTF8.self) }

    private mutating func attribute(_ name: UnsafePointer<UInt8>) -> Attribute? {
        for known in addresses where known.name == name { return known.attribute }
        let attribute = Self.names.firstIndex { XMLTag.equals(name, $0) }.flatMap { Attribute(rawValue: $0) }
        if addresses.count < Self.mostAddresses { addresses.append((name, attribute)) }
        return attribute
    }

    private mutating func elementName(_ tag: XMLTag) -> String {
        if let prefix = tag.prefix { return String(cString: prefix) + ":" + tag.text }
        for known in elements where known.name == tag.name { return known.text }
        let text = tag.text
        if elements.count < Self.mostAddresses { elements.append((tag.name, text)) }
        return text
    }
}

/// The last text and what was made of it: most records have the same type, unit and source as the one before.
struct LastValue<Value> {
    private var bytes: [UInt8] = []
    private var value: Value?

    /// What was made of these bytes, if they are the last ones; nil otherwise.
    func value(of text: UnsafeBufferPointer<UInt8>) -> Value? { value != nil && bytes.elementsEqual(text) ? value : nil }

    /// Keeps what was made of other bytes.
    mutating func keep(_ value: Value, of text: UnsafeBufferPointer<UInt8>) {
        bytes.replaceSubrange(bytes.startIndex..., with: text)
        self.value = value
    }
}
