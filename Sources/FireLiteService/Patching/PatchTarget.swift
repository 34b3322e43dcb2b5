import FireLite
import FireLiteCore
import FireLiteFHIRPath

/// The one element that a path leads to, and its place in JSON.
struct PatchTarget {
    let owner: FHIRObject
    let element: LayoutElement
    /// The name of the element in FHIRPath, which for a choice is without its type.
    let stem: String
    let path: [JSONStep]

    /// Finds the element at a path.
    ///
    /// - Returns: nil if there is none, or several.
    /// - Throws: `FHIRPathError`.
    init?(_ text: String, _ resource: FHIRResource) throws {
        // A step by name is followed in the object before it, which works for primitives too.
        if let (parent, name, index) = Self.split(text), let owner = try Self.objects(parent, resource).only,
            let base = Self.path(of: owner)
        {
            guard let element = Self.filled(name, of: owner) else { return nil }
            (self.owner, self.element, stem) = (owner, element, name)
            let place = base + [.member(element.name)]
            guard element.isList else {
                guard index ?? 0 == 0 else { return nil }
                path = place
                return
            }
            let count = Self.count(owner, element)
            guard let position = index ?? (count == 1 ? 0 : nil), position < count else { return nil }
            path = place + [.item(position)]
            return
        }
        guard let object = try Self.objects(text, resource).only, let owner = object.ownerObject, let path = Self.path(of: object),
            let element = Self.element(of: object, in: owner)
        else { return nil }
        (self.owner, self.element, self.path) = (owner, element, path)
        stem = element.choice.map { String($0.name.dropLast(3)) } ?? element.name
    }

    /// The document without the element, and without the extensions of a primitive.
    func removed(from document: JSONItem) throws -> JSONItem {
        let rest = try document.replacing(at: path[...], with: nil)
        guard element.primitive != nil else { return rest }
        var twin = path
        guard let place = twin.lastIndex(where: { if case .member = $0 { true } else { false } }) else { return rest }
        twin[place] = .member("_" + element.name)
        return rest.value(at: twin[...]) == nil ? rest : try rest.replacing(at: twin[...], with: nil)
    }

    // MARK: - Paths

    /// The objects that an expression selects.
    static func objects(_ text: String, _ resource: FHIRResource) throws -> [FHIRObject] {
        if text == resource.resourceType { return [resource] }
        return try values(text, resource).compactMap(\.object)
    }

    private static func values(_ text: String, _ resource: FHIRResource) throws -> [FHIRPathValue] {
        var context = FHIRPathContext()
        context.interrupt = FHIRStore.checkCancellation
        return try FHIRPath(text).evaluate(on: resource, context: context)
    }

    /// Whether a path leads to nothing.
    static func isAbsent(_ text: String, _ resource: FHIRResource) throws -> Bool { try values(text, resource).isEmpty }

    /// The list at a path, which ends in the list's name.
    static func list(_ text: String, _ resource: FHIRResource) throws -> (element: LayoutElement, path: [JSONStep])? {
        guard let (parent, name, index) = split(text), index == nil, let owner = try objects(parent, resource).only,
            let base = path(of: owner),
            let element = owner.layout.element(named: name), element.isList
        else { return nil }
        return (element, base + [.member(element.name)])
    }

    /// The expression before the last step of a path, if that is a name, and its position.
    static func split(_ text: String) -> (parent: String, name: String, index: Int?)? {
        var rest = Substring(text)
        var index: Int?
        if rest.hasSuffix("]"), let open = rest.lastIndex(of: "[") {
            guard let number = Int(rest[rest.index(after: open)...].dropLast()), number >= 0 else { return nil }
            index = number
            rest = rest[..<open]
        }
        guard let dot = rest.lastIndex(of: ".") else { return nil }
        let name = rest[rest.index(after: dot)...]
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else { return nil }
        let parent = rest[..<dot]
        return parent.isEmpty ? nil : (String(parent), String(name), index)
    }

    // MARK: - Elements

    /// The element of a name that has a value; of a choice, that of its type.
    private static func filled(_ name: String, of object: FHIRObject) -> LayoutElement? {
        object.layout.elements.first { element in
            (element.name == name || element.choice?.name == name + "[x]") && object.value(element.slot) != nil
        }
    }

    /// The element of a name for a value: of a choice, that of the value's type.
    static func element(_ name: String, of layout: Layout, for value: FHIRObject) -> LayoutElement? {
        if let element = layout.element(named: name) { return element }
        guard let type = PatchValue.typeName(value) else { return nil }
        return layout.element(named: name + type)
    }

    private static func count(_ owner: FHIRObject, _ element: LayoutElement) -> Int {
        switch owner.value(element.slot) {
        case .objects(let objects)?: objects.count
        case .texts(let texts)?: texts.count
        case .annotatedTexts(let list)?: list.texts.count
        case nil: 0
        default: 1
        }
    }

    /// The element of an object in which another one is.
    private static func element(of object: FHIRObject, in owner: FHIRObject) -> LayoutElement? {
        for slot in owner.slotRun {
            switch slot.value {
            case .object(let value) where value === object: return owner.layout.elements[Int(slot.index)]
            case .objects(let values) where values.contains(where: { $0 === object }): return owner.layout.elements[Int(slot.index)]
            default: continue
            }
        }
        return nil
    }

    /// The place of an object in the JSON of its resource; nil for the object of a primitive.
    static func path(of object: FHIRObject) -> [JSONStep]? {
        guard let owner = object.ownerObject else { return [] }
        guard let element = element(of: object, in: owner), let base = path(of: owner) else { return nil }
        let place = base + [.member(element.name)]
        guard case .objects(let values)? = owner.value(element.slot) else { return place }
        return values.firstIndex { $0 === object }.map { place + [.item($0)] }
    }
}

/// Values of patches.
enum PatchValue {
    /// The type of a part's value with a capital, `Quantity`; nil for a value of parts.
    static func typeName(_ part: FHIRObject) -> String? { member(part).map { String($0.name.dropFirst("value".count)) } }

    private static func member(_ part: FHIRObject) -> LayoutElement? {
        part.layout.elements.first { $0.choice?.name == "value[x]" && part.value($0.slot) != nil }
    }

    /// The JSON of a part's value for an element.
    ///
    /// - Throws: `JSONEditError` for a part that has none.
    static func item(_ part: FHIRObject, for element: LayoutElement) throws -> JSONItem {
        if let member = member(part) {
            let json: JSONItem
            do { json = try JSONItemReader.read(FHIRJSON.data(part)) } catch { throw JSONEditError(problem: "the value cannot be read") }
            guard let value = json[member.name] else { throw JSONEditError(problem: "the value is missing") }
            return value
        }
        guard let layout = element.layout else { throw JSONEditError(problem: "the value is missing") }
        var members: [JSONItem.Member] = []
        for inner in part.children("part") {
            guard let name = inner.text("name"), let element = PatchTarget.element(name, of: layout, for: inner) else {
                throw JSONEditError(problem: "a part of the value is no element of the type")
            }
            let value = try item(inner, for: element)
            guard element.isList else {
                members.append(JSONItem.Member(name: element.name, value: value))
                continue
            }
            if let place = members.firstIndex(where: { $0.name == element.name }) {
                members[place] = JSONItem.Member(name: element.name, value: .array(members[place].value.items + [value]))
            } else {
                members.append(JSONItem.Member(name: element.name, value: .array([value])))
            }
        }
        guard !members.isEmpty else { throw JSONEditError(problem: "the value is missing") }
        return .object(members)
    }
}
