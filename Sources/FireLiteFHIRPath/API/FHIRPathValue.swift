import FireLiteCore

/// A result of an expression: an object or primitive of a record, or a value of FHIRPath's own types.
public struct FHIRPathValue {
    package let item: Item

    package init(_ item: Item) { self.item = item }

    /// An object as a value, for variables.
    ///
    /// - Parameter object: a resource or element.
    public init(_ object: FHIRObject) { item = .object(object) }

    /// A `System.String`.
    public init(_ text: String) { item = .string(text) }

    /// A `System.Integer`.
    ///
    /// - Parameter number: the number; beyond 32 bits it is a `System.Long`.
    public init(_ number: Int) { item = Int32(exactly: number) == nil ? .long(Int64(number)) : .integer(Int64(number)) }

    /// A `System.Boolean`.
    public init(_ value: Bool) { item = .boolean(value) }

    /// A `System.Decimal`; nil for a literal beyond 38 digits.
    ///
    /// - Parameter decimal: the number.
    public init?(_ decimal: FHIRDecimal) {
        guard let value = PathDecimal(fhir: decimal) else { return nil }
        item = .decimal(value)
    }

    // MARK: - Type

    /// `FHIR` for what comes from a record, `System` for FHIRPath's own types.
    public var namespace: String { item.typeName?.namespace ?? "System" }

    /// The name of the type: `HumanName`, `code`, `Integer`.
    public var type: String { item.typeName?.name ?? "Any" }

    // MARK: - Value

    /// The object, if it is a resource, datatype or backbone element.
    public var object: FHIRObject? {
        if case .object(let object) = item { return object }
        return nil
    }

    /// The value as text, as `toString()` gives it; nil for objects other than quantities, and for primitives without a value.
    public var string: String? { item.textValue }

    /// The truth value, of FHIR or FHIRPath.
    public var bool: Bool? {
        if case .boolean(let value)? = item.system { return value }
        return nil
    }

    /// The integer, of FHIR or FHIRPath.
    public var int: Int? {
        switch item.system {
        case .integer(let value)?, .long(let value)?: Int(value)
        default: nil
        }
    }

    /// The number with all its digits, of FHIR or FHIRPath.
    public var decimal: FHIRDecimal? {
        guard let number = item.system?.number else { return nil }
        return FHIRDecimal(number.text)
    }

    /// A date, dateTime, time or quantity in FHIRPath's notation: `@2020-01-01`, `@T10:30`, `10 'mg'`; for others the same as `string`.
    public var literal: String? {
        switch item.system {
        case .temporal(let value)?: value.literal
        case .quantity(let value)?: value.literal
        default: item.textValue
        }
    }

    /// The id and extensions of a primitive.
    public var element: FHIRObject? { item.annotation }
}

extension FHIRPathValue: CustomStringConvertible {
    /// The type, and no value, which may be health data.
    public var description: String { "\(namespace).\(type)" }
}
