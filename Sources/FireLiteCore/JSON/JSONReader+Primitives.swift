extension JSONReader {
    /// Reads a to-one primitive; nil if lenient reading skipped it.
    @inline(__always)
    mutating func readPrimitive(_ entry: UnsafePointer<ElementEntry>) throws(JSONFailure) -> SlotValue? {
        if entry.pointee.storage == .text, next < end, next[0] == UInt8(ascii: "\"") { return .text(try readString()) }
        return try readOtherPrimitive(entry)
    }

    private mutating func readOtherPrimitive(_ entry: UnsafePointer<ElementEntry>) throws(JSONFailure) -> SlotValue? {
        let type = entry.pointee.primitive
        let place = next
        guard next < end else { throw malformed("a value") }
        let byte = next[0]
        switch entry.pointee.storage {
        case .temporal where byte == UInt8(ascii: "\""): return try readTemporal(type)
        case .decimal where byte == UInt8(ascii: "-") || byte &- 48 < 10:
            let number = try numberHere()
            return DecimalWord(number).map { .word($0.raw) } ?? .text(String(decoding: number, as: UTF8.self))
        case .integer where byte == UInt8(ascii: "\"") && type == .integer64:
            let text = try readString()
            if let value = Int64(text), text.utf8.first != UInt8(ascii: "+") { return .word(value) }
            try fail(.invalidValue, place: place, expected: type.format, found: "a string that is not one")
            return nil
        case .integer where type != .integer64 && (byte == UInt8(ascii: "-") || byte &- 48 < 10):
            let number = try numberHere()
            if let value = JSONNumber.integer(number), type.integerRange.contains(value) { return .word(value) }
            let found = JSONNumber.integer(number) == nil ? "a number in another notation" : "a number out of range"
            try fail(.invalidValue, place: place, expected: type.format, found: found)
            return JSONNumber.integer(number).map { .word($0) }
        case .boolean where byte == UInt8(ascii: "t"):
            try skipWord("true")
            return .word(1)
        case .boolean where byte == UInt8(ascii: "f"):
            try skipWord("false")
            return .word(0)
        default:
            try fail(.wrongType, place: next, expected: Self.expected(type), found: foundHere)
            return try readMistyped(entry)
        }
    }

    private mutating func readTemporal(_ type: PrimitiveType) throws(JSONFailure) -> SlotValue? {
        let text = next + 1
        var quote = text
        // No literal of these types is longer, unless its fraction is long.
        let limit = min(end, text + 40)
        while quote < limit, quote[0] != UInt8(ascii: "\""), quote[0] != UInt8(ascii: "\\") { quote += 1 }
        if quote < limit, quote[0] == UInt8(ascii: "\""),
            case .word(let word) = TemporalWord.read(UnsafeBufferPointer(start: text, count: quote - text), as: type)
        {
            next = quote + 1
            return .word(word.raw)
        }
        var string = try readString()
        let literal = string.withUTF8 { TemporalWord.read($0, as: type) }
        switch literal {
        case .word(let word): return .word(word.raw)
        case .text: return .text(string)
        case .invalid:
            try fail(.invalidValue, place: text - 1, expected: type.format, found: PrimitiveType.temporalFault(string, type))
            return .text(string)
        }
    }

    /// In lenient mode, converts a primitive of another JSON type if possible: `"5"` for a number, 5 for a string, `["x"]` for `"x"`.
    private mutating func readMistyped(_ entry: UnsafePointer<ElementEntry>) throws(JSONFailure) -> SlotValue? {
        guard next < end else { throw malformed("a value") }
        if isListHere {
            return try readTexts(entry).compactMap { $0 }.first.flatMap { SlotValue(literal: $0, entry.pointee.primitive) }
        }
        guard let text = try readScalarText() else { return nil }
        return SlotValue(literal: text, entry.pointee.primitive)
    }

    /// The text of a string, number or boolean; nil for null and for anything else.
    private mutating func readScalarText() throws(JSONFailure) -> String? {
        switch next[0] {
        case UInt8(ascii: "\""): return try readString()
        case UInt8(ascii: "-"), 48...57: return String(decoding: try numberHere(), as: UTF8.self)
        case UInt8(ascii: "t"):
            try skipWord("true")
            return "true"
        case UInt8(ascii: "f"):
            try skipWord("false")
            return "false"
        default: return try skippingValue()
        }
    }

    // MARK: - Lists

    /// Reads a list of primitives.
    mutating func readPrimitives(_ entry: UnsafePointer<ElementEntry>) throws(JSONFailure) -> SlotValue? {
        let texts = try readTexts(entry)
        return texts.isEmpty ? nil : AnnotatedList.value(texts: texts, elements: texts.map { _ in nil })
    }

    private mutating func readTexts(_ entry: UnsafePointer<ElementEntry>) throws(JSONFailure) -> [String?] {
        guard isListHere else {
            try fail(.wrongType, place: next, expected: "an array", found: foundHere)
            guard let value = try readPrimitive(entry), let text = value.literal(entry.pointee.primitive) else { return [] }
            return [text]
        }
        var texts: [String?] = []
        var items = try enterList()
        while try nextItem(&items) {
            if next < end, next[0] == UInt8(ascii: "n") {
                try skipWord("null")
                texts.append(nil)
            } else if let text = try readPrimitive(entry)?.literal(entry.pointee.primitive) {
                texts.append(text)
            }
        }
        return texts
    }

    // MARK: - Ids and extensions

    /// Reads the member `_name` of the primitive `name`: its `Element`, or for a list one for each position.
    mutating func readAnnotation(
        _ slot: Int, entry: UnsafePointer<ElementEntry>, of object: FHIRObject, nameStart: UnsafePointer<UInt8>,
        members: inout MemberState
    ) throws(JSONFailure) {
        guard let layout = release.elementLayout else { throw malformed("a release with the type Element") }
        let value: SlotValue
        if entry.pointee.isList {
            let opening = next
            let elements = try readElements(layout, of: object)
            guard elements.contains(where: { $0 != nil }) else {
                if !elements.isEmpty { try fail(.empty, place: opening, expected: "an array with objects", found: "an array of nulls") }
                return
            }
            value = .annotatedTexts(AnnotatedList(texts: elements.map { _ in nil }, elements: elements))
        } else {
            guard let element = try readElementObject(layout, of: object) else { return }
            value = .annotated(AnnotatedPrimitive(value: nil, element: element))
        }
        if let position = workspace.position(of: slot, from: members.base) {
            if let merged = AnnotatedList.merging(value, into: workspace.slots[position].value) {
                workspace.slots[position].value = merged
            } else {
                try fail(.duplicateMember, place: nameStart, expected: "each member once", found: "a member again")
            }
            return
        }
        guard try !hasOtherChoice(slot, entry: entry, nameStart: nameStart, members: members) else { return }
        members.add(slot)
        workspace.push(ElementSlot(value: value, index: slot))
    }

    private mutating func readElementObject(_ layout: Layout, of owner: FHIRObject) throws(JSONFailure) -> FHIRObject? {
        guard next < end, next[0] == UInt8(ascii: "{") else {
            try fail(.wrongType, place: next, expected: "an object (Element)", found: foundHere)
            return try skippingValue()
        }
        let element = layout.makeObject()
        element.ownerObject = owner
        try readMembers(of: element)
        return element.slotCount == 0 ? nil : element
    }

    private mutating func readElements(_ layout: Layout, of owner: FHIRObject) throws(JSONFailure) -> [FHIRObject?] {
        guard isListHere else {
            try fail(.wrongType, place: next, expected: "an array", found: foundHere)
            return try skippingValue() ?? []
        }
        var elements: [FHIRObject?] = []
        var items = try enterList()
        while try nextItem(&items) {
            if next < end, next[0] == UInt8(ascii: "n") {
                try skipWord("null")
                elements.append(nil)
            } else {
                elements.append(try readElementObject(layout, of: owner))
            }
        }
        return elements
    }

    private static func expected(_ type: PrimitiveType) -> String {
        switch type.storage {
        case .boolean: "true or false"
        case .integer: type == .integer64 ? "an integer64 in a string" : "a number (\(type.name))"
        case .decimal: "a number (decimal)"
        case .temporal: "a string (\(type.name))"
        case .text: "a string (\(type.name))"
        }
    }
}

extension AnnotatedList {
    /// Combines a value and an annotation of one element, whichever came first; nil if both are of one kind.
    static func merging(_ new: SlotValue, into old: SlotValue) -> SlotValue? {
        switch (old, new) {
        case (.annotated(let primitive), .word), (.annotated(let primitive), .text):
            return primitive.value == nil ? .annotated(AnnotatedPrimitive(value: new, element: primitive.element)) : nil
        case (.word, .annotated(let primitive)), (.text, .annotated(let primitive)):
            return .annotated(AnnotatedPrimitive(value: old, element: primitive.element))
        default:
            guard let first = parts(old), let second = parts(new), first.isAnnotation != second.isAnnotation else { return nil }
            var texts = first.isAnnotation ? second.texts : first.texts
            var elements = first.isAnnotation ? first.elements : second.elements
            while texts.count < elements.count { texts.append(nil) }
            while elements.count < texts.count { elements.append(nil) }
            return value(texts: texts, elements: elements)
        }
    }

    private static func parts(_ value: SlotValue) -> (texts: [String?], elements: [FHIRObject?], isAnnotation: Bool)? {
        switch value {
        case .texts(let texts): return (texts, [], false)
        case .annotatedTexts(let list):
            let isAnnotation = list.elements.contains { $0 != nil }
            if isAnnotation, list.texts.contains(where: { $0 != nil }) { return nil }
            return (list.texts, list.elements, isAnnotation)
        default: return nil
        }
    }
}
