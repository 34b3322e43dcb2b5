import FireLiteCore
import FireLiteSQLiteBridge

/// What divides a query's results into sections: the value at a path, or the year, month or day of a date there. Of several values, the first in the
/// document counts.
package struct SectionPath: Sendable, Hashable {
    let path: QueryPath
    /// How much of a date counts; nil if the value itself does.
    let unit: SectionDate.Unit?

    package init<Resource: FHIRResource, Path: QueryValuePath>(
        _ path: KeyPath<ElementPath<Resource>, Path>, _ unit: SectionDate.Unit? = nil
    ) {
        self.path = ElementPath<Resource>(QueryPath())[keyPath: path].path
        self.unit = unit
    }

    /// The section of a row of a statement, from the columns of `QueryStatement.sectionColumns(_:)`.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - index: the first of the columns.
    func key(_ row: Statement, _ type: PrimitiveType, at index: Int) -> SectionKey {
        guard unit == nil else { return row.value(index).double.map { .date(SectionDate(number: Int($0))) } ?? .absent }
        return ValueCodec.literal(row.value(index), aside: row.value(index + 1), type).map { .literal($0) } ?? .absent
    }

    /// The section of an object, the same as that of its rows.
    package func key(of resource: FHIRResource) -> SectionKey {
        guard let literal = resource.firstLiteral(path.steps[...]) else { return .absent }
        guard let unit else { return .literal(literal) }
        return SectionDate(literal, unit).map { .date($0) } ?? .absent
    }
}

/// What the results of a section have in common.
package enum SectionKey: Sendable, Hashable {
    /// They have no value; or no date, as the text at the path is none.
    case absent
    /// The year, month or day of their dates.
    case date(SectionDate)
    /// The literal of their values.
    case literal(String)

    /// The key of a value; nil for no value.
    package init<Value: Sendable>(_ value: Value?) {
        self =
            switch value {
            case nil: .absent
            case let text as String: .literal(text)
            case let flag as Bool: .literal(flag ? "true" : "false")
            case let number as Int: .literal("\(number)")
            case let decimal as FHIRDecimal: .literal(decimal.literal)
            case let code as any FHIRCode: .literal(code.rawValue)
            case let date as any FHIRTemporal: .literal(date.literal)
            case .some: misuse("sections are made of primitives: pass a path to a text, number, truth value, code or date")
            }
    }

    /// The value as that of a property's type; nil for no value.
    package func value<Value>(as type: Value.Type) -> Value? {
        if case .literal(let literal) = self { ProjectedValue.value(literal, as: type) } else { nil }
    }
}

/// The year, month or day of a date by its own clock. Less precise dates are sections of their own.
package struct SectionDate: Sendable, Hashable {
    /// How much of a date counts: the length of its text.
    package enum Unit: Int, Sendable, Hashable {
        case year = 4
        case month = 7
        case day = 10
    }

    /// The digits of year, month and day, with zeros for what the date does not have: 20200500. What SQL groups by.
    let number: Int

    init(number: Int) { self.number = number }

    private init(year: Int, month: Int, day: Int, unit: Unit) {
        number = year * 10_000 + (unit == .year ? 0 : month * 100) + (unit == .day ? day : 0)
    }

    /// The part of a literal; nil if it is that of no date.
    package init?(_ literal: String, _ unit: Unit) {
        var literal = literal
        guard let date = literal.withUTF8({ SectionDate(stored: $0, minutes: nil, unit) }) else { return nil }
        self = date
    }

    /// The part of a date in the form of tables, as the SQL function reads it: UTC and the offset in minutes, or the literal as it is.
    init?(stored text: UnsafeBufferPointer<UInt8>, minutes: Double?, length: Double?) {
        guard let length, let unit = Int(exactly: length).flatMap({ Unit(rawValue: $0) }) else { return nil }
        self.init(stored: text, minutes: minutes, unit)
    }

    private init?(stored text: UnsafeBufferPointer<UInt8>, minutes: Double?, _ unit: Unit) {
        var scanner = TemporalScanner(bytes: text)
        guard scanner.readDate() else { return nil }
        guard let minutes else {
            guard scanner.isAtEnd || scanner.readTimeAndZone() else { return nil }
            self.init(year: scanner.year, month: scanner.month, day: scanner.day, unit: unit)
            return
        }
        guard scanner.day > 0, scanner.readLocalTime(), abs(minutes) <= Double(TemporalWord.maximumZoneMinutes) else { return nil }
        let utc = TemporalWord(
            year: scanner.year, month: scanner.month, day: scanner.day, hour: scanner.hour, minute: scanner.minute, second: 0,
            fractionDigits: 0, fraction: 0, zone: TemporalWord.zoneNone)
        guard let local = utc.shifted(minutes: Int(minutes)) else { return nil }
        self.init(year: local.year, month: local.month, day: local.day, unit: unit)
    }

    private var year: Int { number / 10_000 }
    private var month: Int { number / 100 % 100 }
    private var day: Int { number % 100 }

    /// `2020`, `2020-05` or `2020-05-17`.
    package var text: String { year.padded(4) + (month > 0 ? "-" + month.padded(2) : "") + (day > 0 ? "-" + day.padded(2) : "") }

    /// Texts between which the texts in UTC of all its dates are: from a day before it to a day after it, as offsets are less than a day.
    var storedBounds: (lower: String, upper: String) {
        let first = Calendar.daysSinceEpoch(year: year, month: max(month, 1), day: max(day, 1))
        let lastMonth = month > 0 ? month : 12
        let lastDay = day > 0 ? day : Calendar.days(inMonth: lastMonth, of: year)
        let last = Calendar.daysSinceEpoch(year: year, month: lastMonth, day: lastDay)
        return (Self.text(ofDay: first - 1), Self.text(ofDay: last + 2))
    }

    private static func text(ofDay days: Int) -> String {
        let (year, month, day) = Calendar.date(daysSinceEpoch: days)
        guard year <= 9_999 else { return DateBounds.beyond }
        return SectionDate(year: year, month: month, day: day, unit: .day).text
    }
}

/// The condition that a result is in a section.
package struct SectionTest: Sendable, Hashable {
    let section: SectionPath
    let key: SectionKey

    package init(_ key: SectionKey, of section: SectionPath) {
        self.section = section
        self.key = key
    }
}

extension FHIRObject {
    /// The literal of the first value at a path, in the order of the document; nil if there is none.
    fileprivate func firstLiteral(_ steps: ArraySlice<PathStep>) -> String? {
        guard let step = steps.first else { return nil }
        let rest = steps.dropFirst()
        let type = layout.elements[step.slot].primitive ?? .string
        switch value(step.slot) {
        case nil: return nil
        case .object(let object): return object.firstLiteral(at: step, rest)
        case .objects(let objects):
            let chosen = step.position.map { objects.indices.contains($0) ? objects[$0...$0] : [] } ?? objects[...]
            return chosen.lazy.compactMap { $0.firstLiteral(at: step, rest) }.first
        case .texts(let texts):
            guard rest.isEmpty else { return nil }
            return step.position.map { texts.indices.contains($0) ? texts[$0] : nil } ?? texts.first
        case .annotatedTexts(let list):
            let places = step.position.map { list.texts.indices.contains($0) ? $0..<($0 + 1) : 0..<0 } ?? list.texts.indices
            if rest.isEmpty { return list.texts[places].lazy.compactMap { $0 }.first }
            return list.elements[places].lazy.compactMap { $0?.firstLiteral(rest.dropFirst()) }.first
        case .annotated(let primitive):
            return rest.isEmpty ? primitive.value?.literal(type) : primitive.element.firstLiteral(rest.dropFirst())
        case .some(let plain): return rest.isEmpty ? plain.literal(type) : nil
        }
    }

    /// The same from the object that a step led to, if it is one that the step names.
    private func firstLiteral(at step: PathStep, _ rest: ArraySlice<PathStep>) -> String? {
        if case .resource(let name) = step.kind, layout.name != name { return nil }
        return firstLiteral(rest)
    }
}
