import Dispatch
import Foundation

/// Reports that anybody, in any process, has written to a file. Until then no thread runs.
///
/// Linux and Android: inotify(7), one descriptor for the process, made when it is first needed. Apple's systems: a kernel queue's event on a
/// descriptor of the file, which must be one without POSIX locks, as closing it would release them. Elsewhere nothing can be listened for.
///
/// `@unchecked Sendable`: `lock` is held for every access to a variable.
final class FileWrites: @unchecked Sendable {
    static let shared = FileWrites()

    /// Is called once, at the next write, and must listen again for the one after it.
    final class Listener: Sendable {
        let path: String
        fileprivate let report: @Sendable () -> Void

        init(_ path: String, report: @escaping @Sendable () -> Void) {
            self.path = path
            self.report = report
        }
    }

    private let lock = NSLock()
    private let queue = DispatchQueue(label: "FireLite file writes")

    #if os(Linux) || os(Android)
        private var descriptor: Int32 = -1
        private var source: (any DispatchSourceRead)?
        /// By the number of their watch, which is one for each file.
        private var listeners: [Int32: [Listener]] = [:]

        deinit { source?.cancel() }

        /// Reports the next write to the file of the listener, once.
        ///
        /// - Returns: whether that can be had; it can't if there is no such file, or the system has no watch left.
        func listen(_ listener: Listener) -> Bool {
            lock.lock()
            defer { lock.unlock() }
            guard begin() else { return false }
            // A watch reports once, and is gone then; a file that is watched already keeps its watch.
            let watch = inotify_add_watch(descriptor, listener.path, UInt32(IN_MODIFY) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONESHOT))
            guard watch >= 0 else { return false }
            if listeners[watch]?.contains(where: { $0 === listener }) != true { listeners[watch, default: []].append(listener) }
            return true
        }

        /// Reports no more to the listener, but for what is being reported.
        func forget(_ listener: Listener) {
            lock.lock()
            defer { lock.unlock() }
            for (watch, others) in listeners {
                let left = others.filter { $0 !== listener }
                guard left.count < others.count else { continue }
                listeners[watch] = left.isEmpty ? nil : left
                if left.isEmpty { inotify_rm_watch(descriptor, watch) }
            }
        }

        private func begin() -> Bool {
            guard source == nil else { return true }
            descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else { return false }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.report() }
            source.setCancelHandler { [descriptor] in close(descriptor) }
            self.source = source
            source.resume()
            return true
        }

        private func report() {
            lock.lock()
            var hearing: [Listener] = []
            withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
                while case let length = read(descriptor, buffer.baseAddress, buffer.count), length > 0 {
                    var offset = 0
                    while offset < length {
                        let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
                        offset += MemoryLayout<inotify_event>.size + Int(event.len)
                        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                            hearing += listeners.values.joined()
                            listeners = [:]
                        } else {
                            hearing += listeners.removeValue(forKey: event.wd) ?? []
                        }
                    }
                }
            }
            lock.unlock()
            for listener in hearing { listener.report() }
        }
    #elseif canImport(Darwin)
        private var sources: [ObjectIdentifier: any DispatchSourceFileSystemObject] = [:]

        deinit { for source in sources.values { source.cancel() } }

        /// Reports the next write to the file of the listener, once.
        ///
        /// - Returns: whether that can be had; it can't if there is no such file, or the process has no descriptor left.
        func listen(_ listener: Listener) -> Bool {
            lock.lock()
            defer { lock.unlock() }
            guard sources[ObjectIdentifier(listener)] == nil else { return true }
            let descriptor = open(listener.path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .delete], queue: queue)
            source.setEventHandler { [weak self, weak listener] in
                guard let listener else { return }
                self?.forget(listener)
                listener.report()
            }
            source.setCancelHandler { close(descriptor) }
            sources[ObjectIdentifier(listener)] = source
            source.resume()
            return true
        }

        /// Reports no more to the listener, but for what is being reported.
        func forget(_ listener: Listener) {
            lock.lock()
            defer { lock.unlock() }
            sources.removeValue(forKey: ObjectIdentifier(listener))?.cancel()
        }
    #else
        func listen(_ listener: Listener) -> Bool { false }

        func forget(_ listener: Listener) {}
    #endif
}
