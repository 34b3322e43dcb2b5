#if canImport(FoundationNetworking)
    import CFireLiteCurl
    import Foundation

    /// Sends requests by the system's libcurl. One thread waits for all of them, in the kernel.
    final class CurlTransport: HTTPTransport {
        private let loop: CurlLoop
        private let maximumBodyBytes: Int

        /// Creates a transport; nil without a usable libcurl.
        ///
        /// - Parameters:
        ///   - maximumConnections: the number of requests to a server at once.
        ///   - maximumBodyBytes: the longest answer that is read into memory.
        init?(maximumConnections: Int = 6, maximumBodyBytes: Int = 512 << 20) {
            guard LibCurl.isLoaded, let loop = CurlLoop(maximumConnections: max(maximumConnections, 1)) else { return nil }
            self.loop = loop
            self.maximumBodyBytes = maximumBodyBytes
        }

        deinit { loop.stop() }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await begin(request).whole(upTo: maximumBodyBytes)
        }

        func stream(_ request: HTTPRequest) async throws -> HTTPStreamedResponse { try await begin(request).answer() }

        private func begin(_ request: HTTPRequest) throws -> HTTPReception {
            try Task.checkCancellation()
            let origin = try request.checked()
            let transfer = CurlTransfer(request, to: origin)
            transfer.reception.begin(CurlSource(loop: loop, transfer: transfer))
            loop.submit(.start(transfer))
            return transfer.reception
        }
    }

    /// A request of a loop, which lets the server wait while its reader is slow.
    private struct CurlSource: HTTPSource {
        let loop: CurlLoop
        /// The transfer holds the reception, which holds this.
        weak let transfer: CurlTransfer?

        func cancel() { if let transfer { loop.submit(.end(transfer)) } }
        func resume() { if let transfer { loop.submit(.resume(transfer)) } }
    }
#endif
