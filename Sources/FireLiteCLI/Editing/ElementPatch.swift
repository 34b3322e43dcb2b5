import FireLite
import FireLiteCore

/// A change of one element of a resource, as `firelite patch` takes it: `name[0].family=Smith`, `birthDate=`, `name[1]={"family":"Smith"}`.
struct ElementPatch {
    private struct Step {
        let name: String
        let position: Int?
    }

    /// What is before the equals sign, as the user wrote it.
    let path: String
    private let steps: [Step]
    /// The text after the equals sign; nil to remove the element.
    private let value: String?

    /// - Throws: `ToolError` with status 2 for a text that is no change.
    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw ToolError.usage("'\(text)' is not of the form PATH=VALUE: PATH= removes an element")
        }
        path = String(text[..<equals])
        let value = String(text[text.index(after: equals)...])
        self.value = value.isEmpty ? nil : value
        guard !path.contains(" ") else { throw ToolError.usage("leave out the spaces in '\(path)=': write PATH=VALUE") }
        steps = try text[..<equals].split(separator: ".", omittingEmptySubsequences: false).map { part in
            guard let open = part.firstIndex(of: "[") else {
                guard !part.isEmpty else { throw ToolError.usage("'\(text)': an element has no name") }
                return Step(name: String(part), position: nil)
            }
            let digits = part[part.index(after: open)...]
            guard digits.last == "]", open > part.startIndex, let position = Int(digits.dropLast()), position >= 0 else {
                throw ToolError.usage("'\(part)' is not a position in a list: write name[0] for the first element")
            }
            return Step(name: String(part[..<open]), position: position)
        }
    }

    /// A resource's JSON with the change.
    ///
    /// - Throws: `ToolError` with status 2 if the type has no such element, or the list no such position.
    func applied(to resource: JSONItem, _ layout: Layout) throws -> JSONItem {
        try changed(resource, layout, steps[...])
    }

    // MARK: - Objects

    private func changed(_ object: JSONItem, _ owner: Layout, _ steps: ArraySlice<Step>) throws -> JSONItem {
        guard let step = steps.first, case .object(var members) = object.content else { return object }
        let element = try element(step, of: owner)
        let rest = steps.dropFirst()
        let isRemoved = rest.isEmpty && value == nil
        if let choice = element.choice, !isRemoved {
            // An element with a choice of types has a value of one type.
            for other in owner.elements[choice.slots] where other.slot != element.slot { remove(other.name, from: &members) }
        }
        let old = members.first { $0.name == element.name }?.value
        let aside = members.first { $0.name == "_" + element.name }?.value
        if element.isList {
            guard let position = try position(step, old?.items.count ?? 0, isRemoved: isRemoved) else {
                remove(element.name, from: &members)
                return .object(members)
            }
            var items = old?.items ?? []
            if isRemoved {
                items.remove(at: position)
                // Extensions of the texts of a list stand at the same positions.
                if var others = aside?.items, position < others.count {
                    others.remove(at: position)
                    set("_" + element.name, others.contains { $0 != .null } ? .array(others) : nil, in: &members)
                }
            } else {
                let item = try changed(position < items.count ? items[position] : nil, element, of: owner, at: rest)
                if position < items.count { items[position] = item } else { items.append(item) }
            }
            set(element.name, items.isEmpty ? nil : .array(items), in: &members)
        } else {
            if step.position != nil { throw ToolError.usage("\(path): \(element.name) is not a list: leave out the brackets") }
            if isRemoved {
                remove(element.name, from: &members)
            } else {
                set(element.name, try changed(old, element, of: owner, at: rest), in: &members)
            }
        }
        return .object(members)
    }

    /// The new value of one position.
    private func changed(_ old: JSONItem?, _ element: LayoutElement, of owner: Layout, at rest: ArraySlice<Step>) throws -> JSONItem {
        guard rest.isEmpty else {
            let inner: Layout?
            switch element.kind {
            case .primitive: throw ToolError.usage("\(path): \(element.name) is a primitive, which has no elements")
            case .object: inner = element.layout
            case .resource: inner = old?["resourceType"]?.text.flatMap { owner.release.resourceLayout(named: $0) }
            }
            guard let inner else { throw ToolError.usage("\(path): name the whole resource in \(element.name), as JSON") }
            return try changed(old ?? .object([]), inner, rest)
        }
        let value = value ?? ""
        if element.kind == .primitive {
            return try read(JSONText.primitive(value, element.primitive))
        }
        let item = try read(value)
        guard item.isObject else {
            throw ToolError.usage("\(path): \(element.name) is a \(element.typeName): name one of its elements, or write a JSON object")
        }
        return item
    }

    private func read(_ json: String) throws -> JSONItem {
        do { return try JSONItemReader.read(Array(json.utf8)) } catch {
            throw ToolError.usage("\(path): the value is not JSON: \(error.problem)")
        }
    }

    // MARK: - Elements and positions

    private func element(_ step: Step, of owner: Layout) throws -> LayoutElement {
        if let element = owner.element(named: step.name) { return element }
        let choices = owner.elements.filter { $0.choice?.name == step.name + "[x]" }
        guard choices.isEmpty else {
            throw ToolError.usage("\(path): \(step.name)[x] has several types: name one as \(choices.map(\.name).joined(separator: ", "))")
        }
        let hint = NearWords.hint(for: step.name, among: owner.elements.map(\.name))
        throw ToolError.usage("\(owner.name) has no element '\(step.name)'\(hint)")
    }

    /// The position in a list; nil for all of it, which is removed.
    private func position(_ step: Step, _ count: Int, isRemoved: Bool) throws -> Int? {
        guard let position = step.position else {
            if isRemoved { return nil }
            guard count <= 1 else {
                throw ToolError.usage("\(path): \(step.name) has \(count) elements: say which, as \(step.name)[0]")
            }
            return 0
        }
        guard position < count || position == count && !isRemoved else {
            throw ToolError.incomplete("\(path): \(step.name) has \(count) element\(count == 1 ? "" : "s")")
        }
        return position
    }

    private func set(_ name: String, _ value: JSONItem?, in members: inout [JSONItem.Member]) {
        let place = members.firstIndex { $0.name == name }
        switch (place, value) {
        case (let place?, let value?): members[place] = JSONItem.Member(name: name, value: value)
        case (let place?, nil): members.remove(at: place)
        case (nil, let value?): members.append(JSONItem.Member(name: name, value: value))
        case (nil, nil): break
        }
    }

    private func remove(_ name: String, from members: inout [JSONItem.Member]) {
        members.removeAll { $0.name == name || $0.name == "_" + name }
    }
}
