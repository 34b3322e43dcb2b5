/// Reads FHIR JSON from UTF-8 bytes directly into objects, driven by their layouts. Each byte is read about once.
///
/// A failure carries only the offset and what was expected. `JSONLocator` finds line, column and path afterwards, so that valid input does
/// not pay for them.
struct JSONReader: ~Copyable {
    /// The maximum nesting depth. FHIR's deepest examples have less than 20 levels.
    static let maximumDepth = 128

    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var next: UnsafePointer<UInt8>
    let release: FHIRRelease
    let isLenient: Bool
    /// The parts that lenient reading skipped or corrected.
    var issues: [JSONFailure] = []
    var depth = 0
    var workspace: JSONWorkspace

    init(_ bytes: UnsafeBufferPointer<UInt8>, release: FHIRRelease, isLenient: Bool, workspace: consuming JSONWorkspace) {
        // An empty buffer may have no address. Any address works, as nothing is read from it.
        start = bytes.baseAddress ?? UnsafePointer(workspace.bytes)
        end = start + bytes.count
        next = start
        self.release = release
        self.isLenient = isLenient
        self.workspace = workspace
        if bytes.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF { next += 3 }
    }

    /// Ends reading and keeps the memory for the next text.
    consuming func finish() -> JSONWorkspace {
        workspace.clear()
        return workspace
    }

    // MARK: - Whole texts

    /// Reads one resource of any type, and nothing after it.
    mutating func readOnlyResource() throws(JSONFailure) -> FHIRResource {
        skipSpace()
        guard let resource = try readResource() else {
            throw JSONFailure(.resourceType, offset: offset, expected: "a resource", found: "none")
        }
        try expectEnd()
        return resource
    }

    /// Reads the members of one object into `object`, and nothing after it.
    mutating func readOnly(into object: FHIRObject) throws(JSONFailure) {
        skipSpace()
        guard next < end, next[0] == UInt8(ascii: "{") else { throw mistyped(next, "an object (\(object.layout.name))", foundHere) }
        if object.layout.isResource {
            let (name, nameOffset) = try findResourceType()
            guard name == object.layout.name else {
                throw JSONFailure(.resourceType, offset: nameOffset, expected: "resourceType \(object.layout.name)", found: shownType(name))
            }
        }
        try readMembers(of: object)
        try expectEnd()
    }

    private mutating func expectEnd() throws(JSONFailure) {
        skipSpace()
        if next < end { try fail(.trailingBytes, place: next, expected: "the end of the text", found: foundHere) }
    }

    // MARK: - Objects

    /// Reads a resource at `{`, of the class its `resourceType` names; nil if lenient reading skipped one of an unknown type.
    mutating func readResource() throws(JSONFailure) -> FHIRResource? {
        guard next < end, next[0] == UInt8(ascii: "{") else { throw mistyped(next, "an object (a resource)", foundHere) }
        let (name, nameOffset): (String, Int)
        do throws(JSONFailure) {
            (name, nameOffset) = try findResourceType()
        } catch {
            guard depth > 0, error.code == .resourceType else { throw error }
            try fail(.resourceType, place: start + error.offset, expected: error.expected, found: error.found)
            try skipValue()
            return nil
        }
        guard let layout = workspace.resourceLayout(named: name, in: release), let resource = layout.makeObject() as? FHIRResource else {
            let known = "a resource type of FHIR \(release.name)"
            if depth == 0 { throw JSONFailure(.resourceType, offset: nameOffset, expected: known, found: shownType(name)) }
            try fail(.resourceType, place: start + nameOffset, expected: known, found: shownType(name))
            try skipValue()
            return nil
        }
        try readMembers(of: resource)
        return resource
    }

    /// Reads an object's members from `{` to `}` and moves the values to `object`.
    mutating func readMembers(of object: FHIRObject) throws(JSONFailure) {
        let opening = next
        try enter()
        let table = object.layoutTable
        var members = MemberState(base: workspace.count, isResource: table.pointee.typeMemberLength > 0)
        skipSpace()
        if next < end, next[0] == UInt8(ascii: "}") {
            next += 1
            try fail(.empty, place: opening, expected: "an object with members", found: "an empty object")
        } else {
            while true {
                try readMember(of: object, table, &members)
                skipSpace()
                guard next < end else { throw malformed("',' or '}'") }
                let byte = next[0]
                guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else { throw malformed("',' or '}'") }
                next += 1
                if byte == UInt8(ascii: "}") { break }
                skipSpace()
            }
        }
        depth -= 1
        if !members.isSorted { workspace.sort(from: members.base) }
        workspace.hand(to: object, from: members.base)
    }

    private mutating func readMember(
        of object: FHIRObject, _ table: UnsafePointer<LayoutTable>, _ members: inout MemberState
    ) throws(JSONFailure) {
        let nameStart = next
        guard next < end, next[0] == UInt8(ascii: "\"") else { throw malformed("a member name in quotes") }
        next += 1
        var name = next
        // Names are short and plain: anything else takes the slow path.
        while next < end, next[0] != UInt8(ascii: "\""), next[0] != UInt8(ascii: "\\"), next[0] >= 0x20, next[0] < 0x80 { next += 1 }
        guard next < end else { throw malformed("the end of the member name") }
        var length = next - name
        if next[0] == UInt8(ascii: "\"") {
            next += 1
        } else {
            next = nameStart
            _ = try readString()
            name = UnsafePointer(workspace.bytes)
            length = workspace.byteCount
        }
        skipSpace()
        guard next < end, next[0] == UInt8(ascii: ":") else { throw malformed("':'") }
        next += 1
        skipSpace()
        if let slot = table.pointee.slot(named: name, length) {
            try readElement(slot, entry: table.pointee.entries + slot, of: object, nameStart: nameStart, members: &members)
        } else if length > 1, name[0] == UInt8(ascii: "_"), let slot = table.pointee.slot(named: name + 1, length - 1),
            table.pointee.entries[slot].kind == .primitive
        {
            try readAnnotation(slot, entry: table.pointee.entries + slot, of: object, nameStart: nameStart, members: &members)
        } else if members.isResource, length == 12, Self.isResourceType(name) {
            if members.hasResourceType {
                try fail(.duplicateMember, place: nameStart, expected: "each member once", found: "'resourceType' again")
            }
            members.hasResourceType = true
            try skipValue()
        } else {
            let text = String(decoding: UnsafeBufferPointer(start: name, count: length), as: UTF8.self)
            try fail(
                .unknownMember, place: nameStart, expected: "an element of \(object.layout.name)",
                found: "a member, \(Self.shown(text))\(object.layout.hint(forMember: text))")
            try skipValue()
        }
    }

    private mutating func readElement(
        _ slot: Int, entry: UnsafePointer<ElementEntry>, of object: FHIRObject, nameStart: UnsafePointer<UInt8>,
        members: inout MemberState
    ) throws(JSONFailure) {
        let value: SlotValue?
        switch (entry.pointee.kind, entry.pointee.isList) {
        case (.primitive, false): value = try readPrimitive(entry)
        case (.primitive, true): value = try readPrimitives(entry)
        case (_, false): value = try readChild(entry, of: object).map { .object($0) }
        case (_, true):
            let children = try readChildren(entry, of: object)
            value = children.isEmpty ? nil : .objects(children)
        }
        guard let value else { return }
        let repeated = slot <= members.last ? workspace.position(of: slot, from: members.base) : nil
        if repeated == nil {
            guard try !hasOtherChoice(slot, entry: entry, nameStart: nameStart, members: members) else { return }
            members.add(slot)
            workspace.push(ElementSlot(value: value, index: slot))
        } else if let repeated, let merged = AnnotatedList.merging(value, into: workspace.slots[repeated].value) {
            workspace.slots[repeated].value = merged
        } else if let repeated {
            try fail(.duplicateMember, place: nameStart, expected: "each member once", found: "a member again")
            workspace.slots[repeated].value = value
        }
    }

    /// Whether another type of the same choice element already has a value, which is an error.
    @inline(__always)
    mutating func hasOtherChoice(
        _ slot: Int, entry: UnsafePointer<ElementEntry>, nameStart: UnsafePointer<UInt8>, members: MemberState
    ) throws(JSONFailure) -> Bool {
        guard entry.pointee.choiceCount > 1 else { return false }
        let first = Int(entry.pointee.choiceFirst)
        for position in members.base..<workspace.count {
            let other = Int(workspace.slots[position].index)
            if other >= first, other < first + Int(entry.pointee.choiceCount), other != slot {
                try fail(.secondChoice, place: nameStart, expected: "one value of a choice element", found: "a second one")
                return true
            }
        }
        return false
    }

    private mutating func readChild(
        _ entry: UnsafePointer<ElementEntry>, of owner: FHIRObject
    ) throws(JSONFailure) -> FHIRObject? {
        guard next < end, next[0] == UInt8(ascii: "{") else {
            try fail(.wrongType, place: next, expected: "an object", found: foundHere)
            return isListHere ? try readListed(entry, of: owner).first : try skippingValue()
        }
        guard let child = entry.pointee.makeObject() else {
            let resource = try readResource()
            resource?.ownerObject = owner
            return resource
        }
        child.ownerObject = owner
        try readMembers(of: child)
        return isLenient && child.slotCount == 0 ? nil : child
    }

    private mutating func readChildren(
        _ entry: UnsafePointer<ElementEntry>, of owner: FHIRObject
    ) throws(JSONFailure) -> [FHIRObject] {
        guard isListHere else {
            try fail(.wrongType, place: next, expected: "an array", found: foundHere)
            guard next < end, next[0] == UInt8(ascii: "{") else { return try skippingValue() ?? [] }
            return try readChild(entry, of: owner).map { [$0] } ?? []
        }
        return try readListed(entry, of: owner)
    }

    private mutating func readListed(
        _ entry: UnsafePointer<ElementEntry>, of owner: FHIRObject
    ) throws(JSONFailure) -> [FHIRObject] {
        var children: [FHIRObject] = []
        var items = try enterList()
        while try nextItem(&items) {
            if let child = try readChild(entry, of: owner) { children.append(child) }
        }
        return children
    }

    // MARK: - Failures

    /// Throws, or in lenient mode records the mistake so that the caller can continue.
    @inline(never)
    mutating func fail(
        _ code: FHIRDecodingError.Code, place: UnsafePointer<UInt8>, expected: String, found: String
    ) throws(JSONFailure) {
        let failure =
            code == .wrongType
            ? mistyped(place, expected, found) : JSONFailure(code, offset: place - start, expected: expected, found: found)
        guard isLenient, failure.code != .malformedJSON else { throw failure }
        issues.append(failure)
    }

    /// A value of a wrong type, or something that is not a value.
    private func mistyped(_ place: UnsafePointer<UInt8>, _ expected: String, _ found: String) -> JSONFailure {
        JSONFailure(
            place < end && Self.beginsValue(place[0]) ? .wrongType : .malformedJSON, offset: place - start, expected: expected, found: found
        )
    }

    private static func beginsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"), 48...57: true
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): true
        default: false
        }
    }

    @inline(never)
    func malformed(_ expected: String) -> JSONFailure { JSONFailure(.malformedJSON, offset: offset, expected: expected, found: foundHere) }

    var offset: Int { next - start }

    /// A description of what begins at the current byte, without its value.
    var foundHere: String {
        guard next < end else { return "the end of the text" }
        switch next[0] {
        case UInt8(ascii: "{"): return "an object"
        case UInt8(ascii: "["): return "an array"
        case UInt8(ascii: "\""): return "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return "a boolean"
        case UInt8(ascii: "n"): return "null"
        case UInt8(ascii: "-"), 48...57: return "a number"
        case 0..<0x20: return "a control character"
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            return "'\(Character(Unicode.Scalar(next[0])))'"
        default: return "a character that cannot begin a value"
        }
    }

    /// A name from the data for a message, only if it looks like a name, so that no value is shown by mistake.
    static func shown(_ name: String) -> String {
        let isName = !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy { isNameByte($0) }
        return isName ? "'\(name)'" : "not a FHIR name"
    }

    /// A resource type for a message, only if the release has it, as any other may be a misplaced value; with the type that is near to it.
    private func shownType(_ name: String) -> String {
        release.hasResourceType(named: name)
            ? "'\(name)'" : "an unknown name" + NearWords.hint(for: name, among: release.resourceTypeNames)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 97 < 26 || byte &- 48 < 10 || byte == UInt8(ascii: "_")
    }

    static func isResourceType(_ name: UnsafePointer<UInt8>) -> Bool {
        let expected: StaticString = "resourceType"
        return sameBytes(name, expected.utf8Start, 12)
    }
}

/// The state of `readMembers` about the members it has read.
struct MemberState {
    /// Where the object's values begin in the workspace.
    let base: Int
    let isResource: Bool
    var hasResourceType = false
    /// The highest slot so far: a higher one cannot be a duplicate.
    var last = -1
    var isSorted = true

    @inline(__always)
    mutating func add(_ slot: Int) {
        if slot > last { last = slot } else { isSorted = false }
    }
}

/// A mistake in JSON by its offset; becomes a `FHIRDecodingError` when its line and path are found.
struct JSONFailure: Error {
    let code: FHIRDecodingError.Code
    let offset: Int
    let expected: String
    let found: String

    init(_ code: FHIRDecodingError.Code, offset: Int, expected: String, found: String) {
        self.code = code
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}
