#if canImport(FoundationNetworking)
    import CFireLiteCurl
    import Foundation

    /// The thread of all requests of a transport. It sleeps in the kernel until a socket, a deadline or a command wakes it.
    ///
    /// `@unchecked Sendable`: the lock guards `commands`, `isStopping`, `isClosed` and `turnCount`; the thread alone uses the other
    /// variables.
    final class CurlLoop: @unchecked Sendable {
        enum Command {
            case start(CurlTransfer)
            /// Lets libcurl pass bytes again.
            case resume(CurlTransfer)
            /// The caller no longer waits for the answer.
            case end(CurlTransfer)
        }

        private let multi: UnsafeMutableRawPointer
        private let maximumConnections: Int
        private let lock = NSLock()
        private var commands: [Command] = []
        private var isStopping = false
        private var isClosed = false
        private var turnCount = 0

        /// The transfers that libcurl has, by its side of them.
        private var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
        /// Those that wait for their turn, in their order.
        private var waiting: [CurlTransfer] = []
        /// When one of them may be overdue.
        private var limit: ContinuousClock.Instant?

        init?(maximumConnections: Int) {
            guard let multi = firelite_curl_multi_init() else { return nil }
            self.multi = multi
            self.maximumConnections = maximumConnections
            let thread = Thread { self.run() }
            thread.name = "FireLite HTTP"
            thread.start()
        }

        // MARK: - From other threads

        /// How often the thread has looked for something to do.
        var turns: Int { lock.withLock { turnCount } }

        func submit(_ command: Command) {
            lock.withLock {
                guard !isClosed else { return }
                commands.append(command)
                _ = firelite_curl_multi_wakeup(multi)
            }
        }

        /// Ends the thread after the running requests.
        func stop() {
            lock.withLock {
                isStopping = true
                if !isClosed { _ = firelite_curl_multi_wakeup(multi) }
            }
        }

        // MARK: - The thread

        private func run() {
            firelite_curl_block_broken_pipe()
            while true {
                let (commands, mayStop) = lock.withLock {
                    defer { self.commands = [] }
                    turnCount += 1
                    return (self.commands, isStopping)
                }
                for command in commands { obey(command) }
                if firelite_curl_multi_perform(multi) != 0 { failAll() }
                endFinished()
                startWaiting()
                checkLimits()
                if mayStop, active.isEmpty, waiting.isEmpty, close() { return }
                _ = firelite_curl_multi_poll(multi, milliseconds)
            }
        }

        /// Frees everything unless a command came in between.
        private func close() -> Bool {
            lock.withLock {
                guard commands.isEmpty else { return false }
                isClosed = true
                firelite_curl_multi_cleanup(multi)
                return true
            }
        }

        /// The time until the next deadline.
        private var milliseconds: Int32 {
            // Rounded up: a wait that ends early would be followed by an empty one.
            guard let limit else { return 3_600_000 }
            return Int32(min(max((limit - .now) / .milliseconds(1), 0) + 1, 3_600_000))
        }

        private func obey(_ command: Command) {
            switch command {
            case .start(let transfer):
                waiting.append(transfer)
                transfer.reception.suspend(true)
                watch(transfer, .now)
                startWaiting()
            case .resume(let transfer):
                guard transfer.isPaused, let easy = transfer.easy else { return }
                transfer.isPaused = false
                // How it ends is read with the ends of all others.
                _ = firelite_curl_resume(easy)
                watch(transfer, .now)
            case .end(let transfer):
                waiting.removeAll { $0 === transfer }
                remove(transfer)
            }
        }

        // MARK: - Turns

        private func startWaiting() {
            guard !waiting.isEmpty else { return }
            // A request that waits for its reader must not block others, as the reader may wait for them.
            var counts: [Origin: Int] = [:]
            for transfer in active.values where !transfer.isPaused { counts[transfer.origin, default: 0] += 1 }
            waiting.removeAll { transfer in
                guard counts[transfer.origin, default: 0] < maximumConnections else { return false }
                counts[transfer.origin, default: 0] += 1
                start(transfer)
                return true
            }
        }

        private func start(_ transfer: CurlTransfer) {
            transfer.reception.suspend(false)
            do {
                let easy = try transfer.open()
                guard firelite_curl_multi_add(multi, easy) == 0 else {
                    throw HTTPTransportError(.cannotConnect, "there is no memory for a request")
                }
                active[easy] = transfer
                watch(transfer, .now)
            } catch {
                transfer.reception.finish(error)
                transfer.close()
            }
        }

        // MARK: - Ends

        private func endFinished() {
            var result: Int32 = 0
            while let easy = firelite_curl_multi_ended(multi, &result) {
                guard let transfer = active[easy] else { continue }
                let failure = CurlFailure(result, easy)
                remove(transfer)
                transfer.reception.finish(failure?.error)
            }
        }

        private func remove(_ transfer: CurlTransfer) {
            guard let easy = transfer.easy else { return }
            if active.removeValue(forKey: easy) != nil { _ = firelite_curl_multi_remove(multi, easy) }
            transfer.close()
        }

        /// libcurl has no memory, or is broken.
        private func failAll() {
            for transfer in active.values {
                remove(transfer)
                transfer.reception.finish(HTTPTransportError(.connectionLost, "libcurl failed"))
            }
        }

        // MARK: - Deadlines

        /// Looks after a transfer from now on.
        private func watch(_ transfer: CurlTransfer, _ now: ContinuousClock.Instant) {
            guard let next = transfer.reception.check(now, isUnsent: { transfer.isUnsent }) else { return }
            limit = limit.map { min($0, next) } ?? next
        }

        private func checkLimits() {
            let now = ContinuousClock.now
            guard let limit, now >= limit else { return }
            self.limit = nil
            for transfer in active.values { watch(transfer, now) }
            for transfer in waiting { watch(transfer, now) }
        }
    }
#endif
