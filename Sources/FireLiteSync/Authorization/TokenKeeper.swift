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
        let token = try await task.value
        try Task.checkCancellation()
        return token
    }

    private func finish(_ key: URL, _ token: AccessToken?) { states[key] = State(token: token) }

    /// The token as it is, for the app.
    func current(_ base: URL) -> AccessToken? { states[base]?.token }

    func set(_ token: AccessToken?, for base: URL) { states[base] = State(token: token) }
}
