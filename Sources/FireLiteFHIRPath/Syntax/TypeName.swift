/// A type as an expression names it: `Quantity`, `FHIR.Quantity`, `System.Quantity`.
package struct TypeName: Sendable, Hashable {
    /// `FHIR` or `System`; nil if only the name is given.
    package let namespace: String?
    /// The name of the type.
    package let name: String
}
