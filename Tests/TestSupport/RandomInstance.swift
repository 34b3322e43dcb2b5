#if RELEASE_TESTS
    // In the package of release tests, to which `package` symbols of this one are foreign.
    @testable import FireLiteCore
#else
    import FireLiteCore
#endif

/// Makes random valid instances of any type from its layout; the same seed makes the same instances.
///
/// ```swift
/// var random = RandomInstance(seed: seed)
/// let patient = random.make(Patient.self)
/// ```
public struct RandomInstance {
    /// How much of an instance is filled.
    public enum Mode: Sendable {
        /// What is required, and of the rest as much as real data has.
        case sparse
        /// Every element of the instance and of what is in it, of choice elements one type: the one with the number `round`.
        case everything(round: Int)
    }

    public let seed: UInt64
    public let mode: Mode
    /// How deep optional elements are nested; required ones may be deeper.
    public var maximumDepth = 5
    /// Leaves out what readers take but the specification forbids: control characters, empty strings, unknown codes, lone nulls in lists.
    public var isStrictlyValid = false
    package var generator: SeededGenerator
    private var choiceCounter = 0
    private var idCounter = 0

    public init(seed: UInt64, mode: Mode = .sparse) {
        self.seed = seed
        self.mode = mode
        generator = SeededGenerator(seed: seed)
        if case .everything(let round) = mode { choiceCounter = round }
    }

    /// How many rounds of `.everything` it takes until every type of every choice element of the class had its turn.
    public static func rounds(for type: FHIRObject.Type) -> Int {
        type._layout.elements.compactMap { $0.choice?.slots.count }.max() ?? 1
    }

    // MARK: - Objects

    /// An instance of a class known at compile time.
    public mutating func make<Object: FHIRObject>(_ type: Object.Type) -> Object {
        let object = type.init()
        fill(object, depth: 0)
        return object
    }

    /// An instance of any class.
    public mutating func object(of type: FHIRObject.Type) -> FHIRObject {
        object(of: type._layout)
    }

    /// An instance of any type, of a release with classes or without.
    public mutating func object(of layout: Layout) -> FHIRObject {
        let object = layout.makeObject()
        fill(object, depth: 0)
        return object
    }

    /// A resource of any type of the release, with an `id`.
    public mutating func resource(of release: FHIRRelease) -> FHIRResource {
        let resource = anyResource(of: release)
        fill(resource, depth: 0)
        return resource
    }

    private mutating func anyResource(of release: FHIRRelease) -> FHIRResource {
        let name = generator.pick(release.resourceTypeNames)
        guard let resource = release.resourceLayout(named: name)?.makeObject() as? FHIRResource else {
            preconditionFailure("\(release) names a resource type that it lacks: \(name)")
        }
        return resource
    }

    private mutating func fill(_ object: FHIRObject, depth: Int) {
        let layout = object.layout
        var slot = 0
        while slot < layout.elements.count {
            let element = layout.elements[slot]
            if let choice = element.choice {
                fill(choice, of: object, depth: depth)
                slot = choice.slots.upperBound
            } else {
                if isWanted(element, isRequired: element.min > 0, of: layout, depth: depth) { set(element, of: object, depth: depth) }
                slot += 1
            }
        }
        fillIfEmpty(object, depth: depth)
    }

    /// Gives an object that has nothing but an id one more element, as FHIR demands.
    private mutating func fillIfEmpty(_ object: FHIRObject, depth: Int) {
        let layout = object.layout
        let isFilled = layout.isResource || layout.elements.contains { $0.name != "id" && object.position(of: $0.slot) != nil }
        let own = layout.elements.filter { !["id", "extension", "modifierExtension"].contains($0.name) }
        guard !isFilled, let element = own.first(where: { $0.kind == .primitive }) ?? own.first ?? layout.element(named: "extension") else {
            return
        }
        set(element, of: object, depth: depth)
    }

    private mutating func fill(_ choice: LayoutElement.Choice, of object: FHIRObject, depth: Int) {
        let number: Int
        if case .everything(let round) = mode, depth == 0 {
            number = round % choice.slots.count
        } else {
            number = choiceCounter % choice.slots.count
            choiceCounter += 1
        }
        let layout = object.layout
        let element = layout.elements[choice.slots.lowerBound + number]
        guard isWanted(element, isRequired: choice.min > 0, of: layout, depth: depth) else { return }
        set(element, of: object, depth: depth)
    }

    private mutating func isWanted(_ element: LayoutElement, isRequired: Bool, of layout: Layout, depth: Int) -> Bool {
        if isRequired { return true }
        if layout.isResource, element.slot == 0 { return depth > 0 || isEverything || generator.percent(90) }
        if element.name == "contained", depth > 0 { return false }
        if isEverything, depth < 2 { return element.kind == .primitive || depth < maximumDepth }
        if element.kind == .primitive { return generator.percent(depth < maximumDepth ? 35 : 20) }
        guard depth < maximumDepth else { return false }
        let isRare = element.typeName == "Extension" || element.kind == .resource
        return generator.percent(isRare ? 6 : [40, 22, 12, 8][min(depth, 3)])
    }

    private var isEverything: Bool {
        if case .everything = mode { return true }
        return false
    }

    mutating func count(of element: LayoutElement, depth: Int) -> Int {
        guard element.isList else { return 1 }
        let most = min(element.max ?? 4, isEverything && depth > 0 ? 1 : 4)
        let common = [1, 1, 1, 2, 2, 3, 4]
        return max(min(isEverything && depth == 0 ? 2 : generator.pick(common), most), element.min)
    }

    private mutating func set(_ element: LayoutElement, of object: FHIRObject, depth: Int) {
        if element.kind == .primitive {
            setPrimitive(element, of: object, depth: depth, isAnnotated: isAnnotated(depth: depth))
            return
        }
        let children = (0..<count(of: element, depth: depth)).map { _ in child(element, of: object, depth: depth) }
        if element.isList {
            object._setObjects(element.slot, children)
        } else {
            object._setObject(element.slot, children.first)
        }
    }

    mutating func child(_ element: LayoutElement, of object: FHIRObject, depth: Int) -> FHIRObject {
        guard let layout = element.layout else {
            let child = anyResource(of: object.layout.release)
            // What is in a resource in a resource is kept small, or a Bundle of everything would be huge.
            fill(child, depth: max(depth + 1, 2))
            return child
        }
        let child = layout.makeObject()
        fill(child, depth: depth + 1)
        narrow(child, to: element)
        return child
    }

    /// Makes a child say what the element around it asks for: a code of its binding, a target of its types.
    private mutating func narrow(_ child: FHIRObject, to element: LayoutElement) {
        let layout = child.layout
        if layout.name == "CodeableConcept", let coding = layout.element(named: "coding"), isBound(element) {
            let first: FHIRObject = child._objects(coding.slot).first ?? coding.layout?.makeObject() ?? child
            narrow(first, to: element)
            if child._objects(coding.slot).isEmpty { child._setObjects(coding.slot, [first]) }
        }
        if layout.name == "Coding", isBound(element), let code = layout.element(named: "code") {
            child._setString(code.slot, self.code(element, child.layout.release))
        }
        if layout.name == "Reference", let reference = layout.element(named: "reference"), child._string(reference.slot) != nil {
            child._setString(reference.slot, self.reference(to: element.targets, release: layout.release))
            if let type = layout.element(named: "type") { child.store(nil, in: type.slot) }
        }
    }

    private func isBound(_ element: LayoutElement) -> Bool { element.binding != nil && isStrictlyValid }

    private mutating func reference(to targets: [String], release: FHIRRelease) -> String {
        let types = targets.filter { release.hasResourceType(named: $0) }
        let type = types.isEmpty ? generator.pick(release.resourceTypeNames) : generator.pick(types)
        let id = value(of: .id, binding: nil, release)
        switch generator.int(0...9) {
        case 0: return "https://example.org/fhir/\(type)/\(id)"
        case 1: return "\(type)/\(id)/_history/\(generator.int(1...9))"
        case 2: return "urn:uuid:\(uuid())"
        default: return "\(type)/\(id)"
        }
    }

    // MARK: - Primitives

    private mutating func isAnnotated(depth: Int) -> Bool {
        isEverything && depth == 0 ? generator.percent(40) : generator.percent(3)
    }

    private mutating func setPrimitive(_ element: LayoutElement, of object: FHIRObject, depth: Int, isAnnotated: Bool) {
        guard let type = element.primitive else { return }
        let release = object.layout.release
        if element.isList {
            let values = (0..<count(of: element, depth: depth)).map { _ in value(of: type, binding: element.binding, release) }
            if isAnnotated {
                let list = annotatedList(values, release: release, depth: depth)
                list?.own(by: object)
                object.store(list, in: element.slot)
            } else {
                setValues(values, type, element.slot, of: object)
            }
            return
        }
        let isIdentity = element.name == "id" && element.slot == 0
        let literal = isIdentity && object.layout.isResource ? nextId() : value(of: type, binding: element.binding, release)
        setValue(literal, type, element.slot, of: object)
        guard isAnnotated, !isIdentity else { return }
        let plain = generator.percent(25) && element.choice == nil ? nil : object.value(element.slot)
        guard let annotation = makeAnnotation(release, depth: depth, replacesValue: plain == nil) else { return }
        let annotated = SlotValue.annotated(AnnotatedPrimitive(value: plain, element: annotation))
        annotated.own(by: object)
        object.store(annotated, in: element.slot)
    }

    /// An `Element` with an id, extensions or both; in place of a value an id is not enough.
    private mutating func makeAnnotation(_ release: FHIRRelease, depth: Int, replacesValue: Bool) -> FHIRObject? {
        guard let layout = release.layout(named: "Element"), let list = layout.element(named: "extension"), let extensions = list.layout
        else { return nil }
        let annotation = layout.makeObject()
        let hasExtensions = generator.percent(70) || replacesValue
        if !hasExtensions || generator.percent(50) { annotation._setString(0, value(of: .id, binding: nil, release)) }
        if hasExtensions {
            let children = (0..<generator.int(1...2)).map { _ in
                let child = extensions.makeObject()
                fill(child, depth: max(depth + 1, 3))
                return child
            }
            annotation._setObjects(list.slot, children)
        }
        return annotation
    }

    /// A list with nulls, ids and extensions in it; a null has an extension, unless rules may be bent.
    private mutating func annotatedList(_ values: [String], release: FHIRRelease, depth: Int) -> SlotValue? {
        var texts: [String?] = []
        var elements: [FHIRObject?] = []
        for value in values {
            if generator.percent(30) {
                texts.append(nil)
                elements.append(isStrictlyValid || generator.percent(80) ? makeAnnotation(release, depth: depth, replacesValue: true) : nil)
            }
            texts.append(value)
            elements.append(generator.percent(40) ? makeAnnotation(release, depth: depth, replacesValue: false) : nil)
        }
        return AnnotatedList.value(texts: texts, elements: elements)
    }

    private mutating func nextId() -> String {
        idCounter += 1
        return generator.percent(90) ? "r\(seed)-\(idCounter)" : "\(value(of: .id, binding: nil, nil).prefix(40)).\(idCounter)"
    }
}
