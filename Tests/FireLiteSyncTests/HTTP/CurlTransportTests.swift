#if canImport(FoundationNetworking)
    import CFireLiteCurl
    import Foundation
    import Testing

    @testable import FireLiteClient
    @testable import FireLiteSync

    /// What is of the transport over libcurl alone.
    @Suite(.ownThread, .enabled(if: LibCurl.isLoaded), .timeLimit(.minutes(5))) struct CurlTransportTests {
        /// The library names its options itself, so a wrong number in the header is found.
        @Test func numbersAreThoseOfTheLibrary() throws {
            try #require(firelite_curl_version() >= 0x074900)
            let options = [
                "URL": FIRELITE_CURLOPT_URL, "HTTPHEADER": FIRELITE_CURLOPT_HTTPHEADER, "CUSTOMREQUEST": FIRELITE_CURLOPT_CUSTOMREQUEST,
                "WRITEDATA": FIRELITE_CURLOPT_WRITEDATA, "WRITEFUNCTION": FIRELITE_CURLOPT_WRITEFUNCTION,
                "READDATA": FIRELITE_CURLOPT_READDATA, "READFUNCTION": FIRELITE_CURLOPT_READFUNCTION,
                "HEADERDATA": FIRELITE_CURLOPT_HEADERDATA, "HEADERFUNCTION": FIRELITE_CURLOPT_HEADERFUNCTION,
                "SEEKDATA": FIRELITE_CURLOPT_SEEKDATA, "SEEKFUNCTION": FIRELITE_CURLOPT_SEEKFUNCTION,
                "SOCKOPTFUNCTION": FIRELITE_CURLOPT_SOCKOPTFUNCTION, "NOBODY": FIRELITE_CURLOPT_NOBODY, "UPLOAD": FIRELITE_CURLOPT_UPLOAD,
                "INFILESIZE_LARGE": FIRELITE_CURLOPT_INFILESIZE_LARGE, "FOLLOWLOCATION": FIRELITE_CURLOPT_FOLLOWLOCATION,
                "SSL_VERIFYPEER": FIRELITE_CURLOPT_SSL_VERIFYPEER, "SSL_VERIFYHOST": FIRELITE_CURLOPT_SSL_VERIFYHOST,
                "FRESH_CONNECT": FIRELITE_CURLOPT_FRESH_CONNECT, "HTTP_VERSION": FIRELITE_CURLOPT_HTTP_VERSION,
                "NOSIGNAL": FIRELITE_CURLOPT_NOSIGNAL, "ACCEPT_ENCODING": FIRELITE_CURLOPT_ACCEPT_ENCODING,
                "PROTOCOLS": FIRELITE_CURLOPT_PROTOCOLS, "TCP_KEEPALIVE": FIRELITE_CURLOPT_TCP_KEEPALIVE,
                "PATH_AS_IS": FIRELITE_CURLOPT_PATH_AS_IS, "PIPEWAIT": FIRELITE_CURLOPT_PIPEWAIT,
                "SUPPRESS_CONNECT_HEADERS": FIRELITE_CURLOPT_SUPPRESS_CONNECT_HEADERS,
                "DISALLOW_USERNAME_IN_URL": FIRELITE_CURLOPT_DISALLOW_USERNAME_IN_URL, "MAXAGE_CONN": FIRELITE_CURLOPT_MAXAGE_CONN,
            ]
            for (name, number) in options { #expect(Int(firelite_curl_option(name)) == number, "\(name)") }
            let quick = Int(firelite_curl_option("QUICK_EXIT"))
            #expect(quick == 0 || quick == FIRELITE_CURLOPT_QUICK_EXIT)
        }

        @Test func aLibraryThatIsNotThereIsNotLoaded() { #expect(firelite_curl_load("libfirelite-nothing.so.4") == 0) }

        /// Writes share a connection: one for each would cost an agreement on keys each.
        @Test func writesShareAConnection() async throws {
            let server = try ScriptedServer(answering: "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            let transport = try #require(CurlTransport())
            for number in 0..<20 {
                _ = try await transport.send(HTTPRequest(number % 2 == 0 ? .put : .post, server.url("/\(number)"), body: Data("{}".utf8)))
            }
            #expect(server.requests.count == 20 && server.connections == 1)
        }

        /// Dots are a part of an id; a path that was shortened would name something else.
        @Test func dotsInAPathAreSentAsTheyAre() async throws {
            let server = try ScriptedServer(answering: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            let transport = try #require(CurlTransport())
            _ = try await transport.send(HTTPRequest(.delete, server.url("/fhir/Patient/..")))
            #expect(server.requests.map(\.target) == ["/fhir/Patient/.."])
        }

        /// The thread sleeps in the kernel: how often it wakes does not depend on how long it waits.
        @Test func waitingTakesNoTurns() async throws {
            let server = try SilentServer()
            let loop = try #require(CurlLoop(maximumConnections: 6))
            let request = HTTPRequest(.get, server.base, timeout: .seconds(2))
            let transfer = CurlTransfer(request, to: try request.checked())
            loop.submit(.start(transfer))
            await #expect(throws: HTTPTransportError.self) { _ = try await transfer.reception.whole(upTo: 1) }
            #expect(loop.turns < 50)
            loop.submit(.end(transfer))
            loop.stop()
        }
    }
#endif
