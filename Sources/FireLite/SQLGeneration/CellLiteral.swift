import FireLiteCore
import FireLiteSQLiteBridge

/// Reads values of primitives from result columns, as literals.
enum CellLiteral {
    /// The literal of a value and of what was kept aside of it; nil for NULL.
    static func literal(_ value: SQLValue, aside: SQLValue, _ type: PrimitiveType) -> String? {
        switch (value, type.storage) {
        case (.null, _): return nil
        case (.integer(let number), .boolean): return number != 0 ? "true" : "false"
        case (.integer(let number), .decimal): return aside.text ?? "\(number)"
        case (.integer(let number), _): return "\(number)"
        case (.real(let number), _): return aside.text ?? (number.isFinite ? FHIRDecimal(number).literal : nil)
        case (.text(let text), .temporal): return temporal(text, aside)
        case (.text(let text), _): return text
        case (.blob, _): return nil
        }
    }

    private static func temporal(_ text: String, _ aside: SQLValue) -> String {
        let zone: TemporalCell.Zone
        switch aside {
        case .integer(let minutes): zone = .minutes(Int(clamping: minutes))
        case .text(let sign): zone = .text(sign.hasPrefix("-") ? "-00:00" : "+00:00")
        default: return text
        }
        var utc = text
        if let word = utc.withUTF8({ TemporalWord.readStored($0) }), let literal = TemporalCell.join(word, zone) {
            return literal.text
        }
        return TemporalCell.join(text: text, zone) ?? text
    }
}
