/// The elements of a generated class. The code that reads, writes, copies and stores objects works from layouts, for all classes.
///
/// ```swift
/// for element in patient.layout.elements where element.isList { print(element.name, element.typeName) }
/// ```
/// A layout is created once per class, from the text in the generated code, and lives as long as the process. A release read as data
/// (`FHIRRelease.init(layouts:)`) has the same layouts without generated classes.
public final class Layout: Sendable {
    /// The kind of a type in FHIR.
    public enum Kind: Sendable {
        /// A resource that has instances.
        case resource
        /// A datatype that has instances.
        case datatype
        /// An element with elements of its own, defined in place: `Patient.contact`.
        case backbone
        /// A resource or datatype that others derive from: `DomainResource`, `Element`.
        case abstract
    }

    /// The class of its objects: the generated one, or the one that all layouts of a release read as data share.
    public let type: FHIRObject.Type
    /// FHIR's name of the type, or the path of a backbone element: `Patient`, `HumanName`, `Patient.contact`.
    public let name: String
    /// Whether it is a resource, a datatype or a backbone element.
    public let kind: Kind
    /// The layout of the superclass, if it is a FHIR type.
    public let base: Layout?
    /// The release that the class belongs to.
    public let release: FHIRRelease
    /// The elements by slot: inherited ones first, a choice element once for each of its types.
    public let elements: [LayoutElement]
    /// The slots of elements that need a value, and the first slot of each choice that does.
    let requiredSlots: [Int]

    /// Never changed after the initializer, so any thread can read it.
    package nonisolated(unsafe) let table: UnsafePointer<LayoutTable>
    private let tableStorage: TableStorage

    /// Creates the layout of a generated class; `text` has a line `name min..max type[|type] [=binding] [>targets]` for each own element.
    ///
    /// - Precondition: this version of the Generator wrote the text.
    public init(_class type: FHIRObject.Type, _ name: String, _ kind: Kind, base: Layout?, release: FHIRRelease, _ text: String) {
        self.type = type
        self.name = name
        self.kind = kind
        self.base = base
        self.release = release
        var elements = base?.elements ?? []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            do throws(LayoutElement.LineError) {
                elements += try LayoutElement.parse(Substring(line), first: elements.count) { typeName in
                    release.type(named: String(typeName)).map { LayoutElement.ComplexType(type: $0) }
                }
            } catch {
                misuse("the layout of \(name): \(error.message): regenerate the module with `swift run Generator`")
            }
        }
        misuse(unless: elements.count <= Layout.maximumSlots, "\(name) has more than \(Layout.maximumSlots) slots")
        self.elements = elements
        requiredSlots = Self.requiredSlots(elements)
        tableStorage = TableStorage(elements: elements, typeMember: Self.typeMember(name, kind))
        table = UnsafePointer(tableStorage.table)
        tableStorage.complete(layout: self)
    }

    /// Creates a layout of a release that is data.
    ///
    /// - Parameter table: uninitialized memory for its slots, to which other layouts refer already.
    init(
        _ type: FHIRObject.Type, name: String, kind: Kind, base: Layout?, release: FHIRRelease, elements: [LayoutElement],
        table: UnsafeMutablePointer<LayoutTable>
    ) {
        self.type = type
        self.name = name
        self.kind = kind
        self.base = base
        self.release = release
        self.elements = elements
        requiredSlots = Self.requiredSlots(elements)
        tableStorage = TableStorage(elements: elements, typeMember: Self.typeMember(name, kind), table: table)
        self.table = UnsafePointer(table)
        tableStorage.complete(layout: self)
    }

    /// The maximum number of slots of a class, as an object counts them in a byte.
    static let maximumSlots = 254

    private static func typeMember(_ name: String, _ kind: Kind) -> String { kind == .resource ? "\"resourceType\":\"\(name)\"" : "" }

    private static func requiredSlots(_ elements: [LayoutElement]) -> [Int] {
        elements.filter { element in
            guard let choice = element.choice else { return element.min > 0 }
            return choice.min > 0 && choice.slots.lowerBound == element.slot
        }.map(\.slot)
    }

    /// The layout with these slots.
    static func of(_ table: UnsafePointer<LayoutTable>) -> Layout { table.pointee.layout._withUnsafeGuaranteedRef { $0 } }

    /// Creates an object with no element set.
    ///
    /// - Precondition: the layout is not that of an abstract resource.
    public func makeObject() -> FHIRObject { type.init(_layoutTable: table) }

    /// The element with this JSON member name (`valueQuantity`, not `value[x]`), or nil.
    public func element(named name: String) -> LayoutElement? {
        var name = name
        return name.withUTF8 { bytes in
            bytes.baseAddress.flatMap { table.pointee.slot(named: $0, bytes.count) }
        }.map { elements[$0] }
    }

    /// Whether instances are resources.
    public var isResource: Bool { kind == .resource }
}

/// Owns the memory of a `LayoutTable`, which is filled before the layout is shared and not changed afterwards.
private final class TableStorage: @unchecked Sendable {
    let table: UnsafeMutablePointer<LayoutTable>
    private let entries: UnsafeMutablePointer<ElementEntry>
    private let count: Int
    private let members: UnsafeMutablePointer<UInt16>
    private let mask: Int
    private let typeMember: UnsafeMutablePointer<UInt8>
    private let typeMemberLength: Int

    init(elements: [LayoutElement], typeMember text: String, table: UnsafeMutablePointer<LayoutTable>? = nil) {
        count = elements.count
        self.table = table ?? .allocate(capacity: 1)
        entries = .allocate(capacity: max(count, 1))
        var capacity = 8
        while capacity < count * 3 { capacity *= 2 }
        mask = capacity - 1
        members = .allocate(capacity: capacity)
        members.initialize(repeating: LayoutTable.noSlot, count: capacity)
        (typeMember, typeMemberLength) = Self.immortal(text)
        for element in elements {
            let (key, length) = Self.immortal("\"\(element.name)\":")
            (entries + element.slot).initialize(
                to: ElementEntry(
                    kind: element.kind, primitive: element.primitive ?? .string, storage: element.primitive?.storage ?? .text,
                    isList: element.isList, choiceFirst: UInt16(element.choice?.slots.lowerBound ?? 0),
                    choiceCount: UInt16(element.choice?.slots.count ?? 0), key: UnsafePointer(key), keyLength: length, type: element.type,
                    table: element.table,
                    digestTag: ContentDigest.tag(ofElement: element.name)))
            var position = LayoutTable.hash(key + 1, length - 3) & mask
            while members[position] != LayoutTable.noSlot { position = (position + 1) & mask }
            members[position] = UInt16(element.slot)
        }
    }

    func complete(layout: Layout) {
        table.initialize(
            to: LayoutTable(
                entries: entries, count: count, members: members, memberMask: mask, layout: .passRetained(layout), typeMember: typeMember,
                typeMemberLength: typeMemberLength))
    }

    private static func immortal(_ text: String) -> (UnsafeMutablePointer<UInt8>, Int) {
        let bytes = Array(text.utf8)
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        copy.initialize(from: bytes, count: bytes.count)
        return (copy, bytes.count)
    }
}
