import Foundation

extension FHIRClient {
    /// Settings of a client.
    public struct Configuration: Sendable {
        /// How often and when requests are repeated.
        public var retry = RetryPolicy()
        /// The longest time without progress, from connecting to the end of an answer. Default: a minute.
        public var timeout: Duration = .seconds(60)
        /// The bytes, sent or received, that are progress: a server that sends fewer in each ``timeout`` is not waited for. Default: 1,024.
        public var minimumProgress = 1_024
        /// The longest time for a request with its repetitions, until the whole answer is there; nil for any. Default: ten minutes. Answers that are
        /// read as they arrive (``FHIRClient/stream(_:)``, bulk exports) may take longer while they make progress.
        public var deadline: Duration? = .seconds(600)
        /// The hosts that may be used by plain HTTP, which everybody on the way can read. The machine itself always may.
        public var plainHTTPHosts: Set<String> = []
        /// How many redirects are followed for a request.
        public var maximumRedirects = 5
        /// Whether answers are read as far as possible instead of being refused for mistakes (`FHIRJSON.lenientResource`).
        public var readsLeniently = false
        /// The format in which content is sent, and which is asked for first. A server that refuses one gets the other. Default: JSON.
        public var format = Format.json
        /// Fields that every request to the server's origin gets, such as a `User-Agent`.
        public var fields: HTTPFields = ["User-Agent": "FireLite"]
        /// The time and the randomness, for tests.
        public var clock = FHIRClock.system

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

        /// A request with the times that these settings allow.
        ///
        /// - Parameter remaining: what is left of the deadline; nil for any time.
        func request(
            _ method: HTTPMethod, _ url: URL, fields: HTTPFields, body: Data? = nil, remaining: Duration?
        ) -> HTTPRequest {
            var request = HTTPRequest(method, url, fields: fields, body: body, timeout: timeout, deadline: remaining)
            request.minimumProgress = minimumProgress
            return request
        }

        package func isPrivate(_ origin: Origin) -> Bool {
            origin.isPrivate || plainHTTPHosts.contains { $0.lowercased() == origin.host }
        }
    }
}
