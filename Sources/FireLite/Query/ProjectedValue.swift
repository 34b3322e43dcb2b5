import FireLiteCore

/// Converts literals to Swift values, for projections.
enum ProjectedValue {
    /// The literal as a value of a property's type; nil if it is not one.
    static func value<Value>(_ literal: String, as type: Value.Type) -> Value? {
        if type == String.self { return literal as? Value }
        if type == FHIRDecimal.self { return FHIRDecimal(literal) as? Value }
        if type == Int.self { return Int(literal) as? Value }
        if type == Bool.self { return (literal == "true") as? Value }
        if let temporal = type as? any FHIRTemporal.Type { return make(temporal, literal) as? Value }
        if let code = type as? any FHIRCode.Type { return code.init(rawValue: literal) as? Value }
        return nil
    }

    private static func make(_ type: any FHIRTemporal.Type, _ literal: String) -> any FHIRTemporal {
        func made<Temporal: FHIRTemporal>(_ type: Temporal.Type) -> any FHIRTemporal {
            Temporal(literal) ?? Temporal(_storage: .text(literal))
        }
        return made(type)
    }
}
