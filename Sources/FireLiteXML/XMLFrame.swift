import FireLiteCore

/// An element that is being read.
struct XMLFrame {
    enum Kind {
        /// An object or a resource.
        case object
        /// A primitive. Its `Element` is made if it has an id or extensions.
        case primitive
        /// An element that contains a resource.
        case holder
    }

    let kind: Kind
    /// The slot that it fills in the object around it; -1 for a resource.
    let slot: Int
    /// Its position in a list.
    let position: Int
    /// The depth that its object has in JSON, where a list is a level too: what is read from one form can be read from the other.
    let depth: Int
    /// The object that is read; that of a holder is the resource in it.
    var object: FHIRObject?
    /// The slots of the object.
    var table: UnsafePointer<LayoutTable>
    /// The value of a primitive.
    var value: SlotValue?
    /// Where the object's values begin in the workspace.
    var base: Int
    /// Where the items of the open list begin in `XMLReader.objects` or `.texts`.
    var listBase = 0
    /// The slot whose list is open; -1 if none is.
    var openSlot = -1
    /// The slot of the last element: a lower one is out of order.
    var lastSlot = -1
    /// The highest slot in the workspace.
    var highestSlot = -1
    var isSorted = true
    /// Whether the value of a primitive is invalid and was reported.
    var isReported = false
}

/// The frames of the open elements, outermost first, in memory that never moves.
struct XMLFrames: ~Copyable {
    private let frames: UnsafeMutablePointer<XMLFrame>
    private(set) var count = 0

    /// As many as the maximum depth allows, where a resource is no deeper than the element that holds it.
    static let capacity = 2 * XMLReader.maximumDepth + 2

    init() { frames = .allocate(capacity: Self.capacity) }

    deinit {
        frames.deinitialize(count: count)
        frames.deallocate()
    }

    @inline(__always)
    mutating func push(_ frame: consuming XMLFrame) {
        (frames + count).initialize(to: frame)
        count += 1
    }

    @inline(__always)
    mutating func pop() -> XMLFrame {
        count -= 1
        return (frames + count).move()
    }

    /// The innermost frame.
    @inline(__always)
    var top: UnsafeMutablePointer<XMLFrame> { frames + count - 1 }

    subscript(_ index: Int) -> UnsafeMutablePointer<XMLFrame> { frames + index }
}
