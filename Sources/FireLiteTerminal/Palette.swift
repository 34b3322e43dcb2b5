/// Colors and bold type, on terminals whose user has nothing against them.
package struct Palette {
    /// Without colors.
    package static let plain = Palette(isOn: false)

    package let isOn: Bool

    private init(isOn: Bool) { self.isOn = isOn }

    /// - Parameters:
    ///   - isTerminal: whether the stream is a terminal; nothing else gets colors.
    ///   - environment: `NO_COLOR` with any value but the empty one turns colors off (<https://no-color.org>), and so does `TERM` if
    ///     it is `dumb` or missing.
    package init(isTerminal: Bool, environment: [String: String]) {
        let isRefused = environment["NO_COLOR"]?.isEmpty == false
        let terminal = environment["TERM"] ?? ""
        isOn = isTerminal && !isRefused && !terminal.isEmpty && terminal != "dumb"
    }

    // Select Graphic Rendition (ECMA-48, 8.3.117).

    /// For headings.
    package func bold(_ text: String) -> String { styled(text, "1") }

    /// For errors.
    package func red(_ text: String) -> String { styled(text, "31") }

    private func styled(_ text: String, _ code: String) -> String { isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
