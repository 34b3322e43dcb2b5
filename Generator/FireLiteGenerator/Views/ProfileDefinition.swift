/// A profile of a guide as a tree of elements: what views are made of, whoever read it.
package struct ProfileDefinition: Sendable {
    /// The canonical URL.
    package var url: String
    /// The logical id, which settings name it by: `us-core-patient`.
    package var id: String
    /// The name for programs: `USCorePatientProfile`.
    package var name: String
    /// The name for people.
    package var title: String
    /// FHIR's type: `Patient`, `Extension`.
    package var type: String
    package var root: ProfileElement

    package init(url: String, id: String, name: String, title: String, type: String, root: ProfileElement) {
        (self.url, self.id, self.name, self.title, self.type, self.root) = (url, id, name, title, type, root)
    }
}

/// An element of a profile, or a slice of one.
package struct ProfileElement: Sendable {
    package struct TypeRule: Sendable {
        package var code: String
        package var profiles: [String]
        /// Of a slice, the types of the resources that a reference may lead to; empty if they are not known, or any.
        package var targets: [String] = []

        package init(code: String, profiles: [String] = []) { (self.code, self.profiles) = (code, profiles) }
    }

    package struct Discriminator: Sendable {
        package var type: String
        package var path: String

        package init(type: String, path: String) { (self.type, self.path) = (type, path) }
    }

    /// A fixed value or a pattern, as JSON.
    package struct Value: Sendable {
        package var isPattern: Bool
        package var json: String

        package init(isPattern: Bool, json: String) { (self.isPattern, self.json) = (isPattern, json) }
    }

    /// A code; nil for every code of the system.
    package struct Code: Sendable {
        package var system: String
        package var code: String?

        package init(system: String, code: String?) { (self.system, self.code) = (system, code) }
    }

    /// The id in the snapshot: `Patient.extension:race`.
    package var id: String
    /// The name in FHIR's definitions: `value[x]`.
    package var name: String
    package var sliceName: String?
    package var minimum: Int
    /// Nil for no limit.
    package var maximum: Int?
    package var types: [TypeRule]
    package var value: Value?
    package var discriminators: [Discriminator] = []
    package var isClosed = false
    /// The value set of a required binding, of slices and of the elements of a profile's root, and its codes if they are known.
    package var valueSet: String?
    package var codes: [Code] = []
    package var children: [ProfileElement] = []
    package var slices: [ProfileElement] = []

    package init(
        id: String, name: String, sliceName: String? = nil, minimum: Int, maximum: Int?, types: [TypeRule] = [], value: Value? = nil
    ) {
        (self.id, self.name, self.sliceName, self.minimum, self.maximum) = (id, name, sliceName, minimum, maximum)
        (self.types, self.value) = (types, value)
    }

    /// The profile of its only type; nil for none, or several.
    var profile: String? {
        guard types.count == 1, types[0].profiles.count == 1 else { return nil }
        return String(types[0].profiles[0].prefix { $0 != "|" })
    }

    /// The name, and the slice's name.
    var key: String { sliceName.map { "\(name):\($0)" } ?? name }

    func child(_ name: some StringProtocol) -> ProfileElement? {
        children.first { $0.name == name } ?? children.first { $0.name == name + "[x]" }
    }

    var isRequired: Bool { minimum > 0 }

    /// A copy in which slices of a choice element by type are elements of their own, `valueQuantity`, or the element if it has no other type.
    func withoutTypeSlices() -> ProfileElement {
        var copy = self
        copy.children = children.flatMap { child -> [ProfileElement] in
            var own = child.withoutTypeSlices()
            guard child.name.hasSuffix("[x]"), !child.slices.isEmpty else { return [own] }
            own.slices = []
            own.discriminators = []
            var parts: [ProfileElement] = []
            for slice in child.slices {
                guard slice.types.count == 1, let type = slice.types.first else { continue }
                var part = slice.withoutTypeSlices()
                part.sliceName = nil
                if own.types.count == 1, own.types.first?.code == type.code {
                    own.children = part.children
                    own.types = part.types
                    own.value = part.value ?? own.value
                    own.minimum = max(own.minimum, part.minimum)
                } else {
                    part.name = child.name.dropLast(3) + SwiftName.capitalized(type.code)
                    if own.isRequired, own.types.count == 1 { part.minimum = 1 }
                    parts.append(part)
                }
            }
            return [own] + parts
        }
        let base = copy.children
        copy.slices = slices.map { $0.withoutTypeSlices().merged(with: base) }
        return copy
    }

    /// A copy that also has what the sliced element says about the same children, which holds for the items of every slice.
    private func merged(with base: [ProfileElement]) -> ProfileElement {
        guard !children.isEmpty else { return self }
        var copy = self
        for child in base {
            guard let index = copy.children.firstIndex(where: { $0.name == child.name && $0.sliceName == nil }) else { continue }
            copy.children[index].minimum = max(copy.children[index].minimum, child.minimum)
            if copy.children[index].value == nil { copy.children[index].value = child.value }
        }
        return copy
    }
}
