/// An element of a class, or one type of a choice element.
public struct LayoutElement: Sendable {
    /// A choice element: its name in FHIR's definitions, `value[x]`, and the slots of its types.
    public struct Choice: Sendable {
        /// Its name in FHIR's definitions, `value[x]`.
        public let name: String
        /// The places of its types among `Layout.elements`.
        public let slots: Range<Int>
        /// The minimum number of values, of all types together.
        public let min: Int
    }

    /// The JSON member name: `birthDate`, `valueQuantity`.
    public let name: String
    /// The number of its slot in the class, which is its place among `Layout.elements`.
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
    /// The choice element that it is a type of; nil for other elements.
    public let choice: Choice?
    /// The Swift name of the required binding.
    public let binding: String?
    /// The resource types that a reference may point to; empty for any.
    public let targets: [String]

    /// Whether the element repeats, and so is a list.
    public var isList: Bool { max != 1 }

    /// Reads one line of a layout text: an element, or all types of a choice element.
    static func parse(_ line: Substring, owner: String, first: Int, release: FHIRRelease) -> [LayoutElement] {
        let fields = line.split(separator: " ")
        guard fields.count >= 3, let dots = fields[1].utf8.firstIndex(of: UInt8(ascii: ".")) else {
            misuse("the layout of \(owner) has a malformed line '\(line)': regenerate the module with `swift run Generator`")
        }
        let min = Int(fields[1][..<dots]) ?? 0
        let max = Int(fields[1][fields[1].utf8.index(dots, offsetBy: 2)...])
        let types = fields[2].split(separator: "|")
        var binding: String?
        var targets: [String] = []
        for field in fields.dropFirst(3) {
            if field.hasPrefix("=") { binding = String(field.dropFirst()) }
            if field.hasPrefix(">") { targets = field.dropFirst().split(separator: ",").map(String.init) }
        }
        let isChoice = fields[0].hasSuffix("[x]")
        let stem = isChoice ? fields[0].dropLast(3) : fields[0]
        let choice = isChoice ? Choice(name: String(fields[0]), slots: first..<first + types.count, min: min) : nil
        return types.enumerated().map { offset, type in
            let primitive = PrimitiveType(name: String(type))
            let isResource = type == "Resource"
            let complex = primitive == nil && !isResource ? release.type(named: String(type)) : nil
            if primitive == nil, !isResource, complex == nil {
                misuse(
                    "\(owner).\(fields[0]) has the unknown type \(type): regenerate the module with `swift run Generator`")
            }
            let name = isChoice ? stem + type.prefix(1).uppercased() + type.dropFirst() : String(stem)
            let canRefer = !isChoice || type == "Reference" || type == "canonical" || type == "CodeableReference"
            return LayoutElement(
                name: name, slot: first + offset, kind: isResource ? .resource : primitive != nil ? .primitive : .object,
                typeName: String(type), primitive: primitive, type: complex, min: isChoice ? 0 : min, max: max, choice: choice,
                binding: binding, targets: canRefer ? targets : [])
        }
    }
}
