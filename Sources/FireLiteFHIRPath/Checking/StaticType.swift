import FireLiteCore

/// What is known of a collection before evaluation.
struct StaticType {
    /// A type that its items may have.
    enum Element {
        case system(String)
        case primitive(PrimitiveType)
        case layout(Layout)

        func isSame(as other: Element) -> Bool {
            switch (self, other) {
            case (.system(let first), .system(let second)): first == second
            case (.primitive(let first), .primitive(let second)): first == second
            case (.layout(let first), .layout(let second)): first === second
            default: false
            }
        }
    }

    /// The types that the items may have; nil if they are not known, and none for what is always empty.
    var elements: [Element]?
    /// Whether the items have an order.
    var isOrdered = true

    static let unknown = StaticType(elements: nil)

    static func system(_ name: String) -> StaticType { StaticType(elements: [.system(name)]) }

    static func layout(_ layout: Layout) -> StaticType { StaticType(elements: [.layout(layout)]) }

    /// The types of either collection.
    func union(_ other: StaticType) -> StaticType {
        guard var all = elements, let others = other.elements else {
            return StaticType(elements: nil, isOrdered: isOrdered && other.isOrdered)
        }
        for element in others where !all.contains(where: { $0.isSame(as: element) }) { all.append(element) }
        return StaticType(elements: all, isOrdered: isOrdered && other.isOrdered)
    }

    /// Whether every item is surely of a kind; false for what is unknown or always empty.
    func isSurely(_ test: (Element) -> Bool) -> Bool {
        guard let elements, !elements.isEmpty else { return false }
        return elements.allSatisfy(test)
    }
}

extension StaticType.Element {
    var isComplex: Bool {
        if case .layout = self { return true }
        return false
    }

    /// The type of FHIRPath that values convert to; nil for objects.
    var systemName: String? {
        switch self {
        case .system(let name): name
        case .primitive(let type): type.systemName
        case .layout: nil
        }
    }

    /// The type for a message.
    var name: String {
        switch self {
        case .system(let name): name
        case .primitive(let type): type.name
        case .layout(let layout): layout.name
        }
    }
}

extension Item {
    /// What is known of a collection with this item.
    var staticElement: StaticType.Element? {
        switch self {
        case .object(let object): .layout(object.layout)
        case .word(_, let type), .text(_, let type), .annotated(_, let type): .primitive(type)
        case .terminologies: nil
        default: typeName.map { .system($0.name) }
        }
    }
}
