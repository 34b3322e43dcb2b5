import Foundation

/// Reads objects from the containers of a `Decoder`, driven by their layouts and as strict as `JSONReader`.
struct FHIRObjectDecoder {
    typealias Container = KeyedDecodingContainer<FHIRCodingKey>

    let release: FHIRRelease

    // MARK: - Objects

    /// The resource in the container, of the class that its `resourceType` names.
    func resource(_ container: Container, depth: Int) throws -> FHIRResource {
        let key = FHIRCodingKey("resourceType")
        guard let resource = release.makeResource(named: try container.decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container,
                debugDescription: "expected a resource type of FHIR \(release.name), found an unknown name")
        }
        try decodeMembers(of: resource, container, depth: depth)
        return resource
    }

    /// Reads the members of an object whose class is known.
    func decode(_ object: FHIRObject, _ container: Container, depth: Int) throws {
        if object.layout.isResource {
            let key = FHIRCodingKey("resourceType")
            guard try container.decode(String.self, forKey: key) == object.layout.name else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "expected resourceType \(object.layout.name), found another type")
            }
        }
        try decodeMembers(of: object, container, depth: depth)
    }

    private func decodeMembers(of object: FHIRObject, _ container: Container, depth: Int) throws {
        let layout = object.layout
        guard depth <= JSONReader.maximumDepth else {
            throw corrupted(container.codingPath, "at most \(JSONReader.maximumDepth) levels of nesting", "one more")
        }
        let names = container.allKeys.map(\.stringValue).sorted()
        if names.isEmpty { throw corrupted(container.codingPath, "an object with members", "an empty object") }
        for name in names {
            let key = FHIRCodingKey(name)
            let value: SlotValue?
            let element: LayoutElement
            if let plain = layout.element(named: name) {
                element = plain
                value = try self.value(of: plain, container, key, depth: depth)
            } else if name.hasPrefix("_"), let annotated = layout.element(named: String(name.dropFirst())), annotated.kind == .primitive {
                element = annotated
                value = try annotation(of: annotated, container, key, depth: depth)
            } else if layout.isResource, name == "resourceType" {
                continue
            } else {
                let hint = layout.hint(forMember: name)
                throw corrupted(container.codingPath + [key], "an element of \(layout.name)", "another member\(hint)")
            }
            guard let value else { continue }
            try put(value, element, of: object, at: container.codingPath + [key])
        }
    }

    private func put(_ value: SlotValue, _ element: LayoutElement, of object: FHIRObject, at path: [any CodingKey]) throws {
        if let choice = element.choice, choice.slots.contains(where: { $0 != element.slot && object.position(of: $0) != nil }) {
            throw corrupted(path, "one value of \(choice.name)", "a second one")
        }
        value.own(by: object)
        let merged = object.value(element.slot).map { AnnotatedList.merging(value, into: $0) ?? value }
        object.store(merged ?? value, in: element.slot)
    }

    // MARK: - Elements

    private func value(of element: LayoutElement, _ container: Container, _ key: FHIRCodingKey, depth: Int) throws -> SlotValue? {
        switch (element.kind, element.isList) {
        case (.primitive, false):
            return try primitive(element, container.superDecoder(forKey: key).singleValueContainer())
        case (.primitive, true):
            var texts: [String?] = []
            var list = try container.nestedUnkeyedContainer(forKey: key)
            try forEachItem(&list) { list in
                if try list.decodeNil() {
                    texts.append(nil)
                } else {
                    texts.append(try primitive(element, list.superDecoder().singleValueContainer()).literal(element.primitive ?? .string))
                }
            }
            return AnnotatedList.value(texts: texts, elements: texts.map { _ in nil })
        case (_, false):
            return .object(try child(element, container.nestedContainer(keyedBy: FHIRCodingKey.self, forKey: key), depth: depth + 1))
        case (_, true):
            var children: [FHIRObject] = []
            var list = try container.nestedUnkeyedContainer(forKey: key)
            try forEachItem(&list) { list in
                children.append(try child(element, list.nestedContainer(keyedBy: FHIRCodingKey.self), depth: depth + 2))
            }
            return .objects(children)
        }
    }

    private func child(_ element: LayoutElement, _ container: Container, depth: Int) throws -> FHIRObject {
        guard let child = element.makeObject() else { return try resource(container, depth: depth) }
        try decodeMembers(of: child, container, depth: depth)
        return child
    }

    private func annotation(of element: LayoutElement, _ container: Container, _ key: FHIRCodingKey, depth: Int) throws -> SlotValue? {
        guard let layout = release.elementLayout else { return nil }
        guard element.isList else {
            let annotation = layout.makeObject()
            try decodeMembers(of: annotation, container.nestedContainer(keyedBy: FHIRCodingKey.self, forKey: key), depth: depth + 1)
            return .annotated(AnnotatedPrimitive(value: nil, element: annotation))
        }
        var elements: [FHIRObject?] = []
        var list = try container.nestedUnkeyedContainer(forKey: key)
        try forEachItem(&list) { list in
            if try list.decodeNil() {
                elements.append(nil)
            } else {
                let annotation = layout.makeObject()
                try decodeMembers(of: annotation, list.nestedContainer(keyedBy: FHIRCodingKey.self), depth: depth + 2)
                elements.append(annotation)
            }
        }
        guard elements.contains(where: { $0 != nil }) else { return nil }
        return .annotatedTexts(AnnotatedList(texts: elements.map { _ in nil }, elements: elements))
    }

    private func forEachItem(
        _ list: inout any UnkeyedDecodingContainer, _ body: (inout any UnkeyedDecodingContainer) throws -> Void
    ) throws {
        if list.isAtEnd { throw corrupted(list.codingPath, "an array with values", "an empty array") }
        while !list.isAtEnd { try body(&list) }
    }

    // MARK: - Primitives

    private func primitive(_ element: LayoutElement, _ container: any SingleValueDecodingContainer) throws -> SlotValue {
        let type = element.primitive ?? .string
        switch type.storage {
        case .boolean: return .word(try container.decode(Bool.self) ? 1 : 0)
        case .integer where type != .integer64:
            let number = try container.decode(Int64.self)
            guard type.integerRange.contains(number) else { throw invalid(type, container) }
            return .word(number)
        case .decimal:
            guard let value = SlotValue(literal: try decimal(container).literal, type) else { throw invalid(type, container) }
            return value
        default:
            guard let value = SlotValue(literal: try container.decode(String.self), type) else { throw invalid(type, container) }
            return value
        }
    }

    /// A number as `Decimal`, or as `Double` if it is beyond the range of `Decimal`.
    private func decimal(_ container: any SingleValueDecodingContainer) throws -> FHIRDecimal {
        do {
            let number = try container.decode(Decimal.self)
            if number.isFinite { return FHIRDecimal(number) }
        } catch {
            // Out of the range of Decimal, or not a number: Double decides.
        }
        do {
            let number = try container.decode(Double.self)
            if number.isFinite { return FHIRDecimal(number) }
        } catch let error as DecodingError {
            throw error
        } catch {
            // JSONDecoder throws an error of its own for numbers out of range, without a path.
        }
        throw invalid(.decimal, container)
    }

    // MARK: - Errors

    private func invalid(_ type: PrimitiveType, _ container: any SingleValueDecodingContainer) -> DecodingError {
        corrupted(container.codingPath, type.format, "a value in another notation")
    }

    private func corrupted(_ path: [any CodingKey], _ expected: String, _ found: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: "expected \(expected), found \(found)"))
    }
}
