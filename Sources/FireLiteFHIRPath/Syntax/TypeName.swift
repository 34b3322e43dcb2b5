import FireLiteCore

/// A type as an expression names it: `Quantity`, `FHIR.Quantity`, `System.Quantity`.
package struct TypeName: Sendable, Hashable {
    /// `FHIR` or `System`; nil if only the name is given.
    package let namespace: String?
    /// The name of the type.
    package let name: String

    package init(namespace: String?, name: String) { (self.namespace, self.name) = (namespace, name) }

    /// Whether it is the type of a primitive.
    ///
    /// - Parameter ignoringCase: STU3's search parameters write `DateTime`.
    package func names(_ type: PrimitiveType, ignoringCase: Bool = false) -> Bool { isSame(type.name, ignoringCase) }

    /// Whether it is a class, or one that the class is derived from.
    package func names(_ layout: Layout, ignoringCase: Bool = false) -> Bool {
        var current: Layout? = layout
        while let known = current {
            if isSame(known.name, ignoringCase) { return true }
            current = known.base
        }
        // These are profiles, which definitions use like types.
        return (name == "SimpleQuantity" || name == "MoneyQuantity") && layout.name == "Quantity"
    }

    private func isSame(_ other: String, _ ignoringCase: Bool) -> Bool {
        other == name || ignoringCase && other.lowercased() == name.lowercased()
    }
}
