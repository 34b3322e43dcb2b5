import Foundation

extension FHIRClient {
    /// Settings of a client.
    public struct Configuration: Sendable {
        /// How often and when requests are repeated.
        public var retry = RetryPolicy()
        /// The longest time without a byte from the server.
        public var timeout: Duration = .seconds(60)
        /// The hosts that may be used by plain HTTP, which everybody on the way can read. The machine itself always may.
        public var plainHTTPHosts: Set<String> = []
        /// How many redirects are followed for a request.
        public var maximumRedirects = 5
        /// Whether answers are read as far as possible instead of being refused for mistakes (`FHIRJSON.lenientResource`).
        public var readsLeniently = false
        /// Fields that every request to the server's origin gets, such as a `User-Agent`.
        public var fields: HTTPFields = ["User-Agent": "FireLite"]
        /// The time and the randomness, for tests.
        public var clock = SyncClock.system

        /// The standard settings.
        public init() {}

        /// The origin of an address that may be used.
        ///
        /// - Throws: `FHIRClientError.invalidArgument`, `notPrivate`.
        func checkedOrigin(_ url: URL) throws -> Origin {
            guard let origin = Origin(url) else {
                throw FHIRClientError(.invalidArgument, "the address of a server begins with https:// and a host")
            }
            guard isPrivate(origin) else {
                throw FHIRClientError(
                    .notPrivate,
                    "plain HTTP can be read by everybody on the way", remedy: .permitPlainHTTP)
            }
            return origin
        }

        func isPrivate(_ origin: Origin) -> Bool {
            origin.isPrivate || plainHTTPHosts.contains { $0.lowercased() == origin.host }
        }
    }
}
