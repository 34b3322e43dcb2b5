import Foundation

/// Keeps a token for each server. However many requests need a new one at once, one asks for it and all get it.
actor TokenKeeper {
    private struct State {
        var token: AccessToken?
        var fetch: Task<AccessToken?, any Error>?
    }

    /// By base address: a token for one server never goes to another.
    private var states: [URL: State] = [:]

    /// The kept token, or a new one.
    ///
    /// - Parameters:
    ///   - context: the server.
    ///   - rejected: a header that the server refused: if the kept token is another one, somebody else has replaced it already.
    ///   - fetch: gets a new token; nil for none.
    func token(
        _ context: AuthorizationContext, replacing rejected: String? = nil,
        _ fetch: @escaping @Sendable () async throws -> AccessToken?
    ) async throws -> AccessToken? {
        let key = context.base
        if let token = states[key]?.token, token.header != rejected, token.isUsable(at: context.configuration.clock.now()) { return token }
        let task: Task<AccessToken?, any Error>
        if let running = states[key]?.fetch {
            task = running
        } else {
            let last = states[key]?.token
            task = Task {
                // The task belongs to all who wait, so that none of them cancels it for the others.
                do {
                    let token = try await fetch()
                    self.finish(key, token)
                    return token
                } catch {
                    self.finish(key, last)
                    throw error
                }
            }
            states[key, default: State()].fetch = task
        }
        return try await Self.value(of: task)
    }

    /// The result of a task that others wait for too. Who is cancelled leaves at once, and the task goes on.
    private static func value(of task: Task<AccessToken?, any Error>) async throws -> AccessToken? {
        let (results, passed) = AsyncThrowingStream<AccessToken?, any Error>.makeStream()
        let listener = Task {
            switch await task.result {
            case .success(let token):
                passed.yield(token)
                passed.finish()
            case .failure(let error): passed.finish(throwing: error)
            }
        }
        defer { listener.cancel() }
        for try await token in results { return token }
        // The stream ends without a token only if whoever waits is cancelled.
        throw CancellationError()
    }

    private func finish(_ key: URL, _ token: AccessToken?) { states[key] = State(token: token) }

    /// The token as it is, for the app.
    func current(_ base: URL) -> AccessToken? { states[base]?.token }

    func set(_ token: AccessToken?, for base: URL) { states[base] = State(token: token) }
}
