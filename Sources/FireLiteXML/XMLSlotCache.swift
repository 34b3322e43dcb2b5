import FireLiteCore

/// The slots of names in tables of elements, by the addresses of both: the parser keeps each name once for a document.
///
/// Two pairs may share a place; the later one replaces the earlier one.
struct XMLSlotCache: ~Copyable {
    private struct Item {
        var name: UnsafePointer<UInt8>?
        var table: UnsafePointer<LayoutTable>?
        var slot = -1
    }

    /// More than the pairs of the resource types that usually come together.
    private static var capacity: Int { 512 }

    private let items: UnsafeMutablePointer<Item>

    init() {
        items = .allocate(capacity: Self.capacity)
        items.initialize(repeating: Item(), count: Self.capacity)
    }

    deinit { items.deallocate() }

    /// The slot of a name in a table, as `find` says when it is asked for first.
    @inline(__always)
    func slot(_ name: UnsafePointer<UInt8>, _ table: UnsafePointer<LayoutTable>, _ find: () -> Int) -> Int {
        // Tables are aligned; names stand side by side.
        let mixed = UInt(bitPattern: name) &* 31 &+ UInt(bitPattern: table) >> 4
        let item = items + Int((mixed ^ mixed >> 9) & UInt(Self.capacity - 1))
        if item.pointee.name == name, item.pointee.table == table { return item.pointee.slot }
        let slot = find()
        item.pointee = Item(name: name, table: table, slot: slot)
        return slot
    }
}
