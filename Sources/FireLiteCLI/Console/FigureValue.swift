import FireLite
import FireLiteTerminal
import Foundation

/// A value of a report, as text and as JSON.
indirect enum FigureValue {
    case number(Int)
    /// A number with separators in text: `1,234`.
    case count(Int)
    /// A size: `5.6 MB` in text, bytes in JSON.
    case bytes(Int)
    /// With two decimals in text, three in JSON.
    case seconds(Duration)
    case text(String)
    case texts([String])
    /// `yes` or `no`.
    case flag(Bool)
    /// A moment, in UTC.
    case time(Date)
    /// JSON as it is.
    case json(String)
    /// No value: empty text, `null`.
    case none
    /// A value with a text of its own.
    case shown(String, FigureValue)

    init(_ text: String?) { self = text.map { .text($0) } ?? .none }

    var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .count(let number): Figures.count(number)
        case .bytes(let number): Figures.bytes(number)
        case .seconds(let duration): Figures.seconds(duration)
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ", ")
        case .flag(let flag): flag ? "yes" : "no"
        case .time(let date): Figures.moment(date)
        case .json(let json): json
        case .none: ""
        case .shown(let text, _): text
        }
    }

    var json: String {
        switch self {
        case .number(let number), .count(let number), .bytes(let number): "\(number)"
        case .seconds(let duration): Figures.seconds(duration, decimals: 3)
        case .text(let text): JSONText.string(text)
        case .texts(let texts): JSONText.array(texts.map { JSONText.string($0) })
        case .flag(let flag): "\(flag)"
        case .time(let date): JSONText.string(Figures.moment(date))
        case .json(let json): json
        case .none: "null"
        case .shown(_, let value): value.json
        }
    }

    /// The value for programs that read lines of text: numbers without separators, `true` or `false`, nothing for no value.
    var plain: String {
        switch self {
        case .number(let number), .count(let number), .bytes(let number): "\(number)"
        case .seconds(let duration): Figures.seconds(duration, decimals: 3)
        case .flag(let flag): "\(flag)"
        case .texts(let texts): texts.joined(separator: "; ")
        case .text, .time, .json, .none: text
        case .shown(_, let value): value.plain
        }
    }
}
