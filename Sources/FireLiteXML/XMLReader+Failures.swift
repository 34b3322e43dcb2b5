import FireLiteCore

// Where and how reading ends.
extension XMLReader {
    func tooDeep() { stop(.tooDeep, offset: tagOffset, expected: "at most \(Self.maximumDepth) levels of nesting", found: "one more") }

    /// Ends reading with a mistake at the current tag, or notes it if reading is lenient.
    ///
    /// - Parameter member: the tag of an element that has no frame.
    @inline(never)
    func fail(
        _ code: FHIRDecodingError.Code, _ expected: String, _ found: String, member: XMLTag? = nil, at place: Int? = nil
    ) {
        guard !hasFailed else { return }
        let error = located(code, offset: place ?? tagOffset, expected: expected, found: found, member: member)
        guard !isLenient else { return issues.append(error) }
        stop(error)
    }

    /// Ends reading with a mistake that even lenient reading cannot skip.
    @inline(never)
    func stop(_ code: FHIRDecodingError.Code, offset: Int, expected: String, found: String) {
        if !hasFailed { stop(located(code, offset: offset, expected: expected, found: found)) }
    }

    func stop(_ error: FHIRDecodingError) {
        failure = error
        hasFailed = true
        parser?.pointee.stop()
    }

    func located(
        _ code: FHIRDecodingError.Code, offset: Int, expected: String, found: String, member: XMLTag? = nil
    ) -> FHIRDecodingError {
        let (line, column) = window.place(of: offset)
        var path = path
        if let member { path += "." + (Self.isName(member) ? member.text : "?") }
        return FHIRDecodingError(
            code: code, line: line, column: column, offset: offset + markLength, path: path, expected: expected, found: found)
    }

    /// The FHIR path of the innermost frame.
    private var path: String {
        var path = rootName
        for index in 1..<max(frames.count, 1) {
            let frame = frames[index]
            guard frame.pointee.slot >= 0 else { continue }
            let table = frames[index - 1].pointee.table
            let element = table.pointee.layout._withUnsafeGuaranteedRef { $0.elements[frame.pointee.slot] }
            path += ".\(element.name)"
            if element.isList { path += "[\(frame.pointee.position)]" }
        }
        return path
    }

    /// The name of an element for a message, only if it looks like a FHIR name.
    static func shown(_ tag: XMLTag) -> String { isName(tag) ? "'\(tag.text)'" : "not a FHIR name" }

    /// `: did you mean 'birthDate'?`, for a tag that is no element; empty if no element is near.
    func hint(for tag: XMLTag, _ table: UnsafePointer<LayoutTable>) -> String {
        guard Self.isName(tag) else { return "" }
        return NearWords.hint(for: tag.text, among: table.pointee.layout._withUnsafeGuaranteedRef { $0.elements.map(\.name) })
    }

    private static func isName(_ tag: XMLTag) -> Bool {
        let name = UnsafeBufferPointer(start: tag.name, count: tag.nameLength)
        return !name.isEmpty && name.count <= 64
            && name.allSatisfy { ($0 | 0x20) &- 97 < 26 || $0 &- 48 < 10 || $0 == UInt8(ascii: "_") }
    }

    func shownType(_ name: String) -> String {
        release.hasResourceType(named: name)
            ? "'\(name)'" : "an unknown name" + NearWords.hint(for: name, among: release.resourceTypeNames)
    }
}
