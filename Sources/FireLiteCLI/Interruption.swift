import FireLite
import Foundation

/// Removes incomplete files, and ends the programs that the tool has started, when a signal ends it.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private static let lock = NSLock()
    nonisolated(unsafe) private static var programs: Set<Int32> = []

    /// Runs `body` while a program that was started for it runs: a signal that ends the tool ends the program, too.
    static func ending<Value>(_ program: Process, _ body: () throws -> Value) rethrows -> Value {
        let number = program.processIdentifier
        _ = lock.withLock { programs.insert(number) }
        defer { _ = lock.withLock { programs.remove(number) } }
        return try body()
    }

    /// Waits for signals on a thread of its own. Must be called before any other thread starts, as threads inherit the signal mask.
    ///
    /// An ignored signal, as with `nohup`, stays ignored.
    static func install() {
        let awaited = signals.filter { !isIgnored($0) }
        guard !awaited.isEmpty else { return }
        var set = sigset_t()
        sigemptyset(&set)
        for signal in awaited { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        let waited = set
        Thread.detachNewThread {
            var set = waited
            var received: Int32 = 0
            while sigwait(&set, &received) != 0 {}
            PendingFolder.abandonAll()
            for program in lock.withLock({ programs }) { kill(program, SIGTERM) }
            // As if there were no handler, so that the shell sees why the tool ended.
            signal(received, SIG_DFL)
            kill(getpid(), received)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            // The signal arrives at once.
            pause()
        }
    }

    private static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
