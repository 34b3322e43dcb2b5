/// Iterates over elements that a thread reads ahead. The thread starts with the first one, and ends with the iterator at the latest.
package final class ReadAheadIterator<Element: Sendable> {
    private let start: () -> ReadAhead<Element>
    private var source: ReadAhead<Element>?
    private var elements: [Element] = []
    private var place = 0

    package init(_ start: @escaping () -> ReadAhead<Element>) { self.start = start }

    deinit { source?.stop() }

    /// The next element; nil at the end.
    ///
    /// - Throws: what ended the reading; `CancellationError`.
    package func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
        if place == elements.count {
            let source = source ?? start()
            self.source = source
            guard let next = try await source.next() else { return nil }
            elements = next
            place = 0
        }
        place += 1
        return elements[place - 1]
    }
}
