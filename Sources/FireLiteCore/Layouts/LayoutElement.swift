/// An element of a class, or one type of a choice element.
public struct LayoutElement: Sendable {
    /// A choice element: its name in FHIR's definitions, `value[x]`, and the slots of its types.
    public struct Choice: Sendable {
        /// Its name in FHIR's definitions, `value[x]`.
        public let name: String
        /// The positions of its types in `Layout.elements`.
        public let slots: Range<Int>
        /// The minimum number of values, of all types together.
        public let min: Int
    }

    /// The JSON member name: `birthDate`, `valueQuantity`.
    public let name: String
    /// The number of its slot in the class, which is its position in `Layout.elements`.
    public let slot: Int
    /// Whether it holds primitives, objects or resources.
    public let kind: ElementKind
    /// The FHIR type: a primitive, a datatype, the path of a backbone element, or `Resource`.
    public let typeName: String
    /// The primitive type, for primitives.
    public let primitive: PrimitiveType?
    /// The class, for complex elements.
    public let type: FHIRObject.Type?
    /// The minimum number of values; 0 for a type of a choice element, which has its own.
    public let min: Int
    /// The maximum number of values; nil for no limit.
    public let max: Int?
    /// The choice element that it belongs to; nil for other elements.
    public let choice: Choice?
    /// The Swift name of the required binding.
    public let binding: String?
    /// The resource types that a reference may point to; empty for any.
    public let targets: [String]

    /// Whether the element repeats, and so is a list.
    public var isList: Bool { max != 1 }

    /// The layout of a complex element; nil for primitives and for elements that contain any resource.
    public var layout: Layout? { table.map(Layout.of) ?? type?._layout }

    /// A new object of a complex element, of its class; nil for primitives and for elements that contain any resource.
    package func makeObject() -> FHIRObject? {
        guard let type else { return nil }
        return table.map { type.init(_layoutTable: $0) } ?? type.init()
    }

    /// The slots of a complex element's layout, if the release is data.
    ///
    /// Memory that is filled before the layout with this element is shared, and never freed or changed afterwards.
    nonisolated(unsafe) let table: UnsafePointer<LayoutTable>?

    /// The meaning of a complex type: a generated class, or the slots of a layout read as data.
    struct ComplexType {
        let type: FHIRObject.Type
        var table: UnsafePointer<LayoutTable>?
    }

    /// A line of a layout that cannot be read.
    struct LineError: Error {
        let message: String
    }

    /// Reads one line of a layout text: an element, or all types of a choice element.
    ///
    /// - Parameters:
    ///   - line: `name min..max type[|type] [=binding] [>targets]`.
    ///   - first: the number of the first slot.
    ///   - complexType: returns the meaning of a complex type by name; nil for an unknown name.
    /// - Throws: `LineError`.
    static func parse(_ line: Substring, first: Int, complexType: (Substring) -> ComplexType?) throws(LineError) -> [LayoutElement] {
        let fields = parts(of: line, " ")
        guard fields.count >= 3, let (min, max) = cardinality(fields[1]) else {
            throw LineError(message: "malformed line '\(line)'")
        }
        var binding: String?
        var targets: [String] = []
        for field in fields.dropFirst(3) {
            let rest = Substring(field.utf8.dropFirst())
            switch field.utf8.first {
            case UInt8(ascii: "="): binding = String(rest)
            case UInt8(ascii: ">"): targets = parts(of: rest, ",").map(String.init)
            default: throw LineError(message: "malformed line '\(line)'")
            }
        }
        let types = parts(of: fields[2], "|")
        let isChoice = fields[0].utf8.last == UInt8(ascii: "]") && fields[0].hasSuffix("[x]")
        guard !types.isEmpty, isChoice || types.count == 1 else { throw LineError(message: "malformed line '\(line)'") }
        let stem = isChoice ? fields[0].dropLast(3) : fields[0]
        let choice = isChoice ? Choice(name: String(fields[0]), slots: first..<first + types.count, min: min) : nil
        var elements: [LayoutElement] = []
        for (offset, type) in types.enumerated() {
            let primitive = PrimitiveType(name: String(type))
            let isResource = type == "Resource"
            let complex = primitive == nil && !isResource ? complexType(type) : nil
            if primitive == nil, !isResource, complex == nil {
                throw LineError(message: "'\(fields[0])' has the unknown type '\(type)'")
            }
            let name = isChoice ? stem + type.prefix(1).uppercased() + type.dropFirst() : String(stem)
            let canRefer = !isChoice || type == "Reference" || type == "canonical" || type == "CodeableReference"
            elements.append(
                LayoutElement(
                    name: name, slot: first + offset, kind: isResource ? .resource : primitive != nil ? .primitive : .object,
                    typeName: String(type), primitive: primitive, type: complex?.type, min: isChoice ? 0 : min, max: max, choice: choice,
                    binding: binding, targets: canRefer ? targets : [], table: complex?.table))
        }
        return elements
    }

    /// The parts between separators. By bytes, as opening a file reads hundreds of lines.
    private static func parts(of text: Substring, _ separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(separator: UInt8(ascii: separator)).map { Substring($0) }
    }

    /// `0..1` or `1..*`.
    private static func cardinality(_ text: Substring) -> (min: Int, max: Int?)? {
        guard let dots = text.utf8.firstIndex(of: UInt8(ascii: ".")), text[dots...].hasPrefix("..") else { return nil }
        let upper = text[text.utf8.index(dots, offsetBy: 2)...]
        guard let min = Int(text[..<dots]), min >= 0, upper == "*" || Int(upper).map({ $0 > 0 }) == true else { return nil }
        return (min, Int(upper))
    }
}
