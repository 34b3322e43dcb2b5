import Foundation

/// The protocol of every release's class `HumanName`.
public protocol FHIRHumanName: FHIRObject, FHIRObjectInitializers {
    /// `HumanName.text`
    var text: String? { get set }
    /// `HumanName.given`
    var given: [String] { get set }
    /// `HumanName.prefix`
    var prefix: [String] { get set }
    /// `HumanName.suffix`
    var suffix: [String] { get set }
}

extension FHIRHumanName {
    /// A name with the parts that Foundation has. `nickname` and `phoneticRepresentation` have no place in FHIR's names and are ignored.
    public init(_ components: PersonNameComponents) {
        self.init()
        familyName = components.familyName
        given = [components.givenName, components.middleName].compactMap { $0 }
        prefix = [components.namePrefix].compactMap { $0 }
        suffix = [components.nameSuffix].compactMap { $0 }
    }

    /// The parts as Foundation has them, to be formatted for a language: `name.personNameComponents.formatted()` on Apple's systems.
    ///
    /// The first given name is `givenName`, the others are `middleName`; several prefixes, and several suffixes, are joined by spaces.
    public var personNameComponents: PersonNameComponents {
        var components = PersonNameComponents()
        components.familyName = familyName
        components.givenName = given.first
        components.middleName = joined(Array(given.dropFirst()))
        components.namePrefix = joined(prefix)
        components.nameSuffix = joined(suffix)
        return components
    }

    /// `HumanName.family`, which is a list in DSTU2: then its texts, joined by spaces.
    public var familyName: String? {
        get {
            guard let element = layout.element(named: "family") else { return nil }
            return element.isList ? joined(_strings(element.slot)) : _string(element.slot)
        }
        set {
            guard let element = layout.element(named: "family") else { return }
            if element.isList { _setStrings(element.slot, newValue.map { [$0] } ?? []) } else { _setString(element.slot, newValue) }
        }
    }

    /// The text to display: the text, or the parts in the order prefix, given, family, suffix; nil if there are none.
    public var displayText: String? { text ?? joined(prefix + given + [familyName].compactMap { $0 } + suffix) }

    private func joined(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: " ") }
}
