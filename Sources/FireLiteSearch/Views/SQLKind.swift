import FireLiteCore

/// What the values of a column of SQL are.
enum SQLKind: Equatable {
    case boolean, integer, decimal, text, temporal(PrimitiveType)

    init(_ type: PrimitiveType) {
        switch type.storage {
        case .boolean: self = .boolean
        case .integer: self = .integer
        case .decimal: self = .decimal
        case .temporal: self = .temporal(type)
        case .text: self = .text
        }
    }

    var isNumber: Bool { self == .integer || self == .decimal }
}
