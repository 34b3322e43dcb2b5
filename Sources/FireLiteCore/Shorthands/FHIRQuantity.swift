/// The protocol of every release's class `Quantity`, and its subclasses such as `Age`.
public protocol FHIRQuantity: FHIRObject, FHIRObjectInitializers {
    /// `Quantity.value`
    var value: FHIRDecimal? { get set }
    /// `Quantity.unit`
    var unit: String? { get set }
    /// `Quantity.system`
    var system: String? { get set }
    /// `Quantity.code`
    var code: String? { get set }
}

extension FHIRQuantity {
    /// A quantity in a unit of UCUM: `Quantity(3, "kg")`, `Quantity("1.50", "mmol/L")`, `Quantity(120, "mm[Hg]", unit: "mmHg")`.
    ///
    /// - Parameters:
    ///   - value: the number. A literal keeps its digits if it is written as a text.
    ///   - code: the code of the unit in UCUM.
    ///   - unit: the unit in words. Default: the code.
    public init(_ value: FHIRDecimal, _ code: String, unit: String? = nil) {
        self.init()
        self.value = value
        self.unit = unit ?? code
        system = CodeSystemAddress.ucum.rawValue
        self.code = code
    }

    /// The text to display: the number as written and the unit, `3 kg`; nil without a number.
    public var displayText: String? {
        value.map { value in [value.description, unit ?? code].compactMap { $0 }.joined(separator: " ") }
    }
}
