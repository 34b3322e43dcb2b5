/// The unit of a quantity.
enum PathUnit: Sendable, Hashable {
    /// A UCUM code.
    case code(String)
    /// A unit of time by its name.
    case calendar(CalendarUnit)

    func quantity(_ value: PathDecimal) -> PathQuantity { PathQuantity(value: value, unit: self) }

    /// The UCUM code.
    var code: String {
        switch self {
        case .code(let code): code
        case .calendar(let unit): unit.code
        }
    }
}
