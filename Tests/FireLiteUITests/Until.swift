import Observation

/// Waits until `value` is true of what it reads, whenever that changes.
@MainActor
func until(_ value: @escaping @MainActor () -> Bool) async {
    let (changes, changed) = AsyncStream.makeStream(of: Void.self)
    var iterator = changes.makeAsyncIterator()
    while !withObservationTracking(value, onChange: { changed.yield() }) { await iterator.next() }
}
