import FireLiteCore
import FireLiteSQLiteBridge

/// Converts primitives to SQL values that compare correctly and from which the literal can be restored, cells back to primitives,
/// and operands of queries to bound values. The rules are part of the file format (Sources/FireLite/FireLite.docc/FileFormat.md).
///
/// The value that SQL compares is in the main column of its element. If the literal cannot be restored from it, a second column has the rest:
/// a decimal's literal, or the offset of a date or time.
enum ValueCodec {
    // MARK: - Into cells

    /// Adds the cells of a value that is one word.
    ///
    /// - Parameter aside: creates the second column if the value needs it.
    @inline(__always)
    static func add(_ word: Int64, _ storage: PrimitiveStorage, to buffer: inout RowBuffer, _ column: Int32, aside: () -> Int32) {
        switch storage {
        case .decimal: add(DecimalWord(raw: word), to: &buffer, column, aside)
        case .temporal: add(TemporalWord(raw: word), to: &buffer, column, aside)
        case .boolean, .integer, .text: buffer.add(column, int: word)
        }
    }

    /// Adds the cells of a text value: text itself, or a literal that does not fit a word or is invalid for the type.
    @inline(__always)
    static func add(
        _ text: UnsafePointer<String>, storage: PrimitiveStorage, type: PrimitiveType, to buffer: inout RowBuffer, column: Int32,
        aside: () -> Int32
    ) {
        if storage == .text {
            text.withUTF8 { buffer.add(column, bytes: $0) }
        } else {
            addLong(text.pointee, type: type, to: &buffer, column: column, aside: aside)
        }
    }

    /// Adds the cells of a literal from a list of primitives.
    static func add(
        literal: UnsafePointer<String>, _ type: PrimitiveType, to buffer: inout RowBuffer, _ column: Int32, aside: () -> Int32
    ) {
        guard type.storage != .text, let value = SlotValue(literal: literal.pointee, type) else {
            literal.withUTF8 { buffer.add(column, bytes: $0) }
            return
        }
        switch value {
        case .word(let word): add(word, type.storage, to: &buffer, column, aside: aside)
        case .text(let text): addLong(text, type: type, to: &buffer, column: column, aside: aside)
        default: break
        }
    }

    /// A decimal compares as a number; if the literal cannot be restored from it, the second column has the literal.
    private static func add(_ word: DecimalWord, to buffer: inout RowBuffer, _ column: Int32, _ aside: () -> Int32) {
        if word.isExactAsDouble {
            buffer.add(column, double: word.doubleValue)
        } else {
            let decimal = FHIRDecimal(storage: .word(word.raw))
            buffer.add(column, double: decimal.doubleValue)
            buffer.add(aside(), text: decimal.literal)
        }
    }

    private static func add(_ word: TemporalWord, to buffer: inout RowBuffer, _ column: Int32, _ aside: () -> Int32) {
        guard let (utc, zone) = TemporalCell.split(word) else { return addText(of: word, to: &buffer, column) }
        addText(of: utc, to: &buffer, column)
        add(zone, to: &buffer, aside)
    }

    private static func addText(of word: TemporalWord, to buffer: inout RowBuffer, _ column: Int32) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { scratch in
            let length = word.write(to: scratch.baseAddress.unsafelyUnwrapped)
            buffer.add(column, bytes: UnsafeBufferPointer(rebasing: scratch[..<length]))
        }
    }

    private static func add(_ zone: TemporalCell.Zone, to buffer: inout RowBuffer, _ aside: () -> Int32) {
        switch zone {
        case .none: break
        case .minutes(let minutes): buffer.add(aside(), int: Int64(minutes))
        case .text(let text): buffer.add(aside(), text: "\(text)")
        }
    }

    private static func addLong(_ text: String, type: PrimitiveType, to buffer: inout RowBuffer, column: Int32, aside: () -> Int32) {
        if type.storage == .decimal {
            buffer.add(column, double: Double(text) ?? 0)
            buffer.add(aside(), text: text)
        } else if let (utc, zone) = TemporalCell.split(text: text, type) {
            buffer.add(column, text: utc)
            add(zone, to: &buffer, aside)
        } else {
            buffer.add(column, text: text)
        }
    }

    // MARK: - Out of cells

    /// The value of a boolean; nil for a cell that this library does not write.
    @inline(__always)
    static func boolean(_ cell: ResultValue) -> SlotValue? {
        let word = cell.int
        return cell.type == .integer && word & ~1 == 0 ? .word(word) : nil
    }

    /// The value of an integer; nil for a cell that this library does not write.
    @inline(__always)
    static func integer(_ cell: ResultValue) -> SlotValue? { cell.type == .integer ? .word(cell.int) : nil }

    /// The value of a decimal; nil for cells that this library does not write.
    static func decimal(_ cell: ResultValue, aside: ResultValue?) -> SlotValue? {
        guard cell.type == .float else { return nil }
        if let aside, aside.type == .text {
            let literal = aside.textBytes
            if let word = DecimalWord(literal) { return .word(word.raw) }
            return JSONNumber.isNumber(literal) ? .text(String(decoding: literal, as: UTF8.self)) : nil
        }
        let double = cell.double
        guard double.isFinite else { return nil }
        return DecimalWord(shortest: double).map { .word($0.raw) } ?? .text("\(double)")
    }

    /// The value of a date or time; nil for a cell that this library does not write.
    static func temporal(_ cell: ResultValue, aside: ResultValue?, _ type: PrimitiveType) -> SlotValue? {
        guard cell.type == .text else { return nil }
        let bytes = cell.textBytes
        let zone: TemporalCell.Zone
        switch aside?.type {
        case .integer?: zone = .minutes(Int(clamping: aside?.int ?? 0))
        case .text?: zone = .text(aside?.textBytes.first == UInt8(ascii: "-") ? "-00:00" : "+00:00")
        default:
            // The unchanged literal: without a zone, with one whose UTC form would leave the years 1 to 9999, or invalid for the type.
            if case .word(let word) = TemporalWord.read(bytes, as: type) { return .word(word.raw) }
            return .text(String(decoding: bytes, as: UTF8.self))
        }
        if let stored = TemporalWord.readStored(bytes), let word = TemporalCell.join(stored, zone) { return .word(word.raw) }
        let text = String(decoding: bytes, as: UTF8.self)
        return .text(TemporalCell.join(text: text, zone) ?? text)
    }

    /// The literal of a value in result columns; nil for NULL and for cells that this library does not write.
    static func literal(_ value: SQLValue, aside: SQLValue, _ type: PrimitiveType) -> String? {
        switch (value, type.storage) {
        case (.null, _), (.blob, _): return nil
        case (.integer(let number), .boolean): return number != 0 ? "true" : "false"
        case (.integer(let number), .decimal): return aside.text ?? "\(number)"
        case (.integer(let number), _): return "\(number)"
        case (.real(let number), _): return aside.text ?? (number.isFinite ? FHIRDecimal(number).literal : nil)
        case (.text(let text), .temporal): return literal(ofTemporal: text, aside)
        case (.text(let text), _): return text
        }
    }

    private static func literal(ofTemporal text: String, _ aside: SQLValue) -> String {
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

    /// The same for a stored text whose zone is so many minutes from UTC; nil if the text is of a kind that the other form reads.
    static func literal(ofTemporal utc: UnsafeBufferPointer<UInt8>, minutes: Int64) -> String? {
        guard let word = TemporalWord.readStored(utc) else { return nil }
        return TemporalCell.join(word, .minutes(Int(clamping: minutes)))?.text
    }

    // MARK: - Operands

    static func operand(_ text: String) -> SQLValue { .text(text) }
    static func operand(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
    static func operand(_ number: Int) -> SQLValue { .integer(Int64(number)) }
    static func operand(_ number: Double) -> SQLValue { .real(number) }
    static func operand(_ number: FHIRDecimal) -> SQLValue { .real(number.doubleValue) }

    /// The UTC text that a `date`, `dateTime`, `instant` or `time` literal is compared by, without its zone; nil for other text.
    static func operand(ofTemporal literal: String) -> String? {
        var literal = literal
        let read = literal.withUTF8 { bytes in
            if case .invalid = TemporalWord.read(bytes, as: .dateTime) { return TemporalWord.read(bytes, as: .time) }
            return TemporalWord.read(bytes, as: .dateTime)
        }
        switch read {
        case .word(let word): return TemporalCell.split(word).map { $0.utc.text } ?? literal
        case .text: return TemporalCell.split(text: literal, .dateTime)?.utc ?? literal
        case .invalid: return nil
        }
    }
}
