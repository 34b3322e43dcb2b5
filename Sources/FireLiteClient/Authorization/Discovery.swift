import Foundation

/// Remembers where a server's authorization server is; asks once, however many need it.
actor Discovery {
    private var tasks: [URL: Task<SMARTConfiguration, any Error>] = [:]

    func configuration(_ context: AuthorizationContext) async throws -> SMARTConfiguration {
        let task = tasks[context.base] ?? Task { try await SMARTConfiguration.discover(context) }
        tasks[context.base] = task
        do { return try await task.value } catch {
            tasks[context.base] = nil
            throw error
        }
    }

    func tokenEndpoint(_ given: URL?, _ context: AuthorizationContext) async throws -> URL {
        if let given { return given }
        guard let endpoint = try await configuration(context).tokenEndpoint else {
            throw AuthorizationError(.noEndpoint, "the server does not say where it gives out tokens", remedy: .giveTokenEndpoint)
        }
        return endpoint
    }
}
