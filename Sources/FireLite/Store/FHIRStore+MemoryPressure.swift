import Dispatch
import Foundation

#if canImport(Darwin)
    extension FHIRStore {
        /// Releases memory whenever the system reports that it is short, as ``releaseMemory()`` does, until the store is closed or released.
        ///
        /// Calling it again does nothing. It is called on a queue of the system's. Linux has no such notice: call ``releaseMemory()`` there.
        public func releaseMemoryUnderPressure() { memoryRelief.begin(self) { notice in MemoryPressureSource(notice) } }
    }

    /// Reports memory pressure until it is released.
    ///
    /// `@unchecked Sendable`: its constant is set up before anybody else has it, and Dispatch's objects are thread-safe.
    private final class MemoryPressureSource: @unchecked Sendable {
        private let source: any DispatchSourceMemoryPressure

        init(_ notice: @escaping @Sendable () -> Void) {
            source = DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical], queue: .global(qos: .utility))
            source.setEventHandler(handler: notice)
            source.activate()
        }

        deinit { source.cancel() }
    }
#endif

/// Releases the memory of a store at each notice of something that listens for them.
///
/// `@unchecked Sendable` by `lock`.
final class MemoryRelief: @unchecked Sendable {
    private let lock = NSLock()
    /// What listens, until it is released.
    private var listener: AnyObject?

    /// Begins to listen; does nothing if it does already.
    ///
    /// - Parameters:
    ///   - store: the store, which is not kept alive.
    ///   - listen: returns what listens until it is released, and calls its block at each notice.
    func begin(_ store: FHIRStore, _ listen: (_ notice: @escaping @Sendable () -> Void) -> AnyObject) {
        lock.lock()
        defer { lock.unlock() }
        guard listener == nil else { return }
        listener = listen { [weak store] in store?.releaseMemory() }
    }

    /// Ends listening.
    func end() {
        lock.lock()
        let ended = listener
        listener = nil
        lock.unlock()
        // Released without the lock: a listener may do anything at its end.
        withExtendedLifetime(ended) {}
    }
}
