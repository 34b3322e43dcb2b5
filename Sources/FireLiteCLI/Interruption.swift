import FireLite
import Foundation

/// What signals that end the tool do: what is not complete is removed before.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Waits for signals on a thread of its own. Called before any other thread is started, as threads inherit which signals they leave to it.
    ///
    /// A signal that is ignored, as `nohup` has it, stays ignored.
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
            // As if there had been no handler, so that the shell is told why the tool ended.
            signal(received, SIG_DFL)
            kill(getpid(), received)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            // The signal comes at once.
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
